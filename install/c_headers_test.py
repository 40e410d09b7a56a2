"""Proves the rules of the C API's headers, and that generators can bind them.

  c_headers_test.py <include folder> <libeyrie.map> <libeyrie.so> <digits.vmfb>

Parses include/eyrie/c*.h with pycparser and checks the rules of
docs/decisions/c_api.md: who owns what, widths, padding, struct_size, dropped
errors, exported names. Binds the library with cffi and calls samples/digits.
Compiles the examples in the heads of all public headers. Parts whose package is
not installed are skipped; the reason is printed.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

INCLUDE, MAP, LIBRARY, DIGITS = sys.argv[1:5]
HEADERS = os.path.join(INCLUDE, "eyrie")
C_HEADERS = sorted(glob.glob(os.path.join(HEADERS, "c.h")) +
                   glob.glob(os.path.join(HEADERS, "c_*.h")))
MAX_FUNCTIONS = 150

# The result of such a function belongs to the caller.
OWNING = {"new", "create", "open", "load", "copy", "prepare", "begin"}
# Members of a union, which never change their size.
FIXED = {"eyrie_bytes_t"}

FAKES = {
    "stddef.h": "typedef unsigned long size_t;\n#define NULL ((void*)0)\n",
    "stdint.h": "".join(f"typedef {c} {name};\n" for name, c in [
        ("int8_t", "signed char"), ("int16_t", "short"), ("int32_t", "int"),
        ("int64_t", "long"), ("uint8_t", "unsigned char"),
        ("uint16_t", "unsigned short"), ("uint32_t", "unsigned int"),
        ("uint64_t", "unsigned long")]),
}
SIZES = {"int8_t": 1, "int16_t": 2, "int32_t": 4, "int64_t": 8, "uint8_t": 1,
         "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "size_t": 8, "float": 4,
         "double": 8}


def preprocess(with_types):
    """Returns the declarations of all headers, without attributes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FAKES.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                f.write(text if with_types else "")
        source = "".join(f'#include "{path}"\n' for path in C_HEADERS)
        return subprocess.run(
            ["gcc", "-E", "-P", "-nostdinc", "-I" + folder, "-I" + INCLUDE,
             "-D__attribute__(x)=", "-xc", "-"],
            input=source, capture_output=True, text=True, check=True).stdout


def need(package):
    try:
        return __import__(package)
    except ImportError:
        print(f"SKIPPED: Python's package {package} is not installed.")
        raise unittest.SkipTest(package) from None


