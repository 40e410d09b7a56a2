"""Devices: those of the machine, and those that models share."""

import os
import threading
import weakref
from typing import NamedTuple

from eyrie import _core, _options
from eyrie._errors import failure

_opened = weakref.WeakSet()


class DeviceInfo(NamedTuple):
    """A device that `load` and `Device` can open.

    If a driver has no devices, `error` says why, and `name` is "".
    """

    name: str  # such as "local-sync://"
    driver: str
    description: str  # of the driver
    properties: dict
    error: str


def devices():
    """Returns a DeviceInfo for each device; loads Vulkan's drivers."""
    return [DeviceInfo(name, driver, description, _pairs(properties), error)
            for name, driver, description, properties, error
            in _core.devices()]


def _pairs(lines):
    """Returns a dict of the lines "key: value"."""
    return {key.strip(): value.strip() for key, colon, value in
            (line.partition(":") for line in lines.splitlines()) if colon}


class Opening:
    """A lock while an object is opened; its thread must not open it again."""

    def __init__(self):
        self._lock, self._thread = threading.Lock(), None

    def __enter__(self):
        if self._thread == threading.get_ident():
            raise failure("FAILED_PRECONDITION", "A log handler or an imported "
                          "function must not use the model or the device that "
                          "is being opened.")
        self._lock.acquire()
        self._thread = threading.get_ident()

    def __exit__(self, *_):
        self._thread = None
        self._lock.release()


class Spec:
    """A device's name and options, which open it."""

    def __init__(self, options):
        self.options = options

    def _open(self):
        return _core.Device(**self.options)


def spec(name, threads=0, cpus="", spin=None, allow_system_executables=False,
         no_native_code=False, jit="lazy", max_idle_memory=0,
         pipeline_cache="", isolate=False):
    """Returns the Spec for the options of Device, after checking them."""
    return Spec({
        "name": _options.text("name", name),
        "threads": _options.count("threads", threads, bits=32),
        "cpus": _options.text("cpus", cpus),
        "spin": None if spin is None else _options.seconds("spin", spin, 1e6),
        "allow_system_executables": _options.flag("allow_system_executables",
                                                  allow_system_executables),
        "no_native_code": _options.flag("no_native_code", no_native_code),
        "jit": _options.one_of("jit", jit, ("lazy", "off", "eager")),
        "max_idle_memory": _options.count("max_idle_memory", max_idle_memory),
        "pipeline_cache": _options.text("pipeline_cache", pipeline_cache),
        "isolate": _options.flag("isolate", isolate),
    })


class Device:
    """An open device, which models share: eyrie.load(path, device=device).

    name: a name of devices(), which may end with settings such as
        "local-task://?threads=4"; these replace the options below.
    threads, cpus, spin: the threads of "local-task": how many (0: one per
        core), their processors ("0-3,8", one thread for each; "": any), and how
        many seconds an idle one polls (None: the default). Other devices ignore
        these options.
    allow_system_executables, no_native_code, jit, max_idle_memory: as in
        eyrie.load.
    pipeline_cache: the folder of Vulkan's pipeline caches; "": none.
    isolate: as in eyrie.load. Models that share the device share its process.

    Thread-safe. It is open as long as the object, or a model that uses it,
    exists. A pickled device consists of its name and options, and is opened
    again when it is unpickled, and at its first use after a fork. Raises
    eyrie.Error, such as NOT_FOUND if there is no such device.
    """

    def __init__(self, name="local-sync", *, threads=0, cpus="", spin=None,
                 allow_system_executables=False, no_native_code=False,
                 jit="lazy", max_idle_memory=0, pipeline_cache="",
                 isolate=False):
        self._begin(spec(name, threads, cpus, spin, allow_system_executables,
                         no_native_code, jit, max_idle_memory, pipeline_cache,
                         isolate))

    def _begin(self, given):
        self._spec, self._core, self._lock = given, None, Opening()
        self._open()
        _opened.add(self)

    @property
    def name(self):
        """The name that opened the device."""
        return self._spec.options["name"]

    def _open(self):
        """Returns the extension module's object; opens it if necessary."""
        with self._lock:
            if self._core is None:
                self._core = self._spec._open()
            return self._core

    def _after_fork(self):
        """Forgets the object, whose threads the child does not have."""
        core, self._core, self._lock = self._core, None, Opening()
        if core is not None:
            _core.abandon(core)

    def __reduce__(self):
        return _unpickle, (self._spec.options,)

    def __repr__(self):
        return f"<eyrie.Device {_options.printable(self.name)}>"


def _unpickle(options):
    device = Device.__new__(Device)
    device._begin(Spec(options))
    return device


def given(devices_or_names, options):
    """Returns the devices of `load`, each with a function `_open`.

    options: those of spec, which names need and open devices must not have.
    """
    if isinstance(devices_or_names, (str, os.PathLike, Device)):
        devices_or_names = [devices_or_names]
    try:
        rows = list(devices_or_names)
    except TypeError:
        rows = [None]
    if not all(isinstance(row, (str, os.PathLike, Device)) for row in rows):
        raise TypeError(_options.sentence(
            "device", devices_or_names, "a name, an eyrie.Device or a list of "
            "these"))
    defaults = spec("").options
    wanted = spec("", **options).options
    for key, value in wanted.items():
        if value != defaults[key] and any(isinstance(row, Device)
                                          for row in rows):
            raise ValueError(f"{key} ({options[key]!r}) is an option of the "
                             "eyrie.Device, which is already open.")
    return [row if isinstance(row, Device) else
            spec(os.fsdecode(row), **options) for row in rows]


def after_fork():
    """Must be called in the child of a fork."""
    for device in list(_opened):
        device._after_fork()
