"""Tests of arrays that are passed between Python and eyrie.

python arrays_test.py <tests/modules>

Run by python_test.sh.
"""

import array
import dataclasses
import gc
import importlib
import os
import sys
import tempfile
import types
import unittest

import ml_dtypes
import numpy as np

import eyrie
from eyrie import _core

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
            given = np.array(numbers, dtype)
            wide = np.repeat(given, 2, axis=-1)
            wraps = {
                "array": given, "dlpack": OnlyDlpack(given),
                "lent": eyrie.lend(given), "strided": wide[..., ::2],
                "columns": np.asfortranarray(given),
                "read-only": np.broadcast_to(given, given.shape),
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


def package(name):
    """Imports a package; skips the test if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed: pip install {name}")


class EverywhereTest(unittest.TestCase):
    """Arrays of other packages and of the standard library."""

    def check(self, rows):
        model = load("sharing")
        for name, function, given, want in rows:
            with self.subTest(name):
                got = model[function](given)
                self.assertEqual(np.asarray(got).tolist(), want)

    def test_standard_library(self):
        four = floats(1, 2, 3, 4)
        one = [1.0, 2.0, 3.0, 4.0]
        rows = [
            ("memoryview", "same", memoryview(four), one),
            ("memoryview of columns", "same",
             memoryview(np.repeat(four, 2))[::2], one),
            ("read-only", "same", memoryview(four.tobytes()).cast("f"), one),
            ("array", "same", array.array("f", one), one),
            ("bytearray", "unsigned",
             memoryview(bytearray(b"abcd")).cast("B", (2, 2)),
             [[97, 98], [99, 100]]),
            ("range", "same", range(1, 5), one),
            ("big-endian", "same", four.astype(">f4"), one),
            ("big-endian int", "signed_32", np.array([1, -2], ">i4"), [1, -2]),
            ("swapped twice", "same", four.astype("<f4"), one),
            ("list of arrays", "unsigned",
             [np.array([1, 2], np.uint8), np.array([3, 4], np.uint8)],
             [[1, 2], [3, 4]]),
            ("tuple of lists and arrays", "unsigned",
             ([1, 2], np.array([3, 4], np.uint8)), [[1, 2], [3, 4]]),
            ("list of scalars", "same", list(four), one),
            ("list of arrays of rank 0", "same",
             [np.asarray(number) for number in four], one),
            ("interface", "same", BareInterface(four), one),
        ]
        self.check(rows)

    def test_errors(self):
        model = load("sharing")
        rows = [
            ("unsigned", [np.array([1, 2], np.uint8), np.array([3], np.uint8)],
             "[1]: an array 1xui8 is given; dimension 0 is 1, expected 2"),
            ("unsigned", [np.array([1.5, 2])], "[0]: an array 2xf64 is given"),
            ("unsigned", [np.array([[1, 2]], np.int64)], "the rank is 3"),
            ("unsigned", [np.array([1, -2], np.int8)],
             "-2 is out of range for ui8"),
            ("same", np.array(["a"] * 4), "Arrays of str32 cannot"),
            ("same", np.ma.array(np.ones(4), mask=[0, 1, 0, 0]),
             "Argument 0 ('input0'): A masked array"),
            ("same", object(),
             "Argument 0 ('input0'): An object of type object cannot"),
            ("same", np.ones(4, np.longdouble), "Arrays of float128 cannot"),
        ]
        for name, given, text in rows:
            with self.subTest(text):
                with self.assertRaises(eyrie.ArgumentError) as caught:
                    model[name](given)
                self.assertIsInstance(caught.exception, TypeError)
                self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
                self.assertIn(text, str(caught.exception))

    def test_messages_say_how_to_convert(self):
        rows = [("sharing", "same", float, "numpy.float32"),
                ("sharing", "unsigned", int, "numpy.uint8"),
                ("sharing", "signed_32", int, "numpy.int32"),
                ("casts", "bf16_to_f32", float, "ml_dtypes.bfloat16")]
        shapes = {"unsigned": (1, 2), "signed_32": 2}
        for module, name, dtype, text in rows:
            given, text = np.ones(shapes.get(name, 4), dtype), f"({text}), or"
            with self.assertRaises(eyrie.Error) as caught:
                load(module)[name](given)
            self.assertIn(text, str(caught.exception))

    def test_scalars_keep_their_dtype(self):
        for scalar in (np.float32(1.5), np.int8(-1), np.uint16(7), np.bool_(1),
                       np.complex64(1j), ml_dtypes.bfloat16(0.5)):
            got = _core.copy(scalar)
            self.assertEqual((got.dtype, got.shape, got),
                             (scalar.dtype, (), scalar))

    def test_complex_numbers(self):
        got = _core.copy(1 + 2j)
        self.assertEqual((got.dtype, got[()]), (np.complex128, 1 + 2j))

    def test_four_bits(self):
        for dtype, numbers in (("int4", [-8, -1, 0, 7, 3]),
                               ("uint4", [0, 15, 8, 7, 1, 2]),
                               ("int2", [-2, -1, 0, 1, 1]),
                               ("uint2", [0, 3, 2, 1, 1, 2]),
                               ("float4_e2m1fn", [0, -0.0, 0.5, -6, 1.5])):
            if not hasattr(ml_dtypes, dtype):  # some came with 0.5
                continue
            given = np.array(numbers).astype(getattr(ml_dtypes, dtype))
            for row in (given, given.reshape(-1, 1), given[::2],
                        given[:1].reshape(())):
                got = _core.copy(row)
                self.assertEqual((got.dtype, got.shape),
                                 (row.dtype, row.shape))
                np.testing.assert_array_equal(got, row)
        if hasattr(ml_dtypes, "float4_e2m1fn"):
            got = _core.copy(np.array([-0.0], ml_dtypes.float4_e2m1fn))
            self.assertTrue(np.signbit(got.astype(np.float32)[0]))

    def test_raw_bytes_need_a_type(self):
        for dtype, hint in (("V2", r"; x.view\(ml_dtypes.bfloat16\), for"),
                            ("V1", r"; x.view\(ml_dtypes.int4\), for"),
                            ("V4", "of void32 cannot be arguments.$")):
            with self.assertRaisesRegex(eyrie.Error, hint):
                _core.copy(np.zeros(2, dtype))

    def test_four_bits_that_dlpack_does_not_have(self):
        class LikeJax:
            def __init__(self, array):
                self.array, self.dtype = array, array.dtype

            def __dlpack__(self, **options):
                raise RuntimeError("no DLPack equivalent")

            def __array__(self, dtype=None, copy=None):
                return self.array

        given = np.array([-8, 7, 3]).astype(ml_dtypes.int4)
        got = _core.copy(LikeJax(given))
        self.assertEqual(got.dtype, given.dtype)
        np.testing.assert_array_equal(got, given)
        with self.assertRaisesRegex(RuntimeError, "no DLPack equivalent"):
            _core.copy(LikeJax(np.zeros(2)))

    def test_an_exception_of_the_producer_is_kept(self):
        class Refuses:
            def __dlpack__(self, **options):
                raise BufferError("not today")

            def __dlpack_device__(self):
                return 1, 0

        with self.assertRaisesRegex(BufferError, "not today"):
            load("add").add(Refuses(), floats(1, 1, 1, 1))

    def test_structures(self):
        @dataclasses.dataclass
        class Pair:
            b: int
            a: list

        given = {"b": 3, "a": np.array([1, 2], np.int32)}
        for value in (Pair(3, [1, 2]), types.MappingProxyType(given)):
            self.assertEqual(load("abi_v1")["dict"](value).tolist(), [4, 5])

    def test_pandas(self):
        pandas = package("pandas")
        four = floats(1, 2, 3, 4)
        frame = pandas.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype=np.uint8)
        self.check([
            ("series", "same", pandas.Series(four), four.tolist()),
            ("column", "same", pandas.DataFrame({"a": four})["a"],
             four.tolist()),
            ("frame", "unsigned", frame, [[1, 3], [2, 4]]),
        ])

    def test_pillow(self):
        image = package("PIL.Image").new("L", (2, 3), 7)
        self.check([("image", "unsigned", image, [[7, 7]] * 3)])

    def test_torch(self):
        torch = package("torch")
        four = torch.arange(1.0, 5.0)
        self.check([
            ("tensor", "same", four, [1.0, 2.0, 3.0, 4.0]),
            ("strided", "same", torch.arange(8.0)[::2], [0.0, 2.0, 4.0, 6.0]),
            ("rank 0", "same", list(four), [1.0, 2.0, 3.0, 4.0]),
            ("list", "unsigned", [torch.tensor([1, 2], dtype=torch.uint8)],
             [[1, 2]]),
        ])
        with self.assertRaisesRegex((RuntimeError, BufferError), "grad"):
            load("sharing").same(four.clone().requires_grad_())

    def test_jax(self):
        jax = package("jax.numpy")
        self.check([
            ("array", "same", jax.arange(1.0, 5.0), [1.0, 2.0, 3.0, 4.0]),
            ("list", "unsigned", [jax.array([1, 2], jax.uint8)], [[1, 2]]),
        ])


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
                (fixed, "Result 0: a read-only array"),
                (np.zeros(4, np.float32), "dimension 0 is 4, expected 3"),
                (np.zeros(3), "results are not converted"),
                (np.broadcast_to(a[:1], 3), "cannot receive a result"),
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
