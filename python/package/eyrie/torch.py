"""Runs modules with tensors of PyTorch.

    import eyrie.torch

    model = eyrie.torch.load(net, (tokens,))   # of torch.nn; or "net.pt2"
    logits = model(tokens)                     # tensors in, tensors out
    model = eyrie.torch.load("model.vmfb")
    state = model["step"](state, x=tokens)

Needs torch, and iree-turbine to compile. Tensors of results share the memory
that the call wrote.
"""

import os

import torch
from torch.utils import _pytree

from eyrie import _compile, _core, _model
from eyrie._errors import Error, failure


def _to_torch(value):
    if isinstance(value, _core.DeviceArray):
        return torch.from_dlpack(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_to_torch, value))
    if isinstance(value, dict):
        return {key: _to_torch(item) for key, item in value.items()}
    return value


# The types that NumPy has, too. Others are passed by DLPack, which takes more
# time.
_OF_NUMPY = frozenset((
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.float32, torch.float64, torch.complex64,
    torch.complex128))


def _from_torch(value):
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    is_strided = value.layout == torch.strided
    return (value.numpy() if value.is_cpu and is_strided
            and value.dtype in _OF_NUMPY else value)


def _given(value):
    if isinstance(value, torch.Tensor):
        return _from_torch(value)
    return _pytree.tree_map(_from_torch, value)


class Function:
    """A function that takes and returns tensors."""

    def __init__(self, function, in_spec=None, out_spec=None):
        self._function = function.options(results="device")
        self._in_spec, self._out_spec = in_spec, out_spec

    def __call__(self, *args, **kwargs):
        if self._in_spec is None:
            return _to_torch(self._function(
                *map(_given, args),
                **{name: _given(item) for name, item in kwargs.items()}))
        leaves, spec = _pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            raise TypeError(f"The arguments are {spec}; expected "
                            f"{self._in_spec}.")
        results = self._function(*map(_from_torch, leaves))
        if self._out_spec.num_leaves == 1:
            results = (results,)
        return _pytree.tree_unflatten(
            [_to_torch(item) for item in results or ()], self._out_spec)

    @property
    def signature(self):
        """The signature, such as "main(x: ?x4xf32) -> ?x2xf32"."""
        return self._function.signature


class Model:
    """A loaded module, whose functions take and return tensors."""

    def __init__(self, model, function, exported):
        self.model, self._default = model, function
        self._exported = exported
        self._functions = {}

    def __getitem__(self, name):
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = self._find(name)
        return found

    def _find(self, name):
        spec = getattr(self._exported, "call_spec", None)
        if spec is None or name != self._default:
            return Function(self.model[name])
        return Function(self.model[name], spec.in_spec, spec.out_spec)

    def __call__(self, *args, **kwargs):
        return self[self._default](*args, **kwargs)


def compile(  # pylint: disable=redefined-builtin
        program, target="cpu", **options):
    """Compiles a program of PyTorch and returns its bytes for `load`.

    program: a torch.export.ExportedProgram, or the path of its ".pt2" file.
    target, options: those of `eyrie.compile`.

    Raises eyrie.Error: NOT_FOUND without the package iree-turbine or a
    compiler, UNIMPLEMENTED or INVALID_ARGUMENT with the messages of either if
    it fails.
    """
    try:
        from iree.turbine import aot
    except ModuleNotFoundError as error:
        raise failure("NOT_FOUND", "iree-turbine, which imports programs of "
                      "PyTorch, is not installed: run `pip install "
                      f"iree-turbine`. ({error})") from error
    table = aot.decompositions.current_aot_decompositions()

    def attempt(given):
        try:
            module = aot.export(given.run_decompositions(table)).mlir_module
        except (NotImplementedError, TypeError) as error:
            raise failure("UNIMPLEMENTED", "iree-turbine cannot import the "
                          f"program: {error}") from error
        return _compile.compile(module, target, **options)

    program = _program(program)
    try:
        return attempt(program)
    except Error as error:
        if error.code not in ("INVALID_ARGUMENT", "UNIMPLEMENTED"):
            raise
        try:  # with all operators in PyTorch's own basic ones
            return attempt(program.run_decompositions())
        except Error:
            raise error from None


def _program(source):
    """Returns the ExportedProgram of a source, or None if it is a module."""
    if isinstance(source, torch.export.ExportedProgram):
        return source
    if (isinstance(source, (str, os.PathLike))
            and os.fsdecode(source).endswith(".pt2")):
        return torch.export.load(source)
    return None


def _exported(network, args, kwargs, dynamic_shapes):
    if args is None and kwargs is None:
        raise TypeError(f"The {type(network).__name__} needs `args`: the "
                        "arguments of a call, as an example for torch.export.")
    return torch.export.export(network, tuple(args or ()), kwargs,
                               dynamic_shapes=dynamic_shapes)


# The arguments of `load` that depend on the source, and the sources' names.
_NETWORK = "a torch.nn.Module", (
    "args", "kwargs", "dynamic_shapes", "target", "flags")
_PROGRAM = "a program of torch.export", ("target", "flags")
_MODULE = "a module or an ONNX model", ("exported",)


def _check_used(kind, **given):
    """Raises TypeError for arguments that a kind of source does not use."""
    name, used = kind
    unused = [each for each, value in given.items()
              if value is not None and each not in used]
    if unused:
        raise TypeError(f"load() does not use {', '.join(unused)} with {name}, "
                        f"only {', '.join(used)}.")


def load(source, args=None, kwargs=None, *, dynamic_shapes=None, target=None,
         flags=(), function=None, exported=None, **options):
    """Loads a module and returns an object that takes and returns tensors.

    source: a module, as `eyrie.load` takes it; or, to compile, a ".pt2" file,
        a torch.export.ExportedProgram or a torch.nn.Module.
    args, kwargs, dynamic_shapes: of a torch.nn.Module, as of
        torch.export.export: example arguments, and the dimensions that vary.
    target, flags: of a program or a torch.nn.Module, those of `eyrie.compile`.
        For an ONNX model, pass what `eyrie.compile` returns.
    function: the name of the function that a call of the result calls; by
        default "main", or the only function.
    exported: the torch.export.ExportedProgram that a module was made of. With
        it, arguments and results have the structure of the program's. A source
        that is compiled here has its own.
    options: those of `eyrie.load`.

    Raises what `compile` and `eyrie.load` raise; TypeError for arguments that
    such a source does not use.
    """
    is_network, program = isinstance(source, torch.nn.Module), _program(source)
    kind = (_NETWORK if is_network else _MODULE if program is None
            else _PROGRAM)
    _check_used(kind, args=args, kwargs=kwargs, dynamic_shapes=dynamic_shapes,
                target=target, flags=flags or None, exported=exported)
    if is_network:
        program = _exported(source, args, kwargs, dynamic_shapes)
    if program is not None:
        source = compile(program, "cpu" if target is None else target,
                         flags=flags)
        exported = program
        if target == "vulkan":
            options.setdefault("device", "vulkan")
    model = _model.load(source, **options)
    if function is None:
        names = model.functions
        function = names[0] if len(names) == 1 else "main"
    return Model(model, function, exported)
