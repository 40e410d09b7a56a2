#!/usr/bin/env python3
"""Trains the digits network and writes digits.mlir and seven.npy.

The pictures are scikit-learn's bundled digits (1,797 of 8 x 8 pixels); a
quarter is held out and never trained on. Takes about ten seconds on one core
and gives the same weights each time. README.md has the commands.
"""

import argparse
import pathlib

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import export
import network

HERE = pathlib.Path(__file__).resolve().parent


def shifted(x, random):
    """Returns the pictures, each moved by up to one pixel at random."""
    out = np.zeros_like(x)
    for k, (dy, dx) in enumerate(random.integers(-1, 2, (len(x), 2))):
        ys, yt = max(dy, 0), max(-dy, 0)
        xs, xt = max(dx, 0), max(-dx, 0)
        h, w = 8 - abs(dy), 8 - abs(dx)
        out[k, yt:yt + h, xt:xt + w] = x[k, ys:ys + h, xs:xs + w]
    return out


def accuracy(net, x, labels):
    return (network.forward(net, x)[0].argmax(axis=1) == labels).mean()


def train(net, x, labels, epochs, random):
    """Trains with Adam on shuffled batches of 32; the rate falls to zero."""
    optimiser = network.Adam(net)
    batch = 32
    for epoch in range(epochs):
        rate = 0.003 * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        order = random.permutation(len(x))
        losses = []
        for start in range(0, len(x), batch):
            chosen = order[start:start + batch]
            pictures = x[chosen]
            if random.random() < 0.5:
                pictures = shifted(pictures, random)
            loss, grads = network.gradients(net, pictures, labels[chosen])
            optimiser.step(net, grads, rate)
            losses.append(loss)
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()

    pictures, labels = load_digits(return_X_y=True)
    pictures = pictures.reshape(-1, 8, 8, 1)
    x, x_held, y, y_held = train_test_split(
        pictures / 16, labels, test_size=0.25, random_state=0,
        stratify=labels)
    random = np.random.default_rng(0)
    net = network.make(random)
    train(net, x, y, options.epochs, random)
    # Round to f32, like the export, so that this measures its accuracy.
    net = {k: v.astype(np.float32) for k, v in net.items()}
    weights = sum(v.size for v in net.values())
    right = accuracy(net, x_held, y_held)
    print(f"{weights} weights; right on {right:.2%} of {len(x_held)} "
          f"held-out pictures, {accuracy(net, x, y):.2%} of the {len(x)} "
          "it was trained on")

    (HERE / "digits.mlir").write_text(export.module(net))
    guesses = network.forward(net, x_held)[0].argmax(axis=1)
    seven = next(i for i, label in enumerate(y_held)
                 if label == 7 and guesses[i] == 7)
    np.save(HERE / "seven.npy",
            (x_held[seven, :, :, 0] * 16).astype(np.float32))


if __name__ == "__main__":
    main()
