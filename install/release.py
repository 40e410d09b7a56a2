"""Makes all files of a release, and the lists that describe them.

`./eyrie release` installs what is needed and calls this. Other commands of
./eyrie make the files. Then follow RELEASE_NOTES.md, cut out of CHANGELOG.md,
the list of what is inside (spdx.py) and SHA256SUMS. One commit gives the same
bytes each time.
Tested by release_test.py.
"""

import argparse
import glob
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.realpath(__file__)))
import documents  # noqa: E402  pylint: disable=wrong-import-position
import install  # noqa: E402  pylint: disable=wrong-import-position
import spdx  # noqa: E402  pylint: disable=wrong-import-position

MACHINES = (("x86_64", "amd64", ""), ("aarch64", "arm64", " --cpu=aarch64"))
WHEEL = "eyrie_runtime-{version}-%s-manylinux_*_%s.whl"
# (command, names of the files that it must make), the quick ones first.
COMMANDS = [("archive", ["eyrie-{version}.tar.xz"]),
            ("wheel --sdist", ["eyrie_runtime-{version}.tar.gz"])]
for _cpu, _debian, _flag in MACHINES:
    COMMANDS += [
        ("package" + _flag, ["eyrie_{version}_%s.deb" % _debian]),
        ("tarball" + _flag, ["libeyrie-{version}-linux-%s.tar.xz" % _cpu]),
        ("wheel --python=all" + _flag, [WHEEL % ("*", _cpu)])]
# Files that a release may lack: name, pattern, reason.
OPTIONAL = [
    (f"wheel of Python {python} for {cpu}", WHEEL % (tag, cpu),
     f"neither PATH nor pyenv has python{python}")
    for cpu, _, _ in MACHINES for python, tag in (
        ("3.9", "cp39-cp39"), ("3.10", "cp310-cp310"),
        ("3.11", "cp311-cp311"), ("3.12", "cp312-abi3"))
] + [("musllinux wheel", "eyrie_runtime-{version}-*-musllinux_*.whl",
      "Debian's libraries, which are inside, need glibc")]
NOTES, SUMS = "RELEASE_NOTES.md", "SHA256SUMS"


def check_commit(source):
    """Raises unless the source is a git repository without changes. Files that
    git does not know could get into the packages, too."""
    try:
        changes = subprocess.run(
            ["git", "-C", source, "status", "--porcelain"], check=True,
            capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise install.Failure(
            "A release is made from a commit: git does not find one in "
            f"'{source}'.") from error
    if changes:
        raise install.Failure(
            "A release is made from a commit, and the tree differs from it: "
            f"'{changes.splitlines()[0]}'. Commit or remove the changes; 'git "
            "status' lists them.")


def check(options):
    """Raises if the release cannot be made, before anything is built."""
    install.need_writable(options.out)
    if os.path.isdir(options.out) and os.listdir(options.out):
        raise install.Failure(
            f"'{options.out}' is not empty, and everything in it would be "
            "uploaded: remove it, or name another folder with --out.")
    if platform.machine() != MACHINES[0][0]:
        raise install.Failure(
            "'./eyrie release' runs on x86_64, and builds for AArch64 there; "
            f"this machine is {platform.machine()}.")
    check_commit(options.source)
    notes(options.source)


def notes(source):
    """Returns the section of this version in CHANGELOG.md, or the section
    "Unreleased". Links into the tree become plain text."""
    version = install.version_of(source)
    text = install.read(source, "CHANGELOG.md")
    for title in (re.escape(version), r"\[?Unreleased\]?"):
        found = re.search(rf"^## {title}\b.*\n((?:(?!## ).*\n)*)", text,
                          re.M | re.I)
        if found:
            return documents.with_links(
                f"# Eyrie {version}\n\n{found.group(1).strip()}\n",
                lambda _: None)
    raise install.Failure(f"CHANGELOG.md has neither a section '## {version}' "
                          "nor '## Unreleased'.")


def make(command, names, folder, source):
    """Runs a command of ./eyrie; raises unless it makes the named files."""
    version = install.version_of(source)
    program, *arguments = command.split()
    done = subprocess.run(
        [os.path.join(source, "eyrie"), program, *arguments,
         f"--out={folder}"], check=False, stdout=sys.stderr)
    if done.returncode != 0:
        raise install.Failure(
            f"'./eyrie {command}' has failed: the messages above say why.")
    for name in names:
        name = name.format(version=version)
        if not glob.glob(name, root_dir=folder):
            raise install.Failure(f"'./eyrie {command}' has not made '{name}'.")


def missing(folder, version):
    """Returns (file, reason) for the files of OPTIONAL that are not made."""
    return [(name, reason) for name, pattern, reason in OPTIONAL
            if not glob.glob(pattern.format(version=version), root_dir=folder)]


def write(text, *place):
    with open(os.path.join(*place), "w", encoding="utf-8") as file:
        file.write(text)


def sums_of(folder):
    """Returns {name: SHA-256 in hexadecimal} of the files in a folder."""
    sums = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            sums[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return sums


def describe(folder, source):
    """Writes the notes and the lists of a folder with the other files."""
    version = install.version_of(source)
    document = spdx.document(sums_of(folder), source)
    write(json.dumps(document, indent=1) + "\n", folder,
          f"eyrie-{version}.spdx.json")
    write(notes(source), folder, NOTES)
    write("".join(f"{digest}  {name}\n"
                  for name, digest in sums_of(folder).items()), folder, SUMS)


def release(options):
    """Makes the files in a folder of their own, and moves them to --out when
    all of them are complete."""
    # The programs that make the files take it from here.
    os.environ["SOURCE_DATE_EPOCH"] = str(install.epoch_of(options.source))
    os.umask(0o022)
    version = install.version_of(options.source)
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for command, names in COMMANDS:
            print(f"eyrie: {command} ...", file=sys.stderr, flush=True)
            make(command, names, folder, options.source)
        describe(folder, options.source)
        for name in sorted(os.listdir(folder)):
            print(shutil.move(os.path.join(folder, name), options.out))
        for name, reason in missing(options.out, version):
            print(f"{name}: not made: {reason}.")


def main(arguments):
    parser = argparse.ArgumentParser(prog="eyrie release", allow_abbrev=False,
                                     description=(
        "Makes all files of a release: wheels, the archive of the sources, "
        "Debian packages and archives of the libraries for x86-64 and AArch64, "
        "release notes, a list of what is inside (SPDX), and checksums."))
    parser.add_argument("--out", default="dist",
                        help="a folder without files (%(default)s)")
    parser.add_argument("--source", help=argparse.SUPPRESS)
    parser.add_argument("--only_parse", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    check(options)
    if not options.only_parse:
        release(options)


if __name__ == "__main__":
    sys.exit(install.exit_code(main, sys.argv[1:]))
