"""Compiles MLIR and ONNX with IREE's compiler, where it is installed."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from eyrie._errors import Error, failure

_LOCAL = ["--iree-hal-target-device=local"]
_TARGETS = {
    "cpu": [*_LOCAL, "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=host"],
    "generic-cpu": [*_LOCAL, "--iree-hal-local-target-device-backends=llvm-cpu",
                    "--iree-llvmcpu-target-cpu=generic"],
    "vmvx": [*_LOCAL, "--iree-hal-local-target-device-backends=vmvx"],
    "vulkan": ["--iree-hal-target-device=vulkan"],
}
# The operators of older ONNX models have other forms, which it may not know.
_OPSET = ["--opset-version", "17"]
_MAX_LINES = 12  # of the compiler's messages in an error


def _find(program):
    """Returns the path of a program, or None."""
    beside = os.path.join(os.path.dirname(sys.executable), program)
    return beside if os.access(beside, os.X_OK) else shutil.which(program)


def find_compiler():
    """Returns the path of iree-compile. Raises NOT_FOUND if there is none."""
    found = _find("iree-compile")
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


def is_onnx(source):
    """Reports whether the source is an ONNX file or an onnx.ModelProto."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source).endswith(".onnx")
    return hasattr(source, "SerializeToString") and hasattr(source, "graph")


def _import_onnx(source, folder, opset):
    """Returns the MLIR of a model. Files of weights lie beside it."""
    program = _find("iree-import-onnx")
    if not program:
        raise failure("NOT_FOUND", "iree-import-onnx is not installed: run "
                      "`pip install 'iree-base-compiler[onnx]'`.")
    made = os.path.join(folder, "module.mlir")
    if not isinstance(source, (str, os.PathLike)):
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(source.SerializeToString())
        source = path
    path = os.path.abspath(os.fsdecode(source))  # may begin with a '-'
    _run([program, path, "-o", made, *opset], {})
    with open(made, "rb") as file:
        return file.read()


def _run(command, names):
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
    lines = text.splitlines()
    if lines and lines[0].startswith("Traceback"):  # the last one says why
        lines = lines[-1:]
    raise failure("INVALID_ARGUMENT", "\n".join(
        [f"{program} failed with exit code {done.returncode}:",
         *lines[:_MAX_LINES]]))


