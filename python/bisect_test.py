"""Tests of eyrie.bisect.

python bisect_test.py <tests/modules> <eyrie>

Run by python_test.sh.
"""

import os
import sys
import tempfile
import unittest

import numpy as np

import eyrie

MODULES, TOOL = sys.argv[1:3]
RELEASE = os.path.join(MODULES, "3.13")
GOOD = os.path.join(RELEASE, "attend.vmfb")
BAD = os.path.join(RELEASE, "attend_wrong.vmfb")
X = np.linspace(0, 1, 32, dtype=np.float32).reshape(4, 8)
W = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
KERNEL = "predict_dispatch_1_reduction_4x8_f32"


class BisectTest(unittest.TestCase):

    def test_names_the_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            report = os.path.join(folder, "report")
            answer = eyrie.bisect(GOOD, BAD, X, W, tool=TOOL, html=page,
                                  reproducer=report)
            self.assertTrue(os.path.getsize(page) > 1000)
            self.assertIn("good.vmfb", os.listdir(report))
        self.assertTrue(answer.differs and answer.exact)
        self.assertEqual(answer.kernel, KERNEL)
        self.assertEqual(answer.suspects, [])
        self.assertEqual(answer.findings[0]["shape"], "4x8xf32")
        self.assertIn(KERNEL, repr(answer))

    def test_sides_that_agree(self):
        for devices in ("local-task", ["local-sync", "local-task"]):
            answer = eyrie.bisect(GOOD, GOOD, X, W, tool=TOOL, always=True,
                                  devices=devices)
            self.assertFalse(answer.differs)
            self.assertEqual((answer.kernel, answer.text),
                             (None, "The results agree."))

    def test_errors(self):
        with self.assertRaises(eyrie.MissingFileError) as caught:
            eyrie.bisect(GOOD, "nowhere.vmfb", tool=TOOL)
        self.assertEqual(caught.exception.code, "NOT_FOUND")
        with self.assertRaisesRegex(eyrie.Error, "Cannot run"):
            eyrie.bisect(GOOD, BAD, tool="/nowhere/eyrie")
        with self.assertRaises(eyrie.ArgumentError):
            eyrie.bisect(GOOD, BAD, X, X, tool=TOOL, tolerance=-1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
