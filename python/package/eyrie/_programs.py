"""Finds and runs the programs of IREE's compiler."""

import importlib.util
import itertools
import os
import shutil
import subprocess
import sys

from eyrie._errors import failure

_MAX_LINES = 12  # of a program's messages in an error


def find(program):
    """Returns the path of a program, or None."""
    beside = os.path.join(os.path.dirname(sys.executable), program)
    return beside if os.access(beside, os.X_OK) else shutil.which(program)


def find_compiler():
    """Returns the path of iree-compile. Raises NOT_FOUND if there is none."""
    found = find("iree-compile")
    if found:
        return found
    if importlib.util.find_spec("iree"):
        spec = importlib.util.find_spec("iree.compiler")
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = os.path.join(folder, "_mlir_libs", "iree-compile")
            if os.access(path, os.X_OK):
                return path
    raise failure("NOT_FOUND",
                  "iree-compile is not installed: run `pip install "
                  "iree-base-compiler`, or pass the path as `compiler`.")


def run(command, names):
    """Runs a program. Raises its messages, in which `names` are replaced."""
    program = os.path.basename(command[0])
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", check=False)
    except OSError as error:
        raise failure("NOT_FOUND", f"Cannot run '{command[0]}': "
                      f"{error.strerror}.") from error
    if done.returncode == 0:
        return
    text = done.stdout
    for path, name in names.items():
        text = text.replace(path, name)
    raise failure("INVALID_ARGUMENT", "\n".join(
        [f"{program} failed with exit code {done.returncode}:",
         *_reason(text.splitlines())[:_MAX_LINES]]))


def _reason(lines):
    """Returns the messages; of Python's tracebacks, the last exception."""
    frames = [i for i, line in enumerate(lines) if line.startswith("Traceback")]
    if not frames:
        return lines
    rest = lines[frames[-1] + 1:]
    return list(itertools.dropwhile(lambda line: line.startswith(" "), rest))
