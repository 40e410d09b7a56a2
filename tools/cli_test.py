"""Runs the commands of a table such as cli_test.txt and compares output.

A block of the table is a line "$ command", then its expected output: "| " lines
for stdout, "! " lines for stderr, "? 1" for a nonzero exit code. "!~ text"
expects a part of stderr. sh runs the commands in order, in one folder of test
files. $M is tests/modules, $B tests/bad_input/testdata, $S samples, $N
tests/native, $P tests/support. $T is a folder of links with the names of
upstream's tools.

  cli_test.py <eyrie> <table> [--update]    rewrites the table's expectations
"""

import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib


def npy(descr, shape, data):
    """Returns a .npy file as numpy.save writes it."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
        descr, shape)
    header = header.ljust(127 - 10) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
            header.encode() + data)


def damaged_libraries(folder):
    """Returns broken native libraries and their declarations, by name."""
    path = folder / "handlers_3_noted.so"
    if not path.exists():  # only one table's test has it
        return {}
    library = path.read_bytes()
    note = library.index(b"EYRIE\0")
    return {
        "arm.so": library[:18] + struct.pack("<H", 183) + library[20:],
        "object.so": library[:16] + struct.pack("<H", 1) + library[18:],
        "cut.so": library[:len(library) // 2],
        "header.so": library[:40],
        "text.so": b"this is no library\n",
        # The note claims more text than the file has bytes.
        "note.so": (library[:note - 8] + struct.pack("<I", 1 << 30) +
                    library[note - 4:]),
        "plain.so": (folder / "handlers_3.so").read_bytes(),
        "bad.json": b'{"module": "xffi", "functions": {"f": {}}}',
        "lost.json": b"""{"module": "xffi", "functions": {
            "f": {"convention": "xla_ffi", "symbol": "NoSuchHandler"}}}""",
        "libm.json": b"""{"module": "xffi", "functions": {
            "sin": {"convention": "xla_ffi"}}}""",
        "data.json": b"""{"module": "xffi", "functions": {
            "f": {"convention": "xla_ffi", "symbol": "kTable"}}}""",
        "sizes.json": b"""{"module": "xffi", "functions": {
            "f": {"convention": "xla_ffi", "symbol": "Copy", "results": [
            {"dtype": "f32", "shape": [4611686018427387904, 3]}]}}}""",
        "silent.json": b"""{"module": "xffi", "functions": {
            "f": {"convention": "xla_ffi", "symbol": "Silent"}}}""",
        "busy.json": b"""{"module": "xffi", "functions": {
            "f": {"convention": "xla_ffi", "symbol": "Reluctant"}}}""",
    }


def sealed(module):
    """Returns the archive with updated checksums of its members."""
    archive = zipfile.ZipFile(io.BytesIO(module))
    directory, module = archive.start_dir, bytearray(module)
    for member in archive.infolist():
        names = member.header_offset + 26
        begin = names + 4 + sum(struct.unpack_from("<HH", module, names))
        crc = zlib.crc32(module[begin:begin + member.file_size])
        struct.pack_into("<I", module, directory + 16, crc)
        directory += 46 + sum(
            struct.unpack_from("<HHH", module, directory + 28))
    return bytes(module)


def damaged_shaders(modules):
    """Returns Vulkan modules, each with a different damaged executable."""
    module = (modules / "3.13/add.vulkan.vmfb").read_bytes()
    executable = module.index(b"VKE1", module.index(b"VKE1") + 1)
    shader = module.index(b"\x03\x02\x23\x07")

    # OpDecorate %n ArrayStride 4
    stride = re.search(rb"\x47\0\x04\0.{4}\x06\0{3}\x04\0{3}", module, re.S)

    def with_bytes(offset, data):
        return sealed(module[:offset] + data + module[offset + len(data):])

    return {
        "flipped.vmfb": module[:shader + 99] + b"\xff" + module[shader + 100:],
        "wrapper.vmfb": with_bytes(module.index(b"VKE1") + 8, b"\xff" * 8),
        "table.vmfb": with_bytes(executable - 4, b"\xff" * 4),
        "stride.vmfb": with_bytes(stride.start() + 12, b"\2"),
        "magic.vmfb": with_bytes(shader, b"\0"),
        "bound.vmfb": with_bytes(shader + 12, b"\xff" * 4),
        "capability.vmfb": with_bytes(shader + 24, struct.pack("<I", 5266)),
        "instruction.vmfb": with_bytes(shader + 22, b"\0\0"),
    }


def prepare(folder, modules, table):
    """Writes the files that commands of the table name."""
    add = (modules / "3.13/add.vmfb").read_bytes()
    files = {
        "empty.vmfb": b"",
        "text.vmfb": b"hello, this is no module\n",
        "source.mlir": b"func.func @none() {\n  return\n}\n",
        "cut.vmfb": add[:1000],
        "cut_tail.vmfb": add[:-2000],
        "add.vmfb": add,
        # An export with a control character in its name.
        "escapes.vmfb": add.replace(b"\3\0\0\0add\0", b"\3\0\0\0a\x1bd\0"),
        "a.npy": npy("<f4", "(4,)", struct.pack("<4f", 1, 2, 3, 4)),
        "b.npy": npy("<f4", "(4,)", struct.pack("<4f", 10, 20, 30, 40)),
        "ints.npy": npy("<i4", "(4,)", struct.pack("<4i", 1, 2, 3, 4)),
        "a.bin": struct.pack("<8f", 1, 2, 3, 4, 5, 6, 7, 8),
        "flags.txt": b"# the inputs\n--input=4xf32=1\n\n--input=4xf32=2\n",
    }
    # One changed byte in the machine code of a kernel.
    kernel = add.index(b"\x7fELF") + 600
    files["flipped_add.vmfb"] = (
        add[:kernel] + bytes([add[kernel] ^ 1]) + add[kernel + 1:])
    files.update(damaged_libraries(modules.parent / "native/lib"))
    if table == "vulkan_test.txt":
        files.update(damaged_shaders(modules))
    for name in ("trace_check.py", "on_terminal.py", "public_flags.txt"):
        script = pathlib.Path(__file__).with_name(name)
        if script.exists():
            files[name] = script.read_bytes()
    for name, contents in files.items():
        (folder / name).write_bytes(contents)
    (folder / "folder").mkdir()


def link_names(eyrie, folder):
    """Creates the links that `./eyrie install` creates."""
    names = pathlib.Path(__file__).with_name("names.def")
    if names.exists():
        folder.mkdir()
        for name in re.findall(r'^PUBLIC_TOOL\("([^"]+)"', names.read_text(),
                               re.M):
            (folder / name).symlink_to(eyrie)


def parse(text):
    """Splits the table into blocks of (comments, command, expectation)."""
    blocks, comments, block = [], [], None
    for line in text.split("\n"):
        if line.startswith("$ "):
            block = (comments, line[2:], [])
            blocks.append(block)
            comments = []
        elif line[:1] in ("|", "!", "?") and block:
            block[2].append(line)
        else:
            comments.append(line)
            block = None
    return blocks, comments


def run(command, folder, environment):
    """Runs a command. Returns its output as lines of the table."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                          capture_output=True, timeout=120, check=False)
    lines = []
    for mark, stream in (("|", done.stdout), ("!", done.stderr)):
        text = stream.decode("utf-8", "replace")
        for name in ("M", "B", "S", "N", "P", "T"):
            text = text.replace(environment[name], "$" + name)
        lines += [(mark + " " + line).rstrip()
                  for line in text.split("\n")[:-1]]
        if text and not text.endswith("\n"):
            lines.append(mark + " " + text.split("\n")[-1] + "\\")
    if done.returncode != 0:
        lines.append("? %d" % done.returncode)
    return lines


