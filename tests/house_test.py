"""Tests the tree's own tools: linter, test counter, compdb, measuring."""

import contextlib
import io
import json
import os
import struct
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "..", "tools")
sys.path[:0] = [
    HERE,
    os.path.join(TOOLS, "house"),
    os.path.join(TOOLS, "bench"),
]

import cmake_libraries  # pylint: disable=wrong-import-position
import compdb  # pylint: disable=wrong-import-position
import count_tests  # pylint: disable=wrong-import-position
import dependencies  # pylint: disable=wrong-import-position
import includes  # pylint: disable=wrong-import-position
import large  # pylint: disable=wrong-import-position
import lint_test as lint  # pylint: disable=wrong-import-position
import measure  # pylint: disable=wrong-import-position
import memory  # pylint: disable=wrong-import-position
import release_rows  # pylint: disable=wrong-import-position
import rows  # pylint: disable=wrong-import-position
import sparse_files  # pylint: disable=wrong-import-position

HEAD = "// Adds.\n"
GUARDED = HEAD + "#ifndef EYRIE_{0}_\n#define EYRIE_{0}_\n{1}#endif\n"
LONG = "int F() {\n" + "  G();\n" * 60 + "}\n"
ROWS = "int F() {\n" + '    {"a", 1},\n' * 60 + "}\n"
METHOD = "class A {\n  int F() {\n" + "    G();\n" * 60 + "  }\n};\n"