class Rules(unittest.TestCase):
    """Rules that need the types of declarations."""

    @classmethod
    def setUpClass(cls):
        need("pycparser")
        from pycparser import c_ast, c_parser  # pylint: disable=import-error
        cls.ast = c_ast
        nodes = c_parser.CParser().parse(preprocess(True)).ext
        cls.types = {n.name: n.type for n in nodes
                     if isinstance(n, c_ast.Typedef)}
        cls.functions = {n.name: n.type for n in nodes
                         if isinstance(n, c_ast.Decl) and
                         isinstance(n.type, c_ast.FuncDecl)}
        cls.nodes = nodes

    def structs(self):
        for name, kind in self.types.items():
            if (isinstance(kind, self.ast.TypeDecl) and
                    isinstance(kind.type, self.ast.Struct) and kind.type.decls):
                yield name, kind.type.decls

    def name_of(self, node):
        """Returns a scalar's name without typedefs of this API."""
        if not isinstance(node, self.ast.TypeDecl):
            return None
        if not isinstance(node.type, self.ast.IdentifierType):
            return None
        name = " ".join(node.type.names)
        if name.startswith("eyrie_") and name in self.types:
            return self.name_of(self.types[name])
        return name

    def is_pointer(self, node):
        """Reports whether a type is a pointer, also to a function."""
        if isinstance(node, self.ast.PtrDecl):
            return True
        if not (isinstance(node, self.ast.TypeDecl) and
                isinstance(node.type, self.ast.IdentifierType)):
            return False
        named = self.types.get(" ".join(node.type.names))
        return named is not None and self.is_pointer(named)

    def size_of(self, node):
        """Returns the size and the alignment of a type, on 64 bits."""
        if self.is_pointer(node):
            return 8, 8
        name = self.name_of(node)
        self.assertIn(name, SIZES)
        return SIZES[name], SIZES[name]

    def pointee(self, node, depth):
        for _ in range(depth):
            if not isinstance(node, self.ast.PtrDecl):
                return None
            node = node.type
        if not isinstance(node, self.ast.TypeDecl):
            return None
        if not isinstance(node.type, self.ast.IdentifierType):
            return None
        return " ".join(node.type.names)

    def test_no_type_has_the_width_of_a_compilers_choice(self):
        for name, kind in self.types.items():
            inner = getattr(kind, "type", None)
            self.assertNotIsInstance(inner, self.ast.Enum, name)
        for name, members in self.structs():
            for member in members:
                if self.is_pointer(member.type):
                    continue
                self.assertIn(self.name_of(member.type), SIZES,
                              f"{name}.{member.name}")

    def test_structs_begin_with_their_size_and_end_without_padding(self):
        found = 0
        for name, members in self.structs():
            if name in FIXED:
                continue
            found += 1
            with self.subTest(name):
                self.assertEqual(members[0].name, "struct_size")
                self.assertEqual(self.name_of(members[0].type), "size_t")
                end = 0
                widest = 1
                for member in members:
                    size, alignment = self.size_of(member.type)
                    end = (end + alignment - 1) // alignment * alignment + size
                    widest = max(widest, alignment)
                self.assertEqual(end % widest, 0, "padding at the end")
        self.assertGreaterEqual(found, 20)

    def test_names_tell_who_owns(self):
        freed = {m.group(1) + "_t" for name in self.functions
                 if (m := re.fullmatch(r"(eyrie_\w+)_(free|release)", name))}
        self.assertGreaterEqual(len(freed), 15)
        for name, kind in self.functions.items():
            owns = bool(OWNING & set(name.split("_")))
            parameters = kind.args.params if kind.args else []
            made = [self.pointee(p.type, 2) for p in parameters
                    if p.name and p.name.startswith("out_")]
            made = [t for t in made if t in freed]
            returned = self.pointee(kind.type, 1)
            if returned in freed and returned != "eyrie_error_t" and owns:
                made.append(returned)
            with self.subTest(name):
                self.assertEqual(bool(made) or returned == "eyrie_error_t" and
                                 name == "eyrie_error_create", owns)

    def test_there_are_few_functions(self):
        self.assertLessEqual(len(self.functions), MAX_FUNCTIONS)

    def test_the_library_exports_these_names(self):
        with open(MAP, encoding="ascii") as f:
            listed = re.findall(r"^    (eyrie_\w+);$", f.read(), re.M)
        self.assertEqual(listed, sorted(self.functions))


class Errors(unittest.TestCase):

    def test_compilers_warn_if_an_error_is_dropped(self):
        found = 0
        for path in C_HEADERS:
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
            for m in re.finditer(r"EYRIE_EXPORT\s+(EYRIE_CHECK\s+)?"
                                 r"eyrie_error_t\*\s*(\w+)", text):
                found += 1
                self.assertTrue(m.group(1), m.group(2))
        self.assertGreaterEqual(found, 40)


class Binding(unittest.TestCase):
    """A binding that a generator makes from the headers alone."""

    def test_calls_a_model(self):
        cffi = need("cffi")
        ffi = cffi.FFI()
        ffi.cdef(preprocess(False))
        lib = ffi.dlopen(os.path.abspath(LIBRARY))

        def check(error):
            if error != ffi.NULL:
                message = ffi.string(lib.eyrie_error_message(error)).decode()
                lib.eyrie_error_free(error)
                self.fail(message)

        def struct(kind, **members):
            made = ffi.new(f"{kind}*", members)
            made.struct_size = ffi.sizeof(kind)
            return made

        context = ffi.new("eyrie_context_t**")
        check(lib.eyrie_context_open(DIGITS.encode(), b"local-sync", ffi.NULL,
                                     context))
        function = ffi.new("eyrie_function_t**")
        check(lib.eyrie_context_find_function(context[0], b"classify",
                                              function))
        signature = lib.eyrie_function_signature(function[0])
        self.assertEqual(signature.argument_count, 1)
        self.assertEqual(signature.arguments[0].dtype, lib.EYRIE_DTYPE_F32)
        pixels = ffi.new("float[64]", [float(i % 16) for i in range(64)])
        picture = ffi.new("eyrie_value_t**")
        check(lib.eyrie_value_new_array(lib.EYRIE_DTYPE_F32, 2,
                                        ffi.new("int64_t[]", [8, 8]), pixels,
                                        256, picture))
        args = struct("eyrie_call_args_t", values=picture, value_count=1)
        options = struct("eyrie_call_options_t", timeout_ns=10**12)
        results = ffi.new("eyrie_value_t*[1]")
        for _ in range(2):  # the options are reusable
            check(lib.eyrie_function_call(function[0], args, options, results,
                                          1))
        prepared = ffi.new("eyrie_prepared_call_t**")
        check(lib.eyrie_function_prepare(function[0], args, prepared))
        lib.eyrie_context_release(context[0])  # the call keeps it
        again = ffi.new("eyrie_value_t*[1]")
        check(lib.eyrie_prepared_call_run(prepared[0], options, again, 1))

        def numbers(value):
            array = struct("eyrie_array_t")
            check(lib.eyrie_value_get_array(value, array))
            self.assertEqual(array.size, 40)
            return list(ffi.cast("const float*", array.data)[0:10])

        self.assertEqual(numbers(results[0]), numbers(again[0]))
        self.assertGreater(max(numbers(again[0])), min(numbers(again[0])))
        lib.eyrie_prepared_call_free(prepared[0])
        for value in (results[0], again[0], picture[0]):
            lib.eyrie_value_free(value)


