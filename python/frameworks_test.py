"""Tests of eyrie.compile, eyrie.jax and eyrie.torch with the real packages.

Run by python_test.sh, with the Python of `install.sh --frameworks` if that
exists. A package that is not installed skips its tests.
"""

import importlib.util
import os
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import eyrie
from eyrie import _compile

ADD = """\
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %sum = arith.addf %a, %b : tensor<?xf32>
  return %sum : tensor<?xf32>
}
"""


def is_missing(name):
    try:
        return importlib.util.find_spec(name) is None
    except ModuleNotFoundError:  # of the package that it is in
        return True


def needs(*names):
    """Skips a class if a package, or iree-compile, is not installed."""
    missing = list(filter(is_missing, names))
    try:
        _compile.find_compiler()
    except eyrie.Error:
        missing.append("iree-base-compiler")
    if missing:
        print(f"SKIPPED: {', '.join(missing)} is not installed.",
              file=sys.stderr)
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class WithoutCompilerTest(unittest.TestCase):

    def test_the_error_says_what_to_install(self):
        path, program = os.environ.get("PATH"), sys.executable
        os.environ["PATH"] = sys.executable = "/nonexistent"
        try:
            if importlib.util.find_spec("iree"):
                self.skipTest("the package of the compiler is installed")
            with self.assertRaisesRegex(eyrie.Error, "pip install") as caught:
                eyrie.compile(ADD)
            self.assertEqual(caught.exception.code, "NOT_FOUND")
            with self.assertRaisesRegex(eyrie.Error,
                                        r"iree-base-compiler\[onnx\]"):
                eyrie.compile("m.onnx", compiler="/bin/true")
        finally:
            os.environ["PATH"], sys.executable = path, program

    def test_bad_arguments(self):
        with self.assertRaisesRegex(ValueError, "'cpu', 'generic-cpu'"):
            eyrie.compile(ADD, "gpu")
        with self.assertRaisesRegex(eyrie.Error, "Cannot run '/none'"):
            eyrie.compile(ADD, compiler="/none")


@needs()
class CompileTest(unittest.TestCase):

    def test_targets(self):
        row = np.arange(3, dtype=np.float32)
        for target in ("cpu", "generic-cpu", "vmvx"):
            with self.subTest(target):
                model = eyrie.load(eyrie.compile(ADD, target))
                self.assertEqual(model.add(row, row).tolist(), [0, 2, 4])

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "add.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ADD)
            output = os.path.join(folder, "add.vmfb")
            for source in (path, ADD.encode()):
                module = eyrie.compile(source, "vmvx", output=output)
                with open(output, "rb") as file:
                    self.assertEqual(file.read(), module)
                self.assertEqual(eyrie.load(output).functions, ["add"])

    def test_the_compilers_messages_are_kept(self):
        with self.assertRaisesRegex(eyrie.Error, "module.mlir:1") as caught:
            eyrie.compile("func.func @f( {\n", flags="--iree-opt-level=O1")
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


