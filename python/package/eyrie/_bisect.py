"""Names the dispatch that computes something else, by the tool `eyrie`."""

import json
import os
import subprocess
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional

from eyrie._errors import failure
from eyrie._programs import find

_EQUAL_OR_NOT = (0, 1)  # exit codes of an answer


class Bisection(NamedTuple):
    """The answer of `bisect`.

    differs: whether the sides differ.
    text: the answer in one sentence.
    kernel: the kernel of the first dispatch that differs, or None.
    exact: whether that dispatch computes something else; if not, it or one of
        `suspects` does.
    suspects: the names of kernels.
    findings: a dict for each dispatch that differs; see docs/bisect.md.
    report: everything, as `eyrie bisect --json` prints it.
    """

    differs: bool
    text: str
    kernel: Optional[str]
    exact: bool
    suspects: List[str]
    findings: List[Dict[str, Any]]
    report: Dict[str, Any]

    def __repr__(self):
        return f"<eyrie.Bisection: {self.text}>"


def _answer_of(report):
    """Returns the Bisection of what the tool printed."""
    findings = report["findings"]
    if not findings:
        return Bisection(report["differs"], report["answer"], None, False, [],
                         findings, report)
    first = findings[0]
    return Bisection(report["differs"], report["answer"],
                     first["bad"]["kernel"], first["exact"],
                     [place["kernel"] for place in first["suspects"]],
                     findings, report)


def bisect(good, bad, *arrays, function=None, devices=(), tolerance=None,
           reproducer=None, html=None, always=False, flags=(), tool=None):
    """Compares two modules, and names the first dispatch that differs.

    good, bad: paths of modules; the same path with two devices.
    arrays: the arguments of the call, which NumPy can make arrays of; without
        them, they are random.
    devices: a URI, or one for each side.
    tolerance: how far floats may differ, as --tolerance of `eyrie bisect`.
    reproducer, html: a folder and a file to write.
    always: compares the dispatches even if the results agree.
    flags: further flags of `eyrie bisect`, such as "--timeout=10s".
    tool: the path of the tool `eyrie`, which is not part of the wheel; the
        default is the one next to Python or in PATH.

    Raises NOT_FOUND without the tool, and the tool's own errors.
    """
    import numpy  # pylint: disable=import-outside-toplevel
    program = os.fspath(tool) if tool is not None else find("eyrie")
    if program is None:
        raise failure("NOT_FOUND", "The tool `eyrie` is not installed; it is "
                      "not part of the wheel. Pass its path as `tool`.")
    good, bad = os.fspath(good), os.fspath(bad)
    uris = [devices] if isinstance(devices, str) else list(devices)
    command = [program, "bisect", "--json", *flags]
    command += [f"--device={uri}" for uri in uris]
    command += [f"--{name}={value}" for name, value in (
        ("function", function), ("tolerance", tolerance),
        ("reproducer", reproducer), ("html", html)) if value is not None]
    if always:
        command.append("--dispatches")
    with tempfile.TemporaryDirectory() as folder:
        for i, array in enumerate(arrays):
            path = os.path.join(folder, f"{i}.npy")
            numpy.save(path, numpy.ascontiguousarray(array))
            command.append(f"--input=@{path}")
        one = good == bad and len(uris) == 2
        return _run([*command, "--", good] + ([] if one else [bad]))


def _run(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              errors="replace", check=False)
    except OSError as error:
        raise failure("NOT_FOUND", f"Cannot run '{command[0]}': "
                      f"{error.strerror}.") from error
    if done.returncode in _EQUAL_OR_NOT:
        return _answer_of(json.loads(done.stdout))
    # "eyrie: NOT_FOUND: Cannot open ..."
    text = done.stderr.strip().removeprefix("eyrie: ")
    code, colon, message = text.partition(": ")
    if not colon or not code.isupper():
        code, message = "INTERNAL", text or f"exit code {done.returncode}"
    raise failure(code, message)
