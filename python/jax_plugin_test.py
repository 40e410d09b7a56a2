"""Tests the platform "eyrie" of JAX, the PJRT plug-in, against jaxlib's CPU.

  jax_plugin_test.py

Needs jax and iree-base-compiler; pypjrt for its conformance checks. Skips what
is not installed, and says so.
"""

import importlib.util
import os
import pickle
import re
import subprocess
import sys
import tempfile
import unittest

CACHE = tempfile.TemporaryDirectory()
os.environ["JAX_PLATFORMS"] = "eyrie,cpu"
os.environ["EYRIE_CACHE"] = CACHE.name

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../docs/jax.md"), encoding="utf-8") as page:
    PAGE = page.read()
MISSING = [name for name in ("jax", "iree")
           if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"SKIPPED: {', '.join(MISSING)} is not installed.", file=sys.stderr)
else:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import serialize_executable

    from eyrie import _jax_plugin



def spd(size):
    """Returns a symmetric matrix with positive eigenvalues."""
    rows = np.random.default_rng(1).normal(size=(size, size))
    return (rows @ rows.T + size * np.eye(size)).astype(np.float32)


def floats(*shape):
    return np.random.default_rng(2).normal(size=shape).astype(np.float32)


def mlp(params, x):
    for weights, bias in params[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = params[-1]
    return x @ weights + bias


def layers(*sizes):
    return [(floats(a, b), floats(b)) for a, b in zip(sizes, sizes[1:])]


def corners():
    """Returns numbers for which implementations differ, in pairs."""
    numbers = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2.5, -3, 128,
                        255.9, -300, 1e10], np.float32)
    return [each.ravel() for each in np.meshgrid(numbers, numbers)]


def at(indices):
    """Returns a function that reads and writes at indices."""
    return lambda x: (
        x[indices], x.at[indices].add(2.0), x.at[indices].mul(3.0),
        x.at[indices].min(-9.0), x.at[indices[:3]].set(7.0),
        x.at[indices].get(mode="fill"), x.at[indices].set(1.0, mode="clip"),
        jax.ops.segment_sum(x[:6], indices, 3), jnp.take(x, indices))


# Programs that promote no ranks themselves.
STRICT = ("powers", "angles", "indices out of range", "long sort")


# A name, a function, its arguments.
def programs():
    return [
        ("add", lambda x, y: x + y, floats(4), floats(4)),
        ("many results", lambda x: (x, x > 0, x.astype(jnp.uint8)), floats(3)),
        ("scalars", lambda x: (x + 1, x.astype(jnp.bool_)), np.int32(3)),
        ("no arguments", lambda: jnp.arange(5)),
        ("empty", lambda x: (x, x.sum()), floats(0, 3)),
        ("bf16", lambda x: (x.astype(jnp.bfloat16) * 2), floats(8)),
        ("complex", lambda x: x * (1 + 2j), floats(4)),
        ("unsigned", lambda x: (x >> 1, x // 3, x.astype(jnp.float32)),
         np.array([0, 7, 2**32 - 1], np.uint32)),
        ("powers", lambda x, y: (x ** y, x ** 2), *corners()),
        ("angles", jnp.arctan2, *corners()),
        ("conversions", lambda x, y: [x.astype(name) for name in (
            "int8", "uint8", "int32", "uint32", "bool", "bfloat16")],
         *corners()),
        ("indices out of range", at(np.array([1, 20, -30, 9, -1, 2**30])),
         floats(10)),
        ("indices of two dimensions", lambda x, i, j: (
            x[i, j], x.at[i, j].set(5.0), x.at[i].add(1.0),
            x.at[:, j].set(2.0)),
         floats(4, 5), np.array([0, 7, 3, -9]), np.array([1, 2, 9, 0])),
        ("sort", lambda x: (jnp.sort(x), jnp.argsort(x), jnp.sort(-x)),
         np.array([0, -0.0, -1, np.nan, 3, -1, np.inf], np.float32)),
        ("long sort", lambda x, y: (
            jnp.sort(x, axis=0), jnp.argsort(x, axis=0),
            jnp.lexsort((y, x), axis=0), jax.lax.top_k(x.T, 4)),
         np.round(floats(300, 2)), floats(300, 2)),
        ("scan", lambda x: jax.lax.scan(lambda c, v: (c + v, c * v), 0.0, x),
         floats(9)),
        ("while", lambda x: jax.lax.while_loop(
            lambda v: v[0] < 5, lambda v: (v[0] + 1, v[1] * 2), (0, x)),
         floats(3)),
        ("cond", lambda x: jax.lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x),
         floats(5)),
        ("convolution", lambda x, k: jax.lax.conv(x, k, (1, 1), "SAME"),
         floats(1, 2, 8, 8), floats(3, 2, 3, 3)),
        ("random", lambda: (jax.random.normal(jax.random.key(0), (5,)),
                            jax.random.permutation(jax.random.key(1), 9))),
        ("updates", lambda x, i: (x.at[1].add(5), x.at[i].set(7), x[::-1],
                                  jax.lax.dynamic_update_slice(x, x[:2], (3,)),
                                  jnp.concatenate([x, x]), jnp.cumsum(x)),
         floats(6), np.array([1, 3])),
        ("product and sum", lambda x, y: x @ x + y, floats(8, 8), floats(8, 8)),
        ("random, alone", lambda: jax.random.normal(jax.random.key(0), (3,))),
        ("gradient", jax.grad(lambda p, x: (mlp(p, x) ** 2).mean()),
         layers(8, 16, 4), floats(5, 8)),
        ("cholesky", jnp.linalg.cholesky, spd(5)),
        ("solve", jnp.linalg.solve, spd(5), floats(5, 2)),
        ("eigenvalues", jnp.linalg.eigvalsh, spd(4)),
        ("singular values",
         lambda x: jnp.linalg.svd(x, compute_uv=False), floats(4, 6)),
        ("determinants", jax.vmap(jnp.linalg.det), np.stack([spd(3), spd(3)])),
    ]


