#!/usr/bin/env python3
"""Stands in for iree-compile and iree-import-onnx in tune_test.txt.

It makes a module of one loop and one addition with `eyrie asm`. The flags say
how long the loop is and what is added; the model's name says how to fail.
"""

import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time

VERSION = "3.13.0rc20260101 @ abcdef"
MODULE = """vm.module @m
vm.type f32
vm.export @f
vm.func @f(%%i0: f32) -> (f32) {
^bb0:
  %%i1 = vm.const.i32 %d
  %%i2 = vm.const.i32 -1
  vm.br ^bb1()
^bb1:
  %%i1 = vm.add.i32 %%i1, %%i2
  vm.cond_br %%i1, ^bb1(), ^bb2()
^bb2:
  %%i1 = vm.const.f32 %s
  %%i0 = vm.add.f32 %%i0, %%i1
  vm.return %%i0
}
"""
# The start of a flag, the loop's length and the number that is added. The first
# row that matches counts.
LOOPS = [
    ("--iree-preprocessing-pass-pipeline=", 10, "0.6"),  # another result
    ("--iree-opt-level=O3", 1000, "0.5001"),             # nearly the same
    ("", 100000, "0.5"),
]


def fail(*lines):
    """Prints lines to stderr and exits."""
    print("\n".join(lines), file=sys.stderr)
    sys.exit(1)


def import_onnx(model, output, converted):
    """Writes a file that says whether the model was converted."""
    if "old" in model and not converted:
        fail("Traceback (most recent call last):", "  a line",
             "ValueError: opset 7 is too old")
    pathlib.Path(output).write_text("17" if converted else "",
                                    encoding="utf-8")


def write_kernel(output, crashes):
    """Writes the module of an addition; it may begin with ud2."""
    module = bytearray(pathlib.Path(
        os.environ["M"] + "/3.13/add.bare.vmfb").read_bytes())
    elf = module.index(b"\x7fELF")
    for header in range(elf + 64, elf + 64 + 7 * 56, 56):
        kind, flags, offset = struct.unpack_from("<IIQ", module, header)
        if crashes and kind == 1 and flags & 1:  # loaded code
            module[elf + offset:elf + offset + 2] = b"\x0f\x0b"
    pathlib.Path(output).write_bytes(module)


def compile_file(path, flags, output):
    """Writes a module, or fails as the model's name or a flag says."""
    name = path.name
    if "crash" in name:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "hang" in name:
        pathlib.Path("pid").write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(100)
    if "bad" in name or "strict" in name and path.read_text() != "17":
        fail("a warning", f"{path}:1:1: error: expected an operation")
    if "kernel" in name:
        write_kernel(output, "--iree-opt-level=O3" in flags)
        return
    if "--iree-llvmcpu-enable-ukernels=all" in flags:
        fail("iree-compile: Unknown command line argument")
    if "--iree-dispatch-creation-data-tiling" in flags:
        pathlib.Path(output).write_text("no module", encoding="utf-8")
    elif flags[-1] == "--iree-opt-data-tiling=false":  # of other arguments
        shutil.copyfile(os.environ["M"] + "/3.12/add.vmfb", output)
    else:
        loops, number = next(row[1:] for row in LOOPS if any(
            flag.startswith(row[0]) for flag in flags))
        subprocess.run(["eyrie", "asm", "-", "-o", output], check=True,
                       input=(MODULE % (loops, number)).encode())


def main():
    args = sys.argv[1:]
    if args == ["--version"]:
        print("IREE (https://iree.dev):\n  IREE compiler version " + VERSION)
        return
    output = args[args.index("-o") + 1]
    if pathlib.Path(sys.argv[0]).name == "iree-import-onnx":
        import_onnx(args[0], output, "--opset-version" in args)
    else:
        flags = [arg for arg in args if arg.startswith("--iree-")]
        if len({flag.split("=")[0] for flag in flags}) != len(flags):
            fail("iree-compile: may only occur zero or one times!")
        compile_file(pathlib.Path(args[0]), flags, output)


if __name__ == "__main__":
    main()
