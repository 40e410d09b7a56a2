"""Reads the directives in the comments of a fixture's .mlir.

Each begins with `// KEY:`. A call's own directives follow it: IN to CPU_ONLY.
Used by regenerate.py; _KEYS below lists the keys.
"""

import dataclasses
import hashlib
import pathlib
import re
import shlex
from typing import Dict, List, Optional

# The first release that has --iree-hal-target-device.
TARGET_DEVICES_SINCE = (3, 1)

_KEYS = """
  VARIANTS: plain vulkan@3.3,3.13  ways it is compiled (default: plain), one of
                                   them by two releases only,
                                   or from one on: vmvx@3.3+
  RELEASES: all                    compiled by every release, or by these
                                   (default: by five)
  MODE: vm                         the source is in the vm dialect
  FLAGS: --iree-...                further compiler flags
  NEEDS: other                     modules loaded before this one
  DEVICES: local-sync local-task   what it runs on (default: local-sync)
  CALL: @f "4xf32=1 2 3 4" 7       a call and its --input texts
  SEQUENCE: @next ; @next 3        calls on one context, scalars only

  IN: plain bare                   the variants that the call is made of
  SINCE: 3.11                      the first release, and the last
  UNTIL: 3.12
  TOLERANCE: 1e-4                  how far its floats may be off
  FAILS: NOT_FOUND                 how it must fail; ANY: somehow
  WANT: result[0]: i32=4           a result line where some release is wrong
  NOTE: why                        for the reader
  MISCOMPILED: why                 code for Vulkan gives something else
  CPU_ONLY: why                    of no use on Vulkan
"""


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
    miscompiled: Optional[str] = None
    cpu_only: Optional[str] = None

    def variants(self, of_source):
        return of_source if self.only_in is None else self.only_in

    def applies(self, release):
        """Reports whether a module of this release has the call."""
        number = version(release)
        return ((self.since is None or number >= version(self.since)) and
                (self.until is None or number <= version(self.until)))


@dataclasses.dataclass
class Source:
    """One .mlir file and its directives."""

    path: pathlib.Path
    name: str
    sha256: str
    mode: str = "std"
    variants: List[str] = dataclasses.field(default_factory=lambda: ["plain"])
    # Variant -> the releases that compile it, if not all.
    releases: Dict[str, List[str]] = dataclasses.field(default_factory=dict)
    only_by: List[str] = dataclasses.field(default_factory=list)
    flags: List[str] = dataclasses.field(default_factory=list)
    needs: List[str] = dataclasses.field(default_factory=list)
    devices: List[str] = dataclasses.field(default_factory=list)
    calls: List[Call] = dataclasses.field(default_factory=list)


    def take_variants(self, text):
        """Parses "plain vulkan@3.3,3.13"."""
        words = [word.partition("@") for word in text.split()]
        self.variants = [name for name, _, _ in words]
        self.releases = {name: releases.split(",")
                         for name, at, releases in words if at}

    def compiled_by(self, release, default):
        """Reports whether a release, such as "3.9.0", compiles the source."""
        if not self.only_by:
            return release in default
        return (self.only_by == ["all"] or
                version(release) in map(version, self.only_by))

    def has(self, variant, release):
        """Reports whether a release compiles the variant."""
        only = self.releases.get(variant)
        if only and only[0].endswith("+"):
            return version(release) >= version(only[0][:-1])
        return only is None or version(release) in map(version, only)


def version(text):
    """Returns a release as a comparable pair; "3.11.0" equals "3.11".

    Releases named by a date, such as 20230815.614, came before 2.9.
    """
    parts = tuple(int(part) for part in text.split(".")[:2])
    return (0, parts[0]) if parts[0] > 2000 else parts


def parse_call(text):
    words = shlex.split(text)
    if not words or not words[0].startswith("@"):
        raise ValueError(f"A call begins with @function, not '{text}'.")
    return Call(function=words[0][1:], inputs=words[1:])


def apply(source, key, value):
    """Applies one directive to the source or its last call."""
    last = source.calls[-1] if source.calls else None
    if key == "VARIANTS":
        source.take_variants(value)
    elif key == "RELEASES":
        source.only_by = value.split()
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
    elif key == "MISCOMPILED":
        last.miscompiled = value
    elif key == "CPU_ONLY":
        last.cpu_only = value
    elif key == "NOTE":
        last.note = f"{last.note} {value}" if last.note else value


DIRECTIVE = re.compile(r"\s*//\s*(%s):\s*(.*?)\s*$" %
                       "|".join(re.findall(r"^  ([A-Z_]+): ", _KEYS, re.M)))


def read(path):
    """Reads one .mlir file with its directives."""
    text = path.read_text()
    source = Source(path=path, name=path.stem,
                    sha256=hashlib.sha256(text.encode()).hexdigest())
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if match:
            apply(source, match.group(1), match.group(2))
    return source
