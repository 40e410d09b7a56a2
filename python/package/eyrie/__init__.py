"""Runs compiled modules (.vmfb) of all supported IREE compiler releases.

    import eyrie
    model = eyrie.load("model.vmfb")
    scores = model.predict(image)           # NumPy in, NumPy out
    scores = await model.predict.aio(image) # in an event loop
"""

from eyrie import _log  # the import connects the log
from eyrie._bisect import Bisection, bisect
from eyrie._compile import compile  # pylint: disable=redefined-builtin
from eyrie._core import DeviceArray, Reference, Snapshot, __version__
from eyrie._device import Device, DeviceInfo, devices
from eyrie._errors import (ArgumentError, Error, ForbiddenError,
                           MissingFileError, OutOfMemoryError, TimedOutError,
                           UnsupportedError)
from eyrie._function import Function, ValueInfo
from eyrie._model import Model, donate, lend, load
from eyrie._native import LinkedProgram, link
from eyrie._needs import Needs, needs

__all__ = ["ArgumentError", "Bisection", "Device", "DeviceArray", "DeviceInfo",
           "Error", "ForbiddenError", "Function", "LinkedProgram",
           "MissingFileError", "Model", "Needs", "OutOfMemoryError",
           "Reference", "Snapshot", "TimedOutError", "UnsupportedError",
           "ValueInfo", "bisect", "compile", "devices", "donate", "lend",
           "link", "load", "needs", "__version__"]