C_NAMES = """
#include <stdio.h>
#include <string.h>
static eyrie_error_t* Scale(eyrie_host_call_t* call, const eyrie_slot_t* from,
                            eyrie_slot_t* to, void* user) {
  (void)call, (void)user;
  to->f32 = from[0].f32 * (float)from[1].i32;
  return NULL;
}
"""
C_VARIABLES = """
  eyrie_error_t* error = NULL; const int64_t* shape = NULL;
  eyrie_function_t* function = NULL; eyrie_value_t* const* values = NULL;
  eyrie_value_t** results = NULL; eyrie_value_t* array = NULL;
  eyrie_device_t* device = NULL; eyrie_context_t* context = NULL;
  const char* text = ""; int fd = 0;
"""
CPP_NAMES = """
#include <cstdio>
namespace eyrie {
using std::chrono_literals::operator""ms;
struct Loop { void Post(std::function<void()>); };
template <typename T> void Use(const T&);
"""
CPP_VARIABLES = """
  Loop loop; std::function<void()> step; int fd = 0; bool goes_on = false;
  Result<Device> device = Error(EYRIE_OK, "");
  Result<Module> module = Error(EYRIE_OK, "");
  Result<Context> context = Error(EYRIE_OK, "");
  Result<Function> predict = Error(EYRIE_OK, ""), add = predict, draw = predict,
                   first = predict, second = predict;
  Value image, scene, x, y; std::string text;
  std::vector<float> pixels, floats; Tensor<float> numbers =
      *Tensor<float>::Copy({2}, std::vector<float>{1, 2});
"""


def examples(path):
    """Yields the code in the comment at the head of a header."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head = text[:text.index("#ifndef")]
    lines = [m.group(1) for m in re.finditer(r"^(?: \*|//)   (.*)$", head,
                                             re.M)]
    if lines and ";" in "".join(lines):
        yield "\n".join(lines)


class Examples(unittest.TestCase):

    def compile(self, headers, compiler, names, variables, result, end=""):
        source = ["#include <stddef.h>"]
        source += [f'#include "eyrie/{os.path.basename(p)}"' for p in headers]
        source.append(names)
        found = 0
        for path in headers:
            for code in examples(path):
                found += 1
                name = re.sub(r"\W", "_", os.path.basename(path))
                source.append(f"{result[0]} Example_{name}(void) {{{variables}"
                              f'{{\n#line 1 "the example of {path}"\n{code}\n'
                              f"}}\n{result[1]}\n}}")
        source.append(end)
        made = subprocess.run([*compiler, "-fsyntax-only", "-I" + INCLUDE, "-"],
                              input="\n".join(source), capture_output=True,
                              text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return found

    def test_of_c_compile(self):
        self.assertGreaterEqual(self.compile(
            C_HEADERS, ["gcc", "-std=c11", "-Wall", "-Werror", "-Wno-unused",
                        "-xc"], C_NAMES, C_VARIABLES +
            "eyrie_context_options_t options = {.struct_size = 0};\n"
            "(void)options;", ("void", "")), 6)

    def test_of_cpp_compile(self):
        headers = [p for p in sorted(glob.glob(os.path.join(HEADERS, "*.h")))
                   if p not in C_HEADERS and os.path.basename(p) not in
                   ("collectives_plugin.h", "xla_ffi.h")]
        self.assertGreaterEqual(self.compile(
            headers, ["g++", "-std=c++20", "-Wall", "-Werror",
                      "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                      "-xc++"],
            CPP_NAMES, CPP_VARIABLES, ("Result<void>", "return {};"),
            "}  // namespace eyrie"), 15)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
