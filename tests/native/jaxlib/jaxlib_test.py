"""Calls jaxlib's own handlers, and handlers compiled with its headers; and
functions compiled with apache-tvm-ffi's headers.

Needs a Python with these packages, which install.sh installs. Without one,
prints a message and passes. EYRIE_JAXLIB_PYTHON names another Python.

  jaxlib_test.py EYRIE CAPSULES HANDLERS SAMPLE TVM_FFI

CAPSULES is the built capsules.c. HANDLERS and SAMPLE are sources of handlers,
TVM_FFI is tvm_ffi.cc.
"""

import json
import os
import pathlib
import pwd
import subprocess
import sys
import tempfile

import lapack_check
import tvm_ffi_check

MANIFEST = {
    "module": "jax",
    "types": {"test.Counter": {"id": "CounterId", "info": "CounterInfo"}},
    "functions": {
        "scale": {
            "symbol": "ScaleHandler",
            "arguments": ["*xf32", {"attribute": "by", "type": "f32"}],
            "results": [{"like": 0}],
        },
        "sum": {
            "symbol": "SumHandler",
            "attributes": "mode=near&weights=[1,10,100]:i64&"
                          "options={deep=true:pred}",
            "arguments": ["*xf32", {"rest": "*xf32"}],
            "results": [{"like": 0}],
        },
        "scratch": {
            "symbol": "ScratchHandler",
            "arguments": ["buffer"],
            "results": [{"dtype": "s64", "shape": [2]}],
        },
        "later": {
            "symbol": "LaterHandler",
            "attributes": "fails=false:pred",
            "arguments": ["*xf32"],
            "results": [{"like": 0}],
        },
        "throw": {
            "symbol": "ThrowHandler",
            "arguments": ["buffer"],
            "results": [{"like": 0}],
        },
        "count": {
            "stages": {"instantiate": "CounterInstantiate",
                       "execute": "CounterHandler"},
            "attributes": "start=7:i64",
            "results": [{"dtype": "s64", "shape": [1]}],
        },
    },
}

# Function, inputs, and the last line of output or a part of the error.
ROWS = [
    ("jax.scale", ["2x2xf32=1 2 3 4", "2.5"], "2x2xf32=[2.5 5][7.5 10]"),
    ("jax.sum", ["2xf32=1 2", "2xf32=3", "2xf32=5"], "2xf32=531 532"),
    ("jax.sum?mode=far", ["2xf32=1 2"],
     "INVALID_ARGUMENT: Sum is called with other attributes."),
    ("jax.scratch", ["2x3xf64"], "2xi64=0 2"),
    ("jax.later", ["3xf32=1 2 3"], "3xf32=-1 -2 -3"),
    ("jax.later?fails=true:pred", ["3xf32=1 2 3"], "ABORTED: It went wrong."),
    ("jax.throw", ["f32=1"], "The handler gives up."),
    ("jax.count", [], "1xi64=7"),
    ("jax.count?start=40:i64", [], "1xi64=40"),
    ("jax.count?start=40:i32", [], "start"),
]

# The same for samples/xla_handler.
SAMPLE_ROWS = [
    ("order.argsort", ["4xf32=1 nan 2 -inf"], "4xi32=3 0 2 1"),
    ("order.argsort?descending=true:pred", ["3xf32=1 2 2"], "3xi32=1 2 0"),
    ("order.argsort?descending=1:i32", ["3xf32=1"], "descending"),
    ("order.argsort", ["0xf32="], "0xi32="),
]


def find_python(package):
    """Returns a Python that has a package, or None."""
    home = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)
    names = [os.environ.get("EYRIE_JAXLIB_PYTHON", ""), sys.executable,
             str(home / ".cache/eyrie/jaxlib/bin/python")]
    for name in names:
        if os.path.exists(name) and subprocess.run(
                [name, "-c", f"import {package}"], check=False,
                capture_output=True).returncode == 0:
            return name
    return None


def folder_of(python, package):
    """Returns the folder of a package."""
    return pathlib.Path(subprocess.run(
        [python, "-c", f"import {package} as p; print(p.__file__)"],
        check=True, capture_output=True, text=True).stdout.strip()).parent


def compile_library(source, library, include, manifest, flags=()):
    """Compiles functions with a package's headers. Adds their manifest."""
    subprocess.run(["g++", "-std=c++20", "-O1", "-w", "-fPIC", "-shared",
                    f"-I{include}", source, "-o", library, *flags],
                   check=True)
    pathlib.Path(f"{library}.json").write_text(manifest, encoding="utf-8")
    return library


def check_rows(eyrie, library, rows, what):
    """Calls each row's function. Returns the number of wrong results."""
    failures = 0
    for function, inputs, want in rows:
        done = subprocess.run(
            [eyrie, "run", f"--native_library={library}",
             f"--function={function}"] +
            [f"--input={text}" for text in inputs],
            capture_output=True, text=True, check=False)
        if want not in done.stdout + done.stderr:
            failures += 1
            print(f"FAILED: {function}: {done.stdout}{done.stderr}")
    print(f"{len(rows) - failures} of {len(rows)} calls of {what} as expected")
    return failures


def check_tvm_ffi(eyrie, source):
    """Calls functions of TVM-FFI. Returns the number of wrong results."""
    python = find_python("tvm_ffi")
    if python is None:
        print("SKIPPED: no Python here has apache-tvm-ffi; "
              "tests/native/jaxlib/install.sh makes one.")
        return 0
    package = folder_of(python, "tvm_ffi")
    with tempfile.TemporaryDirectory() as name:
        library = compile_library(
            source, pathlib.Path(name) / "tvm.so", package / "include",
            json.dumps(tvm_ffi_check.MANIFEST),
            [f"-L{package}/lib", "-ltvm_ffi", f"-Wl,-rpath,{package}/lib"])
        return check_rows(eyrie, library, tvm_ffi_check.ROWS,
                          "functions compiled with apache-tvm-ffi's headers")


def check_jaxlib(eyrie, capsules, handlers, sample):
    """Calls handlers of XLA FFI. Returns the number of wrong results."""
    python = find_python("jaxlib")
    if python is None:
        print("SKIPPED: no Python here has jaxlib; "
              "tests/native/jaxlib/install.sh makes one.")
        return 0
    include = folder_of(python, "jaxlib") / "include"
    for function in MANIFEST["functions"].values():
        function["convention"] = "xla_ffi"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures = check_rows(
            eyrie, compile_library(handlers, folder / "jax.so", include,
                                   json.dumps(MANIFEST)),
            ROWS, "handlers compiled with jaxlib's headers")
        failures += check_rows(
            eyrie, compile_library(
                sample, folder / "order.so", include,
                sample.with_name("order.json").read_text(encoding="utf-8")),
            SAMPLE_ROWS, "the sample compiled so")
        failures += lapack_check.check(eyrie, capsules, python, folder)
    return failures


def main():
    """Runs all tests that this machine supports."""
    eyrie, *rest, tvm_ffi = map(pathlib.Path, sys.argv[1:6])
    failures = check_jaxlib(eyrie, *rest) + check_tvm_ffi(eyrie, tvm_ffi)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
