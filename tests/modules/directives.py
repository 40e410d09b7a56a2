"""Reads the comment lines of a fixture's .mlir that say how it is used.

  // VARIANTS: plain bare debug async   ways it is compiled (default: plain)
  // MODE: vm                           the source is in the vm dialect
  // FLAGS: --iree-...                  further compiler flags
  // NEEDS: other                       modules loaded before this one
  // DEVICES: local-sync local-task     what it runs on (default: local-sync)
  // CALL: @f "4xf32=1 2 3 4" 7         a call and its --input texts
  // SEQUENCE: @next ; @next 3          calls on one context, scalars only
After a CALL: IN (variants), SINCE, UNTIL (releases), TOLERANCE, FAILS (a code
or ANY), NOTE, and WANT: a result line where some release gives a wrong one.
"""

import dataclasses
import hashlib
import pathlib
import re
import shlex
from typing import List, Optional


@dataclasses.dataclass
class Call:
    """One call of an exported function, or a sequence of them."""

    function: str = ""
    inputs: List[str] = dataclasses.field(default_factory=list)
    sequence: List["Call"] = dataclasses.field(default_factory=list)
    only_in: Optional[List[str]] = None
    since: Optional[str] = None
    until: Optional[str] = None
    tolerance: Optional[float] = None
    fails: Optional[str] = None
    want: Optional[List[str]] = None
    note: Optional[str] = None

    def variants(self, of_source):
        return of_source if self.only_in is None else self.only_in

    def applies(self, release):
        """Whether the call is made of a module of this release."""
        number = version(release)
        return ((self.since is None or number >= version(self.since)) and
                (self.until is None or number <= version(self.until)))


@dataclasses.dataclass
class Source:
    """One .mlir file and what its comments ask for."""

    path: pathlib.Path
    name: str
    sha256: str
    mode: str = "std"
    variants: List[str] = dataclasses.field(default_factory=lambda: ["plain"])
    flags: List[str] = dataclasses.field(default_factory=list)
    needs: List[str] = dataclasses.field(default_factory=list)
    devices: List[str] = dataclasses.field(default_factory=list)
    calls: List[Call] = dataclasses.field(default_factory=list)


def version(text):
    """A release as a pair that compares: "3.11.0" and "3.11" are the same."""
    return tuple(int(part) for part in text.split(".")[:2])


def parse_call(text):
    words = shlex.split(text)
    if not words or not words[0].startswith("@"):
        raise ValueError(f"A call begins with @function, not '{text}'.")
    return Call(function=words[0][1:], inputs=words[1:])


def apply(source, key, value):
    """Takes one directive into the source or its last call."""
    last = source.calls[-1] if source.calls else None
    if key == "VARIANTS":
        source.variants = value.split()
    elif key == "MODE":
        source.mode = value
    elif key == "FLAGS":
        source.flags += value.split()
    elif key == "NEEDS":
        source.needs += value.split()
    elif key == "DEVICES":
        source.devices = value.split()
    elif key == "CALL":
        source.calls.append(parse_call(value))
    elif key == "SEQUENCE":
        source.calls.append(
            Call(sequence=[parse_call(part) for part in value.split(";")]))
    elif key == "IN":
        last.only_in = value.split()
    elif key == "SINCE":
        last.since = value
    elif key == "UNTIL":
        last.until = value
    elif key == "TOLERANCE":
        last.tolerance = float(value)
    elif key == "FAILS":
        last.fails = value
    elif key == "WANT":
        last.want = (last.want or []) + ([value] if value else [])
    elif key == "NOTE":
        last.note = f"{last.note} {value}" if last.note else value


DIRECTIVE = re.compile(
    r"\s*//\s*(VARIANTS|MODE|FLAGS|NEEDS|DEVICES|CALL|SEQUENCE|IN|SINCE|"
    r"UNTIL|TOLERANCE|FAILS|WANT|NOTE):\s*(.*?)\s*$")


def read(path):
    """Reads one .mlir with its directives."""
    text = path.read_text()
    source = Source(path=path, name=path.stem,
                    sha256=hashlib.sha256(text.encode()).hexdigest())
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if match:
            apply(source, match.group(1), match.group(2))
    return source
