"""Tests of programs with custom calls, with JAX and its packages.

Run by python_test.sh as frameworks_test.py is.
"""

import ctypes
import importlib.util
import pathlib
import types
import unittest

import numpy as np

import eyrie
from eyrie import _errors
from frameworks_test import needs


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

    def test_words(self):
        for message, want in (
                ("a native library may offer it (--native_library).",
                 "a native library may offer it (native_libraries=)."),
                ('such as {"$dtype": "f32", "data": [1, 2]} in JSON.',
                 "such as numpy.float32([1, 2]).")):
            self.assertEqual(_errors.python_words(message), want)

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

    def test_bad_packages(self):
        manifest = eyrie.link(self.PROGRAM).manifest
        for returned, name in ((5, "int"), (None, "NoneType"), ([], "list")):
            package = types.ModuleType("package")
            package.registrations = lambda returned=returned: returned
            with self.assertRaisesRegex(
                    TypeError, r"package.registrations\(\) returned a value of "
                               f"the type {name}; expected a dict"):
                eyrie.load(b"", native_libraries=package, manifest=manifest)

    def test_names_of_handlers(self):
        """A name that no handler has is an error with the one that is near."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
        capsule = new(1, None, None)
        manifest = eyrie.link(self.PROGRAM).manifest.replace(
            '"partial": true,', "")
        with self.assertRaisesRegex(eyrie.Error,
                                    "Did you mean 'no_handler'?"):
            eyrie.load(b"", native_libraries={"no_handler": capsule},
                       manifest=manifest)

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
                # Calling it ends a process.
                (new(1, None, None), "is not an XLA FFI handler"),
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
        handlers = eyrie._packages.jax_handlers()
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
        handlers = eyrie._packages.jax_handlers()
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


if __name__ == "__main__":
    unittest.main()
