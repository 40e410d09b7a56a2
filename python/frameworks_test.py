"""Tests of eyrie.compile, eyrie.jax and eyrie.torch with the real packages.

Run by python_test.sh, with the Python of `install.sh --frameworks` if that
exists. A package that is not installed skips its tests.
"""

import ctypes
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

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


class LinkTest(unittest.TestCase):
    PROGRAM = """\
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @no.handler(%x) {api_version = 4 : i32}
      : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""

    def test_link(self):
        program = eyrie.link(self.PROGRAM, module="m")
        self.assertIn('func.call @"m.no.handler"(%x)', program.text)
        self.assertIn('"registered": "no.handler"', program.manifest)
        self.assertEqual(program.targets, ["no.handler"])
        with self.assertRaisesRegex(eyrie.Error, "no stablehlo.custom_call"):
            eyrie.link(program.text)
        with self.assertRaisesRegex(eyrie.Error, "api_version 1") as caught:
            eyrie.link(self.PROGRAM.replace("= 4", "= 1"))
        self.assertEqual(caught.exception.code, "UNIMPLEMENTED")

    def test_bad_libraries(self):
        for wrong, error in ((1, TypeError), ([b"x"], TypeError),
                             ([("k.so",)], TypeError), ([(1, 2)], TypeError),
                             ({"a": 1}, ValueError)):
            with self.subTest(wrong), self.assertRaises(error):
                eyrie.load(b"", native_libraries=wrong)
        manifest = eyrie.link(self.PROGRAM).manifest
        with self.assertRaisesRegex(eyrie.ArgumentError, "not a PyCapsule"):
            eyrie.load(b"", native_libraries={"a": 1}, manifest=manifest)
        for missing in "./none.so", [("./none.so", pathlib.Path("m.json"))]:
            with self.assertRaises(eyrie.MissingFileError):
                eyrie.load(b"", native_libraries=missing, manifest=manifest)

    def test_capsules_without_names(self):
        handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(
            lambda frame: None)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
        capsule = new(ctypes.cast(handler, ctypes.c_void_p), None, None)
        manifest = eyrie.link(self.PROGRAM).manifest
        for items, want in (
                # It is called, and does not say its version.
                ([capsule], "not report its version"),
                (capsule, "not report its version"),
                ([{"no.handler": capsule}], "not report its version"),
                ({"no.handler": {"execute": capsule}}, "not report its"),
                ({"no.handler": {"exec": capsule}}, "has the stage 'exec'; "
                                                    "expected instantiate, "),
                ([capsule, capsule], "2 capsules without names, and the "
                                     "manifest 1 handlers"),
                ([{"no.handler": capsule}, capsule], "manifest 0 handlers")):
            with self.subTest(items), self.assertRaisesRegex(Exception, want):
                eyrie.load(b"", native_libraries=items, manifest=manifest)


class CustomCallBase(unittest.TestCase):

    def setUp(self):
        import jax
        import eyrie.jax
        self.jax, self.ours = jax, eyrie.jax

    def compare(self, function, *arguments, targets=("cpu", "vmvx")):
        want = self.jax.jit(function)(*arguments)
        for target in targets:
            with self.subTest(function.__name__, target=target):
                got = self.ours.jit(function, target=target)(*arguments)
                self.jax.tree_util.tree_map(
                    lambda a, b: np.testing.assert_allclose(
                        a, b, rtol=2e-5, atol=2e-5), got, want)


@needs("jax")
class CustomCallTest(CustomCallBase):
    """Programs of JAX whose custom calls call real handlers."""

    def test_linear_algebra(self):
        linalg = self.jax.numpy.linalg
        a = np.random.default_rng(1).random((4, 4)).astype(np.float32)
        for function in (linalg.eigh, linalg.cholesky):
            self.compare(function, a @ a.T + 4 * np.eye(4, dtype=np.float32))
        for function in (linalg.qr, linalg.svd, linalg.det, linalg.inv):
            self.compare(function, a)
        self.compare(linalg.qr, a[:, :3])
        self.compare(linalg.svd, np.stack([a[:3], a[1:]]))
        self.compare(linalg.solve, a, a[:, :2])

    def test_double_precision(self):
        a = np.random.default_rng(1).random((5, 5))
        self.jax.config.update("jax_enable_x64", True)
        try:
            got = self.ours.jit(self.jax.numpy.linalg.inv)(a)
        finally:
            self.jax.config.update("jax_enable_x64", False)
        np.testing.assert_allclose(got, np.linalg.inv(a), rtol=1e-12)

    def test_calls_of_python_are_refused(self):
        jax = self.jax

        def printing(ordered):
            def function(x):
                jax.debug.print("{}", x, ordered=ordered)
                return x
            return function

        def calling(x):
            return jax.pure_callback(np.negative, x, x)

        for function in (printing(False), printing(True), calling):
            with self.assertRaisesRegex(eyrie.UnsupportedError,
                                        "calls back into Python"):
                self.ours.jit(function)(jax.numpy.ones(3))

    def test_several_libraries_and_a_dict(self):
        """The module finds a handler by its name in the dict."""
        jnp = self.jax.numpy
        x = jnp.array([[4, 2], [2, 3]], jnp.float32)
        program = eyrie.link(self.jax.jit(jnp.linalg.cholesky).lower(x))
        module = eyrie.compile(program.text, "vmvx")
        handlers = eyrie._native.jax_handlers()
        model = eyrie.load(
            module, manifest=program.manifest,
            native_libraries=[{}, {name: handlers[name]
                                   for name in program.targets}])
        np.testing.assert_allclose(model.main(x), np.linalg.cholesky(x),
                                   rtol=1e-6)
        np.testing.assert_allclose(model.sibling().main(x),
                                   np.linalg.cholesky(x), rtol=1e-6)

    def test_portable_bytecode(self):
        export, linalg = self.jax.export, self.jax.numpy.linalg
        exported = export.export(
            self.jax.jit(linalg.cholesky), disabled_checks=[
                export.DisabledSafetyCheck.custom_call("lapack_spotrf_ffi")])(
                    np.eye(3, dtype=np.float32))
        program = eyrie.link(exported.mlir_module_serialized)
        self.assertEqual(program.targets, ["lapack_spotrf_ffi"])
        with self.assertRaisesRegex(eyrie.Error, "cannot read") as caught:
            eyrie.link(b"ML\xefR")
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_given_handlers_have_precedence(self):
        jnp = self.jax.numpy
        x = jnp.array([[4, 2], [2, 3]], jnp.float32)
        handlers = eyrie._native.jax_handlers()
        ours = self.ours.jit(
            jnp.linalg.cholesky, target="vmvx", native_libraries={
                "lapack_spotrf_ffi": handlers["lapack_dpotrf_ffi"]})
        with self.assertRaisesRegex(eyrie.Error, "expected F64 but got F32"):
            ours(x)
        with self.assertRaisesRegex(TypeError, "writes the manifest"):
            self.ours.jit(jnp.linalg.cholesky, manifest="{}")

    def test_a_handler_that_nobody_offers(self):
        def call(x):
            return self.jax.ffi.ffi_call(
                "lapack_spotrf_fi", self.jax.ShapeDtypeStruct((), np.float32)
            )(x)
        with self.assertRaisesRegex(
                eyrie.Error, "Did you mean 'lapack_spotrf_ffi'") as caught:
            self.ours.jit(call, target="vmvx")(np.float32(1))
        self.assertEqual(caught.exception.code, "NOT_FOUND")


@needs("jax", "klujax", "jax_finufft")
class PackagesTest(CustomCallBase):
    """Handlers of packages of PyPI. Importing klujax enables 64 bits."""

    def test_klujax(self):
        import klujax
        random = np.random.default_rng(1)
        i = np.array([0, 0, 1, 1, 2, 2], np.int32)
        j = np.array([0, 1, 1, 2, 2, 0], np.int32)
        self.compare(klujax.solve, i, j, random.random(6) + 1, random.random(3))
        self.compare(klujax.dot, i, j, random.random(6) + 1, random.random(3))

    def test_jax_finufft(self):
        import jax_finufft
        random = np.random.default_rng(1)
        x = (random.random(20) * 6 - 3).astype(np.float32)
        c = (random.random(20) + 1j * random.random(20)).astype(np.complex64)
        self.compare(lambda x, c: jax_finufft.nufft1(16, c, x), x, c)
        self.compare(jax_finufft.nufft2, c, x)


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
