"""Joins the calls of an event loop to calls of several rows.

Arrays are stacked on their first dimension, and results are divided again. All
calls of a batch fail if the batch fails. Used by kserve_models.py; needs NumPy.
Tested by serving_test.py.
"""

import asyncio
import contextlib
import types

import numpy as np


class Batches:
    """Awaits `call(arrays)`, a coroutine that returns arrays, for many callers.

    A batch has at most `size` rows, and exactly that many with `pads`. It runs
    when it is full, or when its first call has waited for `wait` seconds.
    `observe` is called with the number of rows of each batch.
    """

    def __init__(self, call, size, wait, pads, observe):
        self._call, self._size, self._wait = call, size, wait
        self._pads, self._observe, self._open = pads, observe, {}

    async def __call__(self, arrays):
        """Returns the results for these rows."""
        counts = {len(array) if array.ndim else 0 for array in arrays}
        if len(counts) != 1 or max(counts) > self._size:
            raise ValueError(f"The inputs have {sorted(counts)} rows; expected "
                             f"one number, of at most {self._size}.")
        rows, key = counts.pop(), tuple(array.shape[1:] for array in arrays)
        batch = self._open.get(key)
        if batch and batch.rows + rows > self._size:
            batch.full.set()
        if not batch or batch.full.is_set():
            batch = self._open[key] = types.SimpleNamespace(
                rows=0, parts=[], full=asyncio.Event())
            batch.results = asyncio.create_task(self._run(key, batch))
        begin, batch.rows = batch.rows, batch.rows + rows
        batch.parts.append(arrays)
        if batch.rows == self._size:
            batch.full.set()
        # A caller that gives up must not end the batch of the others.
        results = await asyncio.shield(batch.results)
        return [result[begin:begin + rows] for result in results]

    async def _run(self, key, batch):
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(batch.full.wait(), self._wait)
        batch.full.set()
        if self._open.get(key) is batch:
            del self._open[key]
        self._observe(batch.rows)
        rows = self._size if self._pads else batch.rows
        results = await self._call([
            np.resize(np.concatenate(parts), (rows, *parts[0].shape[1:]))
            for parts in zip(*batch.parts)])
        if any(len(result) != rows for result in results):
            raise ValueError("The function cannot run in batches: a result has "
                             f"not {rows} rows, as its arguments have.")
        return results
