"""Runs the Python of pages about frameworks, and what they say is refused.

The blocks of a page run in order, in a folder of their own. Each row of a
page's table of what the compiler cannot do has a program here, whose error has
the words of its first column. Run by python_test.sh, as frameworks_test.py.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import eyrie
from frameworks_test import needs, onnx_model

HERE = os.path.dirname(os.path.abspath(__file__))


def page(name):
    """Returns the text of a page in docs."""
    with open(os.path.join(HERE, "..", "docs", name), encoding="utf-8") as file:
        return file.read()


class PageTest(unittest.TestCase):
    """Base of the tests of a page."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        environment = unittest.mock.patch.dict(
            os.environ, EYRIE_CACHE=os.path.join(folder.name, "cache"))
        environment.start()
        self.addCleanup(environment.stop)

    def run_page(self, name):
        """Runs the blocks and returns what they print."""
        names, printed = {"__name__": name}, io.StringIO()
        blocks = re.findall(r"^```python\n(.*?)^```$", page(name), re.M | re.S)
        with contextlib.redirect_stdout(printed):
            for block in blocks:
                exec(compile(block, name, "exec"), names)
        self.assertTrue(blocks)
        return printed.getvalue()

    def check_refused(self, name, rows):
        """Calls (function, arguments) of each row, in the table's order.

        Their errors must have the words in code of the row's first cell.
        """
        table = re.findall(r"^\| (`.*?) \| ", page(name), re.M)
        self.assertEqual(len(table), len(rows), table)
        for cell, (function, *arguments) in zip(table, rows):
            with self.subTest(cell):
                with self.assertRaises(Exception) as caught:
                    function(*arguments)
                for word in re.findall(r"`` (.*?) ``|`(.*?)`", cell):
                    self.assertIn("".join(word), str(caught.exception))


def lstm(name, gates, directions=1):
    """Returns a node of an LSTM or GRU of one feature, and its weights."""
    kind = {} if directions == 1 else {"direction": "bidirectional"}
    node = name, ["x", "w", "r"], ["y"], {"hidden_size": 1, **kind}
    return [node], [(each, np.ones((directions, gates, 1), np.float32))
                    for each in "wr"]


@needs("onnx", "onnxruntime", "iree.compiler", "iree.runtime")
class OnnxPageTest(PageTest):

    def test_blocks(self):
        self.assertIn("image", self.run_page("from_onnx.md"))

    def test_refused(self):
        self.check_refused("from_onnx.md", [
            (self.load_if,), (self.load_quantized_lstm,), (self.load_boxes,),
            (self.load_gru, 1), (self.load_gru, 2), (self.load_unique,)])

    def load_if(self):
        from onnx import TensorProto, helper
        branches = {}
        for branch, node, shape in (("then", "Squeeze", ["n"]),
                                    ("else", "Identity", ["n", 1])):
            value = helper.make_tensor_value_info(branch, TensorProto.FLOAT,
                                                  shape)
            branches[f"{branch}_branch"] = helper.make_graph(
                [helper.make_node(node, ["x"], [branch])], branch, [], [value])
        eyrie.load(onnx_model(
            [("If", ["c"], ["y"], branches)],
            [("c", TensorProto.BOOL, []), ("x", TensorProto.FLOAT, ["n", 1])],
            [("y", TensorProto.FLOAT, ["k"])]))

    def load_quantized_lstm(self):
        import onnx
        from onnxruntime.quantization import quantize_dynamic
        nodes, weights = lstm("LSTM", 4)
        onnx.save(onnx_model(
            nodes, [("x", onnx.TensorProto.FLOAT, [3, 1, 1])],
            [("y", onnx.TensorProto.FLOAT, [3, 1, 1, 1])], weights), "m.onnx")
        eyrie.load("m.onnx")
        quantize_dynamic("m.onnx", "q.onnx", op_types_to_quantize=["LSTM"])
        eyrie.load("q.onnx")

    def load_boxes(self):
        from onnx import TensorProto
        most = [("most", np.array([5]))]
        for count in (9, "n"):
            eyrie.load(onnx_model(
                [("NonMaxSuppression", ["b", "s", "most"], ["y"])],
                [("b", TensorProto.FLOAT, [1, count, 4]),
                 ("s", TensorProto.FLOAT, [1, 1, count])],
                [("y", TensorProto.INT64, ["k", 3])], most))

    def load_gru(self, directions):
        from onnx import TensorProto
        nodes, weights = lstm("GRU", 3, directions)
        for batch in (1, "b")[directions - 1 :]:
            eyrie.load(onnx_model(
                nodes, [("x", TensorProto.FLOAT, ["n", batch, 1])],
                [("y", TensorProto.FLOAT, ["n", directions, batch, 1])],
                weights))

    def load_unique(self):
        from onnx import TensorProto
        eyrie.load(onnx_model(
            [("Unique", ["x"], ["y"])], [("x", TensorProto.FLOAT, ["n"])],
            [("y", TensorProto.FLOAT, ["k"])]))


