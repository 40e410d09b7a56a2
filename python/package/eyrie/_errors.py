"""The exceptions of the package, and their messages in Python's words.

Every exception for an error of the library is an `Error`. Some are also one of
Python's own exceptions, which `except` clauses may already expect.
"""

import re

from eyrie import _core


class Error(RuntimeError):
    """An error of the library.

    code: "INVALID_ARGUMENT", "NOT_FOUND" and so on, as in eyrie/c.h.
    """

    code = "UNKNOWN"


class ArgumentError(Error, TypeError, ValueError):
    """An argument does not match the signature, or is not a value."""


class MissingFileError(Error, FileNotFoundError):
    """A file of a module or of parameters does not exist."""


class ForbiddenError(Error, PermissionError):
    """A file must not be read, or an option forbids the operation."""


class TimedOutError(Error, TimeoutError):
    """A call exceeded its timeout."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory, or a call exceeded `max_memory`."""


class UnsupportedError(Error, NotImplementedError):
    """The module or the call needs a feature that is not supported."""


_CLASSES = {
    "INVALID_ARGUMENT": ArgumentError,
    "PERMISSION_DENIED": ForbiddenError,
    "DEADLINE_EXCEEDED": TimedOutError,
    "UNIMPLEMENTED": UnsupportedError,
}

# Words of the command line and of JSON, and what Python calls them.
_WORDS = (
    (r"--parameters=(\S+?=FILE)", r'parameters="\1"'),
    (r"\(--native_library\)", "(native_libraries=)"),
    (r'\{"\$dtype": "f32", "data": \[1, 2\]\} in JSON',
     "numpy.float32([1, 2])"),
    (r"--(allow_system_executables|isolate|no_native_code)\b", r"\1=True"),
    (r"--(fuel|timeout|max_memory|max_stack|max_idle_memory)\b", r"\1="),
    (r"\b(but |is |: |^)null\b", r"\1None"),
    (r"\bnull (is|was) (given|expected)", r"None \1 \2"),
    (r"\btrue (is given|or false)", r"True \1"),
    (r"\bfalse is given", "False is given"),
    (r"\bTrue or false\b", "True or False"),
)


def _dtype(kind):
    """Returns what Python calls an element type: "numpy.float32" for f32."""
    if kind in ("i1", "bf16"):
        return {"i1": "numpy.bool_", "bf16": "ml_dtypes.bfloat16"}[kind]
    letters, bits, rest = re.match(r"(\D+)(\d+)(.*)", kind).groups()
    name = {"f": "float", "ui": "uint"}.get(letters, "int") + bits
    if int(bits) >= 8 and not rest:
        return f"numpy.{name}"
    return f"ml_dtypes.{name}_{rest.lower()}".rstrip("_")


def python_words(message):
    """Replaces the words of the command line in a message."""
    for pattern, replacement in _WORDS:
        message = re.sub(pattern, replacement, message)
    lossy = re.search(r"cannot be converted to (\w+) without loss\.$", message)
    if lossy:
        message += (f" Pass x.astype({_dtype(lossy.group(1))}), or "
                    "allow_loss=True to eyrie.load, which refuses values that "
                    "do not fit.")
    return message


def _class_of(code, message):
    if code == "NOT_FOUND" and message.startswith("Cannot open "):
        return MissingFileError
    if code == "RESOURCE_EXHAUSTED" and "memory" in message:
        return OutOfMemoryError
    return _CLASSES.get(code, Error)


def failure(code, message):
    """Returns an error of the class for the code."""
    error = _class_of(code, message)(message)
    error.code = code
    return error


_core.set_error(lambda code, message: failure(code, python_words(message)))
