"""Calls handlers that are compiled with XLA's own headers, as jaxlib has them.

Needs a Python with jaxlib, which install.sh makes; without one it says so and
passes. EYRIE_JAXLIB_PYTHON names another one.

  jaxlib_test.py EYRIE HANDLERS
"""

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
    """A Python that has jaxlib, or None."""
    names = [os.environ.get("EYRIE_JAXLIB_PYTHON", ""), sys.executable,
             os.path.expanduser("~/.cache/eyrie/jaxlib/bin/python")]
    for name in names:
        if os.path.exists(name) and subprocess.run(
                [name, "-c", "import jaxlib"], check=False,
                capture_output=True).returncode == 0:
            return name
    return None


def check(eyrie, handlers, include):
    """Compiles the handlers and calls each; 1 if one is not as expected."""
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        library = pathlib.Path(name, "jax.so")
        subprocess.run(["g++", "-std=c++20", "-O1", "-fPIC", "-shared",
                        f"-I{include}", handlers, "-o", library], check=True)
        for function in MANIFEST["functions"].values():
            function["convention"] = "xla_ffi"
        pathlib.Path(f"{library}.json").write_text(json.dumps(MANIFEST),
                                                   encoding="utf-8")
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
          "with jaxlib's headers as expected")
    return 1 if failures else 0


def main():
    python = find_python()
    if python is None:
        print("SKIPPED: no Python here has jaxlib; "
              "tests/native/jaxlib/install.sh makes one.")
        return 0
    found = subprocess.run(
        [python, "-c", "import jaxlib; print(jaxlib.__file__)"], check=True,
        capture_output=True, text=True).stdout.strip()
    eyrie, handlers = (os.path.abspath(path) for path in sys.argv[1:])
    return check(eyrie, handlers, pathlib.Path(found).parent / "include")


if __name__ == "__main__":
    sys.exit(main())
