"""Runs compiled modules (.vmfb) of any release of IREE's compiler.

    import eyrie
    model = eyrie.load("model.vmfb")
    scores = model.predict(image)           # NumPy in, NumPy out
    scores = await model.predict.aio(image) # in an event loop
"""

from eyrie import _log  # whose import is all that it takes
from eyrie._core import Error, Reference, __version__
from eyrie._model import Function, Model, lend, load

__all__ = ["Error", "Function", "Model", "Reference", "lend", "load",
           "__version__"]
