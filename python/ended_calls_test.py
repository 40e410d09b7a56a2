"""Tests of calls that end early, and of the log. Run by python_test.sh.

python ended_calls_test.py <tests/modules> <talker.vmfb>
"""

import asyncio
import contextlib
import logging
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import eyrie

TALKER = sys.argv.pop(2) if len(sys.argv) > 2 else "talker.vmfb"
MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"
FOR_EVER = 10**18
SOON = 10  # seconds, enough on a busy machine
DEVICES = ("local-sync", "local-task")


def load(name, **options):
    return eyrie.load(os.path.join(MODULES, "3.13", name + ".vmfb"), **options)


@contextlib.contextmanager
def interrupted(after):
    """Sends Ctrl-C from a thread."""
    thread = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    try:
        thread.start()
        yield
    finally:
        thread.join()


@contextlib.contextmanager
def running(function, *args):
    """Makes a call on a thread, which lasts until its model is cancelled."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(function, *args)
        time.sleep(0.05)
        try:
            yield future
        finally:
            while not future.done():
                function.model.cancel()
                time.sleep(0.01)


class Test(unittest.TestCase):
    """Code that several tests share."""

    @contextlib.contextmanager
    def soon(self):
        begun = time.monotonic()
        yield
        self.assertLess(time.monotonic() - begun, SOON)

    @contextlib.contextmanager
    def fails(self, code):
        with self.assertRaises(eyrie.Error) as caught:
            yield
        self.assertEqual(caught.exception.code, code)


class FreshContextTest(Test):
    """A model can be used after one of its calls was ended."""

    def test_limits(self):
        for limit, code in (({"fuel": 1000}, "RESOURCE_EXHAUSTED"),
                            ({"timeout": 0.2}, "DEADLINE_EXCEEDED")):
            with self.subTest(code):
                talker = eyrie.load(TALKER, **limit)
                for _ in range(3):
                    self.assertEqual(talker.next(), 1)
                    self.assertEqual(talker.next(), 2)
                    with self.fails(code):
                        talker.endless()

    def test_cancel(self):
        talker = eyrie.load(TALKER)
        self.assertFalse(talker.cancel())
        self.assertEqual(talker.next(), 1)
        with running(talker.endless) as future:
            self.assertTrue(talker.cancel())
            with self.fails("CANCELLED"):
                future.result(SOON)
        self.assertEqual(talker.next(), 1)
        self.assertFalse(talker.cancel())
        self.assertEqual(talker.next(), 2)

    def test_limits_of_a_call_leave_globals_alone(self):
        talker = eyrie.load(TALKER, fuel=10**12, timeout=3600)
        for number, options in (1, {"timeout": 0.02}), (2, {"fuel": 1000}):
            with self.subTest(options), self.assertRaises(eyrie.Error):
                talker.endless.options(**options)()
            self.assertEqual(talker.next.options(**options)(), number)

    def test_other_errors_leave_globals_alone(self):
        talker = eyrie.load(TALKER, fuel=1000)
        self.assertEqual(talker.next(), 1)
        with self.fails("INVALID_ARGUMENT"):
            talker.next(1)
        with self.assertRaises(TypeError):
            talker.talk(object())
        self.assertEqual(talker.next(), 2)

    def test_what_waits_its_turn_goes_on(self):
        talker = eyrie.load(TALKER)
        with running(talker.endless), ThreadPoolExecutor(4) as pool:
            others = [pool.submit(talker.next) for _ in range(4)]
            talker.cancel()
            self.assertEqual(sorted(other.result(SOON) for other in others),
                             [1, 2, 3, 4])


class AsyncioTest(Test):
    """Tasks that are cancelled end their calls."""

    def test_a_cancelled_task_ends_its_call(self):
        for device in DEVICES:
            loops = load("loops", device=device)

            async def main(f):
                task = asyncio.create_task(f.aio(FOR_EVER))
                await asyncio.sleep(0.05)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                return await f.aio(10)

            with self.subTest(device), self.soon():
                self.assertEqual(asyncio.run(main(loops.sum_to)), 45)

    def test_a_cancelled_task_leaves_globals_alone(self):
        async def main(talker):
            for number in range(1, 20):
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(talker.endless.aio(), 0.01)
                self.assertEqual(await talker.next.aio(), number)

        asyncio.run(main(eyrie.load(TALKER)))

    def test_wait_for(self):
        loops = load("loops")

        async def main():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(loops.sum_to.aio(FOR_EVER), 0.05)

        with self.soon():
            asyncio.run(main())
        self.assertEqual(loops.sum_to(10), 45)

    def test_what_is_left_running_ends_with_the_loop(self):
        loops = load("loops")

        async def main():
            asyncio.create_task(loops.sum_to.aio(FOR_EVER))
            await asyncio.sleep(0.05)
            return 1

        with self.soon():
            self.assertEqual(asyncio.run(main()), 1)

    def test_one_of_many(self):
        """The cancelled call is running, is waiting, or has no thread yet."""
        loops = load("loops")

        async def main(victim):
            tasks = [asyncio.create_task(loops.sum_to.aio(1000 + i))
                     for i in range(victim)]
            tasks.append(asyncio.create_task(loops.sum_to.aio(FOR_EVER)))
            tasks += [asyncio.create_task(loops.sum_to.aio(1000 + i))
                      for i in range(victim + 1, 60)]
            await asyncio.sleep(random.random() / 20)
            tasks[victim].cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            self.assertIsInstance(done.pop(victim), asyncio.CancelledError)
            numbers = [1000 + i for i in range(60) if i != victim]
            self.assertEqual(done, [n * (n - 1) // 2 for n in numbers])

        for victim in (0, 1, 5, 30, 59):
            with self.subTest(victim), self.soon():
                asyncio.run(main(victim))

    def test_who_waits_is_cancelled_and_who_runs_is_not(self):
        loops = load("loops")

        async def main():
            first = asyncio.create_task(loops.sum_to.aio(FOR_EVER))
            await asyncio.sleep(0.05)
            second = asyncio.create_task(loops.sum_to.aio(FOR_EVER))
            await asyncio.sleep(0.05)
            second.cancel()
            await asyncio.sleep(0.1)
            self.assertTrue(second.done())
            self.assertFalse(first.done())
            loops.cancel()
            with self.fails("CANCELLED"):
                await first

        with self.soon():
            asyncio.run(main())

    def test_ctrl_c(self):
        loops = load("loops")
        with self.soon(), self.assertRaises(KeyboardInterrupt):
            with interrupted(0.1):
                asyncio.run(loops.sum_to.aio(FOR_EVER))
        self.assertEqual(loops.sum_to(10), 45)


class CtrlCTest(Test):
    """Ctrl-C in calls of the main thread."""

    def assert_ctrl_c_ends(self, after, function, *args):
        with self.soon(), self.assertRaises(KeyboardInterrupt):
            with interrupted(after):
                function(*args)

    def test_ends_a_call(self):
        for device in DEVICES:
            with self.subTest(device):
                loops = load("loops", device=device)
                self.assert_ctrl_c_ends(0.1, loops.sum_to, FOR_EVER)
                self.assertEqual(loops.sum_to(10), 45)

    def test_ends_a_call_that_launches_kernels(self):
        for device in DEVICES:
            with self.subTest(device):
                loops = load("loops", device=device)
                self.assert_ctrl_c_ends(0.1, loops.power,
                                        np.eye(2, dtype=np.float32), FOR_EVER)

    def test_at_any_moment(self):
        """Ctrl-C just before the call, at its beginning, and during it."""
        talker = eyrie.load(TALKER)
        for _ in range(200):
            self.assert_ctrl_c_ends(random.random() / 1000, talker.endless)
        self.assertEqual(talker.next(), 1)

    def test_between_small_calls(self):
        talker = eyrie.load(TALKER)

        def count():
            while True:
                talker.next()

        for _ in range(50):
            self.assert_ctrl_c_ends(random.random() / 1000, count)

    def test_behind_an_event_loop(self):
        """asyncio.run has installed and removed its own handler."""
        loops = load("loops")

        async def main():
            return loops.sum_to(10) + await loops.sum_to.aio(10)

        for _ in range(3):
            self.assertEqual(asyncio.run(main()), 90)
            time.sleep(0.02)
            self.assert_ctrl_c_ends(0.02, loops.sum_to, FOR_EVER)

    def test_while_it_waits_its_turn(self):
        loops = load("loops")
        with running(loops.sum_to, FOR_EVER) as other:
            self.assert_ctrl_c_ends(0.05, loops.sum_to, 10)
            self.assertFalse(other.done())

    def test_leaves_calls_of_other_threads_alone(self):
        loops = load("loops")
        with running(loops.sum_to, FOR_EVER) as other:
            self.assert_ctrl_c_ends(0.05, time.sleep, 2 * SOON)
            time.sleep(0.05)
            self.assertFalse(other.done())

    def test_a_handler_of_ones_own_sees_the_call_return(self):
        loops = load("loops")
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            begun = time.monotonic()
            want = loops.sum_to(10**7)
            with interrupted((time.monotonic() - begun) / 3):
                self.assertEqual(loops.sum_to(10**7), want)
            self.assertEqual(seen, [1])
        finally:
            signal.signal(signal.SIGINT, before)


# Programs with calls that are running when the program ends or is interrupted.
DAEMONS = """
import logging, sys, threading, time, eyrie
logging.basicConfig(level=logging.INFO, filename="/dev/null")
function = getattr(eyrie.load(sys.argv[1]), "{}")
def go():
    while True:
        function(*({}))
