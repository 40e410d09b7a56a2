"""Compares the platform "eyrie" of JAX with jaxlib's CPU client in one process.

  jax_bench.py [--rounds=5]

Prints the least time of each, and their ratio: executions of small and large
programs, compilations, programs from the cache, and the memory of the process
after many executions. Needs jax with the plug-in and iree-base-compiler. The
figures of docs/jax.md are from here.
"""

import argparse
import os
import tempfile
import time

os.environ["JAX_PLATFORMS"] = "cpu,eyrie"
os.environ["EYRIE_CACHE"] = tempfile.mkdtemp(prefix="jax_bench")

import jax  # noqa: E402  pylint: disable=wrong-import-position
import jax.numpy as jnp  # noqa: E402  pylint: disable=wrong-import-position
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position

DEVICES = [jax.devices("eyrie")[0], jax.devices("cpu")[0]]


def floats(*shape):
    return np.random.default_rng(0).random(shape, np.float32)


def row(name, seconds):
    print(f"{name:36} {seconds[0] * 1e6:12.2f} us {seconds[1] * 1e6:12.2f} us "
          f"{seconds[0] / seconds[1]:6.2f}", flush=True)


def perceptron(x, a, b):
    return jax.nn.relu(x @ a) @ b


def train(params, x, y):
    def loss(params):
        value = x
        for weights, bias in params:
            value = jnp.tanh(value @ weights + bias)
        return ((value - y) ** 2).mean()
    value, gradient = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)


def measure(name, function, arguments, count, rounds):
    """Prints the time of an execution."""
    least = [float("inf")] * 2
    for _ in range(rounds):
        for i, device in enumerate(DEVICES):
            given = [jax.device_put(each, device) for each in arguments]
            jax.block_until_ready(function(*given))
            begin = time.perf_counter()
            for _ in range(count):
                result = function(*given)
            jax.block_until_ready(result)
            least[i] = min(least[i], (time.perf_counter() - begin) / count)
    row(name, least)


def measure_compilation(name, function, arguments):
    """Prints the time for the first time, and from the cache."""
    for when in ("first", "from the cache"):
        seconds = []
        for device in DEVICES:
            jax.clear_caches()
            with jax.default_device(device):
                lowered = jax.jit(function).lower(*arguments)
                begin = time.perf_counter()
                lowered.compile()
                seconds.append(time.perf_counter() - begin)
        row(f"compile {name}, {when}", seconds)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10


def main():
    parser = argparse.ArgumentParser(description="Compares the platforms.")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'':36} {'eyrie':>15} {'cpu':>15}  ratio")
    add = jax.jit(lambda x, y: x + y)
    measure("add 4", add, [floats(4), floats(4)], 3000, rounds)
    measure("add 16 MiB", add, [floats(4 << 20), floats(4 << 20)], 20, rounds)
    weights = [floats(512, 1024), floats(1024, 10)]
    for batch in (1, 64):
        measure(f"perceptron, batch {batch}", jax.jit(perceptron),
                [floats(batch, 512), *weights], 50, rounds)
    layers = [(floats(64, 64), floats(64))] * 4
    measure_compilation("add", lambda x, y: x + y, [floats(4), floats(4)])
    measure_compilation("training", train,
                        [layers, floats(32, 64), floats(32, 64)])
    given = [jax.device_put(floats(4), DEVICES[0])] * 2
    before = resident()
    for count in (10000, 20000):
        for _ in range(10000):
            add(*given)
        print(f"{count} executions: {resident() - before:+d} KiB")


if __name__ == "__main__":
    main()
