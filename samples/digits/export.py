"""Writes the trained network as MLIR text, its weights as hexadecimal.

The module has one function, from an 8 x 8 picture with pixels 0 to 16 to ten
probabilities. The text is digits.mlir.in, with round.mlir.in for each round of
convolution. There, n is the round's number, s the side of its input, h half of
s, and i and o are the numbers of channels. Used by train.py.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def constant(name, array):
    data = np.ascontiguousarray(array, dtype="<f4").tobytes().hex().upper()
    shape = "x".join(str(n) for n in array.shape)
    return (f'  %{name} = arith.constant dense<"0x{data}"> : '
            f"tensor<{shape}xf32>")


def conv_round(number, side, weights):
    text = (HERE / "round.mlir.in").read_text()
    return text.format(n=number, m=number - 1, s=side, s2=side + 2,
                       h=side // 2, i=weights.shape[2], o=weights.shape[3])


def module(net):
    """Returns the MLIR text of a trained network in network.make's layout."""
    second = net["conv2"].shape[3]
    text = (HERE / "digits.mlir.in").read_text()
    return text.format(
        constants="\n".join(constant(k, v) for k, v in net.items()),
        rounds=conv_round(1, 8, net["conv1"]) +
        conv_round(2, 4, net["conv2"]),
        c=second, f=4 * second)