class Page(unittest.TestCase):

    def test_settings(self):
        with open(os.path.join(HERE, "../plugins/pjrt/settings.def"),
                  encoding="utf-8") as file:
            rows = re.findall(r'^SETTING\((\w+), "(\w+)"', file.read(), re.M)
        self.assertEqual(
            re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE, re.M), rows)

    @unittest.skipIf(MISSING, f"not installed: {MISSING}")
    def test_blocks(self):
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            names = {}
            for block in re.findall(r"^```python\n(.*?)^```$", PAGE,
                                    re.M | re.S):
                exec(compile(block, "jax.md", "exec"), names)


@unittest.skipIf(MISSING, f"not installed: {MISSING}")
class JaxPlugin(unittest.TestCase):

    def test_programs(self):
        cpu = jax.devices("cpu")[0]
        for name, function, *arguments in programs():
            with self.subTest(name):
                given = jax.tree.map(jnp.asarray, arguments)
                with jax.numpy_rank_promotion("raise" if name in STRICT
                                              else "allow"):
                    here = jax.block_until_ready(jax.jit(function)(*given))
                # The compiler's code may write to its arguments.
                jax.tree.map(np.testing.assert_array_equal, given, arguments)
                with jax.default_device(cpu):
                    there = jax.jit(function)(*arguments)
                for one, other in zip(jax.tree.leaves(here),
                                      jax.tree.leaves(there), strict=True):
                    self.assertEqual(one.dtype, other.dtype)
                    self.assertEqual(next(iter(one.devices())).platform,
                                     "eyrie")
                    np.testing.assert_allclose(
                        np.asarray(one, np.complex64),
                        np.asarray(other, np.complex64), rtol=2e-4, atol=1e-5)

    def test_donated_arrays_are_gone(self):
        x = jnp.arange(4.0)
        y = jax.jit(lambda v: v + 1, donate_argnums=0)(x)
        self.assertTrue(x.is_deleted())
        self.assertEqual(y.tolist(), [1, 2, 3, 4])

    def test_donations_of_every_kind(self):
        for function, *arguments in [
                (lambda c: (c[1], c[0]), (floats(3), floats(3) + 1)),
                (lambda c: (c[0] + c[1], c[0]), (floats(3), floats(3) + 1)),
                (lambda x: jnp.roll(x, 1), floats(5)),
                (lambda x: x.at[0:2].set(7), floats(5))]:
            given = jax.tree.map(jnp.asarray, arguments)
            view = np.asarray(jax.tree.leaves(given)[0])
            before = view.copy()
            here = jax.jit(function, donate_argnums=0)(*given)
            with jax.default_device(jax.devices("cpu")[0]):
                there = jax.jit(function)(*arguments)
            jax.tree.map(np.testing.assert_allclose, here, there)
            np.testing.assert_array_equal(view, before)

    def test_numpy_shares_memory(self):
        x = jax.jit(lambda v: v * 2)(floats(1 << 16))
        view = np.asarray(x)
        self.assertEqual(view.ctypes.data, x.unsafe_buffer_pointer())
        del x
        self.assertEqual(view.shape, (1 << 16,))

    def test_saved_programs_need_no_compiler(self):
        compiled = jax.jit(lambda v: jnp.sin(v) + 1).lower(floats(6)).compile()
        saved = pickle.dumps(serialize_executable.serialize(compiled))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            with open(path, "wb") as file:
                file.write(saved)
            script = (
                "import pickle, sys, jax, numpy as np\n"
                "from jax.experimental import serialize_executable as s\n"
                "f = s.deserialize_and_load(*pickle.load(open(sys.argv[1],"
                " 'rb')))\n"
                "print(f(np.zeros(6, np.float32)).tolist())\n")
            done = subprocess.run(
                [sys.executable, "-c", script, path], check=False,
                capture_output=True, text=True,
                env={**os.environ, "EYRIE_COMPILER": "/nowhere",
                     "EYRIE_PJRT_CACHE": "off"})
        self.assertEqual(done.stdout, str([1.0] * 6) + "\n", done.stderr)

    def test_errors_say_why(self):
        rows = [
            (lambda: jax.jit(lambda x: x, compiler_options={"xla_no": "1"})(1),
             "There is no compiler option 'xla_no'"),
            (lambda: jax.jit(lambda x: jax.pure_callback(
                np.sin, jax.ShapeDtypeStruct((), np.float32), x))(1.0),
             "not supported on eyrie"),
            (lambda: jax.ffi.ffi_call(
                "no_such_handler", jax.ShapeDtypeStruct((), np.float32))(1.0),
             "no_such_handler"),
        ]
        for call, want in rows:
            with self.subTest(want), self.assertRaises(Exception) as caught:
                call()
            self.assertIn(want, str(caught.exception))

    @unittest.skipUnless(importlib.util.find_spec("pypjrt"),
                         "pypjrt is not installed")
    def test_conformance(self):
        # pylint: disable=protected-access
        done = subprocess.run(
            [sys.executable, "-m", "pypjrt.conform", _jax_plugin._LIBRARY],
            check=False, capture_output=True, text=True, errors="replace")
        last = done.stdout.strip().splitlines()[-1]
        self.assertIn(" 0 FAIL", last)
        self.assertGreaterEqual(int(last.split()[0]), 50)


if __name__ == "__main__":
    unittest.main()
