"""Modules as Python objects, with their functions as attributes.

A Model has its own context and thus its own globals. Its calls run one at a
time, on any thread. A call that is interrupted, is cancelled or exceeds a limit
may leave globals in an inconsistent state, so the next call uses a new context.
A pickled model consists of its path and options. The module is loaded again
when the model is unpickled, and at its first use after a fork.
"""

import atexit
import collections.abc
import functools
import html
import os
import threading
import weakref

from eyrie import _asyncio, _core, _device, _native, _options
from eyrie._errors import Error
from eyrie._function import Function

_loaded = weakref.WeakSet()


def lend(value):
    """Allows a call to use the arrays of a value in place and to change them.

    Other arguments are copied, because compiled code may write to their memory.
    Only dense arrays at a multiple of 64 bytes can be used in place; results
    are such arrays.
    """
    return _core.Lent(value)


def donate(array):
    """Gives a DeviceArray away to the call that takes it as an argument.

    The call uses its memory in place and may change it: a function that updates
    its argument returns the same memory. The array is empty afterwards, even if
    the call fails.
    """
    return _core.Donated(array)


def to_device_array(value):
    """Returns a DeviceArray in host memory, with a copy of the elements."""
    return _core.device_array(value)


class _Loaded:
    """Modules in a context, which a model shares with its functions."""

    def __init__(self, sources, devices, options, native=((), None),
                 core=None):
        self.sources, self.devices, self.options = sources, devices, options
        self.native = native
        self._core, self._lock = core, _device.Opening()
        self.queue = _asyncio.Queue()
        self.core()
        _loaded.add(self)

    def core(self):
        """Returns the extension module's object; loads it if necessary."""
        core = self._core
        if core is None:
            with self._lock:
                if self._core is None:
                    devices = [each._open() for each in self.devices]
                    self._core = _core.Core(
                        self.sources, devices, **self.options,
                        libraries=_native.opened(*self.native))
                core = self._core
        return core

    def sibling(self, snapshot=None):
        return _Loaded(self.sources, self.devices, self.options, self.native,
                       self.core().sibling(snapshot))

    def after_fork(self):
        core, self._core = self._core, None
        self._lock, self.queue = _device.Opening(), _asyncio.Queue()
        if core is not None:
            _core.abandon(core)

    def __reduce__(self):
        return _Loaded, (self.sources, self.devices, self.options, self.native)


class Globals(collections.abc.MutableMapping):
    """The globals of a model by name. They cannot be added or deleted."""

    def __init__(self, loaded):
        self._loaded = loaded

    def _use(self, function, name, *value):
        if not isinstance(name, str) or "\0" in name:
            raise KeyError(name)
        try:
            return function(name, *value)
        except Error as error:
            if error.code != "NOT_FOUND" or name in self:
                raise
            raise KeyError(str(error)) from None

    def __getitem__(self, name):
        return self._use(self._loaded.core().get_global, name)

    def __setitem__(self, name, value):
        self._use(self._loaded.core().set_global, name, value)

    def __contains__(self, name):
        return name in self._loaded.core().globals()

    def __delitem__(self, name):
        raise TypeError("A global of a module cannot be deleted.")

    def __iter__(self):
        return iter(self._loaded.core().globals())

    def __len__(self):
        return len(self._loaded.core().globals())

    def __repr__(self):
        return f"<eyrie globals: {', '.join(self) or 'none'}>"


