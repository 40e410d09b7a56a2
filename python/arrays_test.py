"""Tests of arrays that are passed between Python and eyrie.

python arrays_test.py <tests/modules>

Run by python_test.sh.
"""

import gc
import os
import sys
import tempfile
import unittest

import numpy as np

import eyrie

MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"


def load(name, **options):
    return eyrie.load(os.path.join(MODULES, "3.13", name + ".vmfb"), **options)


def floats(*numbers):
    return np.array(numbers, np.float32)


class OnlyDlpack:
    """An array that supports only the DLPack protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldDlpack(OnlyDlpack):
    """An array that does not state whether it is read-only, like JAX's."""

    def __dlpack__(self):
        return self.array.__dlpack__()


class BareInterface:
    """An array with the required parts of NumPy's interface only."""

    def __init__(self, array):
        self.array = array
        self.dtype = array.dtype
        self.__array_interface__ = dict(array.__array_interface__)
        del self.__array_interface__["strides"]

    def __setitem__(self, key, value):
        self.array[key] = value


def aligned(*numbers):
    """Returns floats that can be used in place: at a multiple of 64 bytes."""
    memory = np.zeros(len(numbers) + 16, np.float32)
    start = -memory.ctypes.data % 64 // 4
    array = memory[start:start + len(numbers)]
    array[:] = numbers
    return array


RELEASES = ("3.3", "3.9", "3.11", "3.12", "3.13")


class IntegersTest(unittest.TestCase):
    """Arrays of integers with another sign than the signature's."""

    CASES = (
        ("signed", np.uint8, [[1, 127]], None),
        ("signed", np.uint8, [[1, 2], [3, 200]],
         "[1][1]: 200 is out of range for si8 (-128 to 127)"),
        ("signed", np.int8, [[-128, 127]], None),
        ("unsigned", np.int8, [[5, 127]], None),
        ("unsigned", np.int8, [[5, -1]],
         "[0][1]: -1 is out of range for ui8 (0 to 255)"),
        ("unsigned", np.uint8, [[5, 255]], None),
        ("signed_32", np.uint32, [1, 4000000000],
         "[1]: 4000000000 is out of range for si32 "
         "(-2147483648 to 2147483647)"),
        ("signed_32", np.uint32, [1, 2147483647], None),
    )

    def test_values_fit(self):
        model = load("sharing")
        for name, dtype, numbers, error in self.CASES:
            array = np.array(numbers, dtype)
            wide = np.repeat(array, 2, axis=-1)
            wraps = {
                "array": array, "dlpack": OnlyDlpack(array),
                "lent": eyrie.lend(array), "strided": wide[..., ::2],
                "columns": np.asfortranarray(array),
                "read-only": np.broadcast_to(array, array.shape),
            }
            for kind, value in wraps.items():
                with self.subTest(name=name, numbers=numbers, kind=kind):
                    if error:
                        with self.assertRaises(eyrie.Error) as caught:
                            getattr(model, name)(value)
                        self.assertIn("Argument 0 ('input0')" + error,
                                      str(caught.exception))
                    else:
                        result = getattr(model, name)(value)
                        self.assertEqual(result.tolist(), numbers)

    def test_values_fit_raw_functions(self):
        buffers = load("abi_v0").buffers
        for a, b in (([[1, 4000000000]], [1, 1]), ([[1, 1]], [1, -1])):
            with self.assertRaisesRegex(eyrie.Error, "is out of range for"):
                buffers(np.array(a, np.uint32), np.array(b, np.int8))