@needs("onnx")
class OnnxTest(unittest.TestCase):

    def setUp(self):
        from onnx import TensorProto, helper
        rows = helper.make_tensor_value_info("rows", TensorProto.FLOAT,
                                             ["n", 2])
        sums = helper.make_tensor_value_info("sums", TensorProto.FLOAT,
                                             ["n", 3])
        weights = helper.make_tensor("w", TensorProto.FLOAT, [2, 3],
                                     [1, 2, 3, 4, 5, 6])
        node = helper.make_node("MatMul", ["rows", "w"], ["sums"])
        graph = helper.make_graph([node], "g", [rows], [sums], [weights])
        self.model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "m.onnx")
        with open(self.path, "wb") as file:
            file.write(self.model.SerializeToString())
        os.environ["EYRIE_CACHE"] = os.path.join(self.folder.name, "cache")
        self.addCleanup(os.environ.pop, "EYRIE_CACHE")

    def test_model(self):
        for source in (self.path, self.model, self.path):
            model = eyrie.load(source)
            self.assertEqual(model.inputs[0].shape, (None, 2))
            self.assertEqual(model([[1, 10]]).tolist(), [[41, 52, 63]])
        names = os.listdir(os.environ["EYRIE_CACHE"])
        self.assertEqual([name[-5:] for name in names], [".vmfb"] * 2)

    def test_a_file_that_is_no_model(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("no model")
        with self.assertRaisesRegex(eyrie.Error, "iree-import-onnx failed"):
            eyrie.load(self.path)
        with self.assertRaises(FileNotFoundError):
            eyrie.load(self.path + ".onnx")


@needs("jax")
class JaxTest(unittest.TestCase):

    def setUp(self):
        import jax
        import eyrie.jax
        self.jax, self.ours = jax, eyrie.jax

    def test_jit(self):
        jnp = self.jax.numpy

        def step(params, x, *, scale=1.0):
            y = jnp.tanh(params["w"] @ x + params["b"]) * scale
            return {"y": y, "norm": (y * y).sum()}, (x, params["unused"])

        params = {"w": jnp.ones((2, 3)) * 0.5, "b": jnp.arange(2.0),
                  "unused": jnp.zeros(1, jnp.int32)}
        ours = self.ours.jit(step)
        for x in (jnp.arange(3.0), jnp.ones(3), jnp.ones((3, 2))):
            if x.ndim == 2:
                params["b"] = jnp.ones((2, 1))
            got, want = ours(params, x, scale=2.0), step(params, x, scale=2.0)
            self.assertEqual(*map(self.jax.tree_util.tree_structure,
                                  (got, want)))
            self.jax.tree_util.tree_map(
                lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5),
                got, want)
        self.assertEqual(len(ours._compiled), 2)
        self.assertEqual(ours.__name__, "step")
        with self.assertRaisesRegex(TypeError, "'static_argnums'"):
            self.ours.jit(step, static_argnums=0)

    def test_types_of_jax(self):
        jnp = self.jax.numpy
        ours = self.ours.jit(lambda x, y: x * y)
        x = jnp.array([1, 2], jnp.bfloat16)
        for y in (2.0, jnp.float32(2), np.float64(2), np.float32(2)):
            with self.subTest(repr(y)):
                got, want = ours(x, y), x * jnp.asarray(y)
                self.assertEqual((got.dtype, got.tolist()),
                                 (want.dtype, want.tolist()))
        # 2.0 is of a weak type; the others are f32 to JAX.
        self.assertEqual(len(ours._compiled), 2)

    def test_donated_arguments(self):
        jnp, count = self.jax.numpy, 1 << 15
        put = self.ours.jit(lambda cache, x, i: cache.at[i].set(x),
                            donate_argnums=0)
        first = jnp.zeros(count)
        cache = put(first, 1.0, 0)
        self.assertTrue(first.is_deleted())
        places = set()
        for i in range(1, 4):
            places.add(cache.unsafe_buffer_pointer())
            cache = put(cache, 1.0, i)
        self.assertEqual((len(places), float(cache.sum())), (1, 4))
        view = np.asarray(cache)  # keeps its elements
        self.assertEqual(float(put(cache, 9.0, 0)[0]), 9)
        self.assertEqual(view[0], 1)
        with self.assertRaisesRegex(RuntimeError, "deleted"):
            put(cache, 1.0, 0)
        both = self.ours.jit(lambda x: (x * 2, x.sum()), donate_argnums=0)
        self.assertEqual(float(both(jnp.ones(count))[1]), count)
        constant = np.arange(count, dtype=np.float32)
        f = self.ours.jit(lambda x: (x + 1, x + 1, constant))
        for donated in range(3):
            results = f(jnp.zeros(count))
            self.assertEqual(float(put(results[donated], 9.0, 5)[5]), 9)
            self.assertEqual([float(results[i][5]) for i in range(3)
                              if i != donated],
                             [want for i, want in enumerate((1, 1, 5))
                              if i != donated])
        self.assertEqual(float(f(jnp.zeros(count))[2][5]), 5)

    def test_compiles_once_for_each_shape(self):
        jnp = self.jax.numpy
        for donation in ({}, {"donate_argnums": 0}, {"donate_argnames": "y"},
                         {"donate_argnums": (0, 1)}):
            calls = []

            def function(x, y):
                calls.append(x.shape)  # once for each trace
                return {"sum": x + y, "twice": x * 2}

            ours = self.ours.jit(function, **donation)
            with self.subTest(donation), unittest.mock.patch.object(
                    _compile, "compile", wraps=_compile.compile) as compiles:
                for count in (2, 2, 3, 3, 2):
                    x, y = jnp.ones(count), jnp.ones(count)
                    got = ours(x, y)
                    self.assertEqual(got["sum"].tolist(), [2] * count)
                self.assertEqual((calls, compiles.call_count),
                                 ([(2,), (3,)], 2))
                donated = [name in str(donation) for name in "0y"]
                donated[1] |= "1" in str(donation)
                self.assertEqual([x.is_deleted(), y.is_deleted()], donated)

    def test_an_array_that_is_donated_and_used(self):
        x = self.jax.numpy.ones(4)
        for numbers in (0, 1, (0, 1)):
            ours = self.ours.jit(lambda x, y: x + y, donate_argnums=numbers)
            with self.assertRaisesRegex(
                    ValueError, "float32 and shape .4,. is donated, and is "
                                "also another argument"):
                ours(x, x)
        self.assertEqual(x.tolist(), [1, 1, 1, 1])

    def test_small_floats(self):
        jnp = self.jax.numpy
        x = jnp.array([1, 2, 0.5], jnp.bfloat16)
        got = self.ours.jit(lambda x: x + x)(x)
        self.assertEqual((got.dtype, got.tolist()), (jnp.bfloat16, [2, 4, 1]))

    def test_wrap(self):
        jax = self.jax
        x = jax.numpy.arange(4.0)
        exported = jax.export.export(jax.jit(
            lambda x, y, unused: {"sum": x + y["b"]}))(x, {"b": x}, x)
        f = self.ours.wrap(exported, eyrie.compile(exported))
        self.assertEqual(f(x, {"b": x}, x)["sum"].tolist(), [0, 2, 4, 6])
        with self.assertRaisesRegex(TypeError, "expected PyTreeDef"):
            f(x, x, x)

    def test_wrap_with_dynamic_dimensions(self):
        jax = self.jax
        rows, = jax.export.symbolic_shape("n")
        shape = jax.ShapeDtypeStruct((rows, 2), np.float32)
        exported = jax.export.export(jax.jit(lambda x: x * 2 + 1))(shape)
        f = self.ours.wrap(exported, eyrie.compile(exported))
        for count in (1, 5):
            x = jax.numpy.ones((count, 2))
            self.assertEqual(f(x).tolist(), (x * 2 + 1).tolist())


