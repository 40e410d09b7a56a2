"""Calls of event loops, which wait in queues and not in threads.

Each loaded module has a queue. While it is not empty, one thread of a pool
makes its calls in turn, so calls that wait for their turn hold no thread. If
more models are busy than there are threads, a thread makes one call of each in
turn, so a model that is always busy does not delay the others for longer.
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
_waiting = 0  # queues that have no thread yet


def _submit(function):
    global _pool, _waiting  # pylint: disable=global-statement
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(_MAX_THREADS, "eyrie")
        _pool.submit(_begin, function)
        _waiting += 1


def _begin(function):
    global _waiting  # pylint: disable=global-statement
    with _pool_lock:
        _waiting -= 1
    function()


def after_fork():
    """Forgets the threads of the parent."""
    global _pool, _pool_lock, _waiting  # pylint: disable=global-statement
    _pool, _pool_lock, _waiting = None, threading.Lock(), 0


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
        began = False
        while True:
            with self._lock:
                if not self._jobs:
                    self._is_active = False
                    return
                if began and _waiting and self._yields():
                    return
                call, loop, future = self._jobs.popleft()
            began = True
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

    def _yields(self):
        """Lets queues without a thread go first; False while Python exits."""
        try:
            _submit(self._run)
        except RuntimeError:
            return False
        return True


def _finish(future, result, error):
    if future.done():  # it is cancelled
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
