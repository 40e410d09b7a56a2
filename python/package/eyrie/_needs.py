"""What a module needs, and whether this machine has it."""

from typing import List, NamedTuple

from eyrie import _core, _options
from eyrie._errors import python_words


class Needs(NamedTuple):
    """What a module needs. Truth means nothing; ask `runs_here`.

    runs_here: a device of this machine can run the module, provided that it
        gets what `notes` say.
    devices: the names of these devices.
    reasons: why it cannot run here, as sentences.
    notes: what else it needs, as sentences.
    patterns: the names of devices that it asks for, such as "vulkan*".
    formats: the formats of its executables; one of them suffices.
    modules: the names of other modules that it imports.
    scopes: the scopes of its parameters.
    """

    runs_here: bool
    devices: List[str]
    reasons: List[str]
    notes: List[str]
    patterns: List[str]
    formats: List[str]
    modules: List[str]
    scopes: List[str]


def needs(source, *, allow_system_executables=False, no_native_code=False,
          isolate=False):
    """Returns the Needs of a module, a path or bytes, without running its code.

    Opens the devices that it asks for. The options are those of `load`.
    """
    read = _core.needs(
        _options.source(source),
        _options.flag("allow_system_executables", allow_system_executables),
        _options.flag("no_native_code", no_native_code),
        _options.flag("isolate", isolate))
    runs, devices, reasons, notes, *others = read
    return Needs(runs, devices, [python_words(text) for text in reasons],
                 [python_words(text) for text in notes], *others)
