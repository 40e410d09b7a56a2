"""Tests of paths, and of names in modules, that are not UTF-8.

python names_test.py <tests/modules>

Run by python_test.sh.
"""

import json
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import unittest

import numpy as np

import eyrie

MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"
RELEASE = os.path.join(MODULES, "3.13")
ADD = os.path.join(RELEASE, "add.vmfb")


class BytesPath:
    """A path whose os.fspath is bytes, as of os.scandir(b".")."""

    def __init__(self, path):
        self._path = os.fsencode(path)

    def __fspath__(self):
        return self._path


class NamesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, os.fsdecode(b"\xff\xc3"))
        os.mkdir(self.folder)

    def copy(self, name):
        path = os.path.join(self.folder, name + os.fsdecode(b"\xfe"))
        shutil.copy(os.path.join(RELEASE, name), path)
        return path

    def weights(self):
        """Returns the path of the parameter "w" in a new file."""
        path = os.path.join(self.folder, "weights.safetensors")
        head = json.dumps({"w": {"dtype": "F32", "shape": [4],
                                 "data_offsets": [0, 16]}}).encode()
        with open(path, "wb") as file:
            file.write(len(head).to_bytes(8, "little") + head
                       + np.full(4, 3, np.float32).tobytes())
        return path

    def test_paths(self):
        module, weights = self.copy("parameters.vmfb"), self.weights()
        others = {"b": np.zeros((2, 2), np.int32), "model": {"m": bytes(32768)}}
        for wrap in (str, BytesPath):
            with self.subTest(wrap):
                model = eyrie.load(wrap(module),
                                   parameters=["model=" + weights, others])
                for each in (model, pickle.loads(pickle.dumps(model))):
                    self.assertEqual(
                        each.scale(np.ones(4, np.float32)).tolist(), [3] * 4)
                self.assertIn("\\udcff", repr(model))
                repr(model).encode()  # can be printed
                self.assertTrue(eyrie.needs(wrap(module)).formats)
                added = eyrie.load([wrap(self.copy("add.vmfb"))],
                                   parameters=wrap(weights))
                self.assertEqual(added.functions, ["add"])

    def test_paths_have_no_scope(self):
        path = os.path.join(self.folder, "lr=0.1.safetensors")
        os.rename(self.weights(), path)
        for each in (pathlib.Path(path), BytesPath(path), "=" + path,
                     "model=" + path):
            with self.subTest(each):
                self.assertEqual(
                    eyrie.load(ADD, parameters=each).functions, ["add"])
        with self.assertRaisesRegex(FileNotFoundError, "given as '=/"):
            eyrie.load(ADD, parameters=path)

    def test_errors_name_the_path(self):
        missing = os.path.join(self.folder, "missing.so")
        rows = [
            lambda: eyrie.load(missing),
            lambda: eyrie.needs(BytesPath(missing)),
            lambda: eyrie.load(ADD, parameters=missing),
            lambda: eyrie.load(ADD, native_libraries=missing),
            lambda: eyrie.load(ADD,
                               native_libraries=[(BytesPath(missing),) * 2]),
            lambda: eyrie.load(ADD, native_libraries=missing,
                               manifest={"module": "x", "functions": {}}),
            lambda: eyrie.Device(missing),
            lambda: eyrie.load(ADD, BytesPath(missing)),
        ]
        for index, call in enumerate(rows):
            with self.subTest(index), self.assertRaisesRegex(
                    eyrie.Error, "missing.so"):
                call()
        nul = "a.so\0b"
        for name, call in (
                ("module", lambda: eyrie.load(nul)),
                ("module", lambda: eyrie.needs(nul)),
                ("parameters", lambda: eyrie.load(ADD, parameters=nul)),
                ("library", lambda: eyrie.load(ADD, native_libraries=nul)),
                ("device", lambda: eyrie.load(ADD, nul)),
                ("caches", lambda: eyrie.Device(pipeline_cache=nul))):
            with self.subTest(name), self.assertRaisesRegex(
                    eyrie.Error, f"{name}.* has a NUL byte"):
                call()

    def test_names(self):
        with open(os.path.join(RELEASE, "counter.vmfb"), "rb") as file:
            model = eyrie.load(file.read().replace(b"next", b"n\xffxt"))
        name = os.fsdecode(b"n\xffxt")
        self.assertIn(name, model.functions)
        self.assertEqual(model[name](), 1)
        self.assertEqual(pickle.loads(pickle.dumps(model[name]))(), 1)
        self.assertIn(name, model[name].__doc__)
        with self.assertRaises(KeyError):
            model.globals[name]  # pylint: disable=pointless-statement
        model = eyrie.load(ADD, imports={
            name + ".f": ("(i32) -> i32", abs)}, parameters={
                name: {name: np.zeros(3)}})
        self.assertEqual(model.functions, ["add"])
        with self.assertRaisesRegex(eyrie.Error, "n.xt"):
            eyrie.load(ADD, imports={"h.f": (name, abs)})


if __name__ == "__main__":
    unittest.main()
