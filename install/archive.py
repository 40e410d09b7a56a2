"""Writes eyrie-VERSION.tar.xz: the sources that CMake builds.

`./eyrie archive` calls this. The archive has the sources of the library and the
tool, samples and documents; no tests. The same sources give the same bytes.
Tested by archive_test.py.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../tools/house")]
import cmake_libraries  # noqa: E402  pylint: disable=wrong-import-position
import install  # noqa: E402  pylint: disable=wrong-import-position

FOLDERS = ("abi", "base", "docs", "hal", "include", "install/cmake", "samples",
           "tools", "vm")
FILES = ("CHANGELOG.md", "CMakeLists.txt", "CONTRIBUTING.md", "LICENSE",
         "README.md", "SECURITY.md", "install/libeyrie.map",
         "python/package/eyrie/_packages.py", "third_party/asmjit_faults.cc",
         "tools/benchmark_plugin.cc", "tools/version_stamp.cc")
# Endings of the other files that sources include or CMake calls.
PARTS = (".cmake", ".def", ".fbs", ".h", ".in", ".inc", "make_image.sh")
NOT = re.compile(r"(^|/)(testing|testdata)/|_test\.\w+$")
# The file that names the commit, for `eyrie --version`.
COMMIT = "COMMIT"


def is_part(path, sources):
    """Reports whether a file below FOLDERS belongs into the archive."""
    if NOT.search(path):
        return False
    return (path in sources or path.endswith(PARTS) or
            path.startswith(("docs/", "samples/")) and
            os.path.basename(path) != "BUILD")


def paths(root):
    """Returns the paths of the archive's files."""
    with open(os.path.join(root, cmake_libraries.TARGET),
              encoding="utf-8") as file:
        text = file.read()
    sources = {line.strip().replace("${EYRIE_MACHINE}", machine)
               for line in text.splitlines()
               for machine in cmake_libraries.MACHINES}
    found = set(FILES)
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if is_part(path, sources):
                    found.add(path)
    return sorted(found)


def commit_of(root):
    """Returns the commit of the sources, or "" if they have none."""
    if os.path.exists(os.path.join(root, COMMIT)):
        return install.read(root, COMMIT).strip()
    command = ["git", "-C", root, "describe", "--always", "--dirty=+",
               "--exclude=*", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True,
                              check=False).stdout.strip()
    except FileNotFoundError:  # git is not installed
        return ""


def write(root, path):
    """Writes the archive of the sources below `root`."""
    top = f"eyrie-{install.version_of(root)}"
    epoch = install.epoch_of(root)
    with tarfile.open(path, "w:xz", format=tarfile.PAX_FORMAT,
                      preset=9) as archive:
        def add(name, content, mode):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode, epoch
            archive.addfile(entry, io.BytesIO(content))
        add(COMMIT, (commit_of(root) + "\n").encode(), 0o644)
        for name in paths(root):
            with open(os.path.join(root, name), "rb") as file:
                add(name, file.read(),
                    0o755 if os.access(file.name, os.X_OK) else 0o644)


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="eyrie archive", allow_abbrev=False,
        description="Writes eyrie-VERSION.tar.xz: sources for CMake.")
    parser.add_argument("--out", default="dist",
                        help="the folder for the archive (%(default)s)")
    options = parser.parse_args(arguments)
    install.need_writable(options.out)
    root = os.path.dirname(HERE)
    if (install.read(root, cmake_libraries.TARGET) !=
            cmake_libraries.libraries_text(root)):
        raise install.Failure(f"{cmake_libraries.TARGET} is older than a BUILD "
                              "file; run tools/house/cmake_libraries.py.")
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out,
                        f"eyrie-{install.version_of(root)}.tar.xz")
    write(root, path)
    print(path)


if __name__ == "__main__":
    sys.exit(install.exit_code(main, sys.argv[1:]))
