"""Tests of functions in Python that modules import.

python imports_test.py <imports.vmfb>

Run by python_test.sh.
"""

import asyncio
import contextlib
import logging
import os
import pickle
import signal
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import eyrie

MODULE = sys.argv.pop(1) if len(sys.argv) > 1 else "imports.vmfb"
SIGNATURE = "(f32, i32) -> f32"


def multiply(x, by):
    return x * by


def nothing():
    return None


def load(scale=multiply, signature=SIGNATURE, other=nothing, **options):
    return eyrie.load(MODULE, imports={
        "host.scale": (signature, scale), "host.nothing": ("() -> ()", other),
    }, **options)


def leave(model):
    with model:
        pass


def wait_for(model):
    asyncio.run(model.nothing.aio())


def copy(model):
    model.snapshot()


def call(model):
    model.nothing()


USES = (call, eyrie.Model.close, leave, wait_for, copy)


@contextlib.contextmanager
def logged(take):
    """Passes the messages of modules to a function."""
    logger = logging.getLogger("eyrie.module")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addFilter(take)
    try:
        yield
    finally:
        logger.removeFilter(take)
        logger.setLevel(level)


class ImportsTest(unittest.TestCase):

    def test_calls(self):
        rows = [
            (multiply, 6.0),
            (lambda x, by: x + by, 5.0),
            (lambda x, by: np.float32(x - by), -1.0),
            (lambda x, by: 7, 7.0),
        ]
        for scale, want in rows:
            model = load(scale)
            self.assertEqual(model.scale(2.0, 3), want)
            self.assertEqual(model.sibling().scale(2.0, 3), want)
        self.assertIsNone(load().nothing())

    def test_exceptions_are_those_of_the_call(self):
        class Special(Exception):
            pass

        def fail(x, by):
            raise Special(f"{x} {by}")

        model = load(fail)
        for _ in range(2):  # the context is still usable
            with self.assertRaisesRegex(Special, "2.0 3"):
                model.scale(2.0, 3)
            self.assertIsNone(model.nothing())

    def test_wrong_results(self):
        rows = [
            (lambda x, by: "text", "text|bytes"),
            (lambda x, by: None, "returns 0 values; expected 1"),
            (lambda x, by: (1, 2), "returns 2 values; expected 1"),
            (lambda x, by: object(), "object"),
        ]
        for scale, text in rows:
            with self.assertRaisesRegex(eyrie.Error, text):
                load(scale).scale(2.0, 3)

    def test_errors(self):
        rows = [
            (lambda: load(signature="(f32) -> f32"), eyrie.Error, "host.scale"),
            (lambda: load(signature="(f32"), eyrie.Error, "f32"),
            (lambda: eyrie.load(MODULE), eyrie.Error, "host.scale"),
            (lambda: load(scale=3), TypeError, "is not a dict of names"),
            (lambda: eyrie.load(MODULE, imports=[1]), TypeError, "imports"),
            (lambda: eyrie.load(MODULE, imports={"a": 1}), TypeError,
             "imports"),
        ]
        for run, kind, text in rows:
            with self.subTest(text), self.assertRaises(kind) as caught:
                run()
            self.assertIn(text, str(caught.exception))

    def check_refused(self, call, text="must not call the model"):
        with self.assertRaisesRegex(eyrie.Error, text) as caught:
            call()
        self.assertEqual(caught.exception.code, "FAILED_PRECONDITION")

    def test_a_function_must_not_use_the_model(self):
        for use in USES:
            with self.subTest(use.__name__):
                model = load(lambda x, by: use(model))
                self.check_refused(lambda: model.scale(2.0, 3))
                self.assertIsNone(model.nothing())
                with logged(lambda _: use(model)):
                    self.check_refused(model.talk)
                self.assertIsNone(model.nothing())
                model.close()
        other, inner = load(lambda x, by: inner.scale(x, by)), load()
        self.assertEqual(other.scale(2.0, 3), 6)
        closing = load(lambda x, by: inner.close() or x)
        self.assertEqual(closing.scale(2.0, 3), 2)

    def test_a_handler_must_not_use_what_is_opened(self):
        device = eyrie.Device()
        model = load(device=device)
        for use in (lambda: model.name, model.nothing, model.close):
            child = os.fork()
            if child == 0:  # opens the model again
                status = 1
                try:
                    signal.alarm(60)
                    with logged(lambda _: use()):
                        self.check_refused(lambda: model.talk(),
                                           "is being opened")
                    self.assertIsNone(model.nothing())
                    status = 0
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_close_waits_and_can_be_interrupted(self):
        begun, end = threading.Event(), threading.Event()
        model = load(lambda x, by: begun.set() or end.wait(60) and x)
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(model.scale, 2.0, 3)
            begun.wait(60)
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                with self.assertRaises(KeyboardInterrupt):
                    model.close()
            finally:
                timer.join()
                end.set()
            self.assertEqual(call.result(60), 2)
        self.assertIsNone(model.nothing())
        model.close()
        model.close()
        self.check_refused(model.nothing, "is closed")

    def test_calls_that_wait_while_the_model_closes(self):
        for _ in range(10):
            begun, end = threading.Event(), threading.Event()
            model = load(lambda x, by: begun.set() or end.wait(60) and x)
            with ThreadPoolExecutor(6) as pool:
                first = pool.submit(model.scale, 2.0, 3)
                begun.wait(60)
                waiting = [pool.submit(model.nothing) for _ in range(4)]
                closed = pool.submit(model.close)
                model.cancel()  # the next call needs a new context
                end.set()
                self.assertIsNone(closed.result(60))
                for call in (first, *waiting):
                    error = call.exception(60)
                    self.assertIn(getattr(error, "code", None),
                                  ("CANCELLED", "FAILED_PRECONDITION", None))

    def test_threads(self):
        seen, model = set(), load(lambda x, by: seen.add(
            threading.get_ident()) or x)
        threads = [threading.Thread(target=model.scale, args=(1.0, 1))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertGreaterEqual(len(seen), 1)

    def test_pickles(self):
        self.assertEqual(pickle.loads(pickle.dumps(load())).scale(2.0, 4), 8)


if __name__ == "__main__":
    unittest.main()
