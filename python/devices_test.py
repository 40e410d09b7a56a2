"""Tests of eyrie.Device and eyrie.devices: devices_test.py <tests/modules>.

Run by python_test.sh.
"""

import multiprocessing
import os
import pickle
import sys
import threading
import time
import unittest

# Threads are counted below, and those of NumPy's library end at a fork.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402  pylint: disable=wrong-import-position

import eyrie  # noqa: E402  pylint: disable=wrong-import-position

MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"
ADD = os.path.join(MODULES, "3.13", "add.vmfb")
MATMUL = os.path.join(MODULES, "3.13", "matmul.vmfb")
ONES = np.ones(4, np.float32)


def threads():
    """Returns the number of threads of this process."""
    return len(os.listdir("/proc/self/task"))


BEFORE = threads()


def use_threads(model):
    """Calls a function whose work is shared by all threads."""
    square = np.ones((512, 512), np.float32)
    for _ in range(10):
        assert model.matmul_dynamic(square, square)[7, 7] == 512


class DevicesTest(unittest.TestCase):

    def setUp(self):
        self.check_that_all_have_ended()

    def check_that_all_have_ended(self):
        """Waits, because /proc shows a thread for a moment after its end."""
        end = time.monotonic() + 20
        while threads() != BEFORE:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def check_add(self, model):
        self.assertEqual(model.add(ONES, ONES).tolist(), [2, 2, 2, 2])

    def test_list(self):
        rows = eyrie.devices()
        names = [row.name for row in rows]
        self.assertIn("local-sync://", names)
        self.assertIn("local-task://", names)
        for row in rows:
            self.assertTrue(row.driver and row.description, row)
            self.assertEqual(row.error == "", row.name != "", row)
            self.assertIsInstance(row.properties, dict)

    def test_models_share_threads(self):
        device = eyrie.Device("local-task", threads=3)
        models = [eyrie.load(MATMUL, device=device) for _ in range(3)]
        for model in models:
            use_threads(model)
            use_threads(model.sibling())
        # They start when there is work; the third one is the caller's.
        self.assertIn(threads() - BEFORE, (1, 2))
        device = None
        use_threads(models[0])
        del model, models
        self.check_that_all_have_ended()

    def test_threads_of_load(self):
        with eyrie.load(MATMUL, device="local-task", threads=3) as model:
            use_threads(model)
            self.assertIn(threads() - BEFORE, (1, 2))
        self.check_that_all_have_ended()

    def test_several(self):
        device = eyrie.Device()
        self.assertEqual(device.name, "local-sync")
        self.check_add(eyrie.load(ADD, device=[device, "local-task"]))

    def test_close_of_a_model_keeps_the_device(self):
        device = eyrie.Device("local-task")
        with eyrie.load(ADD, device=device) as model:
            self.check_add(model)
        self.check_add(eyrie.load(ADD, device=device))

    def test_pickle(self):
        device = pickle.loads(pickle.dumps(eyrie.Device("local-task",
                                                        threads=2)))
        self.assertEqual(repr(device), "<eyrie.Device local-task>")
        model = eyrie.load(ADD, device=device)
        self.check_add(pickle.loads(pickle.dumps(model)))

    def test_fork(self):
        device = eyrie.Device("local-task", threads=2)
        model = eyrie.load(ADD, device=device)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.check_add(model)
                self.check_add(eyrie.load(ADD, device=device))
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.check_add(model)

    def test_isolated(self):
        model = eyrie.load(ADD, isolate=True)
        np.testing.assert_array_equal(model.add(ONES, ONES), 2 * ONES)
        child = os.fork()
        if child == 0:  # loads the model again, with a process of its own
            right = (model.add(ONES, ONES) == 2 * ONES).all()
            os._exit(0 if right else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        np.testing.assert_array_equal(model.add(ONES, ONES), 2 * ONES)
        device = pickle.loads(pickle.dumps(eyrie.Device(isolate=True)))
        shared = eyrie.load(ADD, device)
        np.testing.assert_array_equal(shared.add(ONES, ONES), 2 * ONES)
        with self.assertRaisesRegex(eyrie.Error, "cannot be isolated"):
            eyrie.Device("vulkan", isolate=True)

    def test_isolated_arrays_in_a_fork(self):
        """Parent and child have copies of a result from before the fork."""
        context = multiprocessing.get_context("fork")
        for results in ("numpy", "device"):
            with self.subTest(results):
                model = eyrie.load(ADD, isolate=True, results=results)
                given = model.add(ONES, ONES)
                array = np.asarray(given)
                ready, go = context.Event(), context.Event()
                queue = context.Queue()

                def use():
                    array[0] = 7
                    ready.set()
                    go.wait(60)
                    again = np.asarray(model.add(given, ONES))
                    queue.put((array.tolist(), again.tolist()))

                child = context.Process(target=use)
                child.start()
                self.assertTrue(ready.wait(60))
                self.assertEqual(array.tolist(), [2, 2, 2, 2])
                array[0] = 5
                go.set()
                self.assertEqual(queue.get(timeout=60),
                                 ([7, 2, 2, 2], [8, 3, 3, 3]))
                child.join(60)
                self.assertEqual(child.exitcode, 0)
                self.assertEqual(
                    np.asarray(model.add(given, ONES)).tolist(), [6, 3, 3, 3])

    def test_many_python_threads(self):
        device = eyrie.Device("local-task", threads=2)
        failures = []

        def run():
            try:
                for _ in range(20):
                    self.check_add(eyrie.load(ADD, device=device))
            except Exception as error:  # shown below
                failures.append(error)
        runners = [threading.Thread(target=run) for _ in range(4)]
        for runner in runners:
            runner.start()
        for runner in runners:
            runner.join()
        self.assertEqual(failures, [])

    def test_errors(self):
        rows = [
            (lambda: eyrie.Device("nothing"), eyrie.Error, "nothing"),
            (lambda: eyrie.Device("local-task", threads=-1), ValueError,
             "threads (-1) is not an integer from 0 to 2**32 - 1."),
            (lambda: eyrie.Device("local-task", threads=2.5), TypeError,
             "threads (2.5) is not an integer"),
            (lambda: eyrie.Device("local-task", threads=10**6), eyrie.Error,
             "1000000"),
            (lambda: eyrie.Device("local-task", cpus="x"), eyrie.Error, "x"),
            (lambda: eyrie.Device("local-task", spin=1e9), ValueError,
             "spin (1000000000.0) is not a number of seconds from 0 to 1e+06."),
            (lambda: eyrie.Device(3), TypeError, "name (3) is not a string."),
            (lambda: eyrie.Device(jit="x"), ValueError, "jit ('x') is not"),
            (lambda: eyrie.load(ADD, device=3), TypeError,
             "device (3) is not a name, an eyrie.Device or a list of these."),
            (lambda: eyrie.load(ADD, device=[ONES]), TypeError, "device ("),
            (lambda: eyrie.load(ADD, device=eyrie.Device(), jit="off"),
             ValueError, "jit ('off') is an option of the eyrie.Device, which "
             "is already open."),
            (lambda: eyrie.load(ADD, device=[eyrie.Device(), "x"], threads=2),
             ValueError, "threads (2) is an option of the eyrie.Device"),
        ]
        for make, kind, message in rows:
            with self.subTest(message), self.assertRaises(kind) as caught:
                make()
            self.assertIn(message, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
