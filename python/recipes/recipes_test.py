"""Compares the recipes' results with those of one process.

DIGITS is the path of digits.vmfb. A recipe whose packages are missing skips,
and prints the reason.

Run by recipes_test.sh.
"""

import contextlib
import importlib
import json
import os
import socket
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.datasets import load_digits

import eyrie

MODULE = os.path.abspath(os.environ["DIGITS"])
PIXELS, LABELS = load_digits(return_X_y=True)


def pictures():
    return PIXELS.reshape(-1, 8, 8).astype(np.float32)


def recipe(name):
    """Returns the module of a recipe."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"SKIPPED: {name}: {missing}.")
        raise unittest.SkipTest(str(missing)) from None


def post(url, picture):
    """Returns the JSON with which a server answers a picture."""
    request = urllib.request.Request(url, json.dumps(picture.tolist()).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@contextlib.contextmanager
def cluster():
    """Runs a cluster of Ray on this machine. Actors need a CPU each."""
    import ray
    ray.init(num_cpus=8, include_dashboard=False, logging_level="error",
             _temp_dir=os.environ.get("RAY_FOLDER"))
    try:
        yield
    finally:
        ray.shutdown()


class RecipesTest(unittest.TestCase):
    """Runs each recipe; results must be equal bit for bit."""

    @classmethod
    def setUpClass(cls):
        model = eyrie.load(MODULE)
        cls.want = np.stack([model.classify(row) for row in pictures()])

    def test_one_process(self):
        right = (self.want.argmax(axis=1) == LABELS).mean()
        self.assertGreater(right, 0.98)

    def compare(self, name):
        got = recipe(name).score(MODULE, pictures())
        np.testing.assert_array_equal(got, self.want)

    def test_dask(self):
        self.compare("dask_partitions")

    def test_threads(self):
        self.compare("thread_pool")

    def test_ray(self):
        recipe("ray_actors")
        with cluster():
            self.compare("ray_actors")

    def test_ray_data(self):
        recipe("ray_data")
        with cluster():
            self.compare("ray_data")

    def test_ray_serve(self):
        serve = recipe("ray_serve").serve
        with socket.create_server(("localhost", 0)) as server:
            port = server.getsockname()[1]  # free
        with cluster():
            serve.start(http_options={"port": port})
            self.compare("ray_serve")
            url = f"http://localhost:{port}"
            with ThreadPoolExecutor(8) as pool:  # under load
                got = list(pool.map(lambda row: post(url, row),
                                    pictures()[:400]))
            with self.assertRaises(urllib.error.HTTPError) as error:
                post(url, pictures()[0, :5])
            with error.exception as answer:
                self.assertEqual(answer.code, 400)
                self.assertIn("5x8xf32", json.load(answer)["error"])
            serve.shutdown()
        np.testing.assert_allclose(got, self.want[:400], rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