class Model:
    """A loaded module on its devices.

    Thread-safe: calls run one at a time. For parallel calls, `sibling()`
    returns another model that shares the loaded module and the devices. `with`
    closes the model at the end of the block.
    """

    def __init__(self, loaded):
        self._loaded = loaded

    @property
    def functions(self):
        """The names of the functions.

        If there are several modules, those of the last module come first; the
        others have the names of their modules: "weights.scale". Of modules with
        the same name, a later one hides functions of those before it.
        """
        return self._loaded.core().names()

    @property
    def name(self):
        """The name of the last module."""
        return self._loaded.core().name()

    def __call__(self, *args, **kwargs):
        """Calls the model's only function.

        A dict alone may have all arguments by name, as onnxruntime takes them.
        """
        function = self._only
        if len(args) == 1 and not kwargs and isinstance(args[0], dict):
            _, _, _, arguments, _ = function._describe()
            names = {name for name, _, is_keyword, _ in arguments if is_keyword}
            is_dict = arguments[:1] and arguments[0][1].startswith("{")
            if names and not is_dict and all(
                    isinstance(key, str) for key in args[0]):
                return function(**args[0])
        return function(*args, **kwargs)

    @property
    def inputs(self):
        """A list with the ValueInfo of each argument of the only function."""
        return self._only.inputs

    @property
    def outputs(self):
        """A list with the ValueInfo of each result of the only function."""
        return self._only.outputs

    @functools.cached_property
    def _only(self):
        names = self.functions
        if len(self._loaded.sources) > 1:  # the last module's
            names = [name for name in names if "." not in name] or names
        if len(names) == 1:
            return Function(self._loaded, names[0])
        raise TypeError(
            f"{self!r} has {len(names)} functions, {', '.join(names)}; only a "
            "model with one can be called itself.")

    def __getitem__(self, name):
        if name not in self.functions:
            raise KeyError(f"{self!r} has no function '{name}'; it has "
                           f"{', '.join(self.functions)}.")
        return Function(self._loaded, name)

    def __iter__(self):
        return iter(self.functions)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_loaded":
            raise AttributeError(name)
        try:
            function = self[name]
        except KeyError as missing:
            error = AttributeError(missing.args[0])
            # For the suggestions of Python 3.10 and later.
            error.name, error.obj = name, self
            raise error from None
        # The next access finds it without this function.
        self.__dict__[name] = function
        return function

    def __dir__(self):
        return [*super().__dir__(),
                *(name for name in self.functions if name.isidentifier())]

    def _ipython_key_completions_(self):
        return self.functions

    def sibling(self, snapshot=None):
        """Returns a model of the same loaded module, with its own globals.

        They begin as those of `snapshot`, or else as the initializers set them.
        """
        return Model(self._loaded.sibling(snapshot))

    @property
    def globals(self):
        """The globals that the module's source declares public, as a mapping.

        `model.globals["step"]` reads a global, and an assignment sets it.
        """
        return Globals(self._loaded)

    def snapshot(self):
        """Copies all globals, for `restore` and `sibling`.

        Constants are shared, so this is cheap. A snapshot cannot be pickled.
        """
        return self._loaded.core().snapshot()

    def restore(self, snapshot):
        """Sets all globals to those of a snapshot, also one of a sibling."""
        self._loaded.core().restore(snapshot)

    def cancel(self):
        """Ends the running call, which fails with CANCELLED; on any thread.

        Returns False if no call is running. In the next call, globals have
        their initial values.
        """
        return self._loaded.core().cancel_running()

    def close(self):
        """Frees the context, and the module and devices unless they are shared.

        Waits for the running call. Later calls raise eyrie.Error with
        FAILED_PRECONDITION; so does this in an imported function or a log
        handler of the running call. Results of earlier calls remain valid. Does
        nothing if the model is closed.
        """
        self._loaded.core().close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        return Model, (self._loaded,)

    def __repr__(self):
        sources = [f"{len(source)} bytes" if isinstance(source, bytes)
                   else _options.printable(source)
                   for source in self._loaded.sources]
        try:
            name = self.name
        except Error:  # it is closed
            return f"<closed eyrie.Model of {', '.join(sources)}>"
        return f"<eyrie.Model {name} of {', '.join(sources)}>"

    def _repr_html_(self):
        """Returns a table of the functions, for notebooks."""
        rows = []
        for name in self.functions:
            _, _, doc, arguments, results = self[name]._describe()
            cells = (name, _list_of(arguments), _list_of(results), doc)
            rows.append("".join(f"<td>{html.escape(cell)}</td>"
                                for cell in cells))
        head = "".join(f"<th>{title}</th>" for title in
                       ("function", "arguments", "results", "documentation"))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (f"<table><caption>{html.escape(repr(self))}</caption>"
                f"<tr>{head}</tr>{body}</table>")


