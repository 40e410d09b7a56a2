"""Tests of the installed package eyrie: python eyrie_test.py <tests/modules>.

Run by python_test.sh.
"""

import asyncio
import inspect
import multiprocessing
import os
import pickle
import sys
import threading
import time
import unittest
import unittest.mock
import weakref
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np

import eyrie
from eyrie import _asyncio, _core, _errors

MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"


def load(name, **options):
    return eyrie.load(os.path.join(MODULES, "3.13", name + ".vmfb"), **options)


def floats(*numbers):
    return np.array(numbers, np.float32)


def eyrie_error():
    try:
        eyrie.load("/nonexistent.vmfb")
    except eyrie.Error as error:
        return error


class ValuesTest(unittest.TestCase):
    """Arguments and results of calls."""

    def test_calls(self):
        abi = load("abi_v1")
        f32 = floats(1, 2, 3)
        rows = [
            # function, arguments, keywords, result
            ("named", (f32, floats(1, 1, 1)), {}, floats(-1, 0, 1)),
            ("named", (f32,), {"y": floats(1, 1, 1)}, floats(-1, 0, 1)),
            ("named", (), {"y": f32, "x": [1.0, 2.0, 3.0]}, floats(-1, -2, -3)),
            ("keywords", (1,), {"p": 2, "q": 3}, 2),
            ("dict", ({"b": 3, "a": np.array([1, 2], np.int32)},), {},
             np.array([4, 5], np.int32)),
            ("sum", ([1, 2, 3, 2**40],), {}, 2**40 + 6),
            ("scalars", (1, -2, 2**40, 1.5), {}, (1, -2, 2**40, 1.5)),
            ("scalars", (1, -2, 3, np.array(1e-3)), {},
             (1, -2, 3, float(np.float32(1e-3)))),
            ("scalars", (1, -2, np.array(3), np.array(4)), {}, (1, -2, 3, 4)),
        ]
        for name, args, kwargs, want in rows:
            with self.subTest(name):
                got = abi[name](*args, **kwargs)
                if isinstance(want, np.ndarray):
                    self.assertEqual(got.dtype, want.dtype)
                    np.testing.assert_array_equal(got, want)
                else:
                    self.assertEqual(got, want)

    def test_structures(self):
        abi = load("abi_v1")
        slots = abi.dict_in_slots(4)
        self.assertEqual(sorted(slots), ["n", "v"])
        self.assertIsInstance(slots["n"], int)
        self.assertEqual(slots["v"].shape, (2,))
        nest = [(7, {"k": np.ones((3, 2), np.float32), "m": None}), [1, 2]]
        (number, inner), integers = abi.nest(nest)
        self.assertEqual(inner["k"].shape, (3, 2))
        self.assertIsNone(inner["m"])
        self.assertIsInstance(number, int)
        self.assertEqual(len(integers), 2)
        scalars = abi.scalars(-1, 2, -2**40, 0.5)
        self.assertIsInstance(scalars, tuple)
        self.assertEqual([type(item) for item in scalars],
                         [int, int, int, float])

    def test_strings(self):
        strings = load("strings")
        self.assertEqual(strings.hello(), b"hello, eyrie")
        texts = load("strings", text=True)
        self.assertEqual(texts.hello(), "hello, eyrie")
        self.assertEqual(texts.two_strings(), ["hello, eyrie", "HELLO, EYRIE"])
        abi = load("abi_v1")
        self.assertEqual(abi.strings("æøå", b"\0\xff"),
                         (b"\0\xff", "æøå".encode(), 2))

    def test_element_types(self):
        abi = load("abi_v1")
        row = np.array([1.5, -2], ml_dtypes.bfloat16)
        got = abi.small(np.float16(0.5), row, np.array([True, False]),
                        np.array([1, -2], np.int8))
        self.assertEqual(got[1].dtype, ml_dtypes.bfloat16)
        self.assertEqual(got[2].dtype, np.bool_)
        self.assertEqual(got[3].dtype, np.int8)
        self.assertEqual(load("f8").f8_to_f32().dtype, np.float32)

    def test_every_element_type_goes_both_ways(self):
        types = [np.bool_, np.complex64, np.complex128, np.float16, np.float32,
                 np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn,
                 ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz,
                 ml_dtypes.float8_e5m2fnuz]
        types += [f"{sign}int{bits}" for sign in ("", "u")
                  for bits in (8, 16, 32, 64)]
        types += [getattr(ml_dtypes, f"float{name}", np.bool_)  # since 0.5
                  for name in ("8_e8m0fnu", "6_e2m3fn", "6_e3m2fn", "4_e2m1fn")]
        for dtype in map(np.dtype, types):
            for shape in ((2, 3), (0, 2), ()):
                array = np.arange(6)[:int(np.prod(shape))].reshape(shape)
                array = array.astype(dtype)
                got = _core.copy(array)
                with self.subTest(f"{dtype}{shape}"):
                    self.assertEqual(got.dtype, dtype)
                    self.assertEqual(got.shape, shape)
                    self.assertEqual(got.tobytes(), array.tobytes())

    def test_other_values_go_both_ways(self):
        for value in (None, True, -1, 2**63, 1.5, b"a\0", [], [1, [None]],
                      (), (1, b""), {}, {"a\0b": [1.5]}):
            with self.subTest(repr(value)):
                self.assertEqual(_core.copy(value), value)
        self.assertEqual(_core.copy(np.float32(0.5)), 0.5)
        self.assertEqual(_core.copy(np.int8(-1)), -1)
        self.assertEqual(_core.copy("æ"), "æ".encode())

    def test_layouts(self):
        add = load("add").add
        many = np.arange(16, dtype=np.float32).reshape(4, 4)
        for row in (many[:, 1], many[2], many[::-1, 0], floats(1, 2, 3, 4),
                    np.array([1, 2, 3, 4], np.float16),
                    np.broadcast_to(floats(5), 4)):
            np.testing.assert_array_equal(
                add(row, floats(0, 0, 0, 0)), row.astype(np.float32))
        doubles = np.array([0.1, 2, 3, 4])
        with self.assertRaisesRegex(eyrie.Error, "allow_loss=True"):
            add(doubles, floats(0, 0, 0, 0))
        rounded = load("add", allow_loss=True).add(doubles, doubles)
        np.testing.assert_array_equal(rounded,
                                      2 * doubles.astype(np.float32))

    def test_errors(self):
        add = load("add").add
        row = floats(1, 2, 3, 4)
        cases = [
            ((row,), eyrie.Error, "missing argument 'input1'"),
            ((row, floats(1)), eyrie.Error, "expected 4"),
            ((row, object()), TypeError, "type object cannot be an argument"),
            ((row, row.astype(">c16")), TypeError, "cannot be converted"),
            ((row, None), TypeError, "None is given"),
            ((row, [1j] * 4), TypeError, "[0]: an array cf128 is given; f32"),
            ((row, np.array(["a"])), TypeError, "str"),
            ((row, {1: 2}), TypeError, "keys of a dict must be str"),
            ((row, 2**64), OverflowError, ""),
        ]
        for args, kind, text in cases:
            with self.subTest(text), self.assertRaises(kind) as caught:
                add(*args)
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(eyrie.Error) as caught:
            add(row)
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        endless = []
        endless.append(endless)
        with self.assertRaisesRegex(eyrie.ArgumentError, "1 .* 128 deep"):
            add(row, endless)
        with self.assertRaises(eyrie.Error) as caught:
            eyrie.load("/nonexistent.vmfb")
        self.assertEqual(caught.exception.code, "NOT_FOUND")
        with self.assertRaises(AttributeError) as caught:
            load("add").ad
        self.assertIn("it has add.", str(caught.exception))
        self.assertEqual(caught.exception.name, "ad")
        again = pickle.loads(pickle.dumps(eyrie_error()))
        self.assertEqual(again.code, "NOT_FOUND")
        self.assertIn("Cannot open", str(again))


