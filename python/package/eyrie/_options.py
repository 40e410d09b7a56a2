"""Converts the options of `load` for the extension module.

The messages of TypeError and ValueError contain the option's name and value.
"""

import collections.abc
import math
import numbers
import os

from eyrie import _cache, _onnx


def sentence(name, value, what):
    """Returns the message for a value that an option does not accept."""
    return f"{name} ({value!r}) is not {what}."


def count(name, value, bits=64):
    """Returns a number as an unsigned integer of some bits."""
    message = sentence(name, value, f"an integer from 0 to 2**{bits} - 1")
    if not isinstance(value, numbers.Integral):
        raise TypeError(message)
    if not 0 <= value < 2**bits:
        raise ValueError(message)
    return int(value)


def text(name, value):
    """Returns a string or a path as a string."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(sentence(name, value, "a string")) from None


def printable(value):
    """Returns a path with escapes for bytes that are not text."""
    return value.encode("utf-8", "backslashreplace").decode()


def seconds(name, value, most=math.inf):
    """Returns a time in seconds; 0.0 means no limit."""
    if value is None:
        return 0.0
    message = sentence(name, value, "a number of seconds from 0 up" if
                       most == math.inf else
                       f"a number of seconds from 0 to {most:g}")
    if not isinstance(value, numbers.Real):
        raise TypeError(message)
    if not 0 <= value <= most:  # also rejects NaN
        raise ValueError(message)
    return float(value)


def flag(name, value):
    """Returns a bool."""
    if value not in (True, False):
        raise TypeError(sentence(name, value, "True or False"))
    return bool(value)


def one_of(name, value, known):
    """Returns the index of a word in a list of words."""
    if value not in known:
        words = " or ".join([", ".join(map(repr, known[:-1])),
                             repr(known[-1])])
        raise ValueError(sentence(name, value, words))
    return known.index(value)


def on_device(name, value):
    """Reports whether results stay on the device."""
    return one_of(name, value, ("numpy", "device")) == 1


def imports(name, value):
    """Returns a list of (name, signature, function)."""
    try:
        rows = [(key, *item) for key, item in dict(value or {}).items()]
        good = all(len(row) == 3 and isinstance(row[0], str)
                   and isinstance(row[1], str) and callable(row[2])
                   for row in rows)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise TypeError(sentence(
            name, value, "a dict of names with signatures and functions"))
    return rows


def parameters(name, value):
    """Returns the files, and (scope, key, object) for each given object."""
    if isinstance(value, (str, os.PathLike, collections.abc.Mapping)):
        value = [value]
    files, weights = [], []
    try:
        for item in value:
            if isinstance(item, collections.abc.Mapping):
                weights += _weights(item)
            else:
                # A path has no scope; a string may have one.
                has_scope = isinstance(item, (str, bytes))
                files.append(("" if has_scope else "=") + os.fsdecode(item))
    except TypeError:
        # Without the value, whose arrays may be large.
        raise TypeError(f"{name} is not a string, a dict of keys and arrays, "
                        "or a list of these.") from None
    return files, weights


def _weights(entries, scope=""):
    """Yields (scope, key, object) for each entry; a dict is a scope."""
    for key, item in entries.items():
        if isinstance(item, collections.abc.Mapping) and not scope:
            yield from _weights(item, os.fsdecode(key))
        else:
            yield scope, os.fsdecode(key), item


def sources(value):
    """Returns the paths and bytes of modules, and the files of their weights.

    value: a module or a list of modules. Only ONNX models have such files.
    """
    if not isinstance(value, (list, tuple)):
        value = [value]
    if not value:
        raise ValueError(sentence("source", value, "a module or modules"))
    found, files = [], []
    for item in value:
        if _onnx.is_model(item):
            module, own_files = _cache.compiled(item)
            found.append(module)
            files += own_files
        else:
            found.append(source(item))
    return found, files


def source(value):
    """Returns the path or the bytes of a module."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        return os.path.abspath(os.fsdecode(value))
    except TypeError:
        raise TypeError(sentence(
            "source", value, "a path or the bytes of a module")) from None
