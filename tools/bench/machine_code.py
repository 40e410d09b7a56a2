"""Runs the loops of programs/ as machine code of other compilers.

wasmtime compiles loops.wat; the system's C compiler compiles loops.c with -O2.
Both run in this process: a measurement is the processor time of one call
divided by its turns. wasmtime is installed from the Python package index into
.eyrie/bench.
"""

import ctypes
import os
import subprocess
import sys
import time
import venv

HERE = os.path.dirname(os.path.realpath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
# The minimum processor time of a measurement.
MIN_SECONDS = 0.1

_TYPES = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}


def fetch_wasmtime(cache):
    """Makes the package importable; downloads it on first use."""
    made = os.path.join(cache, "wasmtime")
    if not os.path.exists(made):
        print(f"Fetching wasmtime into {made}.", file=sys.stderr)
        venv.create(made, with_pip=True)
        subprocess.run([os.path.join(made, "bin", "python3"), "-m", "pip",
                        "install", "--quiet", "wasmtime"],
                       check=True, stdout=sys.stderr)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sys.path.append(os.path.join(made, "lib", version, "site-packages"))


class Wasmtime:
    """The functions of loops.wat."""

    def __init__(self, cache):
        fetch_wasmtime(cache)
        import wasmtime  # pylint: disable=import-outside-toplevel,import-error
        with open(os.path.join(PROGRAMS, "loops.wat"), encoding="utf-8") as f:
            code = wasmtime.wat2wasm(f.read())
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, code)
        self.exports = wasmtime.Instance(self.store, module, []).exports(
            self.store)

    def function(self, name, _types):
        """Returns a function of numbers."""
        export = self.exports[name]
        return lambda *arguments: export(self.store, *arguments)


class Native:
    """The functions of loops.c."""

    def __init__(self, cache):
        library = os.path.join(cache, "loops.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-fwrapv",
                        os.path.join(PROGRAMS, "loops.c"), "-o", library],
                       check=True)
        self.library = ctypes.CDLL(library)

    def function(self, name, types):
        """Returns a Python function for the C function `name`.

        `types` holds the argument types, then the result type.
        """
        found = getattr(self.library, name)
        found.argtypes = [_TYPES[name] for name in types[:-1]]
        found.restype = _TYPES[types[-1]]
        return found


def time_of(function, arguments, turns, scale):
    """Returns a function that measures the time per turn of a call."""

    def measure():
        calls = 0
        begin = time.process_time()
        while True:
            function(*arguments)
            calls += 1
            spent = time.process_time() - begin
            if spent >= MIN_SECONDS:
                return spent / calls / turns * scale

    return measure