class ErrorsTest(unittest.TestCase):
    """Classes and words of errors."""

    def test_classes(self):
        loops, add = load("loops"), load("add")
        rows = [
            (lambda: eyrie.load("/none.vmfb"), FileNotFoundError, "NOT_FOUND"),
            (lambda: load("loops", parameters="/none.irpa"), FileNotFoundError,
             "NOT_FOUND"),
            (lambda: load("loops", timeout=1e-6).sum_to(10**18), TimeoutError,
             "DEADLINE_EXCEEDED"),
            (lambda: load("loops", fuel=10).sum_to(10**9), eyrie.Error,
             "RESOURCE_EXHAUSTED"),
            (lambda: load("add", max_memory=1).add(floats(1), floats(1)),
             MemoryError, "RESOURCE_EXHAUSTED"),
            (lambda: loops.sum_to("a"), TypeError, "INVALID_ARGUMENT"),
            (lambda: loops.sum_to("a"), ValueError, "INVALID_ARGUMENT"),
            (lambda: loops.sum_to(object()), eyrie.ArgumentError,
             "INVALID_ARGUMENT"),
            (lambda: load("add", device="none"), eyrie.Error, "NOT_FOUND"),
            (lambda: add["add"](1), TypeError, "INVALID_ARGUMENT"),
        ]
        for run, kind, code in rows:
            with self.subTest(code=code, kind=kind):
                with self.assertRaises(kind) as caught:
                    run()
                self.assertIsInstance(caught.exception, eyrie.Error)
                self.assertIsInstance(caught.exception, RuntimeError)
                self.assertEqual(caught.exception.code, code)
                again = pickle.loads(pickle.dumps(caught.exception))
                self.assertEqual((type(again), str(again), again.code),
                                 (type(caught.exception),
                                  str(caught.exception), code))

    def test_words(self):
        rows = [
            ("null is given; 4xf32 is expected.",
             "None is given; 4xf32 is expected."),
            ("Argument 0: true is given.", "Argument 0: True is given."),
            ("x is null; y is expected.", "x is None; y is expected."),
            ("is not loaded without --allow_system_executables",
             "is not loaded without allow_system_executables=True"),
            ("(--parameters=model=FILE)", '(parameters="model=FILE")'),
            ("a nullable type", "a nullable type"),
        ]
        for message, want in rows:
            self.assertEqual(_errors.python_words(message), want)
        with self.assertRaisesRegex(eyrie.Error, "None is given"):
            load("add").add(None, None)


