"""A small convolutional network in plain numpy: forward, backward, Adam.

Input n x 8 x 8 x 1 in 0..1. Two rounds of 3 x 3 convolution with zero
padding, ReLU and 2 x 2 max pooling, then one dense layer to ten scores.
Used by train.py.
"""

import numpy as np


def make(random, channels=(8, 16)):
    """Returns random weights: a dict of arrays in the layout of export.py."""
    def normal(*shape):
        fan_in = np.prod(shape[:-1])
        return random.normal(0, np.sqrt(2 / fan_in), shape)

    first, second = channels
    return {
        "conv1": normal(3, 3, 1, first), "bias1": np.zeros(first),
        "conv2": normal(3, 3, first, second), "bias2": np.zeros(second),
        "dense": normal(4 * second, 10), "bias3": np.zeros(10),
    }


def patches(x):
    """Returns the 3 x 3 neighborhood of every pixel: n,h,w,c -> n,h,w,9c."""
    n, h, w, c = x.shape
    padded = np.zeros((n, h + 2, w + 2, c))
    padded[:, 1:-1, 1:-1] = x
    return np.concatenate([padded[:, i:i + h, j:j + w]
                           for i in range(3) for j in range(3)], axis=3)


def unpatches(dp, channels):
    """The transpose of patches(): adds each neighbourhood back."""
    n, h, w, _ = dp.shape
    dx = np.zeros((n, h + 2, w + 2, channels))
    for k in range(9):
        i, j = divmod(k, 3)
        dx[:, i:i + h, j:j + w] += dp[..., k * channels:(k + 1) * channels]
    return dx[:, 1:-1, 1:-1]


def pool(x):
    """Returns 2 x 2 maxima and their positions within the windows."""
    n, h, w, c = x.shape
    windows = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 5, 2, 4)
    windows = windows.reshape(n, h // 2, w // 2, c, 4)
    return windows.max(axis=4), windows.argmax(axis=4)


def unpool(dy, at):
    """Returns the gradient of pool(), which goes to the maxima only."""
    n, h, w, c = dy.shape
    windows = np.zeros((n, h, w, c, 4))
    np.put_along_axis(windows, at[..., None], dy[..., None], axis=4)
    windows = windows.reshape(n, h, w, c, 2, 2).transpose(0, 1, 4, 2, 5, 3)
    return windows.reshape(n, 2 * h, 2 * w, c)


def conv_round(x, weights, bias):
    """Convolution, ReLU, pooling: returns the result and data for backward."""
    p = patches(x)
    flat = weights.reshape(-1, weights.shape[-1])
    active = np.maximum(p @ flat + bias, 0)
    y, at = pool(active)
    return y, (p, active, at)


def conv_round_back(dy, saved, weights):
    """Returns the gradients of conv_round: input, weights, bias."""
    p, active, at = saved
    d = unpool(dy, at) * (active > 0)
    dflat = d.reshape(-1, d.shape[-1])
    dweights = p.reshape(-1, p.shape[-1]).T @ dflat
    flat = weights.reshape(-1, weights.shape[-1])
    dx = unpatches(d @ flat.T, weights.shape[2])
    return dx, dweights.reshape(weights.shape), dflat.sum(axis=0)


def forward(net, x):
    """Returns ten scores per picture, and data for backward."""
    y1, saved1 = conv_round(x, net["conv1"], net["bias1"])
    y2, saved2 = conv_round(y1, net["conv2"], net["bias2"])
    flat = y2.reshape(len(x), -1)
    return flat @ net["dense"] + net["bias3"], (saved1, saved2, y2, flat)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def gradients(net, x, labels):
    """Returns the mean cross entropy of a batch and its gradient."""
    scores, (saved1, saved2, y2, flat) = forward(net, x)
    p = softmax(scores)
    rows = np.arange(len(x))
    loss = -np.log(p[rows, labels] + 1e-12).mean()
    d = p
    d[rows, labels] -= 1
    d /= len(x)
    grads = {"dense": flat.T @ d, "bias3": d.sum(axis=0)}
    dy2 = (d @ net["dense"].T).reshape(y2.shape)
    dy1, grads["conv2"], grads["bias2"] = conv_round_back(
        dy2, saved2, net["conv2"])
    _, grads["conv1"], grads["bias1"] = conv_round_back(
        dy1, saved1, net["conv1"])
    return loss, grads


class Adam:
    """The Adam optimizer: step(net, grads, rate) changes net in place."""

    def __init__(self, net):
        self.mean = {k: np.zeros_like(v) for k, v in net.items()}
        self.square = {k: np.zeros_like(v) for k, v in net.items()}
        self.steps = 0

    def step(self, net, grads, rate):
        self.steps += 1
        for key, g in grads.items():
            self.mean[key] = 0.9 * self.mean[key] + 0.1 * g
            self.square[key] = 0.999 * self.square[key] + 0.001 * g * g
            m = self.mean[key] / (1 - 0.9 ** self.steps)
            s = self.square[key] / (1 - 0.999 ** self.steps)
            net[key] -= rate * m / (np.sqrt(s) + 1e-8)
