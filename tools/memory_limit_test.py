"""Runs commands under limits of address space that rise in steps.

Each must end with its result, or with exit code 1 and a message, never by a
signal. The lowest limit is one with which the system can start the program.

  memory_limit_test.py <eyrie>
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

STEPS = 24
KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

# More functions and bytes than fit in memory next to the program.
MODULE = """vm.module @many version 0
vm.rodata[0] = %s
%s"""
FUNCTION = """vm.export @f%d
vm.func @f%d(%%i0: i32) -> (i32) {
^bb0:
  vm.return %%i0
}
"""

# Returns 16 MiB of zeros, whose JSON text is six times as long.
ZEROS = """vm.module @zeros version 0
vm.export @zeros
vm.func @zeros() -> (!vm.buffer) {
^bb0:
  %i0:1 = vm.const.i64 16777216
  %i2 = vm.const.i32 16
  %r0 = vm.buffer.alloc %i0:1, %i2
  vm.return %r0
}
"""


def run(command, limit):
  """Returns the exit code under `limit` bytes of address space, and stderr."""

  def restrict():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

  done = subprocess.run(command, preexec_fn=restrict, stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                        timeout=120, check=False)
  return done.returncode, done.stderr.decode(errors="replace")


def least(command):
  """Returns the lowest limit with which a trivial command succeeds."""
  limit = MIB
  while run(command, limit)[0] != 0:
    limit += 256 * KIB
  return limit


def is_good(code, text):
  return code == 0 or (code == 1 and text.startswith("eyrie"))


def sweep(command, begin):
  """Returns how many runs below the sufficient limit fail, and bad ends."""
  end = begin
  while run(command, end)[0] != 0:
    end += end // 4
    assert end < GIB, command
  failures = 0
  bad = []
  for step in range(STEPS):
    limit = begin + (end - begin) * step // STEPS
    code, text = run(command, limit)
    failures += code != 0
    if not is_good(code, text):
      bad.append(f"{limit} bytes: exit code {code}, {text[:200]!r}")
  return failures, bad


def main():
  eyrie = pathlib.Path(sys.argv[1]).resolve()
  digits = "samples/digits/digits.vmfb"
  with tempfile.TemporaryDirectory() as folder:
    text = os.path.join(folder, "many.vmasm")
    many = os.path.join(folder, "many.vmfb")
    functions = "\n".join(FUNCTION % (i, i) for i in range(4000))
    pathlib.Path(text).write_text(MODULE % ("00FF" * MIB, functions))
    subprocess.run([eyrie, "asm", text, "-o", many], check=True)
    rows = [
        (["run", digits, "--input=@samples/digits/seven.npy"], 1),
        (["run", digits, "--input=auto", "--device=local-task"], 1),
        (["run", many, "--function=f7", "--input=1"], 1),
        (["inspect", many], 1),
        (["inspect", many, "--json"], 1),
        (["inspect", many, "--html=" + os.path.join(folder, "i.html")], 1),
        (["dump", many], 1),
        (["dump", many, "--output=disassembly"], 1),
        (["asm", text, "-o", os.path.join(folder, "again.vmfb")], 1),
    ]
    zeros = os.path.join(folder, "zeros.vmfb")
    subprocess.run([eyrie, "asm", "-", "-o", zeros], input=ZEROS.encode(),
                   check=True)
    begin = least([eyrie, "--version"])
    wrong = 0
    for arguments, expected in rows:
      failures, bad = sweep([eyrie] + arguments, begin)
      name = " ".join(pathlib.Path(a).name for a in arguments)
      print(f"{name}: {failures} of {STEPS} runs lack memory")
      if failures < expected:
        bad.append("no run lacks memory")
      for line in bad:
        print("  WRONG:", line)
      wrong += len(bad)
    # Limits with which the program hardly starts. 127 is the dynamic loader's
    # exit code.
    for limit in range(begin - 512 * KIB, begin, 8 * KIB):
      code, text = run([eyrie, "inspect", digits], limit)
      if code != 127 and not is_good(code, text):
        print(f"WRONG: {limit} bytes: exit code {code}, {text[:200]!r}")
        wrong += 1
    # The message must name the limit in force.
    _, text = run([eyrie, "run", digits, "--input=1000000000000xf32=1"],
                  begin + 64 * MIB)
    if f"may have {begin + 64 * MIB} bytes of address space" not in text:
      print("WRONG: the limit is not named:", text)
      wrong += 1
    # The text must be written while it is produced.
    code, text = run([eyrie, "run", zeros, "--output=json"], begin + 64 * MIB)
    if code != 0:
      print("WRONG: JSON text is kept:", code, text)
      wrong += 1
  sys.exit(1 if wrong else 0)


if __name__ == "__main__":
  main()