def _list_of(parameters):
    return ", ".join(f"{name}: {kind}" if name else kind
                     for name, kind, _, _ in parameters)


def load(source, device="local-sync", *, fuel=0, timeout=None, max_memory=0,
         max_stack=0, max_idle_memory=0, parameters=(),
         allow_system_executables=False, no_native_code=False, isolate=False,
         jit="lazy", threads=0, text=False, allow_loss=False, results="numpy",
         imports=None, native_libraries=(), manifest=None):
    """Loads a module from a path or from bytes and returns a Model.

    source: a path, or the bytes of a module; or a list of modules, each of
        which may import functions of those before it. ONNX is compiled.
    device: a name of eyrie.devices(), an eyrie.Device, which models share, or a
        list of these.
    fuel, timeout (seconds), max_memory, max_stack (bytes): limits of each call;
        0 (for timeout also None) means the default, which is no limit except
        for the stack. A call that exceeds a limit fails, and globals have their
        initial values in the next call.
    max_idle_memory: bytes that each device keeps for later arrays, for 10 s;
        0: a quarter of what this process, or the GPU, has; 1: nothing.
    parameters: weights: a file, "path", "=path" or "scope=path"; a dict such as
        {"scope": {"key": array}, "key": array}, of arrays that do not change;
        or a list of these. Of equal keys, a dict's or the first file's is used.
    allow_system_executables: allows executables in the platform's own format.
    isolate, no_native_code: confine, or refuse, native code of a stranger.
    jit: the functions to compile to machine code: "lazy", those that are hot;
        "off", none; "eager", each when it is first called.
    threads: how many threads "local-task" has; 0: one per core.
    text: converts results of bytes to str, as UTF-8.
    allow_loss: rounds arrays to the required element type if necessary.
    results: "numpy" returns arrays as numpy.ndarray, "device" as
        eyrie.DeviceArray, which later calls use without a copy.
    imports: functions in Python that the module imports, as a dict such as
        {"host.scale": ("(f32, i32) -> f32", lambda x, by: x * by)}. A signature
        has the types that Function.signature shows. Arrays are NumPy's and
        share the module's memory, so copy what you keep. A function must not
        call or close the model.
    native_libraries: a library with functions that the module imports, or a
        list: a path, or in a list (path, manifest's path); the name of a Python
        package, or a module, that registers XLA FFI handlers with JAX or has a
        function `registrations`; or a dict of names and capsules.
    manifest: of native_libraries: JSON, a dict or a path; else one beside each.

    Raises eyrie.Error, whose `code` is NOT_FOUND and so on, and which is also a
    FileNotFoundError for a missing file; TypeError, ValueError: wrong options.
    """
    devices = _device.given(device, {
        "allow_system_executables": allow_system_executables,
        "no_native_code": no_native_code, "isolate": isolate, "jit": jit,
        "threads": threads, "max_idle_memory": max_idle_memory})
    files, weights = _options.parameters("parameters", parameters)
    modules, own_files = _options.sources(source)
    return Model(_Loaded(modules, devices, {
        "fuel": _options.count("fuel", fuel),
        "timeout": _options.seconds("timeout", timeout),
        "max_memory": _options.count("max_memory", max_memory),
        "max_stack": _options.count("max_stack", max_stack),
        "parameters": files + own_files, "weights": weights,
        "text": _options.flag("text", text),
        "allow_loss": _options.flag("allow_loss", allow_loss),
        "on_device": _options.on_device("results", results),
        "imports": _options.imports("imports", imports),
    }, _native.given(native_libraries, manifest)))


def _after_fork():
    """Makes models load again at their next use in the child of a fork.

    The threads of devices do not exist there, so old objects are leaked.
    """
    _core.set_main_thread(threading.main_thread().ident)
    _core.after_fork()
    _device.after_fork()
    _asyncio.after_fork()
    for loaded in list(_loaded):
        loaded.after_fork()


_core.set_main_thread(threading.main_thread().ident)
os.register_at_fork(after_in_child=_after_fork)
# atexit releases the argument of a handler after all handlers have returned,
# including those that were registered earlier and may wait for calls.
atexit.register(lambda _: None, _core.AtEnd())
