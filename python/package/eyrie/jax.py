"""Runs functions of JAX with Eyrie.

    import eyrie.jax

    fast = eyrie.jax.jit(f)                    # compiles at the first call
    y = fast(params, x)                        # pytrees in, pytrees out
    exported = jax.export.export(jax.jit(f))(params, x)
    vmfb = eyrie.compile(exported)             # once, perhaps elsewhere
    f = eyrie.jax.wrap(exported, vmfb)

Needs jax, and iree-compile for `jit`. Results are jax.Arrays.
"""

import functools
import inspect
import re
import threading
import weakref

import jax
import numpy as np

from eyrie import _compile, _core, _model, _native, _packages
from eyrie._errors import failure


_SHARED = 1 << 16  # bytes; it takes less time to copy smaller arrays

# The results that share memory: for the id of each jax.Array, a weak reference
# to it and the DeviceArray.
_shared = {}


def _to_jax(array):
    if array.nbytes < _SHARED:
        return jax.numpy.asarray(array.numpy())
    made = jax.dlpack.from_dlpack(array)
    key = id(made)
    _shared[key] = (weakref.ref(made, lambda _: _shared.pop(key, None)), array)
    return made


def _give(leaf):
    """Deletes a jax.Array and returns its elements for a call to own."""
    reference, array = _shared.pop(id(leaf), (None, None))
    if reference is None or reference() is not leaf:
        array = _model.to_device_array(leaf)
    if isinstance(leaf, jax.Array):
        leaf.delete()
    if _core.is_shared(array):  # NumPy arrays still use it
        array = array.copy()
    return _model.donate(array)


def _separate(arrays):
    """Copies large arrays that share memory with others of the list.

    A function that returns a value twice may return the same memory.
    """
    spans, separate = [], []
    for array in arrays:
        if array.nbytes >= _SHARED:
            begin = array.numpy().ctypes.data
            if any(begin < other_end and begin + array.nbytes > other_begin
                   for other_begin, other_end in spans):
                array = array.copy()
            spans.append((begin, begin + array.nbytes))
        separate.append(array)
    return separate


def _call(function, leaves, tree):
    """Calls a function with leaves, and returns a pytree of jax.Arrays."""
    results = function(*leaves)
    if tree.num_leaves == 0:
        results = ()
    elif tree.num_leaves == 1:
        results = (results,)
    else:
        results = _separate(results)
    return jax.tree_util.tree_unflatten(tree, map(_to_jax, results))


def _numpy_like(leaf):
    """Returns a leaf as an array with the dtype that JAX gives it.

    That is float32 for float64, unless 64 bits are enabled in JAX.
    """
    if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
        return jax.numpy.asarray(leaf)
    if not isinstance(leaf.dtype, np.dtype):  # of another package
        return leaf
    dtype = jax.dtypes.canonicalize_dtype(leaf.dtype)
    return leaf if leaf.dtype == dtype else leaf.astype(dtype)


def _type_of(leaf):
    """Returns what a compiled function depends on, of a leaf of _numpy_like.

    JAX promotes Python's numbers, whose type is weak, to other types than
    arrays of the same dtype.
    """
    return leaf.shape, str(leaf.dtype), getattr(leaf, "weak_type", False)


