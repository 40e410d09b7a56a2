"""Calls of event loops, which wait in queues and not in threads.

Each loaded module has a queue. While it is not empty, one thread of a pool
makes its calls in turn, so calls that wait for their turn hold no thread and do
not delay calls of other models.
"""

import asyncio
import collections
import os
import threading
from concurrent.futures import ThreadPoolExecutor

# Threads that compute at the same time; each works for one model.
_MAX_THREADS = max(32, 2 * (os.cpu_count() or 1))
_pool = None
_pool_lock = threading.Lock()


def _submit(function):
    global _pool  # pylint: disable=global-statement
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(_MAX_THREADS, "eyrie")
        _pool.submit(function)


def after_fork():
    """Forgets the threads of the parent."""
    global _pool, _pool_lock  # pylint: disable=global-statement
    _pool, _pool_lock = None, threading.Lock()


class Queue:
    """The calls that wait for one context."""

    def __init__(self):
        self._jobs, self._is_active = collections.deque(), False
        self._lock = threading.Lock()

    def put(self, call):
        """Returns a future of the running event loop for the call's result."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        with self._lock:
            self._jobs.append((call, loop, future))
            if self._is_active:
                return future
            self._is_active = True
        _submit(self._run)
        return future

    def _run(self):
        while True:
            with self._lock:
                if not self._jobs:
                    self._is_active = False
                    return
                call, loop, future = self._jobs.popleft()
            if future.cancelled():
                continue
            try:
                result, error = call(), None
            except BaseException as raised:  # pylint: disable=broad-except
                result, error = None, raised
            try:
                loop.call_soon_threadsafe(_finish, future, result, error)
            except RuntimeError:  # the loop is closed
                pass
            del call, loop, future, result, error


def _finish(future, result, error):
    if future.done():  # it is cancelled
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
