"""Tests of globals by name, of snapshots, of needs and of weights.

python state_test.py <state.vmfb> <tests/modules>

Run by python_test.sh.
"""

import os
import pickle
import sys
import unittest

import numpy as np

import eyrie

MODULES = sys.argv.pop() if len(sys.argv) > 2 else "tests/modules"
STATE = sys.argv.pop() if len(sys.argv) > 1 else "state.vmfb"


class GlobalsTest(unittest.TestCase):

    def setUp(self):
        self.model = eyrie.load(STATE)

    def test_are_a_mapping(self):
        values = self.model.globals
        self.assertEqual(dict(values), {"steps": 7})
        values["steps"] = 8
        self.assertEqual(self.model.globals["steps"], 8)
        self.assertEqual(repr(values), "<eyrie globals: steps>")
        self.assertEqual(self.model.sibling().globals["steps"], 7)

    def test_wrong_names_and_values(self):
        values = self.model.globals
        for name, message in (("x", "a global 'x'. The globals are 'steps'"),
                              (1, "^1$")):
            self.assertNotIn(name, values)
            with self.assertRaisesRegex(KeyError, message):
                values[name]  # pylint: disable=pointless-statement
            with self.assertRaisesRegex(KeyError, message):
                values[name] = 1
        with self.assertRaises(TypeError):
            del values["steps"]
        with self.assertRaises(eyrie.ArgumentError):
            values["steps"] = "text"
        self.assertEqual(values["steps"], 7)


class NeedsTest(unittest.TestCase):

    def test_say_whether_a_module_runs_here(self):
        path = os.path.join(MODULES, "3.13/add.vmfb")
        needs = eyrie.needs(path)
        self.assertTrue(needs.runs_here)
        self.assertIn("local-sync", needs.devices)
        self.assertEqual(needs.formats, ["embedded-elf-x86_64"])
        with open(path, "rb") as file:
            self.assertEqual(eyrie.needs(file.read()), needs)
        refused = eyrie.needs(path, no_native_code=True)
        self.assertFalse(refused.runs_here)
        self.assertEqual(len(refused.reasons), 1)
        self.assertTrue(eyrie.needs(path, isolate=True).runs_here)
        with self.assertRaises(FileNotFoundError):
            eyrie.needs("missing.vmfb")


class SnapshotTest(unittest.TestCase):

    def test_restores_and_creates(self):
        model = eyrie.load(STATE)
        self.assertEqual(model.count(), 1)
        ready = model.snapshot()
        self.assertEqual(model.count(), 2)
        copy = model.sibling(ready)
        self.assertEqual(copy.count(), 2)
        model.restore(ready)
        self.assertEqual([model.count(), model.count()], [2, 3])
        self.assertEqual(copy.count(), 3)

    def test_tensors(self):
        model = eyrie.load(os.path.join(MODULES, "3.13/counter.vmfb"))
        one = np.ones(2, np.float32)
        model.accumulate(one)
        ready = model.snapshot()
        model.accumulate(one)
        other = model.sibling(snapshot=ready)
        self.assertEqual(other.accumulate(one).tolist(), [102, 202])
        self.assertEqual(model.accumulate(one).tolist(), [103, 203])

    def test_refuses(self):
        ready = eyrie.load(STATE).snapshot()
        with self.assertRaisesRegex(eyrie.Error, "of other modules"):
            eyrie.load(STATE).restore(ready)
        with self.assertRaises(TypeError):
            pickle.dumps(ready)
        closed = eyrie.load(STATE)
        closed.close()
        for use in (closed.snapshot, lambda: len(closed.globals),
                    lambda: closed.globals["steps"]):
            with self.assertRaisesRegex(eyrie.Error, "closed"):
                use()


class ParametersTest(unittest.TestCase):
    """Weights from objects, for the module of tests/modules/parameters.mlir."""

    def load(self, parameters):
        return eyrie.load(os.path.join(MODULES, "3.13", "parameters.vmfb"),
                          parameters=parameters)

    def test_objects(self):
        w = np.array([2, 3, 4, 5], np.float32)
        b = np.array([[1, 2], [3, 4]], np.int32)
        m = bytes(4 * 8192)
        rows = [
            {"model": {"w": w, "m": m}, "b": b},
            [{"model": {"w": w}}, {"b": b, "model": {"m": m}}],
            ({"model": {"w": np.repeat(w, 2)[::2], "m": m},
              "b": np.array([[1, 3], [2, 4]], np.int32).T},),
            # The first of equal keys is used.
            [{"model": {"w": w, "m": m}, "b": b}, {"model": {"w": -w}}],
        ]
        for parameters in rows:
            model = self.load(parameters)
            for each in (model, pickle.loads(pickle.dumps(model))):
                self.assertEqual(each.scale(np.ones(4, np.float32)).tolist(),
                                 [2, 3, 4, 5])
                self.assertEqual(each.table().tolist(), [[1, 2], [3, 4]])

    def test_wrong(self):
        rows = [
            ({"w": b""}, eyrie.Error, "'w', which has 0 bytes"),
            ([{3: b""}], TypeError, "is not a string, a dict"),
            ({"w": [1, 2]}, TypeError,
             "parameters: 'w': It is neither an array nor bytes."),
            ({"model": "weights.irpa"}, TypeError, "'model': It is neither"),
        ]
        for parameters, kind, text in rows:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                self.load(parameters)


if __name__ == "__main__":
    unittest.main()
