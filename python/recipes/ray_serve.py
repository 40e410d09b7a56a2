"""Serves the digits model with Ray Serve, and scores the digits set with it.

  ray_serve.py digits.vmfb           needs ray[serve], scikit-learn and eyrie

A replica answers requests at the same time: calls by `aio` hold no thread while
they wait. Over HTTP, POST a picture as JSON to http://localhost:8000.
Tested by recipes_test.py.
"""

import sys

import numpy as np
import ray
from ray import serve
from sklearn.datasets import load_digits
from starlette.responses import JSONResponse

import eyrie


@serve.deployment(max_ongoing_requests=64)
class Classifier:
    """A replica with a loaded model."""

    def __init__(self, path):
        self.model = eyrie.load(path)

    async def score(self, picture):
        """Returns the probabilities of the ten digits for a picture."""
        return await self.model.classify.aio(picture)

    async def __call__(self, request):
        """Answers an HTTP request. A wrong picture has the status 400."""
        try:
            picture = np.array(await request.json(), np.float32)
            return (await self.score(picture)).tolist()
        except ValueError as error:  # of JSON, NumPy or eyrie
            return JSONResponse({"error": str(error)}, 400)


def start(path, replicas=2):
    """Starts the service and returns a handle of it."""
    return serve.run(Classifier.options(num_replicas=replicas).bind(path))


def score(path, pictures, batch=64):
    """Returns the results of `model.classify` in the order of the pictures."""
    handle, scores = start(path), []
    for i in range(0, len(pictures), batch):
        answers = [handle.score.remote(row) for row in pictures[i:i + batch]]
        scores += [answer.result() for answer in answers]
    return np.stack(scores)


def main():
    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8).astype(np.float32)
    with ray.init(num_cpus=4, include_dashboard=False, logging_level="error"):
        scores = score(sys.argv[1], pictures)
        serve.shutdown()
    right = int((scores.argmax(axis=1) == labels).sum())
    print(f"{right} of {len(labels)} digits are right.")


if __name__ == "__main__":
    main()
