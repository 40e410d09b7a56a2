"""Compiles MLIR with IREE's compiler, where it is installed."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

from eyrie._errors import failure

_LOCAL = ["--iree-hal-target-device=local"]
_TARGETS = {
    "cpu": [*_LOCAL, "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=host"],
    "generic-cpu": [*_LOCAL, "--iree-hal-local-target-device-backends=llvm-cpu",
                    "--iree-llvmcpu-target-cpu=generic"],
    "vmvx": [*_LOCAL, "--iree-hal-local-target-device-backends=vmvx"],
    "vulkan": ["--iree-hal-target-device=vulkan"],
}
_MAX_LINES = 12  # of the compiler's messages in an error


def find_compiler():
    """Returns the path of iree-compile. Raises NOT_FOUND if there is none."""
    beside = os.path.join(os.path.dirname(sys.executable), "iree-compile")
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("iree-compile")
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

    source: MLIR as text or bytecode; a path that ends with ".mlir" or
        ".mlirbc"; what `jax.jit(f).lower(...)` or `jax.export` return; or an
        MLIR module, whose `str` is its text.
    target: "cpu", this machine's processor; "generic-cpu", any processor of its
        kind; "vmvx", bytecode for any machine; "vulkan".
    flags: more arguments for iree-compile, such as "--iree-opt-level=O3".
    compiler: the path of iree-compile; by default, that of this Python's
        environment or of PATH.
    output: a path to write the module to, too.

    Raises eyrie.Error: NOT_FOUND if there is no compiler, INVALID_ARGUMENT with
    the compiler's messages if it fails.
    """
    if target not in _TARGETS:
        raise ValueError(f"target ({target!r}) is not "
                         f"{', '.join(map(repr, _TARGETS))}.")
    text = text_of(source)
    program = os.fsdecode(compiler) if compiler else find_compiler()
    with tempfile.TemporaryDirectory(prefix="eyrie.") as folder:
        given = os.path.join(folder, "module.mlir")
        made = os.path.join(folder, "module.vmfb")
        with open(given, "wb") as file:
            file.write(text)
        try:
            done = subprocess.run(
                [program, *_TARGETS[target], *listed(flags), given, "-o", made],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace", check=False)
        except OSError as error:
            raise failure("NOT_FOUND", f"Cannot run '{program}': "
                         f"{error.strerror}.") from error
        if done.returncode != 0:
            lines = done.stdout.replace(given, "module.mlir").splitlines()
            raise failure("INVALID_ARGUMENT", "\n".join(
                [f"iree-compile failed with exit code {done.returncode}:",
                 *lines[:_MAX_LINES]]))
        with open(made, "rb") as file:
            module = file.read()
    if output is not None:
        with open(output, "wb") as file:
            file.write(module)
    return module
