"""Tests the checks of the documents: tables, links, commands."""

import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools", "house")]

import docs_layers  # pylint: disable=wrong-import-position
import docs_tables  # pylint: disable=wrong-import-position
import docs_test as docs  # pylint: disable=wrong-import-position

# Paths and texts of a tree, and the errors in its links.
LINKS = [
    ({"README.md": "[a](docs/a.md)", "docs/a.md": "# A\n[up](../README.md)"},
     []),
    ({"README.md": "[a](docs/b.md)"},
     ["README.md:1: There is no docs/b.md."]),
    ({"README.md": "\n[a](docs/a.md#two)", "docs/a.md": "# One\n"},
     ["README.md:2: docs/a.md has no heading 'two'."]),
    ({"README.md": "[a](docs/a.md#one--two-1)",
      "docs/a.md": "# One, & `two`\n# One  two\n[b](#one--two)"}, []),
    ({"README.md": "[a](docs/a.md#one)", "docs/a.md": "```\n# One\n```\n"},
     ["README.md:1: docs/a.md has no heading 'one'."]),
    ({"README.md": "`[a](b)` [c](https://example.org/d)\n"
                   "```\n[a](b)\n```\n"}, []),
    ({"README.md": "[a](docs)", "docs/README.md": "[b](b.md)",
      "docs/b.md": ""}, []),
    ({"README.md": "", "docs/a.md": "[b](b.md)", "docs/b.md": ""},
     ["docs/a.md: No link leads from README.md to it.",
      "docs/b.md: No link leads from README.md to it."]),
]

# The text on a page, the output of a command, and whether they match.
OUTPUT = [
    ("a b", "a b", True), ("a b", "a c", False), ("a", "a\nb", False),
    ("a\nb", "a", False), ("...", "a\nb", True), ("a\n...\nd", "a\nb\nd", True),
    ("a\n...", "b\na", False), ("a…d", "a b c d", True), ("a…d", "a b", False),
    ("a ", "a", True), ("a.c", "abc", False), ("", "", True), ("", "a", False),
]

HELP = """# Usage: eyrie add [flags]
# Adds.

# Prints this.
--help=false

# The additions, in order:
#   1       one; it goes
#           on
#   @a.npy  a file
# Repeat it.
# --input=...

# Lists them.
# --list
"""

# Rows of a .def file, and the parsed result.
ROWS = [
    ('OP(A, 0x01, "a|b", "", \'r\', 3)\n',
     [["A", "0x01", "a|b", "", "r", "3"]]),
    ('OP("a",\n   B<C>, 1)\n// OP(2)\nOP("b", D, 2)\n',
     [["a", "B<C>", "1"], ["b", "D", "2"]]),
]


class LayersTest(unittest.TestCase):

    def test_picture(self):
        include = '#include "{}"\n'.format
        files = [
            ("base/a.h", ""),
            ("vm/run/a.h", include("base/a.h") + include("vm/isa/a.h")),
            ("vm/isa/a.h", include("base/a.h") + "#include <vector>\n" +
             include("vm/isa/x86_64/a.h")),
            ("vm/isa/x86_64/a.h", include("vm/isa/a.h")),
            ("tools/a.cc", include("eyrie/c.h") + include("tools/b.h")),
            ("include/eyrie/c.h", ""),
        ]
        self.assertEqual(
            docs_layers.picture(files),
            " 2  vm/run         vm/isa\n"
            " 1  tools          include/eyrie\n"
            " 1  vm/isa         base\n"
            " 0  base           nothing\n"
            " 0  include/eyrie  nothing\n")
        with self.assertRaises(SystemExit):
            docs_layers.picture([("vm/a/a.h", include("vm/b/b.h")),
                                 ("vm/b/b.h", include("vm/a/a.h"))])


