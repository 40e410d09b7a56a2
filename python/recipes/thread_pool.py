"""Scores the digits set with concurrent.futures: a sibling model per thread.

  thread_pool.py digits.vmfb         needs scikit-learn and eyrie

Siblings share the loaded module and the device, and call at the same time.
Tested by recipes_test.py.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.datasets import load_digits

import eyrie


def score(path, pictures, workers=4):
    """Returns the results of `model.classify` in the order of the pictures."""
    model, local = eyrie.load(path), threading.local()

    def begin():
        local.model = model.sibling()

    def classify(picture):
        return local.model.classify(picture)

    with ThreadPoolExecutor(workers, initializer=begin) as pool:
        return np.stack(list(pool.map(classify, pictures)))


def main():
    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8).astype(np.float32)
    scores = score(sys.argv[1], pictures)
    right = int((scores.argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are right.")


if __name__ == "__main__":
    main()