# Path, text, and the beginning of the linter's only message, if any.
CASES = [
    ("vm/isa/a.cc", HEAD, None),
    ("vm/isa/a.cc", "int a;\n", "1: does not begin with a comment"),
    ("vm/isa/a.cc", "// a\n" * 13, "1: begins with a comment of 13 lines; the"),
    ("vm/isa/a.def", "// a\n" * 13, None),
    ("vm/isa/a.cc", HEAD + "a\n" * 800, "1: has 801 lines; the limit is 800"),
    ("vm/isa/a.def", HEAD + "a\n" * 800, None),
    ("vm/isa/a.cc", HEAD + LONG, "2: begins a function of 62 lines; the limit"),
    ("vm/isa/a.cc", HEAD + ROWS, None),
    ("vm/isa/a.cc", HEAD + METHOD, "3: begins a function of 62 lines;"),
    ("vm/isa/a.cc", "// Tested by a_test.cc.\n", None),
    ("vm/isa/a.cc", "// Tested by b_test.cc.\n",
     '1: says "Tested by b_test.cc", which does not exist'),
    ("vm/isa/a.cc", HEAD + '#include "base/ref.h"\n', None),
    ("vm/isa/a.cc", HEAD + '#include "hal/buffer.h"\n',
     "2: includes hal/buffer.h: vm/isa may not include hal"),
    ("hal/a.cc", HEAD + '#include "vm/isa/value.h"\n',
     "2: includes vm/isa/value.h: hal may not include vm/isa"),
    ("hal/cpu/a.cc", HEAD + '#include "vm/isa/value.h"\n',
     "2: includes vm/isa/value.h: hal/cpu may not include vm/isa"),
    ("hal/module/a.cc", HEAD + '#include "vm/isa/value.h"\n', None),
    ("base/a.cc", HEAD + '#include "vm/isa/value.h"\n',
     "2: includes vm/isa/value.h: base may not include vm/isa"),
    ("samples/a.cc", HEAD + '#include "eyrie/c.h"\n', None),
    ("samples/a.cc", HEAD + '#include "abi/call/a.h"\n',
     "2: includes abi/call/a.h: samples may not include abi/call"),
    ("include/eyrie/a.h", GUARDED.format("A_H", '#include "abi/c/a.h"\n'),
     "4: includes abi/c/a.h: include/eyrie may not include abi/c"),
    ("vm/isa/a.cc", HEAD + '#include "tests/a.h"\n',
     "2: includes tests/a.h: vm/isa may not include tests"),
    ("vm/isa/a_test.cc", HEAD + '#include "tests/a.h"\n', None),
    ("tools/debug/a.cc", HEAD + '#include "vm/lower/frame.h"\n', None),
    ("tools/debug/a.cc", HEAD + '#include "vm/run/machine.h"\n',
     "2: includes vm/run/machine.h: tools/debug may not include vm/run"),
    ("vm/isa/a.h", GUARDED.format("VM_ISA_A_H", ""), None),
    ("vm/isa/a.h", GUARDED.format("A_H", ""),
     "1: is not guarded by EYRIE_VM_ISA_A_H_"),
    ("vm/isa/a.cc", HEAD + "a = 1;  // TO" "DO\n", "2: leaves something open"),
    ("vm/isa/a.cc", HEAD + "using " "namespace a;\n", "2: opens a whole"),
    ("vm/isa/a.cc", HEAD + 'Open("/ho' 'me/me/a");\n',
     "2: names a path of one machine"),
    ("vm/isa/a.cc", HEAD + "\ta;\n", "2: holds a tab"),
    ("vm/isa/a.cc", HEAD + "a; \n", "2: ends with a space"),
    ("vm/isa/a.cc", HEAD + "a" * 81 + "\n", "2: is 81 columns wide; the limit"),
    ("vm/isa/a.cc", HEAD + "std::cout << 1;\n", "2: prints, which"),
    ("tools/a.cc", HEAD + "std::cout << 1;\n", None),
    ("a.md", "`vm/isa/a_test.cc`, `vm/NAME/a.h` and `vm/*.cc`\n", None),
    ("a.md", "`vm/b.cc`\n", "1: names vm/b.cc, which does not exist"),
    ("vm/isa/a.cc", HEAD + "throw 1;\n", "2: needs exceptions or RTTI"),
    ("vm/isa/a.cc", HEAD + "absl::Now();\n", "2: reads the wall clock"),
    ("vm/isa/a_test.cc", HEAD + "std::chrono::system_clock::now();\n",
     "2: reads the wall clock"),
    ("tests/a.py", '"""Tests."""\nbegin = time.time()\n',
     "2: reads the wall clock"),
    ("vm/isa/a.cc", HEAD + "std::thread a([] {});\n", "2: starts a thread"),
    ("tools/a.cc", HEAD + "pthread_create(&a);\n", "2: starts a thread"),
    ("vm/isa/a.cc", HEAD + "std::thread::hardware_concurrency();\n", None),
    ("vm/isa/a_test.cc", HEAD + "std::thread a([] {});\n", None),
    ("vm/isa/a.cc", HEAD + "\n// What it is.\n",
     "3: begins a comment with 'What'"),
    ("vm/isa/a.cc", HEAD + "// What it is.\n", None),
    ("vm/isa/a.cc", HEAD + "int a;  // What it is.\n", None),
    ("vm/isa/a.cc", HEAD + "// A row stands here.\n",
     "2: says 'stands'; write 'is'"),
    ("vm/isa/a.cc", HEAD + "// The name stands for a path.\n", None),
    ("vm/isa/a.cc", HEAD + "// It is no tensor.\n",
     "2: says 'is no tensor'; write 'is not a'"),
    ("vm/isa/a.cc", HEAD + "// There is no tensor; it is no longer here.\n",
     None),
    ("vm/isa/a.cc", HEAD + "a;", "2: does not end with a newline"),
    ("vm/c.cc", HEAD, "1: is not named by vm/BUILD"),
    ("vm/x86_64/a.cc", HEAD, None),
    ("vm/x86_64/c.cc", HEAD, "1: is not named by vm/BUILD"),
    ("vm/a.cc", HEAD + "#if defined(__x86_64__)\n#endif\n",
     "2: asks for the machine; base/library.bzl selects files instead"),
    ("vm/a.cc", HEAD + "#ifdef __AVX2__\n#endif\n",
     "2: asks for the machine; base/library.bzl selects files instead"),
]


