"""Scores the digits set with Dask: map_partitions over four workers.

  dask_partitions.py digits.vmfb     needs dask[distributed], scikit-learn
                                     and eyrie

Each worker process loads the model for its first task and then keeps it.
Tested by recipes_test.py.
"""

import functools
import sys

import dask.bag
import numpy as np
from dask.distributed import Client, LocalCluster
from sklearn.datasets import load_digits

import eyrie


@functools.cache
def model_of(path):
    """Returns the model of this process."""
    return eyrie.load(path)


def score_part(pictures, path):
    """Returns the probabilities of the ten digits for each picture."""
    model = model_of(path)
    return [model.classify(picture) for picture in pictures]


def score(path, pictures, workers=4):
    """Returns the results of `model.classify` in the order of the pictures."""
    bag = dask.bag.from_sequence(list(pictures), npartitions=4 * workers)
    with LocalCluster(n_workers=workers, threads_per_worker=1,
                      dashboard_address=None) as cluster, Client(cluster):
        return np.stack(bag.map_partitions(score_part, path).compute())


def main():
    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8).astype(np.float32)
    scores = score(sys.argv[1], pictures)
    right = int((scores.argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are right.")


if __name__ == "__main__":
    main()