# Older releases of NumPy do not state whether arrays are read-only.
numpy_says_writable = unittest.skipIf(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", "NumPy before 2.1")


class OutTest(unittest.TestCase):
    """Results in arrays of the caller."""

    def test_one_result(self):
        x, y = floats(1, 2, 3, 4), floats(10, 20, 30, 40)
        for name, function, copied in (("add", "add", 3),
                                       ("add.async", "add", 3),
                                       ("destination", "add_into", 2)):
            f = load(name)[function]
            for out in (aligned(0, 0, 0, 0), np.zeros(8, np.float32)[::2],
                        np.zeros(4, np.float32)[::-1]):
                with self.subTest(name=name, strides=out.strides):
                    self.assertIs(f(x, y, out=out), out)
                    self.assertEqual(out.tolist(), [11, 22, 33, 44])
                    in_place = out.strides == (4,)
                    self.assertEqual(f.statistics["copied"],
                                     copied if in_place else 3)
            self.assertIsNot(f(x, y, out=None), None)

    def test_arguments_may_be_overwritten(self):
        for name, function in (("add", "add"), ("destination", "add_into")):
            f = load(name)[function]
            for wrap in (lambda array: array, eyrie.lend):
                x = aligned(1, 2, 3, 4)
                f(wrap(x), floats(1, 1, 1, 1), out=x)
                self.assertEqual(x.tolist(), [2, 3, 4, 5])

    def test_several_results(self):
        f = load("results").two_tensors
        a, b = np.zeros((2, 3), np.float32)
        self.assertIs(f(floats(1, 2, 3), out=(a, b))[1], b)
        self.assertEqual((a.tolist(), b.tolist()), ([2, 4, 6], [1, 4, 9]))
        first, second = f(floats(3, 2, 1), out=(None, a))
        self.assertIs(second, a)
        self.assertEqual((first.tolist(), a.tolist()), ([6, 4, 2], [9, 4, 1]))
        columns = np.zeros((3, 2), np.float32)
        f(floats(1, 2, 3), out=(columns[:, 0], columns[:, 1]))
        self.assertEqual(columns.tolist(), [[2, 1], [4, 4], [6, 9]])

    @numpy_says_writable
    def test_errors(self):
        f = load("results").two_tensors
        a = np.zeros(3, np.float32)
        fixed = a.view()
        fixed.flags.writeable = False
        for out, error in (
                (fixed, "Result 0: an array that is read-only"),
                (np.zeros(4, np.float32), "dimension 0 is 4, expected 3"),
                (np.zeros(3), "results are not converted"),
                (np.broadcast_to(a[:1], 3), "cannot take a result"),
                ((a, a), "Result 1: the array .* overlaps the one of result 0"),
                ((a, None, None), "has 2 results; arrays for 3 are given"),
                (5, "the integer 5 is given as its memory")):
            with self.subTest(error=error):
                with self.assertRaisesRegex(eyrie.Error, error):
                    f(floats(1, 2, 3), out=out)
                self.assertEqual(a.tolist(), [0, 0, 0])


class MemoryTest(unittest.TestCase):
    """Which arrays are copied and which share memory."""

    @numpy_says_writable
    def test_read_only_arrays_are_never_written(self):
        calls = (("same", ()), ("twice", ()), ("rows", ()), ("write", (2,)),
                 ("write_all", (floats(-1, -2),)))
        for release in RELEASES:
            model = eyrie.load(os.path.join(MODULES, release, "sharing.vmfb"))
            for name, rest in calls:
                owner = aligned(1, 2, 3, 4)
                fixed = owner.view()
                fixed.flags.writeable = False
                want = getattr(model, name)(owner.copy(), *rest)
                for wrap in (lambda array: array, OnlyDlpack, BareInterface):
                    with self.subTest(release, name=name):
                        results = getattr(model, name)(
                            eyrie.lend(wrap(fixed)), *rest)
                        np.testing.assert_array_equal(results, want)
                        if not isinstance(results, (list, tuple)):
                            results = [results]
                        for result in results:
                            self.assertFalse(np.shares_memory(result, owner))
                            result[...] = 99
                        self.assertEqual(owner.tolist(), [1, 2, 3, 4])

    def test_a_read_only_map_may_be_lent(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(floats(1, 2, 3, 4).tobytes())
            file.flush()
            fixed = np.memmap(file.name, np.float32, "r")
            model = load("sharing")
            result = model.same(eyrie.lend(fixed))
            result[0] = 99
            self.assertEqual(model.write(eyrie.lend(fixed), 2).tolist(),
                             [1, 2, 7, 4])
            self.assertEqual(fixed.tolist(), [1, 2, 3, 4])
            # A map with private changes is used in place.
            private = np.memmap(file.name, np.float32, "c")
            model.write(eyrie.lend(private), 2)
            self.assertEqual(private.tolist(), [1, 2, 7, 4])
            self.assertEqual(fixed.tolist(), [1, 2, 3, 4])

    def test_what_does_not_say_is_not_written(self):
        owner = aligned(1, 2, 3, 4)
        model = load("sharing")
        self.assertEqual(model.write(eyrie.lend(OldDlpack(owner)), 2).tolist(),
                         [1, 2, 7, 4])
        self.assertEqual(owner.tolist(), [1, 2, 3, 4])

    @numpy_says_writable
    def test_lent_arrays_are_written(self):
        model = load("sharing")
        for wrap in (lambda array: array, OnlyDlpack, BareInterface):
            owner = aligned(1, 2, 3, 4)
            result = model.write(eyrie.lend(wrap(owner)), 2)
            self.assertTrue(np.shares_memory(result, owner))
            self.assertEqual(owner.tolist(), [1, 2, 7, 4])

    def test_read_only_arguments_of_raw_functions(self):
        a = np.array([[1, 2]], np.int32)
        b = np.array([3, 4], np.uint8)
        for array in (a, b):
            array.flags.writeable = False
        first, second = load("abi_v0").buffers(eyrie.lend(a), eyrie.lend(b))
        first[...] = second[...] = 0
        self.assertEqual(a.tolist() + b.tolist(), [[1, 2], 3, 4])

    def test_results_are_shared_through_dlpack(self):
        result = load("add").add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
        other = np.from_dlpack(result)
        self.assertTrue(np.shares_memory(result, other))
        del result
        gc.collect()
        np.testing.assert_array_equal(other, floats(2, 3, 4, 5))

    @numpy_says_writable
    def test_lent_arguments_are_not_copied(self):
        add = load("add").add
        first = add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
        self.assertEqual(add.statistics["copied"], 2)
        for wrap in (lambda array: array, OnlyDlpack):
            add(eyrie.lend(wrap(first)), eyrie.lend(wrap(first)))
            self.assertEqual(add.statistics["copied"], 0)
            self.assertEqual(add.statistics["packed"], 0)

    def test_an_argument_lives_as_long_as_it_is_needed(self):
        add = load("add").add
        for wrap in (lambda array: array, OnlyDlpack):
            array = floats(1, 2, 3, 4)
            before = sys.getrefcount(array)
            add(wrap(array), wrap(array))
            gc.collect()
            self.assertEqual(sys.getrefcount(array), before)

    def test_results_outlive_the_model(self):
        result = load("add").add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
        gc.collect()
        np.testing.assert_array_equal(result, floats(2, 3, 4, 5))


if __name__ == "__main__":
    unittest.main()
