"""Compiles MLIR and ONNX with IREE's compiler, where it is installed."""

import os
import re
import tempfile

from eyrie import _onnx
from eyrie._errors import Error, failure
from eyrie._programs import find_compiler, run

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
OPSET = 17
_OF_TEXT = (bytes, bytearray, memoryview, os.PathLike, str)


def text_of(source):
    """Returns the MLIR of a module as bytes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    if isinstance(source, str):
        if "\n" not in source and source[-7:].lower().endswith(
                (".mlir", ".mlirbc")):
            with open(source, "rb") as file:
                return file.read()
        if "\n" not in source and os.path.isfile(source):
            raise failure("INVALID_ARGUMENT", f"'{source}' is not a file to "
                          "compile; expected .mlir, .mlirbc or .onnx.")
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


def keeping_f64(text, flags):
    """Returns the flags, and ours for MLIR with f64, which would become f32."""
    return _with_own(flags, ["--iree-input-demote-f64-to-f32=false"]
                     if re.search(rb"[x<,]f64\b", text) else [])


def _with_own(flags, own):
    """Returns one flag or several, and those of our own with other names."""
    flags = [flags] if isinstance(flags, str) else list(flags)
    names = set(map(_name, flags))
    return flags + [each for each in own if _name(each) not in names]


def _name(flag):
    """Returns the name of a flag, which may begin with one '-' or two."""
    return flag.lstrip("-").partition("=")[0]


def compile(  # pylint: disable=redefined-builtin
        source, target="cpu", *, flags=(), compiler=None, output=None,
        weights=None):
    """Compiles a module with iree-compile and returns its bytes for `load`.

    source: MLIR as text or bytecode; a path that ends with ".mlir", ".mlirbc"
        or ".onnx"; what `jax.jit(f).lower(...)` or `jax.export` return; an
        onnx.ModelProto; or an MLIR module, whose `str` is its text.
    target: "cpu", this machine's processor; "generic-cpu", any processor of its
        kind; "vmvx", bytecode for any machine; "vulkan".
    flags: more arguments for iree-compile, such as "--iree-opt-level=O3". They
        replace those of the same names that Eyrie would add.
    compiler: the path of iree-compile; by default, that of this Python's
        environment or of PATH.
    output: a path to write the module to, too.
    weights: of ONNX, a path such as "model.irpa" to write the larger weights
        to, for `parameters` of `load`; by default, the module has them.

    ONNX needs the package iree-base-compiler[onnx].

    Raises eyrie.Error: NOT_FOUND if there is no compiler, INVALID_ARGUMENT with
    the compiler's messages if it fails.
    """
    _check_outputs(source, output, weights)
    text = None if _onnx.is_model(source) else text_of(source)
    if weights is not None and text is not None:
        raise ValueError(f"weights ({weights!r}) are of ONNX models only.")
    to_run = command(target, flags, compiler)
    if text is None:
        module = compile_onnx(source, to_run, weights=weights)
    else:
        if not isinstance(source, _OF_TEXT):  # a framework's
            to_run = keeping_f64(text, to_run)
        module = _compile_text(text, to_run)
    if output is not None:
        with open(output, "wb") as file:
            file.write(module)
    return module


def _check_outputs(source, output, weights):
    """Raises ValueError if a file would replace the source or another one."""
    if output is None and weights is None:
        return
    taken = [source] if isinstance(source, (str, os.PathLike)) else []
    if taken and _onnx.is_model(source):
        model, folder = _onnx.read(source)
        taken += [os.path.join(folder, os.fsdecode(name))
                  for name, _ in _onnx.other_files(model, folder)]
    for name, path in (("output", output), ("weights", weights)):
        if path is None:
            continue
        if any(_is_same_file(path, other) for other in taken):
            raise ValueError(f"{name} ({path!r}) is also the source, a file of "
                             "it, or another file to write.")
        taken.append(path)


def _is_same_file(path, other):
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # one does not exist, or is MLIR's text
        pass
    try:
        return (os.path.realpath(os.fsdecode(path)) ==
                os.path.realpath(os.fsdecode(other)))
    except (OSError, TypeError, ValueError):
        return False


def command(target="cpu", flags=(), compiler=None):
    """Returns the program that compiles for a target, and its arguments."""
    if target not in _TARGETS:
        raise ValueError(f"target ({target!r}) is not "
                         f"{', '.join(map(repr, _TARGETS))}.")
    program = os.fsdecode(compiler) if compiler else find_compiler()
    return [program, *_with_own(flags, _TARGETS[target])]


def _compile_text(text, to_run):
    with tempfile.TemporaryDirectory(prefix="eyrie.") as folder:
        given = os.path.join(folder, "module.mlir")
        made = os.path.join(folder, "module.vmfb")
        with open(given, "wb") as file:
            file.write(text)
        run([*to_run, given, "-o", made], {given: "module.mlir"})
        with open(made, "rb") as file:
            return file.read()


def compile_onnx(source, to_run, **weights):
    """Compiles the model as it is, or else converted to a known opset.

    to_run: what `command` returns.
    weights: those of _onnx.to_mlir.
    """
    def attempt(opset):
        text = _onnx.to_mlir(source, opset=opset, **weights)
        return _compile_text(text, keeping_f64(text, to_run))

    try:
        return attempt(None)
    except Error as error:
        if error.code != "INVALID_ARGUMENT" or _onnx.opset(source) >= OPSET:
            raise
        try:
            return attempt(OPSET)
        except Error as converted:  # says more, unless it cannot be converted
            raise (error if "iree-import-onnx" in str(converted)
                   else converted) from None
