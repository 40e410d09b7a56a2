"""Tests of the type stubs: python types_test.py <tests/modules>.

Run by python_test.sh.
"""

import ast
import importlib.util
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import eyrie

MODULES = sys.argv.pop(1) if len(sys.argv) > 1 else "tests/modules"
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(eyrie.__file__)


def load(name, **options):
    return eyrie.load(os.path.join(MODULES, "3.13", name + ".vmfb"), **options)


class StubTest(unittest.TestCase):
    """The type stubs match the package."""

    def setUp(self):
        path = os.path.join(PACKAGE, "__init__.pyi")
        with open(path, encoding="utf-8") as file:
            self.stub = ast.parse(file.read())

    def test_names(self):
        names = {node.name for node in self.stub.body if hasattr(node, "name")}
        self.assertEqual(names | {"__version__"}, set(eyrie.__all__))
        for name in names:
            self.assertTrue(getattr(eyrie, name).__doc__, name)

    def test_members(self):
        for node in self.stub.body:
            if not isinstance(node, ast.ClassDef):
                continue
            own = getattr(eyrie, node.name)
            members = [item.name for item in node.body
                       if isinstance(item, (ast.FunctionDef,
                                            ast.AsyncFunctionDef))]
            members += [item.target.id for item in node.body
                        if isinstance(item, ast.AnnAssign)]
            for member in members:
                self.assertTrue(hasattr(own, member), f"{node.name}.{member}")
            public = {name for name in vars(own) if not name.startswith("_")}
            self.assertLessEqual(public, set(members), node.name)

    def test_parameters(self):
        rows = [(eyrie.load, "load", None), (eyrie.compile, "compile", None),
                (eyrie.Function.options, "options", "Function"),
                (eyrie.Device.__init__, "__init__", "Device")]
        for function, name, owner in rows:
            body = self.stub.body
            if owner:
                body, = (node.body for node in body
                         if getattr(node, "name", "") == owner)
            arguments, = (node.args for node in body
                          if getattr(node, "name", "") == name)
            self.assertEqual(
                [a.arg for a in arguments.args + arguments.kwonlyargs],
                list(inspect.signature(function).parameters))

    def check(self, name, *arguments):
        """Runs a type checker on a program that uses the installed package."""
        if importlib.util.find_spec(name) is None:
            self.skipTest(f"{name} is not installed: pip install {name}")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-m", name, *arguments,
                 os.path.join(HERE, "typed_program.py")],
                cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, check=False,
                env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
        if "getaddrinfo" in done.stdout or "npm" in done.stdout:
            self.skipTest(f"{name} cannot download its program")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_mypy(self):
        self.check("mypy", "--strict", "--no-error-summary",
                   "--cache-dir=/dev/null")

    def test_pyright(self):
        self.check("pyright", "--pythonpath", sys.executable)


class SignatureTest(unittest.TestCase):
    """Signatures and documentation of functions."""

    def test_signatures(self):
        rows = [
            ("add", "add", "(input0: '4xf32', input1: '4xf32') -> '4xf32'"),
            ("abi_v1", "named", "(x: '?xf32', y: '?xf32') -> '?xf32'"),
        ]
        for module, name, want in rows:
            with self.subTest(name):
                function = load(module)[name]
                self.assertEqual(str(inspect.signature(function)), want)

    def test_every_function_has_a_signature_and_documentation(self):
        for module in ("abi_v0", "abi_v1", "strings", "lists", "destination"):
            model = load(module)
            for name in model.functions:
                with self.subTest(f"{module}.{name}"):
                    inspect.signature(model[name])
                    self.assertTrue(model[name].__doc__.startswith(
                        model[name].signature))

    def test_documentation_lists_arguments(self):
        self.assertEqual(
            inspect.getdoc(load("add").add),
            "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)\n\n"
            "Arguments:\n    input0: 4xf32\n    input1: 4xf32\n\n"
            "Returns:\n    output0: 4xf32")


if __name__ == "__main__":
    unittest.main()