def matches(want, got):
    """Reports whether lines match; "!~" lines replace all of stderr."""
    parts = [line[3:] for line in want if line.startswith("!~")]
    if not parts:
        return want == got
    stderr = "\n".join(line for line in got if line.startswith("!"))
    rest = [line for line in got if not line.startswith("!")]
    return (all(part in stderr for part in parts) and
            rest == [line for line in want if not line.startswith("!~")])


def main():
    eyrie, table = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    here = pathlib.Path.cwd()
    environment = dict(os.environ, M=str(here / "tests/modules"),
                       B=str(here / "tests/bad_input/testdata"),
                       S=str(here / "samples"),
                       N=str(here / "tests/native"),
                       P=str(here / "tests/support"), LC_ALL="C",
                       PATH="%s:%s" % (eyrie.parent, os.environ["PATH"]))
    blocks, tail = parse(pathlib.Path(table).read_text(encoding="utf-8"))
    failures, output = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, here / "tests/modules", pathlib.Path(table).name)
        for script in pathlib.Path(table).parent.glob("*_check.py"):
            (folder / script.name).write_bytes(script.read_bytes())
        environment["T"] = str(folder / "tools")
        link_names(eyrie, folder / "tools")
        for comments, command, want in blocks:
            got = run(command, folder, environment)
            same = matches(want, got)
            output += comments + ["$ " + command] + (want if same else got)
            if not same:
                failures += 1
                print("FAILED: $ %s\n  want:\n    %s\n  got:\n    %s" % (
                    command, "\n    ".join(want), "\n    ".join(got)))
    if "--update" in sys.argv:
        text = "\n".join(output + tail)
        pathlib.Path(table).write_text(text, encoding="utf-8")
        return 0
    print("%d of %d commands as expected" % (len(blocks) - failures,
                                             len(blocks)))
    return 1 if failures or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
