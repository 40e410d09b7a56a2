"""Keeps the modules of ONNX models, and their weights, in a folder of files.

An entry is `KEY.vmfb`, for models of 256 MiB and more also `KEY.irpa`. The key
is a hash of the model, the compiler and this processor. Processes and threads
may share the folder: files appear complete, by a rename, and stay for an hour
after each use.
"""

import collections
import contextlib
import hashlib
import io
import os
import re
import stat
import threading
import zipfile

from eyrie import _compile, _onnx
from eyrie._errors import failure

_LARGE = 256 << 20  # bytes of a model whose weights are not in the module
_DEFAULT_SIZE = 4 << 30
# Seconds after its last use in which a file is not removed, and seconds that a
# part may take to be written.
_IN_USE = 3600
_IN_WORK = 24 * 3600
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
        _trim(folder, limit)
    return module, [f"{key}={weights}"] if weights else []


def _found(path, weights):
    """Returns the module of an entry, or None. The entry is the newest then."""
    for each in filter(None, (path, weights)):  # first, so that they stay
        with contextlib.suppress(OSError):  # of a folder that is read-only
            os.utime(each)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            module = file.read()
        if weights:
            os.stat(weights)
    except OSError:
        return None
    # The directory of a ZIP is at its end, which a damaged file lacks.
    return module if zipfile.is_zipfile(io.BytesIO(module)) else None


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
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def _trim(folder, limit):
    """Removes the entries that were used longest ago, beyond a sum of bytes.

    Files that were used or written within _IN_USE stay, even beyond the sum:
    this process or another may open an entry later. Parts stay for _IN_WORK.
    Other files of the folder do not count.

    Now is when the folder changed: a new entry was just put there. Unlike this
    machine's clock, that is the clock of the files.
    """
    entries, parts, now = collections.defaultdict(list), [], 0
    with contextlib.suppress(OSError):  # of a folder that cannot be listed
        now = os.stat(folder).st_mtime
        for name in os.listdir(folder):
            found, path = _ENTRY.fullmatch(name), os.path.join(folder, name)
            if found:
                (parts if found[3] else entries[found[1]]).append(path)
    for part in parts:
        _remove([part], now - _IN_WORK)
    total = _size(parts) + sum(map(_size, entries.values()))
    for paths in sorted(entries.values(), key=_last_use):
        if total <= limit:
            break
        total -= _remove(paths, now - _IN_USE)


def _remove(paths, before):
    """Removes files that were all used before a time. Returns their bytes."""
    if _last_use(paths) >= before:
        return 0
    size = _size(paths)
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)
    return size


def _last_use(paths):
    return max((each.st_mtime for each in _stats(paths)), default=0)


def _size(paths):
    return sum(each.st_size for each in _stats(paths))


def _stats(paths):
    """Yields the status of files; another process may remove them, too."""
    for path in paths:
        with contextlib.suppress(OSError):
            yield os.stat(path)


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
