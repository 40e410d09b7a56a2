"""Starts kserve_models.py and asks it over HTTP and gRPC with tritonclient.

DIGITS is the path of digits.vmfb, and MODULES the folder of test modules. The
tests skip if KServe or tritonclient is missing, and print the reason.

Run by recipes_test.sh.
"""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.datasets import load_digits

import eyrie

DIGITS, MODULES = os.environ["DIGITS"], os.environ["MODULES"]
SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "kserve_models.py")
MODELS = [f"digits={DIGITS}", f"sum={MODULES}/loops.vmfb#sum_to",
          f"double={MODULES}/shapes.vmfb#double",
          f"lookup={MODULES}/lookup.vmfb",
          f"bf16={MODULES}/casts.vmfb#bf16_to_f32",
          f"strings={MODULES}/abi_v1.vmfb#strings"]
TYPES = {"float32": "FP32", "int32": "INT32", "int64": "INT64",
         "object": "BYTES"}
MISSING = [name for name in ("kserve", "tritonclient")
           if not importlib.util.find_spec(name)]


def free_port():
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


class ServingTest(unittest.TestCase):
    """One server, which each test asks over both protocols."""

    @classmethod
    def setUpClass(cls):
        if MISSING:
            print(f"SKIPPED: kserve_models: no module {MISSING}.")
            raise unittest.SkipTest(f"no module {MISSING}")
        from tritonclient import grpc, http
        cls.log = tempfile.TemporaryFile("w+")  # a pipe would become full
        ports = free_port(), free_port()
        cls.server = subprocess.Popen(
            [sys.executable, SERVER, *MODELS, f"--http_port={ports[0]}",
             f"--grpc_port={ports[1]}", "--batch=4", "--batch_wait=0.2",
             "--deadline=1", "--isolate"],
            stdout=cls.log, stderr=subprocess.STDOUT)
        cls.url = f"http://localhost:{ports[0]}"
        cls.clients = {
            http: http.InferenceServerClient(f"localhost:{ports[0]}"),
            grpc: grpc.InferenceServerClient(f"localhost:{ports[1]}")}
        while True:
            try:
                if cls.clients[grpc].is_server_ready():
                    break
            except Exception:  # pylint: disable=broad-except
                if cls.server.poll() is not None:
                    raise AssertionError(cls.lines()) from None
                time.sleep(0.1)

    @classmethod
    def tearDownClass(cls):
        for client in cls.clients.values():
            client.close()
        cls.server.send_signal(signal.SIGINT)
        assert cls.server.wait(timeout=30) == 0, cls.lines()
        assert "No batches of classify" in cls.lines(), cls.lines()
        cls.log.close()

    @classmethod
    def lines(cls):
        """Returns what the server has written."""
        cls.log.seek(0)
        return cls.log.read()

    def ask(self, protocol, model, *arrays, name="input"):
        """Returns the results of a model as a list."""
        inputs = []
        for index, array in enumerate(arrays):
            inputs.append(protocol.InferInput(
                f"{name}{index}", list(array.shape), TYPES[array.dtype.name]))
            inputs[-1].set_data_from_numpy(array)
        answer = self.clients[protocol].infer(model, inputs)
        outputs = self.metadata(protocol, model)["outputs"]
        return [answer.as_numpy(output["name"]) for output in outputs]

    def metadata(self, protocol, model):
        is_grpc = protocol.__name__.endswith("grpc")
        options = {"as_json": True} if is_grpc else {}
        return self.clients[protocol].get_model_metadata(model, **options)

    def refuses(self, status, text, model, *arrays, **options):
        """Both protocols answer with a status: that of HTTP, that of gRPC."""
        from tritonclient.utils import InferenceServerException
        for protocol, code in zip(self.clients, status):
            with self.assertRaisesRegex(InferenceServerException, text) as got:
                self.ask(protocol, model, *arrays, **options)
            self.assertIn(code, got.exception.status())

    def metrics(self, prefix):
        with urllib.request.urlopen(self.url + "/metrics") as page:
            lines = page.read().decode().splitlines()
        return {line.split()[0]: float(line.split()[1]) for line in lines
                if line.startswith(prefix)}

    def test_metadata(self):
        for protocol in self.clients:
            for model, name, kind, shape in [
                    ("digits", "input0", "FP32", [8, 8]),
                    ("sum", "input0", "INT64", []),
                    ("double", "input0", "FP32", [-1]),
                    ("strings", "input0", "BYTES", [1])]:
                first = self.metadata(protocol, model)["inputs"][0]
                self.assertEqual((first["name"], first["datatype"]),
                                 (name, kind))
                self.assertEqual([int(size) for size in first.get("shape", [])],
                                 shape)

    def test_results(self):
        pictures, _ = load_digits(return_X_y=True)
        pictures = pictures.reshape(-1, 8, 8).astype(np.float32)[:100]
        model = eyrie.load(DIGITS)
        for protocol in self.clients:
            for picture in pictures:
                np.testing.assert_array_equal(
                    self.ask(protocol, "digits", picture)[0],
                    model.classify(picture))
            got = self.ask(protocol, "bf16", np.float32([1.001, 2, 3, 4]))
            self.assertEqual(got[0].tolist(), [1, 2, 3, 4])
            got = self.ask(protocol, "strings", np.array(["a"], object),
                           np.array(["b"], object))
            self.assertEqual([got[0][0], got[1][0]], [b"b", b"a"])

    def test_json(self):
        body = {"inputs": [{"name": "input0", "datatype": "FP32", "shape": [3],
                            "data": [1, 2, 3]}]}
        request = urllib.request.Request(
            self.url + "/v2/models/double/infer", json.dumps(body).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            got = json.load(answer)["outputs"][0]
        self.assertEqual((got["shape"], got["data"]), ([3], [2, 4, 6]))
        body["inputs"][0]["shape"] = [4]
        request.data = json.dumps(body).encode()
        with self.assertRaises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(request)
        with error.exception:
            self.assertEqual(error.exception.code, 400)

    def test_batches(self):
        before = self.metrics("eyrie_batch_rows")
        with ThreadPoolExecutor(4) as pool:
            _, grpc = self.clients
            got = list(pool.map(lambda i: self.ask(
                grpc, "double", np.full(1, i, np.float32))[0][0], range(40)))
        self.assertEqual(got, list(range(0, 80, 2)))
        after = self.metrics("eyrie_batch_rows")
        calls, rows = (
            after[key] - before.get(key, 0) for key in (
                'eyrie_batch_rows_count{model_name="double"}',
                'eyrie_batch_rows_sum{model_name="double"}'))
        self.assertEqual(rows, 40)
        self.assertLess(calls, 30)

    def test_deadline(self):
        self.refuses(("504", "DEADLINE_EXCEEDED"), "not end within 1.0 s",
                     "sum", np.array(10**13))
        for protocol in self.clients:
            self.assertEqual(self.ask(protocol, "sum", np.array(9))[0], 36)
        calls = self.metrics("eyrie_calls_total")
        self.assertEqual(calls['eyrie_calls_total{code="DEADLINE_EXCEEDED",'
                               'model_name="sum"}'], 2)

    def test_errors(self):
        wrong = "400", "INVALID_ARGUMENT"
        picture = np.ones((8, 8), np.float32)
        self.refuses(wrong, "dimension 0 is 5, expected 8", "digits",
                     picture[:5])
        self.refuses(wrong, "INT32", "digits", picture.astype(np.int32))
        self.refuses(wrong, "'x0': 'FP32'", "digits", picture, name="x")
        self.refuses(wrong, "5.* rows", "double", np.ones(5, np.float32))
        self.refuses(("404", "NOT_FOUND"), "other", "other", picture)

    def test_starts(self):
        """A model that cannot be loaded ends the server with a sentence."""
        done = subprocess.run([sys.executable, SERVER, "gone.vmfb"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "error: Cannot open .*gone.vmfb")

    def test_faults(self):
        """A fault ends a call. The next one loads the module again."""
        table = np.arange(8, dtype=np.float32).reshape(4, 2)
        self.refuses(("500", "INTERNAL"), "SIGSEGV", "lookup", table,
                     np.array([3, 999999999999]))
        for protocol in self.clients:
            got = self.ask(protocol, "lookup", table, np.array([3, 0]))[0]
            np.testing.assert_array_equal(got, table[[3, 0]])


if __name__ == "__main__":
    unittest.main()
