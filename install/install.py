"""Installs the tool, libraries, headers, package files and documents into a
prefix, and uninstalls them.

`./eyrie install` and `./eyrie uninstall` build what is needed and call this.
If DESTDIR is set, it is put before the prefix. share/eyrie/manifest.txt lists
the installed files. A later installation removes those of them that it does
not install itself.
Tested by consumer_test.py, package_test.py.
"""

import argparse
import os
import re
import stat
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.realpath(__file__)))
import documents  # noqa: E402  pylint: disable=wrong-import-position
import help_files  # noqa: E402  pylint: disable=wrong-import-position

MANIFEST = "share/eyrie/manifest.txt"
PACKAGE_FILES = {
    "eyrie.pc.in": "{libdir}/pkgconfig/eyrie.pc",
    "eyrie-config.cmake.in": "{libdir}/cmake/eyrie/eyrie-config.cmake",
    "eyrie-config-version.cmake.in":
        "{libdir}/cmake/eyrie/eyrie-config-version.cmake",
    "BUILD.bazel.in": "share/eyrie/BUILD.bazel",
}


class Failure(Exception):
    """An error with a message for the user."""


def parse(arguments):
    parser = argparse.ArgumentParser(prog="eyrie install", description=(
        "Installs the eyrie tool with its man pages and completions, the "
        "libraries libeyrie.so and libeyrie.a, their headers, and files for "
        "pkg-config, CMake and Bazel. DESTDIR in the environment is put before "
        "the prefix."))
    parser.add_argument("--prefix", default="/usr/local",
                        help="the folder to install to (%(default)s)")
    parser.add_argument("--libdir", default="lib",
                        help="the folder of the libraries, relative to the "
                        "prefix (%(default)s)")
    parser.add_argument("--source", help=argparse.SUPPRESS)
    parser.add_argument("--built", help=argparse.SUPPRESS)
    parser.add_argument("--plugins", help=argparse.SUPPRESS)
    parser.add_argument("--uninstall", action="store_true",
                        help="remove the files that were installed")
    parser.add_argument("--only_parse", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for name in ("prefix", "libdir"):
        value = getattr(options, name)
        if not value or "\n" in value or '"' in value:
            raise Failure(f"--{name} ({value!r}) must be a folder whose name "
                          "has no quotes and no line breaks.")
    if os.path.isabs(options.libdir) or ".." in options.libdir.split("/"):
        raise Failure(f"--libdir ({options.libdir!r}) must be a relative path "
                      "below the prefix.")
    options.prefix = os.path.abspath(options.prefix)
    options.libdir = os.path.normpath(options.libdir)
    return options


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def version_of(source):
    """Returns the version in the headers, such as "0.1.0"."""
    found = re.search(r'#define EYRIE_VERSION "(\d+\.\d+\.\d+)"',
                      read(source, "include/eyrie/c_base.h"))
    return found.group(1)


def epoch_of(source):
    """Returns the date of the sources in seconds: SOURCE_DATE_EPOCH, else the
    date of the commit, or of the file LICENSE if there is no repository."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(subprocess.run(
            ["git", "-C", source, "log", "-1", "--format=%ct"], check=True,
            capture_output=True).stdout)
    except (OSError, subprocess.CalledProcessError):
        return int(os.stat(os.path.join(source, "LICENSE")).st_mtime)


class Tree:
    """The files to install, by their paths below the prefix."""

    def __init__(self, strip):
        self.strip = strip  # the program
        self.files = {}  # path -> (bytes or None, link target or None, mode)

    def add_bytes(self, path, content, mode=0o644):
        self.files[path] = (content, None, mode)

    def add_file(self, path, source, mode=0o644):
        with open(source, "rb") as file:
            self.add_bytes(path, file.read(), mode)

    def add_stripped(self, path, source, mode, *flags):
        target = f"/dev/shm/{os.getpid()}" if os.path.isdir("/dev/shm") else ""
        target = f"{target or 'stripped'}.{os.path.basename(path)}"
        try:
            subprocess.run([self.strip, *flags, "-o", target, source],
                           check=True)
            self.add_file(path, target, mode)
        finally:
            if os.path.exists(target):
                os.remove(target)

    def add_link(self, path, target):
        self.files[path] = (None, target, 0)


def plan(options, built=None, tools=""):
    """Returns the tree of an installation. Its programs and libraries are those
    below `built`, made with `tools`, such as "aarch64-linux-gnu-", if they are
    for another machine."""
    source, lib = options.source, options.libdir
    version = version_of(source)
    built = built or options.built
    tree = Tree(tools + "strip")
    tree.add_stripped("bin/eyrie", os.path.join(built, "tools/eyrie"), 0o755)
    tree.add_stripped("lib/eyrie/libeyrie_benchmark.so",
                      os.path.join(built, "tools/libeyrie_benchmark.so"), 0o755)
    here = os.path.join(options.built, "tools/eyrie")
    for path, text in help_files.files(here, version,
                                       epoch_of(source)).items():
        tree.add_bytes(path, text.encode())
    for name, *words in help_files.public_names(source):
        tree.add_link(f"bin/{name}", "eyrie")
        tree.add_link(f"share/man/man1/{name}.1", "-".join(
            ["eyrie", *words]) + ".1")
    tree.add_stripped(f"{lib}/libeyrie.so.{version}",
                      os.path.join(built, "install/libeyrie.so"), 0o644)
    tree.add_link(f"{lib}/libeyrie.so.0", f"libeyrie.so.{version}")
    tree.add_link(f"{lib}/libeyrie.so", "libeyrie.so.0")
    tree.add_file(f"{lib}/libeyrie.a",
                  os.path.join(built, "install/libeyrie.a"))
    headers = os.path.join(source, "include/eyrie")
    for name in sorted(os.listdir(headers)):
        if name.endswith(".h"):
            tree.add_file(f"include/eyrie/{name}", os.path.join(headers, name))
    # The relative path from the package files to the prefix, so that users may
    # move the prefix.
    up = "/".join([".."] * (len(lib.split("/")) + 1))
    values = {"VERSION": version, "LIBDIR": lib, "UP": up}
    for name, path in PACKAGE_FILES.items():
        text = re.sub(r"@(\w+)@", lambda match: values[match.group(1)],
                      read(source, "install/package", name))
        tree.add_bytes(path.format(libdir=lib), text.encode())
    for path in documents.paths(source):
        tree.add_file(f"{documents.FOLDER}/{path}", os.path.join(source, path))
    documents.mend_links(tree)
    for name in sorted(os.listdir(options.plugins or source)):
        if options.plugins and re.fullmatch(r"libeyrie_\w+\.so", name):
            tree.add_file(f"lib/eyrie/{name}",
                          os.path.join(options.plugins, name), 0o755)
    return tree


def check_links(tree, root):
    """Drops links in bin/ from the tree if a file that Eyrie did not install
    already has their name."""
    for path, (_, target, _) in list(tree.files.items()):
        place = os.path.join(root, path)
        if path.startswith("bin/") and target and os.path.lexists(place) and (
                not os.path.islink(place) or os.readlink(place) != target):
            print(f"eyrie: Kept '{place}', which Eyrie did not install.",
                  file=sys.stderr)
            del tree.files[path]


def write(tree, root):
    for path, (content, target, mode) in tree.files.items():
        place = os.path.join(root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        part = f"{place}.{os.getpid()}.part"
        if target is not None:
            os.symlink(target, part)
        else:
            with open(part, "wb") as file:
                file.write(content)
            os.chmod(part, mode)
        os.replace(part, place)


def read_manifest(root):
    place = os.path.join(root, MANIFEST)
    if not os.path.exists(place):
        return []
    lines = read(place).splitlines()
    return [line for line in lines
            if line and not os.path.isabs(line) and
            ".." not in line.split("/")]


def remove(paths, root):
    """Removes files, and folders that are empty afterwards."""
    folders = set()
    for path in paths:
        place = os.path.join(root, path)
        if os.path.lexists(place) and not stat.S_ISDIR(
                os.lstat(place).st_mode):
            os.remove(place)
        folder = os.path.dirname(path)
        while folder:
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(folders, key=len, reverse=True):
        place = os.path.join(root, folder)
        if os.path.isdir(place) and not os.listdir(place):
            os.rmdir(place)


def install(options, root):
    tree = plan(options)
    check_links(tree, root)
    before = read_manifest(root)
    names = sorted([*tree.files, MANIFEST])
    tree.add_bytes(MANIFEST, "".join(f"{name}\n" for name in names).encode())
    write(tree, root)
    remove(set(before) - set(names), root)
    print(f"eyrie: Installed {len(names)} files in '{root}'; "
          f"'{os.path.join(root, MANIFEST)}' lists them.", file=sys.stderr)


def uninstall(root):
    paths = read_manifest(root)
    if not paths:
        raise Failure(f"Eyrie is not installed in '{root}': "
                      f"'{os.path.join(root, MANIFEST)}' does not list files.")
    remove(paths, root)
    print(f"eyrie: Removed {len(paths)} files from '{root}'.", file=sys.stderr)


def need_writable(folder):
    """Raises unless files can be created in the folder, which may not exist."""
    place = os.path.abspath(folder)
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise Failure(f"'{place}' is not a folder.")
    if not os.access(place, os.W_OK):
        raise Failure(f"'{folder}' cannot be written.")


def exit_code(action, arguments):
    """Calls `action` and returns the program's exit code; prints errors."""
    try:
        action(arguments)
        return 0
    except Failure as failure:
        print(f"eyrie: {failure}", file=sys.stderr)
    except OSError as error:
        print(f"eyrie: '{error.filename}': {error.strerror}.", file=sys.stderr)
    except subprocess.CalledProcessError as error:
        print(f"eyrie: '{error.cmd[0]}' failed with exit code "
              f"{error.returncode}.", file=sys.stderr)
    except KeyboardInterrupt:
        return 130  # ./eyrie tells it.
    return 1


def main(arguments):
    options = parse(arguments)
    if options.only_parse:
        return
    root = os.environ.get("DESTDIR", "") + options.prefix
    if options.uninstall:
        uninstall(root)
    else:
        install(options, root)


if __name__ == "__main__":
    sys.exit(exit_code(main, sys.argv[1:]))