for _ in range(3):
    threading.Thread(target=go, daemon=True).start()
time.sleep(0.1)
"""
CTRL_C = """
import asyncio, sys, eyrie
talker = eyrie.load(sys.argv[1])
print("begun", flush=True)
{}
"""


# An exit handler, which Python calls before or after that of the package. It
# calls a model, starts a thread that does, or joins a running one.
HANDLERS = """
import atexit, sys, threading
begun = threading.Event()
stops = threading.Event()

def call():
    print(model.add(one, one)[0], flush=True)

def in_a_thread():
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()

def go():
    while not stops.is_set():
        model.add(one, one)
        begun.set()

def join_running():
    stops.set()
    running.join()
    call()

running = threading.Thread(target=go, daemon=True)
if sys.argv[3] == "earlier":
    atexit.register({0})
import numpy, eyrie
if sys.argv[3] == "later":
    atexit.register({0})
one = numpy.ones(4, numpy.float32)
model = eyrie.load(sys.argv[1], device=sys.argv[2])
if "{0}" == "join_running":
    running.start()
    begun.wait()
"""


class ExitTest(Test):
    """Programs with calls that are running at exit."""

    def test_handlers(self):
        # Python 3.12 and later cannot start threads at exit.
        handlers = ("call", "in_a_thread", "join_running")
        if sys.version_info >= (3, 12):
            handlers = ("call", "join_running")
        for device in (*DEVICES, "vulkan"):
            path = os.path.join(
                MODULES, "3.13",
                "add.vulkan.vmfb" if device == "vulkan" else "add.vmfb")
            try:
                eyrie.load(path, device=device)
            except eyrie.Error as error:
                self.assertEqual(error.code, "UNAVAILABLE")
                print(f"Skipping {device}: {error}")
                continue
            for handler in handlers:
                for when in ("earlier", "later"):
                    with self.subTest(handler, device=device, when=when):
                        done = subprocess.run(
                            [sys.executable, "-c", HANDLERS.format(handler),
                             path, device, when],
                            capture_output=True, check=False, timeout=60)
                        self.assertEqual(
                            (done.returncode, done.stdout, done.stderr),
                            (0, b"2.0\n", b""))

    def test_daemons(self):
        for name, args in (("next", ()), ("talk", (1,)), ("endless", ())):
            with self.subTest(name):
                done = subprocess.run(
                    [sys.executable, "-c", DAEMONS.format(name, args), TALKER],
                    capture_output=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_ctrl_c(self):
        for call in ("talker.endless()", "asyncio.run(talker.endless.aio())"):
            with self.subTest(call), subprocess.Popen(
                    [sys.executable, "-c", CTRL_C.format(call), TALKER],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                child.stdout.readline()
                time.sleep(0.1)
                child.send_signal(signal.SIGINT)
                _, errors = child.communicate(timeout=60)
                self.assertEqual(child.returncode, -signal.SIGINT)
                # After it comes what __deinit says, if the context is usable.
                self.assertIn(b"\nKeyboardInterrupt\n", errors)

    def test_ctrl_c_in_a_fork(self):
        talker = eyrie.load(TALKER)
        self.assertEqual(talker.next(), 1)
        child = os.fork()
        if child == 0:
            try:
                with interrupted(0.1):
                    talker.endless()
            except KeyboardInterrupt:
                os._exit(talker.next() + 6)
            finally:
                os._exit(1)
        with self.soon():
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]),
                             7)
        self.assertEqual(talker.next(), 2)


class LogTest(Test):
    """Messages of the runtime as log records."""

    def test_records(self):
        talker = eyrie.load(TALKER)
        with self.assertLogs("eyrie", logging.INFO) as seen:
            self.assertEqual(talker.talk(7), 7)
        self.assertEqual(seen.output, ["INFO:eyrie.module:at(7)",
                                       "INFO:eyrie.module:trace by(7)"])
        with self.assertLogs("eyrie", logging.INFO) as seen:
            del talker
        self.assertEqual(len(seen.output), 1)
        self.assertIn("WARNING:eyrie:A module fails when its context ends: "
                      "not now", seen.output[0])

    def test_tensors(self):
        for device in DEVICES:
            with self.subTest(device), \
                    self.assertLogs("eyrie.module", logging.INFO) as seen:
                load("trace", device=device).traced(
                    np.ones((2, 2), np.float32))
            self.assertEqual(seen.output[0].split("\n")[:2],
                             ["INFO:eyrie.module:=== doubled ===",
                              "2x2xf32=[2 2][2 2]"])

    def test_many_threads(self):
        talker = eyrie.load(TALKER)
        siblings = [talker.sibling() for _ in range(4)]
        with self.assertLogs("eyrie.module", logging.INFO) as seen, \
                ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda i: siblings[i % 4].talk(i), range(100)))
        self.assertEqual(
            sorted(seen.output),
            sorted([f"INFO:eyrie.module:at({i})" for i in range(100)] +
                   [f"INFO:eyrie.module:trace by({i})" for i in range(100)]))
        logging.disable()
        del siblings, talker
        logging.disable(logging.NOTSET)

    def test_an_exception_of_a_filter_ends_the_call(self):
        """Also an exception before the call, while a new context is created."""
        def refuse(record):
            raise error(record.getMessage())

        logger = logging.getLogger("eyrie.module")
        level = logger.level
        for error in (ZeroDivisionError, KeyboardInterrupt):
            talker, other = eyrie.load(TALKER), eyrie.load(TALKER)
            logger.setLevel(logging.INFO)
            logger.addFilter(refuse)
            try:
                with self.subTest(error), self.soon():
                    with self.assertRaisesRegex(error, r"at\(3\)"):
                        talker.talk(3)
                    with self.assertRaisesRegex(error, "begins"):
                        talker.next()
                    with self.assertRaisesRegex(error, "endless"):
                        other.talk_endlessly()
            finally:
                logger.removeFilter(refuse)
                logger.setLevel(level)
            self.assertEqual(talker.talk(3), 3)
            self.assertEqual(pickle.loads(pickle.dumps(talker)).next(), 1)


if __name__ == "__main__":
    logging.getLogger("eyrie").addHandler(logging.NullHandler())
    unittest.main()
