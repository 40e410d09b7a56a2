"""Runs modules with tensors of PyTorch.

    import eyrie.torch

    model = eyrie.torch.load("model.vmfb")
    logits = model(tokens)                 # tensors in, tensors out
    state = model["step"](state, x=tokens)

Needs torch. Tensors of results share the memory that the call wrote.
"""

import torch
from torch.utils import _pytree

from eyrie import _core, _model


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


def load(source, *, function=None, exported=None, **options):
    """Loads a module and returns an object that takes and returns tensors.

    function: the name of the function that a call of the result calls; by
        default "main", or the only function.
    exported: the torch.export.ExportedProgram that the module was made of. With
        it, arguments and results have the structure of the program's.
    options: those of `eyrie.load`.
    """
    model = _model.load(source, **options)
    if function is None:
        names = model.functions
        function = names[0] if len(names) == 1 else "main"
    return Model(model, function, exported)