def wrap(exported, module, *, function="main", **options):
    """Returns a function like the one that `exported` was made of.

    exported: what `jax.export.export(jax.jit(f))(...)` returns. Its functions
        may have dynamic dimensions (jax.export.symbolic_shape).
    module: the module that `eyrie.compile(exported)` returned, or its path, or
        a Model.
    options: those of `eyrie.load`.

    The result takes the same arguments, by position and by name.
    """
    model = module if isinstance(module, _model.Model) else _model.load(
        module, **options)
    entry = model[function].options(results="device")
    kept = exported.module_kept_var_idx

    def call(*args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        if tree != exported.in_tree:
            raise TypeError(f"The arguments are {tree}; expected "
                            f"{exported.in_tree}.")
        return _call(entry, [_numpy_like(leaves[i]) for i in kept],
                     exported.out_tree)

    call.__name__ = call.__qualname__ = exported.fun_name
    call.model = model
    return call


def _check_effects(text):
    """Raises UNIMPLEMENTED for programs that only JAX can run."""
    if re.search(rb"custom_call @xla_\w*python_\w*callback", text):
        raise failure(
            "UNIMPLEMENTED",
            "The function calls back into Python (jax.pure_callback, "
            "jax.debug.print or io_callback), which only JAX can do. Return "
            "the values, and use them after the call.")


def _check_separate(leaves, donated):
    """Raises ValueError if a donated array is also another leaf."""
    seen = {id(leaf) for i, leaf in enumerate(leaves) if i not in donated}
    for i in donated:
        if id(leaves[i]) in seen:
            raise ValueError(
                f"An array of {leaves[i].dtype} and shape {leaves[i].shape} is "
                "donated, and is also another argument. Pass a copy.")
        seen.add(id(leaves[i]))


class _Jit:
    """A function that is compiled for each new structure of arguments."""

    def __init__(self, function, donation, target, flags, options):
        functools.update_wrapper(self, function)
        # Otherwise JAX drops arguments that the function does not use.
        self._jitted = jax.jit(function, keep_unused=True)
        # Says which leaves are donated. Its code would tell the compiler to
        # write a result to the argument, even before it is read for another.
        self._donating = (jax.jit(function, keep_unused=True, **donation)
                          if donation else None)
        self._target, self._flags, self._options = target, flags, options
        # The function may call itself with smaller arrays.
        self._compiled, self._lock = {}, threading.RLock()

    def _compile(self, args, kwargs):
        lowered = self._jitted.lower(*args, **kwargs)
        text, options = _compile.text_of(lowered), self._options
        _check_effects(text)
        flags = _compile.keeping_f64(text, self._flags)
        if _core.has_custom_calls(text):
            program = _native.link(text)
            text = program.text
            options = {**options, "manifest": program.manifest,
                       "native_libraries": [  # the last of a name is called
                           _packages.jax_handlers(),
                           *_native.listed(options.get("native_libraries"))]}
        module = _compile.compile(text, self._target, flags=flags)
        model = _model.load(module, **options)
        return (model["main"].options(results="device"),
                self._donated(args, kwargs), lowered.out_tree)

    def _donated(self, args, kwargs):
        """Returns the indices of the leaves that are donated."""
        if self._donating is None:
            return frozenset()
        trace = getattr(self._donating, "trace", self._donating.lower)
        infos = jax.tree_util.tree_leaves(trace(*args, **kwargs).args_info)
        return frozenset(i for i, info in enumerate(infos) if info.donated)

    def __call__(self, *args, **kwargs):
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        leaves = [_numpy_like(leaf) for leaf in leaves]
        key = tree, tuple(map(_type_of, leaves))
        if key not in self._compiled:
            with self._lock:
                if key not in self._compiled:
                    self._compiled[key] = self._compile(args, kwargs)
        entry, donated, out_tree = self._compiled[key]
        _check_separate(leaves, donated)
        leaves = [_give(leaf) if i in donated else leaf
                  for i, leaf in enumerate(leaves)]
        return _call(entry, leaves, out_tree)


def jit(function, *, donate_argnums=None, donate_argnames=None, target="cpu",
        flags=(), **options):
    """Returns the function, compiled with iree-compile and run by Eyrie.

    It is compiled at the first call with arguments of each structure, shape and
    type, as by jax.jit. target and flags are those of `eyrie.compile`, options
    those of `eyrie.load`. Custom calls of XLA FFI, such as those of
    jax.numpy.linalg and jax.ffi, call the handlers of the option
    native_libraries, and others those that are registered with JAX.

    donate_argnums, donate_argnames: as of jax.jit: the arguments that a call
    deletes. It updates their memory in place if they are results of functions
    of this module, of 64 KiB or more, that no NumPy array shares; otherwise it
    updates a copy.
    """
    donation = {name: value for name, value in
                (("donate_argnums", donate_argnums),
                 ("donate_argnames", donate_argnames)) if value is not None}
    inspect.signature(_model.load).bind("", **options)  # wrong names raise
    if "manifest" in options:
        raise TypeError("jit() writes the manifest of the program itself. For "
                        "a library with another, give native_libraries="
                        "[(path, manifest)].")
    if target == "vulkan":
        options.setdefault("device", "vulkan")
    return _Jit(function, donation, target, flags, options)