class DocsTest(unittest.TestCase):

    def test_links(self):
        for texts, wanted in LINKS:
            with self.subTest(texts=texts), \
                    tempfile.TemporaryDirectory() as root:
                os.mkdir(os.path.join(root, "docs"))
                for path, text in texts.items():
                    with open(os.path.join(root, path), "w",
                              encoding="utf-8") as file:
                        file.write(text)
                self.assertEqual(list(docs.check_links(root)), wanted)

    def test_examples(self):
        row = "| `a/b_*.cc` | one | {} |\n".format
        for example, wanted in [
                ("`int Add(int a, …)`", []),
                ("`b_one.cc`", []),
                ("", []),
                ("`Add`, `Sub`", [
                    "CONTRIBUTING.md:1: No file of the row has the example: "
                    "Sub"])]:
            with self.subTest(example=example), \
                    tempfile.TemporaryDirectory() as root:
                os.mkdir(os.path.join(root, "a"))
                for path, text in [("a/b_one.cc", "int Add(int a,\n  int b);"),
                                   ("a/c.cc", "Sub"),
                                   ("CONTRIBUTING.md", row(example))]:
                    with open(os.path.join(root, path), "w",
                              encoding="utf-8") as file:
                        file.write(text)
                self.assertEqual(list(docs.check_examples(root)), wanted)

    def test_output(self):
        for shown, printed, agree in OUTPUT:
            with self.subTest(shown=shown, printed=printed):
                sides = [text.split("\n") if text else []
                         for text in (shown, printed)]
                self.assertEqual(docs.matches(*sides) is not None, agree)

    def test_commands(self):
        self.assertEqual(
            docs.commands("$ a\nb\n$ for x; do\n> y\n> done\nz\n$ c \\\n  d\n"),
            [[0, "a", ["b"]], [2, "for x; do\ny\ndone", ["z"]],
             [6, "c \\\n  d", []]])

    def test_rows(self):
        for text, wanted in ROWS:
            with self.subTest(text=text), \
                    tempfile.TemporaryDirectory() as root:
                with open(os.path.join(root, "a.def"), "w",
                          encoding="utf-8") as file:
                    file.write(text)
                self.assertEqual(docs_tables.def_rows(root, "a.def", "OP"),
                                 wanted)

    def test_help(self):
        usage, flags = docs_tables.parse_help(HELP)
        self.assertEqual(usage, ["Usage: eyrie add [flags]", "Adds."])
        self.assertEqual([flag[:2] for flag in flags],
                         [("help", "false"), ("input", ""), ("list", "")])
        self.assertEqual(
            docs_tables.prose(flags[1][2]),
            "The additions, in order:<br>`1`: one; it goes on"
            "<br>`@a.npy`: a file<br>Repeat it.")

    def test_stale(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, docs_tables.FOLDER))
            for name in ("b.md", "c.md"):
                with open(os.path.join(root, docs_tables.FOLDER, name), "w",
                          encoding="utf-8") as file:
                    file.write("one\ntwo\n")
            wanted = {f"{docs_tables.FOLDER}/{name}": "one\n2\n"
                      for name in ("a.md", "b.md")}
            self.assertEqual(docs_tables.stale_pages(root, wanted), [
                "docs/generated/a.md is missing: run ./eyrie docs.",
                "docs/generated/b.md:2: The page is stale: run ./eyrie docs, "
                "and commit what it writes.",
                "docs/generated/c.md is not generated: delete it.",
            ])



class FormsTest(unittest.TestCase):
    """Names of differences that a page has and lacks."""

    def test_names(self):
        with tempfile.TemporaryDirectory() as root:
            for path, text in [("page", "| 010 | octal:\n8 |\n"),
                               ("table", "# a  ## b\n\n[c]\nd\n"
                                         "e  ## octal: 8\nf  ## octal: 9\n")]:
                with open(os.path.join(root, path), "w",
                          encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(docs.check_forms(root, "table", "page"),
                             ["table:6: page does not say 'octal: 9'."])

if __name__ == "__main__":
    unittest.main()
