"""Runs compiled modules (.vmfb) of all supported IREE compiler releases.

    import eyrie
    model = eyrie.load("model.vmfb")
    scores = model.predict(image)           # NumPy in, NumPy out
    scores = await model.predict.aio(image) # in an event loop
"""

from eyrie import _log  # the import connects the log
from eyrie._core import Error, Reference, __version__
from eyrie._model import Function, Model, lend, load

__all__ = ["Error", "Function", "Model", "Reference", "lend", "load",
           "__version__"]
