"""Tests of functions in Python that modules import.

python imports_test.py <imports.vmfb>

Run by python_test.sh.
"""

import pickle
import sys
import threading
import unittest

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

    def test_a_function_must_not_call_the_model(self):
        models = []
        models.append(load(lambda x, by: models[0].nothing()))
        with self.assertRaisesRegex(eyrie.Error, "must not call the model"):
            models[0].scale(2.0, 3)
        other = load(lambda x, by: models[1].scale(x, by))
        models.append(load())
        self.assertEqual(other.scale(2.0, 3), 6)

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