class ModelTest(unittest.TestCase):
    """Models as objects."""

    def test_closes(self):
        with load("counter") as counter:
            self.assertEqual(counter.next(), 1)
            function = counter.next
        for run in (function, counter.next, lambda: counter.functions,
                    lambda: counter.name, counter.sibling):
            with self.assertRaisesRegex(eyrie.Error, "The model is closed."):
                run()
        self.assertIn("closed", repr(counter))
        counter.close()  # again
        add = load("add")
        result = add.add(floats(1, 2, 3, 4), floats(1, 1, 1, 1))
        sibling = add.sibling()
        add.close()
        self.assertEqual(result.tolist(), [2, 3, 4, 5])
        self.assertEqual(sibling.add(result, result).tolist(), [4, 6, 8, 10])

    def test_functions_are_cached(self):
        add = load("add")
        self.assertIs(add.add, add.add)
        self.assertEqual(add.add, add["add"])
        self.assertEqual(list(add), ["add"])
        self.assertNotEqual(add.add, add.sibling().add)
        self.assertEqual(len({add.add, add["add"]}), 1)
        gone = weakref.ref(add)
        function = add.add
        del add
        self.assertIsNone(gone())
        self.assertEqual(function([1, 2, 3, 4], [0, 0, 0, 1])[3], 5)

    def test_html(self):
        text = load("abi_v1")._repr_html_()
        self.assertIn("<td>named</td><td>x: ?xf32, y: ?xf32</td>", text)
        self.assertIn("&lt;eyrie.Model", text)

    def test_several_modules(self):
        paths = [os.path.join(MODULES, "3.13", name + ".vmfb")
                 for name in ("counter", "loops")]
        try:
            both = eyrie.load(paths)
        except eyrie.Error as error:
            self.assertEqual(error.code, "INVALID_ARGUMENT")  # equal names
            self.assertIn("module", str(error))
            return
        self.assertEqual(both.sum_to(10), 45)

    def test_names(self):
        add = load("add")
        self.assertEqual(add.functions, ["add"])
        self.assertEqual(add.name, "module")
        self.assertIn("add", dir(add))
        self.assertTrue(add.add.signature.startswith("add(input0: 4xf32"))
        self.assertTrue(inspect.getdoc(add.add).startswith("add("))
        self.assertIn("add.vmfb", repr(add))

    def test_call_of_a_model(self):
        add = load("add")
        a, b = floats(1, 2, 3, 4), floats(5, 6, 7, 8)
        for result in (add(a, b), add(input0=a, input1=b),
                       add({"input0": a, "input1": b})):
            np.testing.assert_array_equal(result, a + b)
        self.assertEqual(
            add.inputs[0], ("input0", "4xf32", (4,), np.dtype("float32")))
        self.assertEqual(
            add.outputs, [("output0", "4xf32", (4,), np.dtype("float32"))])
        with self.assertRaisesRegex(eyrie.ArgumentError, "input1"):
            add({"input0": a})
        with self.assertRaisesRegex(TypeError, "sum_to"):
            load("loops")(1)

    def test_inferred_types(self):
        # Compilers of that time wrote no declarations.
        with open(os.path.join(MODULES, "20230209/archive.vmfb"), "rb") as file:
            model = eyrie.load(file.read())
        matmul = model["matmul"]
        self.assertEqual(
            matmul.signature,
            "matmul(input0: ?x?xf32, input1: ?x?xf32) -> ?x?xf32")
        self.assertEqual(matmul.inputs[0].shape, (None, None))
        product = matmul([[1, 2]], input1=[[3.0], [4.0]])
        np.testing.assert_array_equal(product, [[11]])
        with self.assertRaisesRegex(eyrie.ArgumentError, "'input1'"):
            matmul([[1, 2]], None)

    def test_bytes(self):
        with open(os.path.join(MODULES, "3.3/add.vmfb"), "rb") as file:
            data = file.read()
        for source in (data, bytearray(data), memoryview(data)):
            model = eyrie.load(source)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(
            again.add(floats(1, 1, 1, 1), floats(2, 2, 2, 2)),
            floats(3, 3, 3, 3))

    def test_pickles(self):
        counter = load("counter", fuel=10**6)
        self.assertEqual(counter.next(), 1)
        self.assertEqual(counter.next(), 2)
        # A pickle does not contain globals.
        self.assertEqual(pickle.loads(pickle.dumps(counter)).next(), 1)
        self.assertEqual(pickle.loads(pickle.dumps(counter.next))(), 1)

    def test_siblings_share_no_globals(self):
        counter = load("counter")
        counter.next()
        self.assertEqual(counter.sibling().next(), 1)
        self.assertEqual(counter.next(), 2)

    def test_limits(self):
        loops = load("loops", fuel=1000, timeout=3600)
        again = pickle.loads(pickle.dumps(loops))
        for model in (loops, again, loops.sibling()):
            with self.assertRaises(eyrie.Error) as caught:
                model.sum_to(10**9)
            self.assertEqual(caught.exception.code, "RESOURCE_EXHAUSTED")


