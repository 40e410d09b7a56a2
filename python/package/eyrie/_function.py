"""Functions of models."""

import inspect
from typing import Any, NamedTuple, Optional, Tuple

from eyrie import _core, _options


class ValueInfo(NamedTuple):
    """An argument or a result of a function.

    name: "input0" or "output0" if the module has no name for it.
    type: as in Function.signature, such as "?x4xf32".
    shape: a tuple, in which an unknown dimension is None; None if the rank is
        unknown, or if it is neither an array nor a number.
    dtype: a numpy.dtype, or None.
    """

    name: str
    type: str
    shape: Optional[Tuple[Optional[int], ...]]
    dtype: Any


class Function(_core.Function):
    """A function of a model: `f(x, y=2)`, or `await f.aio(x)`.

    `f(x, out=a)` writes the result to the array `a` and returns `a`. For
    several results, `out` is a tuple of arrays and None. If the function itself
    has an argument named "out", the keyword is that argument.
    """

    __slots__ = ()

    async def aio(self, *args, **kwargs):
        """Calls the function on another thread.

        A call that waits for its turn holds no thread. If the awaiting task is
        cancelled, the call ends; the model's globals keep what it has written.
        """
        self._loaded.core().refuse_own_call()  # nothing else could end it
        ticket = _core.Ticket()
        try:
            return await self._loaded.queue.put(
                lambda: self._call_with(ticket, args, kwargs))
        finally:  # has no effect if the call is over
            self._loaded.core().cancel(ticket)

    def options(self, *, allow_loss=None, text=None, results=None, fuel=None,
                timeout=None):
        """Returns the same function with other options for its calls.

        They are those of `load`; None means what `load` was given. `fuel` and
        `timeout` (seconds) are limits of each call, in addition to those of
        `load`. A call that exceeds them raises the same errors, but does not
        reset the model's globals, which keep what the call has written.
        """
        choices = dict(self._choices or {})
        for name, value in (("allow_loss", allow_loss), ("text", text)):
            if value is not None:
                choices[name] = _options.flag(name, value)
        if fuel is not None:
            choices["fuel"] = _options.count("fuel", fuel)
        if timeout is not None:
            choices["timeout"] = _options.seconds("timeout", timeout)
        if results is not None:
            choices["on_device"] = _options.on_device("results", results)
        return Function(self._loaded, self.__name__, choices)

    @property
    def model(self):
        """A model with this function, which shares the context."""
        from eyrie import _model  # imports this file
        return _model.Model(self._loaded)

    @property
    def signature(self):
        """The signature, such as "add(x: 4xf32, y: 4xf32) -> 4xf32"."""
        return self._describe()[0]

    @property
    def inputs(self):
        """A list with the ValueInfo of each argument."""
        return _infos("input", self._describe_tensors()[0])

    @property
    def outputs(self):
        """A list with the ValueInfo of each result."""
        return _infos("output", self._describe_tensors()[1])

    @property
    def __signature__(self):
        _, _, _, arguments, results = self._describe()
        kinds = inspect.Parameter
        parameters = []
        for index, (name, kind, is_keyword, is_storage) in enumerate(arguments):
            parameters.append(kinds(
                name if name.isidentifier() else f"arg{index}",
                kinds.POSITIONAL_OR_KEYWORD if is_keyword
                else kinds.POSITIONAL_ONLY,
                default=None if is_storage else kinds.empty, annotation=kind))
        returned = [kind for _, kind, _, _ in results]
        return inspect.Signature(
            _in_order(parameters),
            return_annotation=returned[0] if len(returned) == 1
            else tuple(returned) or None)

    @property
    def __doc__(self):
        text, _, doc, arguments, results = self._describe()
        lines = [text]
        if doc:
            lines += ["", doc]
        if arguments:
            lines += ["", "Arguments:"]
            lines += [f"    {name or index}: {kind}" for index,
                      (name, kind, _, _) in enumerate(arguments)]
        if results:
            lines += ["", "Returns:"]
            lines += [f"    {name + ': ' if name else ''}{kind}"
                      for name, kind, _, _ in results]
        return "\n".join(lines)

    @property
    def statistics(self):
        """How the arrays of the function's last call in this model were passed.

        A dict with the number of arguments and results that were "lent",
        "copied", "packed" and "converted".
        """
        names = ("lent", "copied", "packed", "converted")
        return dict(zip(names, self._statistics()))

    def __reduce__(self):
        return Function, (self._loaded, self.__name__, self._choices)

    def __eq__(self, other):
        if not isinstance(other, Function):
            return NotImplemented
        return (self._loaded is other._loaded
                and self.__name__ == other.__name__
                and (self._choices or {}) == (other._choices or {}))

    def __hash__(self):
        return hash((id(self._loaded), self.__name__))

    def __repr__(self):
        return f"<eyrie.Function {self.signature}>"


def _infos(side, rows):
    return [ValueInfo(name or f"{side}{index}", *rest)
            for index, (name, *rest) in enumerate(rows)]


def _in_order(parameters):
    """Makes names unique, and kinds and defaults valid for a Signature."""
    seen, ordered = set(), []
    positional_only = [p.kind == p.POSITIONAL_ONLY for p in parameters]
    last = max((i for i, only in enumerate(positional_only) if only),
               default=-1)
    optional = False
    for index, parameter in enumerate(parameters):
        name = parameter.name
        if name in seen:
            name = f"{name}_{index}"
        seen.add(name)
        optional |= parameter.default is None
        ordered.append(parameter.replace(
            name=name, default=None if optional else parameter.empty,
            kind=parameter.POSITIONAL_ONLY if index <= last
            else parameter.kind))
    return ordered


_core.inherit_vectorcall(Function)
