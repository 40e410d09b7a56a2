"""Compares the recipes' results with those of one process.

DIGITS is the path of digits.vmfb.

Run by recipes_test.sh.
"""

import os
import unittest

import numpy as np
from sklearn.datasets import load_digits

import eyrie

MODULE = os.path.abspath(os.environ["DIGITS"])
PIXELS, LABELS = load_digits(return_X_y=True)


def pictures():
    return PIXELS.reshape(-1, 8, 8).astype(np.float32)


class RecipesTest(unittest.TestCase):
    """Runs each recipe on four workers; results must be equal bit for bit."""

    @classmethod
    def setUpClass(cls):
        model = eyrie.load(MODULE)
        cls.want = np.stack([model.classify(row) for row in pictures()])

    def test_one_process(self):
        right = (self.want.argmax(axis=1) == LABELS).mean()
        self.assertGreater(right, 0.98)

    def test_dask(self):
        import dask_partitions
        got = dask_partitions.score(MODULE, pictures())
        np.testing.assert_array_equal(got, self.want)

    def test_threads(self):
        import thread_pool
        got = thread_pool.score(MODULE, pictures())
        np.testing.assert_array_equal(got, self.want)

    def test_ray(self):
        import ray
        import ray_actors
        ray.init(num_cpus=4, include_dashboard=False, logging_level="error",
                 _temp_dir=os.environ.get("RAY_FOLDER"))
        try:
            got = ray_actors.score(MODULE, pictures())
        finally:
            ray.shutdown()
        np.testing.assert_array_equal(got, self.want)


if __name__ == "__main__":
    unittest.main()
