"""Modules as Python objects, with their functions as attributes.

A Model has its own context and thus its own globals. Its calls run one at a
time, on any thread. A call that is interrupted, is cancelled or exceeds a limit
may leave globals in an inconsistent state, so the next call uses a new context.
A pickled model consists of its path and options. The module is loaded again
when the model is unpickled, and at its first use after a fork.
"""

import asyncio
import atexit
import os
import threading
import weakref

from eyrie import _core, _options

_models = weakref.WeakSet()


def lend(value):
    """Allows a call to use the arrays of a value in place and to change them.

    Other arguments are copied, because compiled code may write to their memory.
    Only dense arrays at a multiple of 64 bytes can be used in place; results
    are such arrays.
    """
    return _core.Lent(value)


class Function:
    """A function of a model: `f(x, y=2)`, or `await f.aio(x)`.

    `f(x, out=a)` writes the result to the array `a` and returns `a`. For
    several results, `out` is a tuple of arrays and None. If the function itself
    has an argument named "out", the keyword is that argument.
    """

    def __init__(self, model, name):
        self._model, self.__name__ = model, name

    def __call__(self, *args, **kwargs):
        return self._model.core().call(self.__name__, args, kwargs)

    async def aio(self, *args, **kwargs):
        """Calls the function on a thread of the event loop's executor.

        If the awaiting task is cancelled, the call ends.
        """
        ticket = _core.Ticket()

        def call():
            return self._model.core().call_with(ticket, self.__name__, args,
                                                kwargs)

        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(None, call)
        finally:  # has no effect if the call is over
            self._model.core().cancel(ticket)

    @property
    def signature(self):
        """The signature, such as "add(x: 4xf32, y: 4xf32) -> 4xf32"."""
        return self._model.core().signature(self.__name__)[0]

    @property
    def __doc__(self):
        text, _, doc = self._model.core().signature(self.__name__)
        return f"{text}\n\n{doc}" if doc else text

    @property
    def statistics(self):
        """How the arrays of the function's last call in this model were passed.

        A dict with the number of arguments and results that were "lent",
        "copied", "packed" and "converted".
        """
        names = ("lent", "copied", "packed", "converted")
        return dict(zip(names, self._model.core().statistics(self.__name__)))

    def __reduce__(self):
        return Function, (self._model, self.__name__)

    def __repr__(self):
        return f"<eyrie.Function {self.signature}>"


class Model:
    """A loaded module on its devices.

    Thread-safe: calls run one at a time. For parallel calls, `sibling()`
    returns another model that shares the loaded module and the devices.
    """

    def __init__(self, source, options):
        self._source, self._options = source, options
        self._core = None
        self._lock = threading.Lock()
        self.core()
        _models.add(self)

    def core(self):
        """Returns the extension module's object; loads it if necessary."""
        core = self._core
        if core is None:
            with self._lock:
                if self._core is None:
                    self._core = _core.Core(self._source, **self._options)
                core = self._core
        return core

    @property
    def functions(self):
        """The names of the module's functions."""
        return self.core().names()

    @property
    def name(self):
        """The name of the module."""
        return self.core().name()

    def __getitem__(self, name):
        if name not in self.functions:
            raise KeyError(f"{self!r} has no function '{name}'; it has "
                           f"{', '.join(self.functions)}.")
        return Function(self, name)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_core", "_lock", "_source"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as missing:
            error = AttributeError(missing.args[0])
            # For the suggestions of Python 3.10 and later.
            error.name, error.obj = name, self
            raise error from None

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def sibling(self):
        """Returns a model of the same loaded module, with its own globals."""
        other = Model.__new__(Model)
        other._source, other._options = self._source, self._options
        other._lock = threading.Lock()
        other._core = self.core().sibling()
        _models.add(other)
        return other

    def cancel(self):
        """Ends the running call, which fails with CANCELLED; on any thread.

        Returns False if no call is running. In the next call, globals have
        their initial values.
        """
        return self.core().cancel_running()

    def __reduce__(self):
        return Model, (self._source, self._options)

    def __repr__(self):
        source = self._source
        if isinstance(source, bytes):
            source = f"{len(source)} bytes"
        return f"<eyrie.Model {self.name} of {source}>"


def load(source, device="local-sync", *, fuel=0, timeout=None, max_memory=0,
         max_stack=0, max_idle_memory=0, parameters=(),
         allow_system_executables=False, no_native_code=False, jit="lazy",
         text=False, allow_loss=False):
    """Loads a module from a path or from bytes and returns a Model.

    device: a name that `eyrie run --list_devices` prints, or a list of names.
    fuel, timeout (seconds), max_memory, max_stack (bytes): limits of each call;
        0 (for timeout also None) means the default, which is no limit except
        for the stack. A call that exceeds a limit fails, and globals have their
        initial values in the next call.
    max_idle_memory: limit in bytes of the memory that each device keeps for
        later arrays; 0: a quarter of what this process, or the GPU, has; 1:
        nothing is kept. Memory that is not used for 10 s is freed.
    parameters: a file of weights, or a list; each "path" or "scope=path".
    allow_system_executables: allows executables in the platform's own format.
    no_native_code: refuses native executables, for untrusted modules.
    jit: the functions to compile to machine code: "lazy", those that are hot;
        "off", none; "eager", each when it is first called.
    text: converts results of bytes to str, as UTF-8.
    allow_loss: allows arrays to be rounded to the required element type, for
        example from float64 to float32; otherwise that is an error.

    Raises eyrie.Error, whose `code` is NOT_FOUND, INVALID_ARGUMENT and so on,
    and TypeError or ValueError for wrong options.
    """
    if isinstance(source, (bytearray, memoryview)):
        source = bytes(source)
    if not isinstance(source, bytes):
        source = os.path.abspath(os.fspath(source))
    return Model(source, {
        "devices": _options.names("device", device),
        "allow_system_executables": _options.flag("allow_system_executables",
                                                  allow_system_executables),
        "no_native_code": _options.flag("no_native_code", no_native_code),
        "jit": _options.one_of("jit", jit, ("lazy", "off", "eager")),
        "fuel": _options.count("fuel", fuel),
        "timeout": _options.seconds("timeout", timeout),
        "max_memory": _options.count("max_memory", max_memory),
        "max_stack": _options.count("max_stack", max_stack),
        "max_idle_memory": _options.count("max_idle_memory", max_idle_memory),
        "parameters": _options.names("parameters", parameters),
        "text": _options.flag("text", text),
        "allow_loss": _options.flag("allow_loss", allow_loss),
    })


def _after_fork():
    """Makes models load again at their next use in the child of a fork.

    The threads of devices do not exist there, so old objects are leaked.
    """
    _core.set_main_thread(threading.main_thread().ident)
    _core.forget_calls()
    for model in list(_models):
        core, model._core = model._core, None
        model._lock = threading.Lock()
        if core is not None:
            _core.abandon(core)


_core.set_main_thread(threading.main_thread().ident)
os.register_at_fork(after_in_child=_after_fork)
# atexit releases the argument of a handler after all handlers have returned,
# including those that were registered earlier and may wait for calls.
atexit.register(lambda _: None, _core.AtEnd())
