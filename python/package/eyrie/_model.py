"""Modules as Python objects: attributes are functions.

A Model has a context, and with it globals, of its own; its calls take turns,
whichever threads they come from. A call that is interrupted, cancelled or over
a limit may leave globals halfway through a change: the next one is made in a
new context. Pickled, a model is its path and options: what is unpickled, and a
model's first use after a fork, loads it anew.
"""

import asyncio
import atexit
import os
import threading
import weakref

from eyrie import _core, _options

_models = weakref.WeakSet()


def lend(value):
    """Lets a call use the arrays of a value in place, and write to them.

    An argument is copied otherwise, as compiled code may use its memory for
    other things. What is used in place is dense and lies at a multiple of 64
    bytes, as results do.
    """
    return _core.Lent(value)


class Function:
    """A function of a model: `f(x, y=2)`, or `await f.aio(x)`."""

    def __init__(self, model, name):
        self._model, self.__name__ = model, name

    def __call__(self, *args, **kwargs):
        return self._model.core().call(self.__name__, args, kwargs)

    async def aio(self, *args, **kwargs):
        """The same call on a thread of the event loop's.

        A task that is cancelled while it awaits this ends its call.
        """
        ticket = _core.Ticket()

        def call():
            return self._model.core().call_with(ticket, self.__name__, args,
                                                kwargs)

        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(None, call)
        finally:  # of no effect on a call that is over
            self._model.core().cancel(ticket)

    @property
    def signature(self):
        """What it takes and returns: "add(x: 4xf32, y: 4xf32) -> 4xf32"."""
        return self._model.core().signature(self.__name__)[0]

    @property
    def __doc__(self):
        text, _, doc = self._model.core().signature(self.__name__)
        return f"{text}\n\n{doc}" if doc else text

    @property
    def statistics(self):
        """What became of the arrays of the model's last call of it."""
        names = ("lent", "copied", "packed", "converted")
        return dict(zip(names, self._model.core().statistics(self.__name__)))

    def __reduce__(self):
        return Function, (self._model, self.__name__)

    def __repr__(self):
        return f"<eyrie.Function {self.signature}>"


class Model:
    """A loaded module on its devices.

    Thread-safe: calls take turns. `sibling()` is another that shares the
    loaded module and the devices, for calls side by side.
    """

    def __init__(self, source, options):
        self._source, self._options = source, options
        self._core = None
        self._lock = threading.Lock()
        self.core()
        _models.add(self)

    def core(self):
        """What the calls go to, loaded if that is not done."""
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
        """What the module is called within."""
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
            # For Python's "Did you mean", from 3.10 on.
            error.name, error.obj = name, self
            raise error from None

    def __dir__(self):
        return [*super().__dir__(), *self.functions]

    def sibling(self):
        """A model with globals of its own, of the same loaded module."""
        other = Model.__new__(Model)
        other._source, other._options = self._source, self._options
        other._lock = threading.Lock()
        other._core = self.core().sibling()
        _models.add(other)
        return other

    def cancel(self):
        """Ends the call that runs, which fails as CANCELLED, from any thread.

        False: no call runs. As after any call that is ended, globals have
        their initial values in the next.
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
         max_stack=0, parameters=(), allow_system_executables=False,
         no_native_code=False, jit="lazy", text=False,
         allow_loss=False):
    """Loads a module: a path, or its bytes.

    device: a name as `eyrie run --list_devices` has them, or several.
    fuel, timeout (seconds), max_memory, max_stack (bytes): bound each call,
        if they are not 0; one that passes a bound fails, and globals have their
        initial values in the next.
    parameters: files of weights, "path" or "scope=path"; one, or several.
    allow_system_executables, no_native_code: what the module may bring.
    jit: which functions become machine code: "lazy", those that are hot;
        "off"; "eager", each when it is called.
    text: results of bytes are str, as UTF-8.
    allow_loss: arrays may be rounded to the element type that is wanted, such
        as float64 to float32; without it that is an error.
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
        "parameters": _options.names("parameters", parameters),
        "text": _options.flag("text", text),
        "allow_loss": _options.flag("allow_loss", allow_loss),
    })


def _after_fork():
    """The threads of devices are not in the child: what they served stays
    where it is, and models are loaded anew when they are used."""
    _core.set_main_thread(threading.main_thread().ident)
    _core.forget_calls()
    for model in list(_models):
        core, model._core = model._core, None
        model._lock = threading.Lock()
        if core is not None:
            _core.abandon(core)


_core.set_main_thread(threading.main_thread().ident)
os.register_at_fork(after_in_child=_after_fork)
# atexit releases what a handler is called with after the last handler returns,
# also after those that are registered earlier and may wait for calls.
atexit.register(lambda _: None, _core.AtEnd())