class LintTest(unittest.TestCase):

    def test_rules(self):
        builds = {
            includes.folder_of(path): '"a.cc" "a.h" "a.def" "a_test"'
            for path, _, _ in CASES
        }
        for path, text, want in CASES:
            with self.subTest(path=path, text=text[-60:]):
                got = [f"{line}: {what}" for line, what in lint.check_file(
                    path, text, {path, "vm/isa/a_test.cc"}, builds)]
                if want is None:
                    self.assertEqual(got, [])
                else:
                    self.assertEqual(len(got), 1, got)
                    self.assertTrue(got[0].startswith(want), got[0])

    def test_dependencies(self):
        rule = 'cc_library(\n    name = "{}",\n    srcs = [{}],\n{})\n'.format
        texts = {"a/a.cc": '#include "b/b.h"\n', "b/b.h": ""}
        alias = 'alias(\n    name = "c",\n    actual = select({"x": ":b"}),\n)'
        builds = {"b": rule("b", '"b.h"', "") + alias}
        for needs, want in [
            ('"//b"', []),
            ('"//b:c"', []),
            ('"//d"', ["a/a.cc: includes b/b.h, but //a:a does not depend on "
                       "//b:b."]),
        ]:
            with self.subTest(needs=needs):
                builds["a"] = rule("a", '"a.cc"', f"    deps = [{needs}],\n")
                self.assertEqual(list(dependencies.check(builds, texts)), want)

    def test_circles(self):
        include = '#include "{}"\n'.format
        for texts, want in [
            ({"a/a.h": "", "a/a.cc": include("a/a.h")}, []),
            ({"a/a.h": include("a/b.h"), "a/b.h": ""}, []),
            ({"a/a.h": include("a/b.h"), "a/b.h": "",
              "a/b.cc": include("a/a.h")}, ["a/a, a/b"]),
            ({"a/a.h": include("b/a.h"), "b/a.h": "", "b/b.h": "",
              "b/c.h": include("a/b.h"), "a/b.h": ""}, ["a, b"]),
            ({"a/a.h": include("a/x86_64/b.h"),
              "a/x86_64/b.h": include("a/c.h"), "a/c.h": ""},
             ["a, a/x86_64"]),
            ({"a/a.h": include("a/b/a.h"), "a/b/a.h": "",
              "a/x86_64/b.h": include("a/b/a.h")}, []),
            ({"tests/a.h": include("tests/b.h"), "tests/b.h": "",
              "tests/b.cc": include("tests/a.h")}, ["tests/a, tests/b"]),
            ({"a/a_test.cc": include("b/a.h"), "b/a.h": include("a/b.h"),
              "a/b.h": ""}, []),
        ]:
            with self.subTest(texts=texts):
                self.assertEqual(
                    [sentence.split(": ")[2][:-1]
                     for sentence in includes.check_circles(texts)], want)

    def test_unused(self):
        include = '#include "{}"{}\n'.format
        for header, text, unused in [
            ("class A {\n  int B();\n};", "A* a;", False),
            ("class A {\n  int B();\n};", "auto b = Get()->B();", False),
            ("class A {\n  int B();\n};", "// A", True),
            ("enum class A { kB };", "return kB;", False),
            ("#define A 1", "int B();", True),
            ('#include "a.def"', "int B();", False),
            (include("a/b.h", "  // for callers"), "Of b;", False),
            (include("a/b.h", "") + "class A;", "Of b;", True),
        ]:
            with self.subTest(header=header, text=text):
                texts = {"a/a.h": header, "a/b.h": "struct Of {};"}
                for path, rest, want in [
                    ("b/b.cc", "", unused), ("b/b.cc", "  // for C", False),
                    ("a/a.cc", "", False), ("a/a_test.cc", "", False)]:
                    self.assertEqual(
                        list(includes.check_unused(
                            path, include("a/a.h", rest) + text, texts)),
                        [(1, "includes a/a.h and uses no name of it")] * want)


REPORT = """<testsuites>
<testsuite><testcase name="A" classname="S" status="run"/>
<testcase name="B" classname="S" status="run"><failure/></testcase>
<testcase name="C" classname="S" status="notrun"/>
<testcase name="D" classname="S" status="run"><skipped/></testcase>
<testcase name="E" classname="S" status="run"><skipped
message="a.cc:3&#x0A;No device."/></testcase>
</testsuite></testsuites>"""


def result(status, xml=None, log=None):
    """Returns an event about the only run of test //a:b."""
    output = [{"name": name, "uri": "file://" + path}
              for name, path in (("test.xml", xml), ("test.log", log)) if path]
    return {
        "id": {"testResult": {"label": "//a:b"}},
        "testResult": {"status": status, "testActionOutput": output,
                       "testAttemptDurationMillis": "1500"},
    }


def finished(name):
    return {"id": {"buildFinished": {}}, "finished": {
        "exitCode": {"name": name}, "finishTimeMillis": "780000"}}


STARTED = {"id": {"started": {}}, "started": {"startTimeMillis": "60000"}}


class CountTest(unittest.TestCase):

    def count(self, *events, log="", report=None):
        """Returns the part of the events, without its times."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("xml", report or ""), ("log", log)):
                with open(os.path.join(folder, name), "w",
                          encoding="utf-8") as file:
                    file.write(text)
            path = os.path.join(folder, "events.json")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(event).replace("@", folder + "/") +
                                "\n" for event in events)
            return count_tests.count_events(path)

    def test_cases(self):
        part = self.count(STARTED, result("FAILED", "@xml", "@log"),
                          finished("TESTS_FAILED"), report=REPORT,
                          log="SKIPPED on Vulkan: no lavapipe.\n")
        part.name = "gcc"
        self.assertEqual(part.passed, 1)
        self.assertEqual("\n".join(count_tests.details([part])), """\
