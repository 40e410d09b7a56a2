"""Makes a Debian package of the files that `./eyrie install` installs.

`./eyrie package` builds what is needed and calls this. The package is for the
release of Debian that it is built on: dpkg-shlibdeps determines its
dependencies, for another machine too, whose libraries are installed then. Equal
sources give equal bytes; its date is the commit's.
Tested by package_test.py.
"""

import argparse
import gzip
import hashlib
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(HERE)
import documents  # noqa: E402  pylint: disable=wrong-import-position
import install  # noqa: E402  pylint: disable=wrong-import-position
import notices  # noqa: E402  pylint: disable=wrong-import-position

# Debian's zsh looks for the completions of packages in another folder.
MOVED = {"share/zsh/site-functions/_eyrie":
         "share/zsh/vendor-completions/_eyrie"}
DROPPED = (documents.FOLDER + "/LICENSE",)  # `copyright` replaces it.

CONTROL = """\
Package: eyrie
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kib}
Depends: {depends}
Recommends: {recommends}
Suggests: g++, libvulkan1, pkgconf
Section: science
Priority: optional
Description: runtime for compiled machine-learning modules
 Eyrie loads the .vmfb files that iree-compile 20230209 to 3.13 writes, verifies
 them, and runs them on the CPU or on a Vulkan device.
 .
 This package has the eyrie command, which runs, dumps, inspects, debugs, tests
 and measures modules, and the libraries libeyrie.so and libeyrie.a with their
 headers and files for pkg-config, CMake and Bazel.
"""

CHANGELOG = """\
eyrie ({version}) unstable; urgency=medium

  * Built from the sources of this version.

 -- {maintainer}  {date}
"""

COPYRIGHT = """\
Eyrie is licensed under the Apache License, Version 2.0. On Debian systems its
text is in /usr/share/common-licenses/Apache-2.0.

The programs and libraries of this package contain code of the following
projects, under these terms:
"""


# The program must also run on machines without Debian's libraries.
OVERRIDES = """\
# One program for every Linux: it contains the libraries that it needs.
eyrie: embedded-library *zlib*
"""


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True, **options).stdout.strip()


