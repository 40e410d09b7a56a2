"""Tests of eyrie.compile, eyrie.jax and eyrie.torch with the real packages.

Run by python_test.sh, with the Python of `install.sh --frameworks` if that
exists. A package that is not installed skips its tests.
"""

import contextlib
import glob
import importlib.util
import itertools
import os
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np

import eyrie
from eyrie import _cache, _compile, _onnx

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

    def test_files_that_would_be_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.onnx")
            with open(path, "wb") as file:
                file.write(b"model")
            link = os.path.join(folder, "link")
            os.symlink(path, link)
            both = os.path.join(folder, "both")
            for files in ({"output": path}, {"weights": path}, {"output": link},
                          {"output": both, "weights": both},
                          {"output": both, "weights": folder + "/./both"}):
                with self.subTest(files), self.assertRaisesRegex(
                        ValueError, "is also the source, a file of it, or"):
                    eyrie.compile(path, compiler="/bin/true", **files)
            other = os.path.join(folder, "m.vmfb")
            with open(other, "wb") as file:
                file.write(b"PK")
            with self.assertRaisesRegex(eyrie.Error, "not a file to compile"):
                eyrie.compile(other, compiler="/bin/true")


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

    def test_a_flag_of_the_user_replaces_ours(self):
        lowered = unittest.mock.Mock(
            spec=["as_text"], as_text=lambda: ADD.replace("f32", "f64"))
        name = "-iree-input-demote-f64-to-f32"
        for flags, want in (((), np.float64), (f"-{name}=true", np.float32),
                            ([f"-{name}=false"], np.float64),
                            ([name], np.float32)):
            with self.subTest(flags), unittest.mock.patch.object(
                    _compile, "run", wraps=_compile.run) as runs:
                model = eyrie.load(eyrie.compile(lowered, "vmvx", flags=flags))
                self.assertEqual(model.add.inputs[0].dtype, want)
                self.assertEqual(str(runs.call_args).count(name), 1)
        cpu, ours = "--iree-llvmcpu-target-cpu", _compile.command()[1:]
        self.assertEqual(
            sorted(_compile.command(flags=f"{cpu}=generic")[1:]),
            sorted([*ours[:-1], f"{cpu}=generic"]))

    def test_the_compilers_messages_are_kept(self):
        with self.assertRaisesRegex(eyrie.Error, "module.mlir:1") as caught:
            eyrie.compile("func.func @f( {\n", flags="--iree-opt-level=O1")
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


def onnx_model(nodes, inputs, outputs, weights=(), opset=17):
    """Returns a model. Values are (name, type, shape), weights (name, array).

    nodes: (operator, inputs, outputs), and attributes as a dict.
    A weight is an input, too, as in models before IR version 4.
    """
    from onnx import helper, numpy_helper
    tensors = [numpy_helper.from_array(array, name) for name, array in weights]
    old = [helper.make_tensor_value_info(each.name, each.data_type, each.dims)
           for each in tensors]
    graph = helper.make_graph(
        [helper.make_node(*node[:3], **dict(*node[3:])) for node in nodes], "g",
        old + [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info(*each) for each in outputs], tensors)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@needs("onnx")