class SourceTest(unittest.TestCase):

    def test_other_objects_are_refused(self):
        for wrong, name in ((3, "int"), (None, "NoneType"), ([ADD], "list"),
                            (object, "type")):
            for function in (eyrie.link, eyrie.compile):
                with self.assertRaisesRegex(
                        TypeError, f"^source is of the type {name}; expected "):
                    function(wrong)


@needs("torch")
class TorchTest(unittest.TestCase):

    def setUp(self):
        import torch
        import eyrie.torch
        self.torch, self.ours = torch, eyrie.torch

    def test_tensors_in_and_out(self):
        model = self.ours.load(eyrie.compile(ADD))
        x = self.torch.arange(3.0)
        y = model(x, x.clone().requires_grad_())
        self.assertIsInstance(y, self.torch.Tensor)
        self.assertEqual(y.tolist(), [0, 2, 4])
        self.assertEqual(model["add"](y, y).tolist(), [0, 4, 8])
        self.assertEqual(model(self.torch.arange(6.0)[::2], y).tolist(),
                         [0, 4, 8])
        self.assertIn("?xf32", model["add"].signature)
        self.assertIs(model["add"], model["add"])

    def test_small_floats(self):
        model = self.ours.load(eyrie.compile(ADD.replace("f32", "bf16")))
        x = self.torch.tensor([1, 2, 0.5], dtype=self.torch.bfloat16)
        got = model(x, x)
        self.assertEqual(got.dtype, self.torch.bfloat16)
        self.assertEqual(got.tolist(), [2, 4, 1])


@needs("torch", "iree.turbine")
class TurbineTest(unittest.TestCase):

    def test_an_exported_program(self):
        import torch
        from iree.turbine import aot
        import eyrie.torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(4, 2)

            def forward(self, x, *, more):
                y = self.layer(x) + more["bias"]
                return {"y": y, "sum": y.sum()}

        net = Net()
        x, more = torch.ones(3, 4), {"bias": torch.arange(2.0)}
        rows = torch.export.Dim("rows", min=2, max=100)
        program = torch.export.export(
            net, (x,), {"more": more},
            dynamic_shapes={"x": {0: rows}, "more": {"bias": None}})
        output = aot.export(program)
        model = eyrie.torch.load(
            eyrie.compile(str(output.mlir_module)), exported=program)
        for count in (3, 7):
            x = torch.rand(count, 4)
            got, want = model(x, more=more), net(x, more=more)
            torch.testing.assert_close(got, dict(want))


if __name__ == "__main__":
    unittest.main()
