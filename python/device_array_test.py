"""Tests of eyrie.DeviceArray.

    python device_array_test.py <tests/modules> <module of same.vmasm>

Run by python_test.sh.
"""

import gc
import os
import pickle
import sys
import unittest

import ml_dtypes
import numpy as np

import eyrie
from eyrie import _core

SAME = sys.argv.pop(2) if len(sys.argv) > 2 else None
MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"


def load(name, **options):
    return eyrie.load(os.path.join(MODULES, "3.13", name + ".vmfb"), **options)


def floats(*numbers):
    return np.array(numbers, np.float32)


def devices():
    """Returns (device, suffix of its modules) for each device that works."""
    yield "local-sync", ""
    yield "local-task", ""
    try:
        load("add.vulkan", device="vulkan")
    except eyrie.Error as error:
        print(f"Vulkan is left out: {error}", file=sys.stderr)
        return
    yield "vulkan", ".vulkan"


class DeviceArrayTest(unittest.TestCase):

    def test_results_stay_on_the_device(self):
        for device, suffix in devices():
            with self.subTest(device):
                add = load("add" + suffix, device=device, results="device").add
                state = add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
                self.assertIsInstance(state, eyrie.DeviceArray)
                for _ in range(3):
                    state = add(state, state)
                    self.assertEqual(add.statistics["copied"], 0)
                    self.assertEqual(add.statistics["packed"], 0)
                self.assertEqual(state.numpy().tolist(), [16, 24, 32, 40])

    def test_results_that_are_lent_are_not_copied(self):
        for device, suffix in devices():
            with self.subTest(device):
                add = load("add" + suffix, device=device).add
                state = add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
                state = add(eyrie.lend(state), eyrie.lend(state))
                self.assertEqual(add.statistics["copied"], 0)
                self.assertEqual(state.tolist(), [4, 6, 8, 10])

    def test_arrays_that_are_given_away(self):
        put = load("consume", results="device").put
        row = floats(-1, -2)
        given = _core.device_array(np.arange(8, dtype=np.float32))
        kept = given.copy()
        cache = put(eyrie.donate(given), row, 0)
        self.assertEqual(repr(given),
                         "<eyrie.DeviceArray that was given away>")
        for use in (lambda: put(given, row, 0), given.numpy, given.copy,
                    lambda: put(eyrie.donate(given), row, 0),
                    lambda: given.shape, lambda: len(given),
                    given.__dlpack__, lambda: pickle.dumps(given)):
            with self.assertRaisesRegex(eyrie.ArgumentError, "given away"):
                use()
        for step in range(3):
            cache = put(eyrie.donate(cache), row, 2 * step)
            self.assertEqual(put.statistics["copied"], 1)  # the row
        self.assertEqual(cache.numpy().tolist(),
                         [-1, -2, -1, -2, -1, -2, 6, 7])
        self.assertEqual(kept.numpy().tolist(), list(range(8)))

    def test_memory_that_others_use_is_not_given_away(self):
        put = load("consume", results="device").put
        array = _core.device_array(np.zeros(8, np.float32))
        view, tensor = array.numpy(), array.__dlpack__()
        row = floats(1, 2)
        for object_, wrong in (
                (array, "NumPy arrays or DLPack tensors share the memory"),
                (view.base, "share the memory"),
                (view, "Only an eyrie.DeviceArray can .* this is ndarray"),
                ([array], "this is list")):
            with self.subTest(wrong):
                with self.assertRaisesRegex(eyrie.ArgumentError, wrong):
                    put(eyrie.donate(object_), row, 0)
        self.assertEqual(array.numpy().tolist(), [0] * 8)
        del view
        self.assertTrue(_core.is_shared(array))
        del tensor
        self.assertFalse(_core.is_shared(array))
        self.assertEqual(put(eyrie.donate(array), row, 0).numpy()[0], 1)
        # The array is gone even if the call fails.
        other = _core.device_array(np.zeros(8, np.float32))
        with self.assertRaises(eyrie.Error):
            put(eyrie.donate(other), row, 0, 0)
        with self.assertRaisesRegex(eyrie.ArgumentError, "given away"):
            other.numpy()

    def test_options_of_a_function(self):
        model = load("add")
        row = floats(1, 2, 3, 4)
        on_device = model.add.options(results="device")
        self.assertIsInstance(on_device(row, row), eyrie.DeviceArray)
        self.assertIsInstance(model.add(row, row), np.ndarray)
        again = pickle.loads(pickle.dumps(on_device))
        self.assertIsInstance(again(row, row), eyrie.DeviceArray)
        self.assertIsInstance(on_device.options(results="numpy")(row, row),
                              np.ndarray)
        with self.assertRaisesRegex(ValueError, "'numpy' or 'device'"):
            model.add.options(results="host")

    def test_properties(self):
        array = _core.device_array(np.arange(6, dtype=np.int16).reshape(2, 3))
        self.assertEqual(array.shape, (2, 3))
        self.assertEqual(array.dtype, np.int16)
        self.assertEqual((array.ndim, array.nbytes, len(array)), (2, 12, 2))
        self.assertEqual(
            repr(array),
            "<eyrie.DeviceArray of shape (2, 3) and dtype int16>")
        with self.assertRaises(TypeError):
            len(_core.device_array(np.float32(1)))

    def test_numpy_shares_the_memory(self):
        array = _core.device_array(floats(1, 2))
        array.numpy()[0] = 5
        self.assertEqual(np.asarray(array).tolist(), [5, 2])
        self.assertTrue(np.shares_memory(array.numpy(), np.asarray(array)))
        other = array.copy()
        other.numpy()[0] = 6
        self.assertEqual(array.numpy().tolist(), [5, 2])
        kept = array.numpy()
        del array
        gc.collect()
        self.assertEqual(kept.tolist(), [5, 2])

    def test_array_protocol(self):
        array = _core.device_array(floats(1, 2))
        self.assertEqual(np.asarray(array, np.float64).dtype, np.float64)
        self.assertFalse(np.shares_memory(np.array(array), array.numpy()))
        with self.assertRaises(ValueError):
            array.__array__(np.float64, copy=False)
        self.assertEqual((np.asarray(array) + 1).tolist(), [2, 3])

    def test_dlpack(self):
        for dtype in (np.float32, np.bool_, np.int64, np.complex64):
            given = np.array([[1, 0, 1], [0, 1, 1]], dtype)
            array = _core.device_array(given)
            for version in (None, (0, 8), (1, 0)):
                shared = np.from_dlpack(Versioned(array, version))
                np.testing.assert_array_equal(shared, given)
                self.assertTrue(np.shares_memory(shared, array.numpy()))
        self.assertEqual(array.__dlpack_device__(), (1, 0))
        with self.assertRaises(BufferError):
            array.__dlpack__(dl_device=(2, 0))
        capsule = array.__dlpack__(max_version=(1, 0))
        self.assertIn("dltensor_versioned", repr(capsule))
        del capsule  # frees the tensor that nothing has taken

    def test_dlpack_of_elements_below_a_byte(self):
        if SAME is None:
            self.skipTest("no module of same.vmasm is given")
        model = eyrie.load(SAME, results="device")
        for name in ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "int4",
                     "uint4"):
            if not hasattr(ml_dtypes, name):  # floats: since 0.5
                continue
            given = np.array([1, 2, 3]).astype(getattr(ml_dtypes, name))
            array = model.same(given)
            with self.assertRaisesRegex(BufferError, name + r".*numpy\(\)"):
                array.__dlpack__(max_version=(1, 1))
            with self.assertRaisesRegex(BufferError, name):
                np.from_dlpack(array)
            self.assertEqual(array.numpy().dtype, given.dtype)
            self.assertEqual(array.numpy().tobytes(), given.tobytes())

    def test_small_floats_go_back_to_their_package(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed: pip install torch")
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            given = np.array([1, 2, 0.5], getattr(ml_dtypes, name))
            tensor = torch.from_dlpack(_core.device_array(given))
            self.assertEqual(tensor.dtype, getattr(torch, name))
            self.assertEqual(tensor.float().tolist(), [1, 2, 0.5])
            self.assertEqual(_core.copy(tensor).tobytes(), given.tobytes())

    def test_small_floats_go_back_to_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("jax is not installed: pip install jax")
        given = np.array([1, 2, 0.5], ml_dtypes.bfloat16)
        array = jax.dlpack.from_dlpack(_core.device_array(given))
        self.assertEqual(np.asarray(array).tobytes(), given.tobytes())

    def test_pickles(self):
        array = _core.device_array(floats(1, 2))
        again = pickle.loads(pickle.dumps(array))
        self.assertEqual(again.numpy().tolist(), [1, 2])

    def test_cannot_be_created(self):
        if sys.version_info >= (3, 10):
            with self.assertRaises(TypeError):
                eyrie.DeviceArray()


class Versioned:
    """Offers DLPack with one version, whatever NumPy asks for."""

    def __init__(self, array, version):
        self.array, self.version = array, version

    def __dlpack__(self, **_):
        return self.array.__dlpack__(max_version=self.version)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


if __name__ == "__main__":
    unittest.main()
