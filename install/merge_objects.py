#!/usr/bin/env python3
"""Makes an archive with one object file: the parts of the given objects and of
Debian's archives that the C API needs, with all other names hidden.

  merge_objects.py g++ libeyrie.a first.o second.o ... -- -l:libz.a ...
Tested by consumer_test.py.
"""

import re
import struct
import subprocess
import sys
import tempfile

# The C API, and two functions that XLA's FFI handlers look up.
SHOWN = re.compile(r"eyrie_\w+|XLA_FFI_GetApi|_ZN3xla3ffi12GetXlaFfiApiEv")
SYMTAB, GLOBAL, UNIQUE = 2, 1, 10


def shown_names(nm, objects):
    lines = subprocess.run(
        [nm, "--defined-only", "--extern-only", *objects], check=True,
        stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return sorted({row[2] for row in rows
                   if len(row) == 3 and row[1] == "T" and
                   SHOWN.fullmatch(row[2])})


def without_unique(path):
    """Turns unique symbols into global ones, which objcopy can hide."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    place, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for index in range(count):
        kind, = struct.unpack_from("<I", data, place + index * size + 4)
        if kind != SYMTAB:
            continue
        begin, length = struct.unpack_from("<QQ", data,
                                           place + index * size + 24)
        for info in range(begin + 4, begin + length, 24):
            if data[info] >> 4 == UNIQUE:
                data[info] = GLOBAL << 4 | data[info] & 15
    with open(path, "wb") as file:
        file.write(data)


def main(compiler, archive, *arguments):
    tools = compiler.removesuffix("g++")  # such as "aarch64-linux-gnu-"
    middle = arguments.index("--")
    objects, archives = arguments[:middle], arguments[middle + 1:]
    names = shown_names(tools + "nm", objects)
    with tempfile.TemporaryDirectory() as folder:
        everything, merged = folder + "/all.o", folder + "/eyrie.o"
        with open(folder + "/names", "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in names)
        # Groups of functions that several objects may define are resolved here.
        # Otherwise the linker of a program would merge hidden functions with
        # the program's own.
        subprocess.run(
            [compiler, "-r", "-nostdlib", "-fuse-ld=bfd", "-Wl,--gc-sections",
             "-Wl,--force-group-allocation",
             *["-Wl,--undefined=" + name for name in names], *objects,
             "-Wl,--start-group", *archives, "-Wl,--end-group",
             "-o", everything], check=True)
        without_unique(everything)
        subprocess.run(
            [tools + "objcopy", f"--keep-global-symbols={folder}/names",
             "--strip-unneeded", everything, merged], check=True)
        subprocess.run([tools + "ar", "rcsD", archive, merged], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