@needs("jax")
class JaxPageTest(PageTest):

    def test_blocks(self):
        self.assertIn("seconds", self.run_page("from_jax.md"))

    def test_refused(self):
        import jax
        import eyrie.jax
        from jax import lax
        from jax.experimental.ode import odeint
        jnp, key = jax.numpy, jax.random.key(0)
        x = jnp.eye(4)

        def run(function, *args):
            eyrie.jax.jit(function)(*args)

        self.check_refused("from_jax.md", [
            (lambda: eyrie.compile(jax.jit(jnp.linalg.cholesky).lower(x)),),
            (run, lambda x: jax.pure_callback(np.sin, x, x), x),
            (self.compile_open_softmax,),
            (run, lambda x: lax.approx_max_k(x, 2), x),
            (run, lambda x: odeint(lambda y, t: -y, x, jnp.arange(3.0)), x),
            (run, lambda x: x + jax.random.normal(jax.random.key(0), x.shape),
             x),
            (run, lambda key: jax.random.normal(key, (4, 4)), key)])

    def compile_open_softmax(self):
        import jax
        rows, = jax.export.symbolic_shape("rows")
        eyrie.compile(jax.export.export(jax.jit(jax.nn.softmax))(
            jax.ShapeDtypeStruct((rows, 4), np.float32)))

    def test_what_helps(self):
        import jax
        import eyrie.jax

        def draw(data):
            return jax.random.normal(jax.random.wrap_key_data(data), (3,))

        for data in (jax.random.PRNGKey(5),
                     jax.random.key_data(jax.random.key(5))):
            np.testing.assert_allclose(eyrie.jax.jit(draw)(data), draw(data),
                                       rtol=1e-5)


@needs("torch", "iree.turbine")
class TorchPageTest(PageTest):

    def test_blocks(self):
        self.assertIn("torch.Size([2, 10])\n(5, 10)",
                      self.run_page("from_pytorch.md"))

    def test_refused(self):
        import torch
        import eyrie.torch
        x = torch.eye(4) + 1

        def run(function):
            network = torch.nn.Module()
            network.forward = function
            torch.testing.assert_close(
                eyrie.torch.load(network, (x,))(x), function(x))

        spectrum = torch.fft.rfft
        self.check_refused("from_pytorch.md", [
            (run, lambda x: torch.linalg.cholesky(x @ x.T)),
            (run, lambda x: x.lgamma()),
            (eyrie.torch.load, torch.nn.Linear(64, 64).bfloat16(),
             (torch.ones(2, 64).bfloat16(),)),
            (run, lambda x: spectrum(x).abs()),
            (run, lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos,
                                       (x,)))])
        half, row = torch.nn.Linear(64, 64).half(), torch.ones(1, 64).half()
        eyrie.torch.load(half, (row,))(row)
        run(lambda x: torch.where(x.sum() > 0, x.sin(), x.cos()))
        run(lambda x: torch.where(x > 1, x, 0))
        run(lambda x: torch.view_as_real(spectrum(x)).square().sum(-1).sqrt())


if __name__ == "__main__":
    unittest.main()