def text_of(source):
    """Returns the MLIR of a module as bytes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    if isinstance(source, str):
        if "\n" not in source and source.endswith((".mlir", ".mlirbc")):
            with open(source, "rb") as file:
                return file.read()
        return source.encode()
    for name in ("mlir_module", "as_text"):  # jax.export.Exported, Lowered
        if hasattr(source, name):
            return text_of(getattr(source, name)())
    if hasattr(source, "mlir_module_serialized"):
        return bytes(source.mlir_module_serialized)
    if hasattr(source, "operation"):  # of MLIR's Python bindings
        return str(source).encode()
    raise TypeError(f"source is of the type {type(source).__name__}; expected "
                    "MLIR as text, bytes or a path, what jax.jit(f).lower(...) "
                    "or jax.export return, or a module of MLIR's bindings.")


def listed(flags):
    """Returns a list of one flag or of several."""
    return [flags] if isinstance(flags, str) else list(flags)


def compile(  # pylint: disable=redefined-builtin
        source, target="cpu", *, flags=(), compiler=None, output=None):
    """Compiles a module with iree-compile and returns its bytes for `load`.

    source: MLIR as text or bytecode; a path that ends with ".mlir", ".mlirbc"
        or ".onnx"; what `jax.jit(f).lower(...)` or `jax.export` return; an
        onnx.ModelProto; or an MLIR module, whose `str` is its text.
    target: "cpu", this machine's processor; "generic-cpu", any processor of its
        kind; "vmvx", bytecode for any machine; "vulkan".
    flags: more arguments for iree-compile, such as "--iree-opt-level=O3".
    compiler: the path of iree-compile; by default, that of this Python's
        environment or of PATH.
    output: a path to write the module to, too.

    ONNX needs the package iree-base-compiler[onnx].

    Raises eyrie.Error: NOT_FOUND if there is no compiler, INVALID_ARGUMENT with
    the compiler's messages if it fails.
    """
    if target not in _TARGETS:
        raise ValueError(f"target ({target!r}) is not "
                         f"{', '.join(map(repr, _TARGETS))}.")
    text = None if is_onnx(source) else text_of(source)
    program = os.fsdecode(compiler) if compiler else find_compiler()
    command = [program, *_TARGETS[target], *listed(flags)]
    with tempfile.TemporaryDirectory(prefix="eyrie.") as folder:
        if text is None:
            module = _compile_onnx(source, command, folder)
        else:
            module = _compile_text(text, command, folder)
    if output is not None:
        with open(output, "wb") as file:
            file.write(module)
    return module


def _compile_text(text, command, folder):
    given = os.path.join(folder, "module.mlir")
    made = os.path.join(folder, "module.vmfb")
    with open(given, "wb") as file:
        file.write(text)
    _run([*command, given, "-o", made], {given: "module.mlir"})
    with open(made, "rb") as file:
        return file.read()


def _compile_onnx(source, command, folder):
    """Compiles the model as it is, or else converted to a known opset."""
    try:
        return _compile_text(_import_onnx(source, folder, []), command, folder)
    except Error as error:
        if error.code != "INVALID_ARGUMENT":
            raise
        try:
            return _compile_text(_import_onnx(source, folder, _OPSET), command,
                                 folder)
        except Error:
            raise error from None


def compiled_onnx(source):
    """Returns the module of an ONNX model for `load`, from a cache of files.

    They are in the folder EYRIE_CACHE, or eyrie in the user's folder of caches,
    by a hash of the model, the compiler and this processor. A cache that cannot
    be used is not.
    """
    key = _key_of(source)
    path = os.path.join(_cache_folder(), key + ".vmfb")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        pass
    module = compile(source)
    if _key_of(source) == key:  # the model did not change meanwhile
        _store(module, path)
    return module


def _store(module, path):
    """Writes a file that other processes may write and read, too."""
    part = f"{path}.{os.getpid()}.{threading.get_ident()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(part, "wb") as file:
                file.write(module)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError:
            os.unlink(part)
    except OSError:
        pass


def _cache_folder():
    users = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache")
    return os.environ.get("EYRIE_CACHE") or os.path.join(users, "eyrie", "onnx")


def _locations(model):
    """Returns the names of other files that have elements of tensors.

    They are entries "location" of external_data, as protobuf writes them. Other
    bytes may look the same.
    """
    names = set()
    for entry in re.finditer(rb"\x0a\x08location\x12(?s:(.)(.))", model):
        low, high = entry[1][0], entry[2][0]
        size = low & 127 | high << 7 if low & 128 else low
        start = entry.end() if low & 128 else entry.end() - 1
        names.add(model[start:start + size])
    return sorted(names)


def _key_of(source):
    if isinstance(source, (str, os.PathLike)):
        folder = os.path.dirname(os.path.abspath(os.fsdecode(source)))
        with open(source, "rb") as file:
            model = file.read()
    else:
        folder, model = "", source.SerializeToString()
    key = hashlib.sha256(model)
    for location in _locations(model):
        try:
            found = os.stat(os.path.join(folder, os.fsdecode(location)))
        except (OSError, ValueError):
            continue
        key.update(repr((location, found.st_size, found.st_mtime_ns)).encode())
    compiler = os.path.realpath(find_compiler())
    key.update(repr((compiler, os.stat(compiler).st_mtime_ns, _OPSET,
                     _TARGETS["cpu"])).encode())
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            key.update("".join(sorted({line for line in file if line.startswith(
                ("flags", "Features", "isa"))})).encode())
    except OSError:
        pass
    return key.hexdigest()
