"""Imports ONNX models with iree-import-onnx, and keeps their names."""

import contextlib
import json
import os
import re
import tempfile

from eyrie import _programs
from eyrie._errors import Error, failure

_INSTALL = "run `pip install 'iree-base-compiler[onnx]'`."
# Words of the importer's messages for the packages that it lacks.
_MISSING = (
    ("iree runtime api", "Weights in a file of their own need the package "
     "iree-base-runtime: run `pip install iree-base-runtime`."),
    ("`onnx` Python package", f"iree-import-onnx needs onnx: {_INSTALL}"),
)
# Smaller tensors stay in the module, where the compiler can compute with them.
_LEAST_ELEMENTS = 1024

# The numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_OPSET, _OPSET_VERSION = 7, 8, 2
_GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 5, 11, 12
_TENSOR_NAME, _VALUE_NAME = 8, 1
# A field's type in its tag, and the size of the types without a length.
_VARINT, _SIZED, _SIZES = 0, 2, {1: 8, 5: 4}
_MAX_VARINT = 10  # bytes
_LOCATION = b"\x0a\x08location\x12"  # before the name of another file
_MAX_PATH = 4096  # bytes of such a name; Linux's PATH_MAX


def is_model(source):
    """Reports whether the source is an ONNX file or an onnx.ModelProto."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)[-5:].lower() == ".onnx"
    return hasattr(source, "SerializeToString") and hasattr(source, "graph")


def read(source):
    """Returns a model's bytes, and the folder of its other files."""
    if not isinstance(source, (str, os.PathLike)):
        return source.SerializeToString(), ""
    path = os.fsdecode(source)
    try:
        with open(path, "rb") as file:
            return file.read(), os.path.dirname(os.path.abspath(path))
    except FileNotFoundError as error:
        raise failure("NOT_FOUND",
                      f"Cannot open '{path}': {error.strerror}.") from None


def other_files(model, folder):
    """Yields (name, os.stat_result) of the files that have a model's elements.

    Their names are entries "location" of external_data, as protobuf writes
    them. Other bytes of a model may look the same.
    """
    names = set()
    for entry in re.finditer(re.escape(_LOCATION), model):
        with contextlib.suppress(ValueError):
            name, _ = _sized(memoryview(model), entry.end())
            if len(name) <= _MAX_PATH and _LOCATION not in bytes(name):
                names.add(bytes(name))
    for name in sorted(names):
        try:
            yield name, os.stat(os.path.join(folder, os.fsdecode(name)))
        except (OSError, ValueError):
            continue


def to_mlir(source, *, opset=None, weights=None, scope="model"):
    """Returns the MLIR of a model.

    opset: a version of ONNX to convert older models to.
    weights: a path to write larger tensors to, of `scope`, in place of MLIR.

    Raises NOT_FOUND without the packages, INVALID_ARGUMENT with the importer's
    message.
    """
    program = _programs.find("iree-import-onnx")
    if not program:
        raise failure("NOT_FOUND",
                      f"iree-import-onnx is not installed: {_INSTALL}")
    model, _ = read(source)
    with tempfile.TemporaryDirectory(prefix="eyrie.") as folder:
        if not isinstance(source, (str, os.PathLike)):
            source = os.path.join(folder, "model.onnx")
            with open(source, "wb") as file:
                file.write(model)
        path = os.path.abspath(os.fsdecode(source))  # may begin with a '-'
        made = os.path.join(folder, "module.mlir")
        command = [program, path, "-o", made]
        if opset:
            command += ["--opset-version", str(opset)]
        if weights is not None:
            command += ["--externalize-params", f"--params-scope={scope}",
                        f"--num-elements-threshold={_LEAST_ELEMENTS}",
                        f"--save-params-to={os.fsdecode(weights)}"]
        try:
            _programs.run(command, {})
        except Error as error:
            raise _without_package(error) from None
        with open(made, "rb") as file:
            return _with_names(file.read(), *_names(memoryview(model)))