gcc: //a:b: S.B failed.
Skipped:
  //a:b (gcc), 1 times: S.D
  //a:b (gcc), 1 times: No device.
  //a:b (gcc), 1 times: no lavapipe.
The slowest tests:
     1.5 s  //a:b (gcc)""")
        self.assertEqual(
            count_tests.row(part, False),
            "gcc: 1 passed, 1 failed, 3 skipped, 12.0 min")

    def test_budgets(self):
        for share, end in ((0.7, ""), (0.9, " (over 80%)"),
                           (1.1, " (OVER its budget)")):
            limit = count_tests.BUDGET["gcc"]
            part = count_tests.Part("gcc", seconds=share * limit * 60)
            self.assertTrue(count_tests.row(part, True).endswith(
                f" of {limit}{end}"))
        self.assertLessEqual(sum(count_tests.BUDGET.values()), 45)

    def test_times_of_parts(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            count_tests.main(["a:30", "b:60", "b:90"])
        self.assertEqual(out.getvalue(), """\
a: 0 passed, 0 failed, 0 skipped, 0.5 min
b: 0 passed, 0 failed, 0 skipped, 1.5 min
Together: 2.0 min
No test ran.
0 passed, 0 failed
""")

    def test_without_a_report(self):
        self.assertEqual(
            self.count(result("TIMEOUT"), finished("TESTS_FAILED")).failures,
            ["//a:b: TIMEOUT."])

    def test_what_does_not_build(self):
        event = {"id": {"targetCompleted": {"label": "//a:b"}}}
        self.assertEqual(
            self.count(event, finished("BUILD_FAILURE")).failures,
            ["//a:b does not build."])

    def test_a_broken_bazel(self):
        self.assertEqual(self.count(finished("PARSING_FAILURE")).failures,
                         ["Bazel ended with PARSING_FAILURE."])
        self.assertEqual(self.count().failures, ["Bazel ended with None."])


class CompdbTest(unittest.TestCase):

    def test_entries(self):
        actions = [
            {"arguments": ["gcc", "-c", "vm/a.cc", "-o", "a.o"]},
            {"arguments": ["gcc", "-c", "vm/a.cc", "-o", "a.pic.o"]},
            {"arguments": ["gcc", "-c", "external/b.cc"]},
            {"arguments": ["ar", "a.o"]},
        ]
        self.assertEqual(compdb.entries(actions, "w"), [{
            "directory": "w",
            "file": "vm/a.cc",
            "arguments": ["gcc", "-c", "vm/a.cc", "-o", "a.o"],
        }])


# The declaration of an import, and its calling convention.
IMPORTS = [
    ("()", "0v_v"),
    ("(%a : i32)", "0i_v"),
    ("(%a : i32, %b : f32,\n) -> i64 attributes {x}", "0if_I"),
    ("(%a : !vm.ref<!hal.fence>) -> (!vm.ref<!a.b<i32, f64>>, !vm.buffer)",
     "0r_rr"),
    ("(%a : tuple<i64, f64>) -> !vm.list<i32>\n}", "0IF_r"),
    ("(%a : i64 ..., // a comment (\n %b : tuple<i32, i64>...)",
     "0CIDCiID_v"),
]
IMPORT_TABLE = """// Rows.
A_IMPORT("ended", "0v_v", Ended, k2, 12)
A_IMPORT("both", "0i_v", Both,
         4, 13, "- size")
A_IMPORT("gone", "0r_v", Gone, 13, 13)
"""
SCHEMA = """
table Leaf { name: string; }
union Any { Leaf, }
table Root { any: Any; leaves: [Leaf]; number: int32; }
root_type Root;
"""


class ReleaseTest(unittest.TestCase):

    def test_conventions(self):
        for declared, want in IMPORTS:
            text = "vm.module @m {\nvm.import private @a.b" + declared
            self.assertEqual(release_rows.compiled_rows(text),
                             {release_rows.Row("a.b", want)})

    def test_modules_of_a_compiler(self):
        library = b"\0vm.module @hal {}\0x\0vm.module @io {\n}\0"
        self.assertEqual(list(release_rows.import_texts(library)),
                         [("hal", "vm.module @hal {}"),
                          ("io", "vm.module @io {\n}")])

    def test_rows_of_a_table(self):
        row = release_rows.Row
        both, gone = row("both", "0i_v"), row("gone", "0r_v")
        ended = row("ended", "0v_v")
        self.assertEqual(release_rows.table_rows(IMPORT_TABLE, 13),
                         {both, gone})
        self.assertEqual(release_rows.ended_rows(IMPORT_TABLE, 12), {ended})
        self.assertEqual(release_rows.all_rows(IMPORT_TABLE),
                         {both, gone, ended})
        self.assertEqual(release_rows.text_of(both, IMPORT_TABLE, 14),
                         'A_IMPORT("both", "0i_v", ..., 14, 14)')

    def test_operations(self):
        library = b"\0vm.add.i32\0vm.func\0vm.sqrt.bf16\0vm.cut"
        self.assertEqual(
            release_rows.unknown_operations(
                library, 'OP(Core, 0x22, AddI32, "add.i32", "i i", "i")\n'),
            ["vm.sqrt.bf16"])

    def test_fields(self):
        """A Root of which the vtable has one field more than the schema."""
        words = struct.pack("<I4s", 24, b"IREE")
        vtable = struct.pack("<8H", 14, 12, 0, 0, 4, 0, 8, 0)
        leaf = struct.pack("<4H", 6, 8, 4, 0) + struct.pack("<iI", 8, 0)
        root = struct.pack("<iII", 16, 8, 5)
        vector = struct.pack("<II", 1, 4 + len(leaf) - 8)
        data = words + vtable + root + vector + leaf
        self.assertEqual(
            release_rows.unknown_fields(data, SCHEMA),
            ["table Root has a field 4; the known ones end before 4"])
        wider = SCHEMA.replace("number: int32;", "number: int32; more: int32;")
        self.assertEqual(release_rows.unknown_fields(data, wider), [])
        self.assertEqual(
            release_rows.unknown_fields(
                data, wider.replace("name: string;", "")),
            ["table Leaf has a field 0; the known ones end before 0"])


class MeasureTest(unittest.TestCase):

    def test_rows(self):
        table = ("Benchmark   Time   CPU   Iterations UserCounters...\n"
                 "BM_add/process_time/real_time   {}   9 ns   1000 a=1/s\n")
        for text, want in [("1759 ns", 1759e-9), ("1.76 us", 1.76e-6),
                           ("2.5e+03 ms", 2.5)]:
            self.assertAlmostEqual(
                measure.benchmark_seconds(table.format(text), "add"), want)
        self.assertAlmostEqual(
            measure.benchmark_seconds(table.format("1 us"), "add", "cpu"), 9e-9)
        with self.assertRaises(ValueError):
            measure.benchmark_seconds(table.format("9 ns"), "matmul")

    def test_medians_of_ratios(self):
        figure = measure.summarize(
            "a", "ns", [(1, 2), (3, 2), (10, 10), (2, 4), (100, 100)], 1.02)
        self.assertEqual((figure.ours, figure.theirs), (3, 4))
        self.assertEqual((figure.low, figure.ratio, figure.high), (.5, 1, 1))
        self.assertEqual(figure.rounds, 5)

    def test_geometric_mean(self):
        figures = [measure.summarize("a", "ns", [pair])
                   for pair in [(1, 2), (8, 4)]]
        self.assertAlmostEqual(
            measure.geometric_mean("mean", figures, 1).ratio, 1)

    def test_equal_results(self):
        for ours, theirs, equal in [("a", "a", True), ("a", "b", False)]:
            with self.subTest(theirs=theirs):
                sides = [["printf", text] for text in (ours, theirs)]
                if equal:
                    measure.expect_equal(*sides)
                else:
                    with self.assertRaises(RuntimeError):
                        measure.expect_equal(*sides)

    # callgrind writes a name once, then its number. The line of a call follows
    # its callee's line.
    def test_instructions_per_call(self):
        counts = ("events: Ir\nfn=(3) eyrie::abi::PreparedCall::Invoke()\n"
                  "+3 40\ncfi=(2)\n"
                  "cfn=(7) eyrie::abi::Callable::Invoke(int)\ncalls=15 0\n"
                  "* 500\ncfn=(7)\ncalls=5 0\n* 60\ntotals: 600\n")
        self.assertEqual(measure.instructions_per_call(counts), 30)

    def test_sparse_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("irpa", "safetensors"):
                for gib in (1, 64):
                    with self.subTest(suffix=suffix, gib=gib):
                        path = os.path.join(folder, f"{gib}.{suffix}")
                        sparse_files.write(path, gib)
                        with open(path, "rb") as file:
                            head = file.read(4096).rstrip(b"\0")
                        self.assertEqual(head[:4] == b"IRPA", suffix == "irpa")
                        self.assertIn(b"table", head)
                        self.assertEqual(b"rest" in head, gib > 1)
                        size = os.path.getsize(path) - gib * sparse_files.GIB
                        self.assertEqual(size % 64, 0)
                        self.assertLess(os.stat(path).st_blocks, 64)

    def test_smaps(self):
        memory_of_this = memory.smaps(os.getpid())
        self.assertGreater(memory_of_this["Private_Dirty"], 1)
        self.assertGreaterEqual(memory_of_this["Rss"], memory_of_this["Pss"])

    def test_memory_over_time(self):
        for samples, want in (
                ([40, 40, 40, 40], 0),
                ([41, 30, 41, 40], 0),  # it only falls
                ([40, 41, 43, 42], 2),
                ([40, 40, 45], 5)):
            self.assertEqual(memory.growth(samples), want, samples)
        # A process that ends early.
        sleeping = memory.sampled(["sh", "-c", "sleep 0.6", "sh"], 60)
        self.assertGreater(len(sleeping), 1)
        self.assertGreater(min(sleeping), 0)

    def test_rows_name_programs(self):
        programs = os.path.join(TOOLS, "bench", "programs")
        for group in rows.ROWS.values():
            for row in group:
                with self.subTest(row=row.name):
                    path = os.path.join(programs, row.program + ".mlir")
                    if not os.path.exists(path):
                        path = os.path.join(programs, row.program + ".vmasm")
                    with open(path, encoding="utf-8") as file:
                        self.assertIn(f"@{row.function}(", file.read())

    def test_large_programs(self):
        for name in large.PROGRAMS:
            with self.subTest(name=name):
                text = large.text(name)
                self.assertIn(f"@run(%x0: tensor<{large.argument(name)}>)",
                              text)
                # Each layer makes the next one's argument.
                for i in range(1, large.LAYERS + 1):
                    self.assertEqual(text.count(f"%x{i} = "), 1)
                    self.assertRegex(text, rf"%x{i}\b(?! =)")

    def test_sides_take_turns(self):
        calls = []
        measure.compare("a", "ns", lambda: calls.append("o") or 1,
                        lambda: calls.append("t") or 1, 3)
        self.assertEqual("".join(calls), "ot" "ot" "to" "ot")


BAZELRC = r"""build --copt=-Wall --copt=-fno-exceptions
build --copt=-Os
build --per_file_copt=^(.*/bin/)?(vm|hal)/.*\\.cc,-^(.*/bin/)?hal/a/.*@-O2,-fb
build:asan --copt=-fsanitize=address
"""


class CMakeLibraries(unittest.TestCase):
    """The sources and flags for CMake."""

    def test_flags(self):
        flags = cmake_libraries.Flags(BAZELRC)
        self.assertEqual(flags.all, ["-fno-exceptions"])
        for path, expected in (("vm/a.cc", ["-O2", "-fb"]),
                               ("hal/a/b.cc", ["-Os"]),
                               ("tools/a.cc", ["-Os"])):
            self.assertEqual(flags.of(path), expected)

    def test_merges_machines(self):
        merge = cmake_libraries.merge
        self.assertEqual(
            merge({"x86_64": ["a/x86_64/b.cc", "a/riscv64/c.cc"],
                   "aarch64": ["a/aarch64/b.cc", "a/riscv64/c.cc"]}, "a"),
            ["a/${EYRIE_MACHINE}/b.cc", "a/riscv64/c.cc"])
        with self.assertRaises(cmake_libraries.Wrong):
            merge({"x86_64": ["a/b.cc"], "aarch64": ["a/c.cc"]}, "a")

    def test_names(self):
        for label, expected in (("//vm/run:run", "vm_run"), ("//a:b", "a_b")):
            self.assertEqual(cmake_libraries.name_of(label), expected)
        self.assertEqual(cmake_libraries.label_of("//a/b", "c"), "//a/b:b")
        self.assertEqual(cmake_libraries.label_of(":b", "c"), "//c:b")


if __name__ == "__main__":
    unittest.main()