class OptionsTest(unittest.TestCase):
    """Wrong options of load."""

    def test_bad(self):
        rows = [
            # option, value, error, text
            ("timeout", -1, ValueError, "timeout (-1) is not"),
            ("timeout", -1e-9, ValueError, "timeout (-1e-09) is not"),
            ("timeout", float("-inf"), ValueError, "timeout (-inf) is not"),
            ("timeout", float("nan"), ValueError, "timeout (nan) is not"),
            ("timeout", "1s", TypeError, "timeout ('1s') is not"),
            ("fuel", -1, ValueError, "fuel (-1) is not an integer"),
            ("fuel", 2**64, ValueError, "fuel (18446744073709551616) is not"),
            ("fuel", 1.5, TypeError, "fuel (1.5) is not"),
            ("max_memory", -1, ValueError, "max_memory (-1) is not an integer"),
            ("max_stack", "4k", TypeError, "max_stack ('4k') is not"),
            ("jit", "on", ValueError,
             "jit ('on') is not 'lazy', 'off' or 'eager'."),
            ("device", None, TypeError, "device (None) is not a name, an"),
            ("device", [1], TypeError, "device ([1]) is not a name, an"),
            ("parameters", 3, TypeError, "parameters is not a string, a dict"),
            ("parameters", "/no/such.irpa", eyrie.Error, "/no/such.irpa"),
            ("text", "yes", TypeError, "text ('yes') is not True or False"),
        ]
        for option, value, kind, text in rows:
            with self.subTest(f"{option}={value}"):
                with self.assertRaises(kind) as caught:
                    load("loops", **{option: value})
                self.assertIn(text, str(caught.exception))

    def test_jit(self):
        for jit in ("lazy", "off", "eager"):
            with self.subTest(jit):
                self.assertEqual(load("loops", jit=jit).sum_to(30_000),
                                 load("loops").sum_to(30_000))

    def test_good_timeouts(self):
        for timeout in (None, 0, 3600, float("inf"), 1e300, np.float32(3600)):
            with self.subTest(timeout):
                self.assertEqual(load("loops", timeout=timeout).sum_to(10), 45)
        # No timeout is too short.
        with self.assertRaises(eyrie.Error) as caught:
            load("loops", timeout=1e-12).sum_to(10**18)
        self.assertEqual(caught.exception.code, "DEADLINE_EXCEEDED")


