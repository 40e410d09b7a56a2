"""Keeps the modules of ONNX models, and their weights, in a folder of files.

An entry is `KEY.vmfb`, for models of 256 MiB and more also `KEY.irpa`. The key
is a hash of the model, the compiler and this processor. Processes and threads
may share the folder: files appear complete, by a rename.
"""

import collections
import contextlib
import hashlib
import os
import re
import threading

from eyrie import _compile, _onnx
from eyrie._errors import failure

_LARGE = 256 << 20  # bytes of a model whose weights are not in the module
_DEFAULT_SIZE = 4 << 30
_FORM = 2  # of the entries; another one makes them anew
_ENTRY = re.compile(r"([0-9a-f]{64})\.(vmfb|irpa)(\.\d+\.\d+)?")


def compiled(source):
    """Returns the module of an ONNX model, and the files of its weights.

    The files are options for `parameters`, "scope=path". A folder that cannot
    be used is not, unless the model has such files.

    Raises what compile_onnx does; OSError for weights that cannot be written;
    ABORTED if the model changes meanwhile.
    """
    folder, limit = _folder(), _limit()
    key, size = _key_and_size(source)
    path = os.path.join(folder, key)
    weights = f"{path}.irpa" if size >= _LARGE else None
    module = _found(f"{path}.vmfb", weights)
    if module is None:
        module = _make(source, key, f"{path}.vmfb", weights)
        _trim(folder, limit, key)
    return module, [f"{key}={weights}"] if weights else []


def _found(path, weights):
    """Returns the module of an entry, or None. The entry is the newest then."""
    try:
        with open(path, "rb") as file:
            module = file.read()
        if weights:
            os.stat(weights)
    except OSError:
        return None
    for each in filter(None, (path, weights)):
        with contextlib.suppress(OSError):  # of a folder that is read-only
            os.utime(each)
    return module


def _make(source, key, path, weights):
    """Compiles a model and stores its entry."""
    if weights:
        os.makedirs(os.path.dirname(weights), exist_ok=True)
        with _written(weights) as part:
            module = _compile.compile_onnx(source, _compile.command(),
                                           weights=part, scope=key)
            _check_same(source, key)
    else:
        module = _compile.compile_onnx(source, _compile.command())
        _check_same(source, key)
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with _written(path) as part, open(part, "wb") as file:
            file.write(module)
            file.flush()
            os.fsync(file.fileno())
    return module


def _check_same(source, key):
    if _key_and_size(source)[0] != key:
        raise failure("ABORTED", "The ONNX model changed while it was "
                      "compiled.")


@contextlib.contextmanager
def _written(path):
    """Gives the path of a new file, which replaces `path` at the end."""
    part = f"{path}.{os.getpid()}.{threading.get_ident()}"
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def _trim(folder, limit, kept):
    """Removes the entries that were used longest ago, beyond a sum of bytes.

    kept: the key of the newest entry, which stays. Other files of the folder do
        not count.
    """
    entries = collections.defaultdict(list)  # (last use, bytes, path) of files
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        key, path = _ENTRY.fullmatch(name), os.path.join(folder, name)
        with contextlib.suppress(OSError):  # another process removes files, too
            if key:
                found = os.stat(path)
                entries[key[1]].append((found.st_mtime, found.st_size, path))
    total = sum(size for files in entries.values() for _, size, _ in files)
    entries.pop(kept, None)
    for files in sorted(entries.values(), key=max):
        if total <= limit:
            break
        for _, size, path in files:
            total -= size
            with contextlib.suppress(OSError):
                os.unlink(path)


def _folder():
    users = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache")
    return os.path.abspath(os.environ.get("EYRIE_CACHE")
                           or os.path.join(users, "eyrie", "onnx"))


def _limit():
    """Returns EYRIE_CACHE_SIZE in bytes."""
    text = os.environ.get("EYRIE_CACHE_SIZE") or str(_DEFAULT_SIZE)
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(f"EYRIE_CACHE_SIZE ({text!r}) is not a number of "
                         "bytes, such as 4294967296.")
    return int(text)


def _key_and_size(source):
    """Returns the key of a model's entry, and the bytes of all its files."""
    model, folder = _onnx.read(source)
    key, size = hashlib.sha256(model), len(model)
    for name, found in _onnx.other_files(model, folder):
        key.update(repr((name, found.st_size, found.st_mtime_ns)).encode())
        size += found.st_size
    command = _compile.command()
    program = os.path.realpath(command[0])
    key.update(repr((_FORM, program, os.stat(program).st_mtime_ns,
                     _compile.OPSET, command[1:])).encode())
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            key.update("".join(sorted({line for line in file if line.startswith(
                ("flags", "Features", "isa"))})).encode())
    except OSError:
        pass
    return key.hexdigest(), size
