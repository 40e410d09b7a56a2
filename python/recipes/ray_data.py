"""Scores the digits set with Ray Data: map_batches over a pool of actors.

  ray_data.py digits.vmfb            needs ray[data], scikit-learn and eyrie

Each actor loads the model once, and adds a column to each batch.
Tested by recipes_test.py.
"""

import sys

import numpy as np
import ray
import ray.data
from sklearn.datasets import load_digits

import eyrie


class Scorer:
    """Adds the probabilities of the ten digits for each picture."""

    def __init__(self, path):
        self.model = eyrie.load(path)

    def __call__(self, batch):
        batch["scores"] = np.stack([self.model.classify(picture)
                                    for picture in batch["data"]])
        return batch


def score(path, pictures, workers=4, batch=64):
    """Returns the results of `model.classify` in the order of the pictures."""
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    scored = ray.data.from_numpy(pictures).repartition(4 * workers).map_batches(
        Scorer, fn_constructor_args=(path,), batch_size=batch,
        compute=ray.data.ActorPoolStrategy(size=workers))
    return np.stack([row["scores"] for row in scored.take_all()])


def main():
    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8).astype(np.float32)
    # Actors need a CPU each, and so does reading the data.
    with ray.init(num_cpus=8, include_dashboard=False,
                  logging_level="error"):
        scores = score(sys.argv[1], pictures)
    right = int((scores.argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are right.")


if __name__ == "__main__":
    main()
