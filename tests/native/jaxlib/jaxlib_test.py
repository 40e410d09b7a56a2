"""Calls handlers of jaxlib's: compiled with its headers, and its own of LAPACK.

Needs a Python with jaxlib and scipy, which install.sh makes; without one it
says so and passes. Handlers compiled with jaxlib's headers are called by
`eyrie run`; LAPACK's are reached through the capsules that jaxlib has of them,
and called by lib/bridge.so in this process; SciPy is the reference.

  jaxlib_test.py EYRIE BRIDGE HANDLERS
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

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

# Function, inputs, the last line that is printed or a part of the error.
ROWS = [
    ("scale", ["2x2xf32=1 2 3 4", "2.5"], "2x2xf32=[2.5 5][7.5 10]"),
    ("sum", ["2xf32=1 2", "2xf32=3", "2xf32=5"], "2xf32=531 532"),
    ("sum?mode=far", ["2xf32=1 2"],
     "INVALID_ARGUMENT: Sum is called with other attributes."),
    ("scratch", ["2x3xf64"], "2xi64=0 2"),
    ("later", ["3xf32=1 2 3"], "3xf32=-1 -2 -3"),
    ("later?fails=true:pred", ["3xf32=1 2 3"], "ABORTED: It went wrong."),
    ("throw", ["f32=1"], "The handler gives up."),
    ("count", [], "1xi64=7"),
    ("count?start=40:i64", [], "1xi64=40"),
    ("count?start=40:i32", [], "start"),
]


def find_python():
    """A Python that has jaxlib and scipy, or None."""
    names = [os.environ.get("EYRIE_JAXLIB_PYTHON", ""), sys.executable,
             os.path.expanduser("~/.cache/eyrie/jaxlib/bin/python")]
    for name in names:
        if name and subprocess.run(
                [name, "-c", "import jaxlib, scipy.linalg"], check=False,
                capture_output=True).returncode == 0:
            return name
    return None


def check_headers(eyrie, handlers):
    """Compiles the handlers with jaxlib's headers and calls each."""
    import jaxlib  # pylint: disable=import-outside-toplevel
    include = pathlib.Path(jaxlib.__file__).parent / "include"
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        library = pathlib.Path(name, "jax.so")
        subprocess.run(["g++", "-std=c++20", "-O1", "-fPIC", "-shared",
                        f"-I{include}", handlers, "-o", library], check=True)
        for function in MANIFEST["functions"].values():
            function["convention"] = "xla_ffi"
        pathlib.Path(f"{library}.json").write_text(json.dumps(MANIFEST))
        for function, inputs, want in ROWS:
            done = subprocess.run(
                [eyrie, "run", f"--native_library={library}",
                 f"--function=jax.{function}"] +
                [f"--input={text}" for text in inputs],
                capture_output=True, text=True, check=False)
            if want not in done.stdout + done.stderr:
                failures += 1
                print(f"FAILED: {function}: {done.stdout}{done.stderr}")
    print(f"{len(ROWS) - failures} of {len(ROWS)} calls of handlers compiled "
          f"with jaxlib {jaxlib.__version__} as expected")
    return failures


class Buffer(ctypes.Structure):
    """A tensor as the bridge takes it."""

    _fields_ = [("type", ctypes.c_int32), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p)]


TYPES = {"int32": 4, "float32": 11, "float64": 12, "complex64": 15,
         "complex128": 18}


def buffers(arrays):
    """The arrays as the bridge takes them; they must outlive the call."""
    made = (Buffer * len(arrays))()
    for buffer, array in zip(made, arrays):
        dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        buffer.type = TYPES[array.dtype.name]
        buffer.rank = array.ndim
        buffer.dims = ctypes.cast(dims, ctypes.POINTER(ctypes.c_int64))
        buffer.data = array.ctypes.data
    return made


def check_lapack(bridge):
    """Factors matrices with jaxlib's handlers, and with SciPy."""
    # pylint: disable=import-outside-toplevel
    import numpy as np
    import scipy.linalg
    from jaxlib.cpu import _lapack
    _lapack.initialize()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object,
                                                          ctypes.c_char_p]
    library = ctypes.CDLL(bridge)

    def call(name, attributes, arguments, results):
        handler = pointer(_lapack.registrations()[name],
                          b"xla._CUSTOM_CALL_TARGET")
        message = ctypes.create_string_buffer(1000)
        code = library.EyrieCallHandler(
            ctypes.c_void_p(handler), attributes.encode(), buffers(arguments),
            ctypes.c_int64(len(arguments)), buffers(results),
            ctypes.c_int64(len(results)), message, ctypes.c_int64(1000))
        if code != 0:
            raise RuntimeError(f"{name}: {code}: {message.value.decode()}")

    failures = checks = 0

    def expect(what, got, want, dtype):
        nonlocal failures, checks
        checks += 1
        if not np.allclose(got, want, atol=1e-3 if dtype in "sc" else 1e-9):
            failures += 1
            print(f"FAILED: {what}: {got}\n  {want}")

    generator = np.random.default_rng(7)
    for letter, dtype in zip("sdcz", ("float32", "float64",
                                      "complex64", "complex128")):
        root = generator.standard_normal((4, 4)).astype(dtype)
        matrix = root @ root.conj().T + 4 * np.eye(4, dtype=dtype)
        # Handlers are column-major: transposed going in and coming out.
        given = np.ascontiguousarray(matrix.T)
        out, info = np.zeros_like(given), np.zeros((), np.int32)
        call(f"lapack_{letter}potrf_ffi", "uplo=76:u8", [given], [out, info])
        expect("potrf", np.tril(out.T), scipy.linalg.cholesky(
            matrix, lower=True), letter)
        given = np.ascontiguousarray(root.T)
        pivots = np.zeros(4, np.int32)
        call(f"lapack_{letter}getrf_ffi", "", [given], [out, pivots, info])
        want, rows = scipy.linalg.lu_factor(root)
        expect("getrf", out.T, want, letter)
        expect("getrf's pivots", pivots - 1, rows, letter)
        given = np.ascontiguousarray(matrix.T)
        values = np.zeros(4, np.zeros(1, dtype).real.dtype)
        name = "syevd" if letter in "sd" else "heevd"
        call(f"lapack_{letter}{name}_ffi", "mode=86:u8&uplo=76:u8", [given],
             [out, values, info])
        expect(name, values, scipy.linalg.eigvalsh(matrix), letter)
        vectors = out.T
        expect(f"{name}'s vectors", vectors @ np.diag(values).astype(dtype)
               @ vectors.conj().T, matrix, letter)
    print(f"{checks - failures} of {checks} results of LAPACK as SciPy's")
    return failures


def main():
    python = find_python()
    if python is None:
        print("SKIPPED: no Python here has jaxlib and scipy; "
              "tests/native/jaxlib/install.sh makes one.")
        return 0
    if os.path.realpath(python) != os.path.realpath(sys.executable) or (
            os.path.abspath(python) != os.path.abspath(sys.executable)):
        return subprocess.run([python] + sys.argv, check=False, env=dict(
            os.environ, EYRIE_JAXLIB_PYTHON=python)).returncode
    eyrie, bridge, handlers = (os.path.abspath(path) for path in sys.argv[1:])
    return 1 if check_headers(eyrie, handlers) + check_lapack(bridge) else 0


if __name__ == "__main__":
    sys.exit(main())