class OnnxTest(unittest.TestCase):

    def setUp(self):
        from onnx import TensorProto
        self.f32, self.i64 = TensorProto.FLOAT, TensorProto.INT64
        self.model = onnx_model(
            [("MatMul", ["rows", "w"], ["sums"])],
            [("rows", self.f32, ["n", 2])], [("sums", self.f32, ["n", 3])],
            [("w", np.array([[1, 2, 3], [4, 5, 6]], np.float32))])
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.save(self.model)
        self.cache = os.path.join(self.folder.name, "cache")
        environment = unittest.mock.patch.dict(os.environ,
                                               EYRIE_CACHE=self.cache)
        environment.start()
        self.addCleanup(environment.stop)

    def save(self, model, name="m.onnx"):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        return path

    def cached(self):
        return sorted(name[64:] for name in os.listdir(self.cache))

    def test_model(self):
        for source in (self.path, self.model, self.path):
            model = eyrie.load(source)
            self.assertEqual(model.inputs[0].shape, (None, 2))
            self.assertEqual(model([[1, 10]]).tolist(), [[41, 52, 63]])
        self.assertEqual(self.cached(), [".vmfb"])

    def test_a_damaged_entry_is_compiled_again(self):
        eyrie.load(self.path)
        entry, = [os.path.join(self.cache, name)
                  for name in os.listdir(self.cache)]
        with open(entry, "rb") as file:
            module = file.read()
        for damage in (b"", b"garbage", module[:-100]):
            with open(entry, "wb") as file:
                file.write(damage)
            self.assertEqual(eyrie.load(self.path)([[1, 10]]).tolist(),
                             [[41, 52, 63]])
        with self.assertRaisesRegex(eyrie.ArgumentError, "'row'"):
            eyrie.load(self.path)({"row": [[1, 10]]})

    def test_names(self):
        model = eyrie.load(onnx_model(
            [("Add", ["left.x", "right/\"y\":0"], ["the sum"]),
             ("Shape", ["the sum"], ["größe"])],
            [("left.x", self.f32, ["n", 2]),
             ("right/\"y\":0", self.f32, [])],
            [("größe", self.i64, [2]), ("the sum", self.f32, ["n", 2])]))
        self.assertEqual(
            [tuple(each) for each in model.inputs],
            [("left.x", "?x2xf32", (None, 2), np.float32),
             ("right/\"y\":0", "f32", (), np.float32)])
        self.assertEqual([each.name for each in model.outputs],
                         ["größe", "the sum"])
        shape, total = model({"right/\"y\":0": 2, "left.x": [[1, 2]]})
        self.assertEqual((shape.tolist(), total.tolist()), ([1, 2], [[3, 4]]))
        with self.assertRaisesRegex(ValueError, "'left.x'.*3 is given|"
                                    "'left.x'.*expected 2"):
            model([[1, 2, 3]], 2)

    def test_f64(self):
        from onnx import TensorProto
        model = eyrie.load(onnx_model(
            [("Add", ["x", "x"], ["y"])], [("x", TensorProto.DOUBLE, ["n"])],
            [("y", TensorProto.DOUBLE, ["n"])]))
        self.assertEqual(model(x=[1 + 1e-12]).tolist(), [2 + 2e-12])

    def test_inputs_that_are_constants_have_no_name(self):
        model = eyrie.load(self.model)
        self.assertEqual([each.name for each in model.inputs], ["rows"])
        self.assertEqual(model(rows=[[1, 10]]).tolist(), [[41, 52, 63]])

    def test_weights_in_a_file(self):
        weights = np.arange(2048, dtype=np.float32).reshape(2, 1024)
        path = self.save(onnx_model(
            [("MatMul", ["x", "w"], ["y"])], [("x", self.f32, ["n", 2])],
            [("y", self.f32, ["n", 1024])], [("w", weights)]))
        with unittest.mock.patch.object(_cache, "_LARGE", 4096), \
                unittest.mock.patch.object(
                    _compile, "compile_onnx",
                    wraps=_compile.compile_onnx) as compiles:
            for _ in range(2):
                first, second = eyrie.load(path), eyrie.load([path])
                got = [each(x=[[1, 1]]) for each in (first, second)]
                self.assertEqual([each.tolist() for each in got],
                                 [[weights.sum(0).tolist()]] * 2)
            self.assertEqual(self.cached(), [".irpa", ".vmfb"])
            self.assertEqual(compiles.call_count, 1)
            os.unlink(glob.glob(os.path.join(self.cache, "*.irpa"))[0])
            self.assertEqual(eyrie.load(path)([[0, 1]])[0, 5], 1029)
        irpa = os.path.join(self.folder.name, "w.irpa")
        module = eyrie.compile(path, "vmvx", weights=irpa)
        self.assertLess(len(module), weights.nbytes + 8192)
        self.assertEqual(eyrie.load(module, parameters=irpa)([[0, 1]])[0, 5],
                         1029)
        with self.assertRaisesRegex(ValueError, "of ONNX models only"):
            eyrie.compile(ADD, weights=irpa)

    def test_models_together_exceed_the_cache(self):
        paths = [self.save(onnx_model(
            [("MatMul", ["x", "w"], ["y"])], [("x", self.f32, ["n", 2])],
            [("y", self.f32, ["n", 1024])],
            [("w", np.full((2, 1024), value, np.float32))]), f"{value}.onnx")
                 for value in (1, 2)]
        with unittest.mock.patch.object(_cache, "_LARGE", 4096), \
                unittest.mock.patch.dict(os.environ, EYRIE_CACHE_SIZE="1"):
            eyrie.load(paths)
        self.assertEqual(self.cached(), [".irpa", ".irpa", ".vmfb", ".vmfb"])

    def test_an_old_model_is_converted(self):
        norm = ("BatchNormalization", ["x", *"sbmv"], ["y"])
        weights = [(name, np.array([2], np.float32)) for name in "sbmv"]
        x, y = ("x", self.f32, ["n", 1, 2]), ("y", self.f32, ["n", 1, 2])
        model = eyrie.load(onnx_model([norm], [x], [y], weights, opset=12))
        np.testing.assert_allclose(model([[[2, 4]]]),
                                   [[[2, 2 + 2 * 2**.5]]], rtol=1e-4)
        with self.assertRaises(eyrie.Error) as caught:  # says what is left
            eyrie.load(onnx_model([norm, ("Unique", ["y"], ["z"])], [x],
                                  [("z", self.f32, ["k"])], weights, opset=12))
        self.assertIn("onnx.Unique", str(caught.exception))
        self.assertNotIn("BatchNorm", str(caught.exception))

    def test_a_new_model_is_compiled_once(self):
        x, z = ("x", self.f32, ["n"]), ("z", self.f32, ["k"])
        for opset, count in ((16, 2), (17, 1), (18, 1)):
            model = onnx_model([("Unique", ["x"], ["z"])], [x], [z],
                               opset=opset)
            with unittest.mock.patch.object(_onnx, "to_mlir",
                                            wraps=_onnx.to_mlir) as imports, \
                    self.assertRaisesRegex(eyrie.Error, "onnx.Unique"):
                eyrie.compile(model)
            self.assertEqual(imports.call_count, count)

    def test_packages_that_the_importer_lacks(self):
        code = os.path.join(self.folder.name, "sitecustomize.py")
        for name, package in (("onnx", r"iree-base-compiler\[onnx\]"),
                              ("iree.runtime", "iree-base-runtime`")):
            with open(code, "w", encoding="utf-8") as file:
                file.write(f"import sys; sys.modules['{name}'] = None")
            with unittest.mock.patch.dict(os.environ,
                                          PYTHONPATH=self.folder.name), \
                    self.assertRaisesRegex(eyrie.Error, package) as caught:
                eyrie.compile(self.path, weights=self.path + ".irpa")
            self.assertEqual(caught.exception.code, "NOT_FOUND")

    def test_a_file_that_is_no_model(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("no model")
        with self.assertRaisesRegex(eyrie.Error, "iree-import-onnx failed.*\n"
                                    "google.protobuf.*Error"):
            eyrie.load(self.path)
        with self.assertRaisesRegex(eyrie.MissingFileError, "m.onnx.onnx'"):
            eyrie.load(self.path + ".onnx")

    def test_a_model_that_is_truncated(self):
        model = self.model.SerializeToString()
        for rest in (model[:-1], OnnxBytesTest.LOCATION,
                     OnnxBytesTest.LOCATION + b"\xff" * 100):
            with open(self.path, "wb") as file:
                file.write(rest)
            with self.assertRaisesRegex(eyrie.Error, "^iree-import-onnx fail"):
                eyrie.load(self.path)


class OnnxBytesTest(unittest.TestCase):
    """Reads the bytes of models without the package onnx."""

    LOCATION = b"\x0a\x08location\x12"
    MODEL = b"\x08\x08\x42\x04\x0a\x00\x10\x11"  # IR version 8, opset 17
    GRAPH = MODEL + b"\x3a\x0a\x5a\x03\x0a\x01x\x62\x03\x0a\x01y"

    def opset(self, model):
        return _onnx.opset(unittest.mock.Mock(
            SerializeToString=lambda: bytes(model)))

    def test_other_files(self):
        with tempfile.TemporaryDirectory() as folder:
            size = 200
            names = [b"w", b"v" * size]
            for name in names:
                with open(os.path.join(folder, name.decode()), "wb") as file:
                    file.write(name)
            good = b"".join((self.LOCATION + b"\x01w",
                             self.LOCATION + b"\xc8\x01" + names[1]))
            for rest in (b"", self.LOCATION, self.LOCATION + b"\x02w",
                         self.LOCATION + b"\xff" * 9,
                         self.LOCATION + b"\xff" * 11 + b"\x01",
                         # Take minutes if the time grows with the square.
                         self.LOCATION + b"\xff" * 10_000_000,
                         (self.LOCATION + b"\x80\x80\x80\x01") * 500_000):
                with self.subTest(rest[:30]):
                    found = _onnx.other_files(good + rest, folder)
                    self.assertEqual([(name, status.st_size)
                                      for name, status in found],
                                     [(names[1], size), (names[0], 1)])

    def test_opset(self):
        for model, want in (
                (self.MODEL, 17), (self.GRAPH, 17), (b"", 0),
                (self.MODEL[:-1], 0), (self.MODEL[:2], 0),
                (b"\x40\x04", 0),  # an integer where a message is expected
                (b"\x42\x02\x12\x00", 0),  # a version that is not an integer
                (b"\x42\x00", 0), (b"\x0b", 0), (b"no model", 0),
                (b"\xff" * 10_000_000, 0)):
            with self.subTest(model[:30]):
                self.assertEqual(self.opset(model), want)

    def test_names(self):
        self.assertEqual(_onnx._names(memoryview(self.GRAPH)), (["x"], ["y"]))
        for size in range(len(self.GRAPH)):
            with self.subTest(size), self.assertRaisesRegex(
                    eyrie.Error, "Cannot read the names of the ONNX model"):
                _onnx._names(memoryview(self.GRAPH)[:size])
        for flipped in range(8 * len(self.GRAPH)):
            model = bytearray(self.GRAPH)
            model[flipped // 8] ^= 1 << flipped % 8
            with self.subTest(flipped=flipped), \
                    contextlib.suppress(eyrie.Error):
                self.assertIsInstance(self.opset(model), int)
                _onnx._names(memoryview(model))


# A ZIP without members, of 100 bytes.
_ENTRY = bytes(78) + b"PK\5\6" + bytes(18)


class CacheTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def put(self, digit, *suffixes, used):
        for suffix in suffixes:
            path = os.path.join(self.folder, digit * 64 + suffix)
            with open(path, "wb") as file:
                file.write(_ENTRY)
            os.utime(path, (used, used))

    def left(self):
        return sorted(name[63:] for name in os.listdir(self.folder))

    def test_the_entry_that_was_used_longest_ago_goes_first(self):
        self.put("a", ".vmfb", ".irpa", used=3)
        self.put("b", ".vmfb", used=2)
        self.put("c", ".irpa", used=1)
        with open(os.path.join(self.folder, "a file of the user" + "." * 64),
                  "wb") as file:
            file.write(bytes(1000))
        for limit, want in ((400, 5), (399, 4), (300, 4), (299, 3), (199, 1),
                            (0, 1)):
            _cache._trim(self.folder, limit)
            self.assertEqual(len(os.listdir(self.folder)), want, limit)

    def test_files_that_were_used_within_an_hour_stay(self):
        now = os.stat(self.folder).st_mtime
        self.put("a", ".vmfb", ".irpa", used=now - 3500)
        self.put("b", ".vmfb", ".irpa", used=now - 3700)
        self.put("c", ".irpa", used=now - 3700)
        self.put("c", ".vmfb", used=now)
        self.put("d", ".irpa.12.34", used=now - 80000)
        self.put("e", ".irpa.12.35", used=now - 90000)
        stay = ["a.irpa", "a.vmfb", "c.irpa", "c.vmfb", "d.irpa.12.34"]
        _cache._trim(self.folder, 10000)
        self.assertEqual(self.left(), sorted([*stay, "b.irpa", "b.vmfb"]))
        _cache._trim(self.folder, 0)
        self.assertEqual(self.left(), stay)

    def test_a_folder_that_cannot_be_listed(self):
        with unittest.mock.patch("os.listdir", side_effect=PermissionError):
            _cache._trim(self.folder, 0)
        _cache._trim(self.folder + "/none", 0)

    def test_a_use_makes_an_entry_the_newest(self):
        self.put("a", ".vmfb", used=1)
        self.put("b", ".vmfb", used=2)
        path = os.path.join(self.folder, "a" * 64 + ".vmfb")
        self.assertEqual(_cache._found(path, None), _ENTRY)
        _cache._trim(self.folder, 100)
        self.assertEqual(self.left(), ["a.vmfb"])

    def test_a_file_appears_when_it_is_complete(self):
        path = os.path.join(self.folder, "x")
        with self.assertRaises(KeyError), _cache._written(path) as part:
            with open(part, "wb"):
                raise KeyError
        self.assertEqual(os.listdir(self.folder), [])
        with _cache._written(path) as part, open(part, "wb") as file:
            file.write(b"1")
            self.assertFalse(os.path.exists(path))
        self.assertEqual(os.listdir(self.folder), ["x"])

    def test_a_size_that_is_not_a_number(self):
        for text in ("4G", "-1", "1" * 19):
            with unittest.mock.patch.dict(os.environ, EYRIE_CACHE_SIZE=text), \
                    self.assertRaisesRegex(ValueError, f"'{text}'.*of bytes"):
                _cache._limit()


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

    def test_wrap_keeps_f64(self):
        jax = self.jax
        with jax.enable_x64():
            exported = jax.export.export(jax.jit(lambda x: x + 1e-12))(1.0)
            f = self.ours.wrap(exported, eyrie.compile(exported, "vmvx"))
            self.assertEqual(float(f(1.0)), 1 + 1e-12)

    def test_a_flag_of_the_user_replaces_ours(self):
        name = "--iree-input-demote-f64-to-f32"
        for value, want in (("false", np.float64), ("true", np.float32)):
            f = self.ours.jit(lambda x: x + x, flags=f"{name}={value}",
                              allow_loss=True)
            with self.subTest(value), self.jax.enable_x64(), \
                    unittest.mock.patch.object(_compile, "run",
                                               wraps=_compile.run) as runs:
                self.assertEqual(f(1.5).dtype, want)
                self.assertEqual(str(runs.call_args).count(name), 1)

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

    def test_the_error_says_what_to_install(self):
        program = self.torch.export.export(self.torch.nn.Linear(4, 2),
                                           (self.torch.ones(3, 4),))
        with unittest.mock.patch.dict("sys.modules", {"iree.turbine": None}), \
                self.assertRaisesRegex(eyrie.Error, "`pip install iree-turbine"
                                       ) as caught:
            self.ours.load(program)
        self.assertEqual(caught.exception.code, "NOT_FOUND")

    def test_arguments_that_a_source_does_not_use(self):
        torch = self.torch
        network, x = torch.nn.Linear(4, 2), torch.ones(3, 4)
        program = torch.export.export(network, (x,))
        given = {"args": (x,), "kwargs": {}, "dynamic_shapes": ({},),
                 "target": "cpu", "flags": "--iree-opt-level=O3",
                 "exported": program}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.pt2")
            torch.export.save(program, path)
            for sources, kind, used in (
                    (("m.vmfb", "m.onnx", b"VMFB"), "a module or an ONNX model",
                     ["exported"]),
                    ((program, path), "a program of torch.export",
                     ["target", "flags"]),
                    ((network,), "a torch.nn.Module",
                     [*given][:-1])):
                words = f" with {kind}, only {', '.join(used)}"
                unused = [name for name in given if name not in used]
                for source, names in itertools.product(
                        sources, [*([name] for name in unused), unused]):
                    with self.subTest(source, names=names), \
                            self.assertRaisesRegex(
                                TypeError, f" use {', '.join(names)}{words}"):
                        self.ours.load(source, **{name: given[name]
                                                  for name in names})

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
        module = eyrie.torch.compile(program, "vmvx")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.pt2")
            torch.export.save(program, path)
            models = [
                eyrie.torch.load(program, target="generic-cpu"),
                eyrie.torch.load(path),
                eyrie.torch.load(module, exported=program),
                eyrie.torch.load(net, (x,), {"more": more}, dynamic_shapes={
                    "x": {0: rows}, "more": {"bias": None}})]
        for model in models:
            for count in (3, 7):
                x = torch.rand(count, 4)
                got, want = model(x, more=more), net(x, more=more)
                torch.testing.assert_close(got, dict(want))

    def test_types(self):
        import torch
        import eyrie.torch
        for dtype in (torch.float64, torch.int64, torch.bfloat16):
            net = torch.nn.Module()
            net.forward = lambda x: x + x
            x = torch.tensor([1, 2, 3], dtype=dtype)
            got = eyrie.torch.load(net, (x,))(x)
            self.assertEqual((got.dtype, got.tolist()), (dtype, [2, 4, 6]))

    def test_operators_that_the_importer_lacks(self):
        import torch
        import eyrie.torch
        net, x = torch.nn.GRU(4, 5), torch.rand(3, 1, 4)
        with torch.no_grad():
            want = net(x)
        for got, each in zip(eyrie.torch.load(net, (x,))(x), want):
            torch.testing.assert_close(got, each)

    def test_a_network_without_arguments(self):
        import torch
        import eyrie.torch
        with self.assertRaisesRegex(TypeError, "The Linear needs `args`"):
            eyrie.torch.load(torch.nn.Linear(4, 2))


if __name__ == "__main__":
    unittest.main()
