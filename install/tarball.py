"""Makes an archive of the libraries, their headers and package files, for any
Linux with glibc 2.34 or later and libstdc++ of GCC 11 or later.

`./eyrie tarball` builds what is needed and calls this. The files are those of
`./eyrie install` with the licences of what is inside. lib/eyrie has the
libraries that libeyrie.so needs and that only Debian has in these versions.
Equal sources give equal bytes.
Tested by tarball_test.py.
"""

import argparse
import os
import platform
import re
import shutil
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(HERE)
import install  # noqa: E402  pylint: disable=wrong-import-position
import notices  # noqa: E402  pylint: disable=wrong-import-position
import package  # noqa: E402  pylint: disable=wrong-import-position

# Neither the tool nor what only the tool loads.
KEPT = re.compile(r"lib/(?!eyrie/)|include/|share/eyrie/|.*/LICENSE$")
# Libraries that every system has.
SYSTEM = re.compile(r"ld-linux|lib(c|m|gcc_s|stdc\+\+)\.so")
LICENCES = "share/doc/eyrie/third_party"


def patchelf(*arguments):
    return package.output_of("patchelf", *arguments)


def needed_libraries(library, folder):
    """Returns {name: path} of the libraries in `folder`, Debian's, that a
    library needs directly or not."""
    found, paths = {}, [library]
    for path in paths:
        for name in patchelf("--print-needed", path).split():
            if name not in found and not SYSTEM.match(name):
                found[name] = os.path.join(folder, name)
                paths.append(found[name])
    return found


def bundle(library, folder):
    """Copies the libraries that a library needs into lib/eyrie next to it."""
    place = os.path.join(os.path.dirname(library), "eyrie")
    os.makedirs(place)
    for name, path in needed_libraries(library, folder).items():
        shutil.copyfile(path, os.path.join(place, name))
        patchelf("--set-rpath", "$ORIGIN", os.path.join(place, name))
    patchelf("--set-rpath", "$ORIGIN/eyrie", library)


def write_archive(path, folder, epoch):
    """Archives a folder under its name; the files belong to root."""
    def cleaned(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = epoch
        return member
    with tarfile.open(path, "w:xz", format=tarfile.PAX_FORMAT) as archive:
        archive.add(folder, os.path.basename(folder), filter=cleaned)


def build(options):
    """Builds the archive and returns its path."""
    cpu = options.cpu or platform.machine()
    triplet = cpu + "-linux-gnu"
    tree = install.plan(options, options.built_for,
                        triplet + "-" if options.built_for else "")
    tree.files = {path: file for path, file in tree.files.items()
                  if KEPT.match(path)}
    for name, text in notices.notices():
        tree.add_bytes(f"{LICENCES}/{name}.txt", text.encode())
    os.umask(0o022)
    version = install.version_of(options.source)
    base = f"libeyrie-{version}-linux-{cpu}"
    with tempfile.TemporaryDirectory() as folder:
        stage = os.path.join(folder, base)
        install.write(tree, stage)
        bundle(os.path.join(stage, f"lib/libeyrie.so.{version}"),
               f"/usr/lib/{triplet}")
        os.makedirs(options.out, exist_ok=True)
        path = os.path.join(options.out, base + ".tar.xz")
        write_archive(path, stage, install.epoch_of(options.source))
    return path


def main(arguments):
    parser = argparse.ArgumentParser(prog="eyrie tarball", allow_abbrev=False,
                                     description=(
        "Makes an archive of the libraries libeyrie.so and libeyrie.a, their "
        "headers, and files for pkg-config, CMake and Bazel, to unpack into "
        "any folder."))
    parser.add_argument("--out", default="dist",
                        help="the folder for the archive (%(default)s)")
    parser.add_argument("--cpu", metavar="MACHINE",
                        help="makes it for this machine, such as aarch64")
    for name in ("source", "built", "built_for", "plugins"):
        parser.add_argument("--" + name, help=argparse.SUPPRESS)
    parser.add_argument("--only_parse", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.libdir = "lib"
    install.need_writable(options.out)
    if not options.only_parse:
        print(build(options))


if __name__ == "__main__":
    sys.exit(install.exit_code(main, sys.argv[1:]))