def maintainer(source):
    """Returns the package's maintainer: DEBFULLNAME and DEBEMAIL, as Debian's
    own tools do, or the author of the commit."""
    name, mail = (os.environ.get(name)
                  for name in ("DEBFULLNAME", "DEBEMAIL"))
    if mail:
        return f"{name or mail.split('@')[0]} <{mail}>"
    try:
        return output_of("git", "-C", source, "log", "-1",
                         "--format=%an <%ae>", stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return "Unknown <unknown@localhost.localdomain>"


def choose_machine(triplet):
    """Makes Debian's tools work for this machine, or for another one."""
    command = ["dpkg-architecture"]
    if triplet:
        command.append("-t" + triplet)
    # The variable keeps it from a warning about the compiler.
    for line in output_of(*command, env={
            **os.environ, "CC": f"{triplet}-gcc" if triplet else "gcc"}
                          ).split("\n"):
        name, _, value = line.partition("=")
        os.environ[name] = value


def compressed(data):
    return gzip.compress(data, 9, mtime=0)


def arrange(tree, values):
    """Moves files to the places that Debian's policy requires."""
    for path in DROPPED:
        del tree.files[path]
    for path, to in MOVED.items():
        tree.files[to] = tree.files.pop(path)
    for path in [path for path in tree.files if path.startswith("share/man/")]:
        content, target, mode = tree.files.pop(path)
        if target is None:
            tree.add_bytes(path + ".gz", compressed(content), mode)
        else:
            tree.add_link(path + ".gz", target + ".gz")
    documents.mend_links(tree)
    tree.add_bytes(documents.FOLDER + "/changelog.gz",
                   compressed(CHANGELOG.format(**values).encode()))
    text = COPYRIGHT
    for name, notice in notices.notices((*notices.PARTS, notices.COMPILER)):
        text += f"\n\n==== {name} ====\n\n{notice}"
    tree.add_bytes(documents.FOLDER + "/copyright", text.encode())
    tree.add_bytes("share/lintian/overrides/eyrie", OVERRIDES.encode())


def shared_libraries(folder, required, loaded):
    """Returns {"depends": ..., "recommends": ...}: the packages that the files
    in `required` need, and those that only files in `loaded` need, which the
    tool loads on demand."""
    with open(os.path.join(folder, "debian/control"), "w",
              encoding="utf-8") as file:
        file.write("Source: eyrie\n\nPackage: eyrie\nArchitecture: any\n")
    fields = {}
    # Warn only about symbols that no library defines.
    for line in output_of(
            "dpkg-shlibdeps", "-O", "--warnings=1", "-xeyrie", "-dDepends",
            *required, "-dRecommends", *loaded, cwd=folder).split("\n"):
        name, _, packages = line.removeprefix("shlibs:").partition("=")
        fields[name.lower()] = packages
    return fields


def write_control(tree, stage, values):
    """Writes the folder DEBIAN of a staged tree."""
    folder = os.path.join(stage, "DEBIAN")
    sizes = [len(content or b"") for content, _, _ in tree.files.values()]
    kib = sum((size + 1023) // 1024 for size in sizes)
    sums = "".join(
        f"{hashlib.md5(content).hexdigest()}  usr/{path}\n"
        for path, (content, _, _) in sorted(tree.files.items())
        if content is not None)
    files = {"control": CONTROL.format(kib=kib, **values), "md5sums": sums,
             "shlibs": "libeyrie 0 eyrie (>= {version})\n".format(**values),
             "triggers": "activate-noawait ldconfig\n"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def build(options):
    """Builds the package and returns its path."""
    epoch = install.epoch_of(options.source)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    triplet = f"{options.cpu}-linux-gnu" if options.cpu else ""
    choose_machine(triplet)
    values = {
        "version": install.version_of(options.source),
        "architecture": os.environ["DEB_HOST_ARCH"],
        "maintainer": maintainer(options.source),
        "date": time.strftime("%a, %d %b %Y %H:%M:%S +0000",
                              time.gmtime(epoch)),
    }
    options.prefix = "/usr"
    options.libdir = "lib/" + os.environ["DEB_HOST_MULTIARCH"]
    tree = install.plan(options, options.built_for,
                        triplet and triplet + "-")
    arrange(tree, values)
    os.umask(0o022)
    name = "eyrie_{version}_{architecture}.deb".format(**values)
    with tempfile.TemporaryDirectory() as folder:
        stage = os.path.join(folder, "debian/eyrie")
        os.makedirs(os.path.join(stage, "DEBIAN"))
        install.write(tree, os.path.join(stage, "usr"))
        needed = ["bin/eyrie", f"{options.libdir}/libeyrie.so.0"]
        plugins = [path for path in tree.files if path.startswith("lib/eyrie/")]
        values.update(shared_libraries(
            folder, *([os.path.join("debian/eyrie/usr", path) for path in paths]
                      for paths in (needed, plugins))))
        write_control(tree, stage, values)
        os.makedirs(options.out, exist_ok=True)
        path = os.path.join(options.out, name)
        # xz's output depends on the number of threads.
        output_of("dpkg-deb", "--root-owner-group", "--threads-max=1",
                  "--build", stage, path)
    return path


def main(arguments):
    parser = argparse.ArgumentParser(prog="eyrie package", allow_abbrev=False,
                                     description=(
        "Makes a Debian package of the tool, the libraries, their headers, "
        "documents, man pages and completions. DEBFULLNAME and DEBEMAIL in the "
        "environment name its maintainer."))
    parser.add_argument("--out", default="dist",
                        help="the folder for the package (%(default)s)")
    parser.add_argument("--cpu", metavar="MACHINE",
                        help="makes it for this machine, such as aarch64")
    parser.add_argument("--source", help=argparse.SUPPRESS)
    parser.add_argument("--built", help=argparse.SUPPRESS)
    parser.add_argument("--built_for", help=argparse.SUPPRESS)
    parser.add_argument("--plugins", help=argparse.SUPPRESS)
    parser.add_argument("--only_parse", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    install.need_writable(options.out)
    if not options.only_parse:
        print(build(options))


if __name__ == "__main__":
    sys.exit(install.exit_code(main, sys.argv[1:]))