def count_in_child(model, queue):
    queue.put((model.next(), model.next()))


def add_in_child(add, queue):
    queue.put(add(floats(1, 1, 1, 1), floats(2, 2, 2, 2)).tolist())


class ProcessesTest(unittest.TestCase):
    """Threads, forks and event loops."""

    def test_the_gil_is_released(self):
        loops = load("loops")
        begun = threading.Event()

        def call():
            begun.set()
            with self.assertRaises(eyrie.Error) as caught:
                loops.sum_to(10**15)
            self.assertEqual(caught.exception.code, "CANCELLED")

        with ThreadPoolExecutor() as pool:
            future = pool.submit(call)
            begun.wait()
            for _ in range(3):  # Python works while the call is running
                time.sleep(0.01)
            self.assertFalse(future.done())
            while not loops.cancel():
                time.sleep(0.01)
            future.result(timeout=60)

    def test_threads_take_turns(self):
        counter = load("counter")
        with ThreadPoolExecutor(4) as pool:
            seen = list(pool.map(lambda _: counter.next(), range(200)))
        self.assertEqual(sorted(seen), list(range(1, 201)))

    def test_threads_with_arrays(self):
        add = load("add").add

        def call(i):
            return add(floats(i, i, i, i), floats(1, 2, 3, 4))[0]

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(call, range(100))),
                             [i + 1 for i in range(100)])

    def test_forks(self):
        context = multiprocessing.get_context("fork")
        for device in ("local-sync", "local-task"):
            with self.subTest(device):
                counter = load("counter", device=device)
                add = load("add", device=device).add
                add(floats(1, 1, 1, 1), floats(2, 2, 2, 2))
                self.assertEqual(counter.next(), 1)
                for target, given, want in (
                        (count_in_child, counter, (1, 2)),
                        (add_in_child, add, [3.0, 3.0, 3.0, 3.0])):
                    queue = context.Queue()
                    child = context.Process(target=target,
                                            args=(given, queue))
                    child.start()
                    self.assertEqual(queue.get(timeout=60), want)
                    child.join(60)
                    self.assertEqual(child.exitcode, 0)
                self.assertEqual(counter.next(), 2)

    def test_asyncio_calls_that_wait_hold_no_threads(self):
        loops, add = load("loops"), load("add").add

        async def main():
            waiting = [asyncio.create_task(loops.sum_to.aio(10**18))
                       for _ in range(100)]
            await asyncio.sleep(0.05)
            threads = threading.active_count()
            begun = time.monotonic()
            for _ in range(20):
                await add.aio(floats(1, 1, 1, 1), floats(1, 1, 1, 1))
            took = time.monotonic() - begun
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return threads, took

        before = threading.active_count()
        threads, took = asyncio.run(main())
        self.assertLessEqual(threads, before + 2)
        self.assertLess(took, 5)
        # A queue goes on after a call that was cancelled.
        self.assertEqual(loops.sum_to(10), 45)

    def test_asyncio_busy_models_take_turns(self):
        loops, add = load("loops"), load("add").add

        async def main():
            queued = [asyncio.create_task(loops.sum_to.aio(10**6))
                      for _ in range(100)]
            await asyncio.sleep(0)
            await add.aio(floats(1, 1, 1, 1), floats(1, 1, 1, 1))
            left = [task for task in queued if not task.done()]
            await asyncio.gather(*queued)
            return len(left)

        with unittest.mock.patch.object(_asyncio, "_pool",
                                        ThreadPoolExecutor(1)):
            self.assertGreater(asyncio.run(main()), 0)

    def test_asyncio(self):
        loops, add = load("loops"), load("add").add

        async def main():
            long = asyncio.create_task(loops.sum_to.aio(3 * 10**6))
            rows = await asyncio.gather(*(
                add.aio(floats(i, i, i, i), floats(1, 1, 1, 1))
                for i in range(8)))
            return await long, [row[0] for row in rows]

        total, firsts = asyncio.run(main())
        self.assertEqual(firsts, [i + 1 for i in range(8)])
        self.assertGreater(total, 0)


if __name__ == "__main__":
    unittest.main()