def _without_package(error):
    """Returns the error; NOT_FOUND if the importer lacks a package."""
    for words, sentence in _MISSING:
        if words in str(error):
            return failure("NOT_FOUND", sentence)
    return error


def _varint(data, at):
    """Returns a number of protobuf, and the position after it."""
    value = 0
    for i, byte in enumerate(data[at:at + _MAX_VARINT]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            return value, at + i + 1
    raise ValueError(f"The number at byte {at} of {len(data)} does not end "
                     f"within {_MAX_VARINT} bytes.")


def _sized(data, at):
    """Returns the bytes after their number, and the position after them."""
    size, at = _varint(data, at)
    if size > len(data) - at:
        raise ValueError(f"The size {size} at byte {at} exceeds the "
                         f"{len(data) - at} bytes left.")
    return data[at:at + size], at + size


def _fields(message):
    """Yields (number, value) of integers, and of fields with a length.

    Raises ValueError if the message is not protobuf's.
    """
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
        elif tag & 7 == _SIZED:
            value, at = _sized(message, at)
            yield tag >> 3, value
        elif tag & 7 in _SIZES:
            at += _SIZES[tag & 7]
        else:
            raise ValueError(f"The field before byte {at} has the type "
                             f"{tag & 7}; expected 0, 1, 2 or 5.")


def _all(message, number, kind=memoryview):
    """Returns the values of a field; others of its number are not its own."""
    return [value for key, value in _fields(message)
            if key == number and isinstance(value, kind)]


def opset(source):
    """Returns the version of a model's operators; 0 if it is not a model."""
    try:
        imports = _all(memoryview(read(source)[0]), _MODEL_OPSET)
        return _all(imports[0], _OPSET_VERSION, int)[0]
    except (IndexError, ValueError):
        return 0


def _names(model):
    """Returns the names of a model's inputs and of its outputs, in order.

    Inputs with an initializer are constants to the importer. Raises
    INVALID_ARGUMENT if the model, which the importer accepts, cannot be read.
    """
    def names(of, field):
        return [bytes(value).decode() for item in _all(graph, of)
                for value in _all(item, field)]

    try:
        graph, = _all(model, _MODEL_GRAPH)
        constants = set(names(_GRAPH_INITIALIZER, _TENSOR_NAME))
        inputs = [name for name in names(_GRAPH_INPUT, _VALUE_NAME)
                  if name not in constants]
        return inputs, names(_GRAPH_OUTPUT, _VALUE_NAME)
    except ValueError as error:
        raise failure("INVALID_ARGUMENT", "Cannot read the names of the ONNX "
                      f"model's inputs and outputs: {error}") from error


_FUNCTION = re.compile(
    rb"^  func\.func @.*?\((.*)\) -> (.*) (attributes \{)torch\.onnx_meta\.",
    re.M)
_TENSOR = re.compile(rb"!torch\.vtensor<\[([?\d,]*)\],([\w<>!.]+?)>(?=[,)]|$)")


def _with_names(mlir, inputs, outputs):
    """Adds the names and types of the only function, as docs/abi.md has them.

    The compiler keeps them in the module. Values that are not tensors have no
    record, so such a function stays as it is.
    """
    function = _FUNCTION.search(mlir)
    if not function:
        return mlir
    sides = {}
    for side, group, names in (("a", 1, inputs), ("r", 2, outputs)):
        tensors = _TENSOR.findall(function[group])
        if len(tensors) != len(names):
            return mlir
        sides[side] = [["named", name, _record(*tensor)]
                       for name, tensor in zip(names, tensors)]
    text = json.dumps(json.dumps(sides, separators=(",", ":")))
    at = function.end(3)
    return b"".join([mlir[:at], b"iree.reflection = {iree.abi = ",
                     text.encode(), b"}, ", mlir[at:]])


def _record(shape, element):
    """Returns the record of an array. A shape is "2,?", or "" for rank 0."""
    sizes = [None if size == b"?" else int(size)
             for size in shape.split(b",") if size]
    element = re.sub("^si", "i", element.decode())
    return ["ndarray", element, len(sizes), *sizes]
