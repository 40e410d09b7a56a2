"""Native functions: handlers from Python packages, and programs that call them.

_packages.py says how packages offer handlers.
"""

import importlib
import json
import os
import types
from typing import List, NamedTuple

from eyrie import _compile, _core, _options, _packages
from eyrie._errors import failure

_BYTECODE = b"ML\xefR"
_STAGES = ("instantiate", "prepare", "initialize", "execute", "record")


class LinkedProgram(NamedTuple):
    """A program whose custom calls are imports of functions."""
    text: str           # for `compile`
    manifest: str       # of the imports, for `load`
    targets: List[str]  # the names of the handlers that it calls


def _text_of_bytecode(program):
    """Returns a portable artifact of StableHLO as text. Needs jaxlib."""
    try:
        ir = importlib.import_module("jaxlib.mlir.ir")
        stablehlo = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
    except ImportError:
        raise failure(
            "UNIMPLEMENTED", "The program is MLIR's bytecode, which only "
            "jaxlib can read; it is not installed.") from None
    with ir.Context() as context:
        for name in ("chlo", "sdy", "mpmd", "stablehlo"):
            try:
                dialect = importlib.import_module(
                    f"jaxlib.mlir.dialects.{name}")
            except ImportError:  # jaxlib is older than the dialect
                continue
            dialect.register_dialect(context)
        try:
            return str(stablehlo.deserialize_portable_artifact(
                context, program)).encode()
        except ValueError as error:
            raise failure(
                "INVALID_ARGUMENT", "jaxlib cannot read the program's "
                f"bytecode: {error}.") from None


def link(source, *, module="xla"):
    """Turns the custom calls of a program into imports of native functions.

    source: a program in MLIR's text, as `compile` takes it; for example what
        `jax.jit(f).lower(...)` returns. With jaxlib, also StableHLO's portable
        bytecode.
    module: the name of the module that has the imports.

    Returns a LinkedProgram. Raises eyrie.Error with INVALID_ARGUMENT if the
    program has no custom call, and with UNIMPLEMENTED if a call does not use
    XLA FFI, or its types cannot be those of an import.
    """
    text = _compile.text_of(source)
    if text.startswith(_BYTECODE):
        text = _text_of_bytecode(text)
    return LinkedProgram(*_core.link(text, module))


def _symbols(handlers):
    """Returns a list of (symbol, capsule) for a dict of handlers.

    A handler is a capsule, or a dict of stages with capsules.
    """
    rows = []
    for name, value in handlers.items():
        for stage, capsule in (value.items() if isinstance(value, dict)
                               else [("execute", value)]):
            if stage not in _STAGES:
                raise ValueError(
                    f"The handler {name!r} has the stage {stage!r}; expected "
                    f"{', '.join(_STAGES)}.")
            rows.append((name if stage == "execute" else f"{name}.{stage}",
                         capsule))
    return rows


def _is_capsule(item):
    return type(item).__name__ == "PyCapsule"


def _named(capsules, handlers, manifest):
    """Returns a dict of capsules that are given without names.

    There may be one: it is the handler of the only function in the manifest
    that no other Python object has.
    """
    functions = json.loads(manifest).get("functions", {})
    names = [function.get("registered") or function.get("symbol") or name
             for name, function in functions.items()]
    missing = [name for name in names if name not in handlers]
    if len(capsules) != 1 or len(missing) != 1:
        raise ValueError(
            f"native_libraries has {len(capsules)} capsules without names, and "
            f"the manifest {len(missing)} handlers that no dict or package of "
            f"native_libraries has ({', '.join(missing)}); only one capsule "
            "for one handler needs no name. Give a dict of names and capsules.")
    return {missing[0]: capsules[0]}


def _is_path(item):
    """Reports whether an item is a library's path, or (path, manifest)."""
    if isinstance(item, tuple):
        return len(item) == 2 and all(isinstance(part, (str, os.PathLike))
                                      for part in item)
    return isinstance(item, os.PathLike) or (
        isinstance(item, str) and ("/" in item or ".so" in item))


def listed(value):
    """Returns a list of one library or of several."""
    if _is_capsule(value) or isinstance(
            value, (str, os.PathLike, dict, types.ModuleType)):
        return [value]
    return list(value or ())


def given(value, manifest):
    """Returns native_libraries and manifest of `load`, checked."""
    items = listed(value)
    for item in items:
        if _is_path(item) or _is_capsule(item) or isinstance(
                item, (str, dict, types.ModuleType)):
            continue
        raise TypeError(_options.sentence(
            "native_libraries", item, "a path, (path, manifest), the name of a "
            "package, a module, a capsule or a dict of names and capsules"))
    if isinstance(manifest, dict):
        manifest = json.dumps(manifest)
    elif manifest is not None:
        manifest = _options.text("manifest", manifest)
        if not manifest.lstrip().startswith("{"):
            with open(manifest, encoding="utf-8") as file:
                manifest = file.read()
    if manifest is None and not all(map(_is_path, items)):
        raise ValueError("native_libraries has handlers of Python objects; "
                         "they need a manifest, such as that of eyrie.link.")
    return items, manifest


def opened(items, manifest):
    """Opens the libraries."""
    libraries, handlers, capsules = [], {}, []
    for item in items:
        if _is_path(item):
            path, file = map(os.fsdecode,
                             item if isinstance(item, tuple) else (item, ""))
            libraries.append(
                _core.open_library_text(path, manifest)
                if manifest is not None and not file
                else _core.open_library(path, file))
        elif isinstance(item, dict):
            handlers.update(item)
        elif _is_capsule(item):
            capsules.append(item)
        else:
            handlers.update(_packages.package_handlers(item))
    if capsules:
        handlers.update(_named(capsules, handlers, manifest))
    if handlers:
        libraries.append(
            _core.library_of_handlers(manifest, _symbols(handlers)))
    return libraries
