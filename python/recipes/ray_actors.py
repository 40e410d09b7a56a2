"""Scores the digits set on a pool of Ray actors, each with its own model.

  ray_actors.py digits.vmfb          needs ray, scikit-learn and eyrie

A model is pickled as its path, so each actor loads the file itself.
Tested by recipes_test.py.
"""

import sys

import numpy as np
import ray
from ray.util import ActorPool
from sklearn.datasets import load_digits

import eyrie


@ray.remote
class Scorer:
    """An actor that keeps the loaded model."""

    def __init__(self, model):
        self.model = model

    def score(self, pictures):
        """Returns the probabilities of the ten digits for each picture."""
        return np.stack([self.model.classify(picture) for picture in pictures])


def score(path, pictures, workers=4, batch=64):
    """Returns the results of `model.classify` in the order of the pictures."""
    model = eyrie.load(path)
    pool = ActorPool([Scorer.remote(model) for _ in range(workers)])
    batches = [pictures[i:i + batch] for i in range(0, len(pictures), batch)]
    return np.concatenate(list(pool.map(
        lambda actor, rows: actor.score.remote(rows), batches)))


def main():
    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8).astype(np.float32)
    with ray.init(num_cpus=4, include_dashboard=False,
                  logging_level="error"):
        scores = score(sys.argv[1], pictures)
    right = int((scores.argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are right.")


if __name__ == "__main__":
    main()
