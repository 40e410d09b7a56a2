"""A program that type checkers must accept in their strict modes.

  mypy --strict typed_program.py       pyright typed_program.py

types_test.py runs them if they are installed.
"""

import asyncio
import inspect
from typing import Any, List

import numpy as np
import numpy.typing as npt

import eyrie


def add(path: str) -> npt.NDArray[Any]:
    with eyrie.load(path, device="local-sync", timeout=1.5) as model:
        names: List[str] = model.functions
        function: eyrie.Function = model[names[0]]
        assert inspect.signature(function).parameters
        row = np.ones(4, np.float32)
        result: npt.NDArray[Any] = function(row, eyrie.lend(row))
        return result


def stays_on_the_device(model: eyrie.Model) -> int:
    step = model.add.options(results="device", allow_loss=True)
    state: eyrie.DeviceArray = step(np.ones(4, np.float32), [1, 2, 3, 4])
    host: npt.NDArray[Any] = state.numpy()
    return len(state.shape) + state.nbytes + int(host[0])


async def wait(model: eyrie.Model) -> None:
    await asyncio.gather(model.add.aio([1, 2, 3, 4], [1, 2, 3, 4]))


def code_of(path: str) -> str:
    try:
        eyrie.load([path, b"a module"], parameters=["scope=weights.irpa"])
    except eyrie.MissingFileError as error:
        return error.code
    except (eyrie.Error, TimeoutError, MemoryError):
        return ""
    return eyrie.__version__
