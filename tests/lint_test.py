"""Checks the sources of the whole tree against the rules of the house.

Checks sizes, head comments and the files that they name, words of comments,
layers, dependencies, header guards, banned patterns, and that every C++ file is
built. Runs as a Bazel test or by hand: `python3 tests/lint_test.py`. Prints one
sentence per violation.
Tested by house_test.py.
"""

import ast
import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.join(HERE, "..", "tools", "house"))

import cmake_libraries  # pylint: disable=wrong-import-position
import dependencies  # pylint: disable=wrong-import-position
import includes  # pylint: disable=wrong-import-position
from includes import TEST_FILE  # pylint: disable=wrong-import-position

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 60
MAX_HEAD_LINES = 12
MAX_COLUMNS = 80

# First words of comments that stand in for a name, and words with plainer ones.
NO_SUBJECT = re.compile(r"(What|Where|Who|Whoever|Of)\b")
WORDS = [
    (re.compile(r"\bstands?\b(?! for| in for)"), "'is'"),
    (re.compile(r"\bbehind\b"), "'after', or the place"),
    (re.compile(r"\bwhoever\b", re.I), "a name"),
    (re.compile(r"\b(no|some)body\b", re.I), "who, or 'no one'"),
    (re.compile(r"(?<=\w )(?<![tT]here )is no (?!longer|more)\w+"),
     "'is not a'"),
]
CPP = (".h", ".cc")
COMMENTED = CPP + (".def", ".fbs", ".py", ".sh", ".bzl", ".mlir")
NARROW = CPP + (".py", ".sh", ".bzl", ".fbs")
TEXT = COMMENTED + (".md", ".txt", ".json")
LIBRARIES = ("base/", "vm/", "hal/", "abi/")
SKIPPED_FOLDERS = {"__pycache__", "corpus", "node_modules"}

BANNED = [
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"),
     "leaves something open"),
    (re.compile(r"^\s*using " r"namespace\b"),
     "opens a whole namespace"),
    (re.compile(r"(?<![\w./*:=-])/(work|home|root|opt|tmp|mnt|Users)/"),
     "names a path of one machine"),
    (re.compile(r"\t"), "holds a tab"),
    (re.compile(r"[ \r]$"), "ends with a space"),
]
BANNED_IN_LIBRARIES = [
    (re.compile(r"\bstd::(cout|cerr|clog)\b|(?<!\w)(f|std::)?printf\("),
     "prints, which libraries leave to their callers"),
    (re.compile(r"\bthrow\b\s*[\w(:;]|\bdynamic_cast<|\btypeid\("),
     "needs exceptions or RTTI"),
]
# Conditions on the machine: each machine has its own files (docs/porting.md).
BANNED_IN_CPP = [
    (re.compile(r"^\s*#\s*(el)?if.*\b__(x86_64|i386|amd64|aarch64|arm|ARM_|"
                r"riscv|AVX|SSE)"),
     "asks for the machine; base/library.bzl selects files instead"),
]
# Patterns that few files may use: wall clocks (everywhere) and threads (in
# shipped code).
WALL_CLOCK = re.compile(
    r"\babsl::Now\b|\bGetCurrentTimeNanos\b|\bsystem_clock\b|"
    r"\bCLOCK_REALTIME|\bgettimeofday\b|\btimespec_get\b|"
    r"\b(Wait|Await)With(Timeout|Deadline)\b|\btime\.time\(|\bdatetime\.now\b")
WALL_CLOCK_FILES = {
    "tests/support/jumping_clock.cc", "tests/support/preloaded_clock.cc",
    "tests/lint_test.py",
    "tests/house_test.py",
    # Reports show when tests ran.
    "tools/check/check.cc", "tools/check/test_runner.cc"}
NEW_THREAD = re.compile(
    r"\bstd::(j?thread\b(?!::)|async\()|\bpthread_create\b")
NEW_THREAD_FILES = {"base/thread.cc", "include/eyrie/call_pool.h",
                    "plugins/pjrt/compiler/worker_main.cc"}
SHIPPED = LIBRARIES + ("include/", "plugins/", "python/", "tools/")


def is_source(path):
    """Reports whether a file is checked at all."""
    name = os.path.basename(path)
    return path.endswith(TEXT) or name in ("BUILD", "WORKSPACE", "eyrie",
                                           "run", "compare")


def list_files(root):
    """Returns the sources under root, as sorted relative paths."""
    result = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f for f in folders
            if (not f.startswith(".") or f == ".ci") and
            not f.startswith("bazel-") and f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if is_source(path) and not os.path.islink(
                    os.path.join(root, path)):
                result.append(path)
    return [path for path in result if path != "compile_commands.json"]


def check_size(path, lines):
    """Files have at most 800 lines, except tables and data."""
    if path.endswith(NARROW) and len(lines) > MAX_FILE_LINES:
        yield 1, f"has {len(lines)} lines; the limit is {MAX_FILE_LINES}"


def head_comment(lines):
    """Returns the lines of the file's head comment."""
    body = lines[1:] if lines and lines[0].startswith("#!") else lines
    if not body:
        return []
    for opening, closing in (('"""', '"""'), ("/*", "*/")):
        if body[0].startswith(opening):
            for index, line in enumerate(body):
                if closing in (line if index else line[len(opening):]):
                    return body[:index + 1]
            return body
    head = []
    for line in body:
        if not line.startswith(("//", "#")) or line.startswith("#include"):
            break
        head.append(line)
    return head


def check_head(path, lines, files):
    """Files begin with a comment on their purpose, in at most 12 lines."""
    name = os.path.basename(path)
    if path.startswith("third_party/") and name in ("BUILD", "WORKSPACE"):
        return
    if not path.endswith(COMMENTED) and name not in ("BUILD", "WORKSPACE"):
        return
    if path.startswith("tests/modules/") and path.endswith(".mlir"):
        return
    head = head_comment(lines)
    if not head and path.endswith(".cc") and path[:-3] + ".h" in files:
        return  # Its header says it.
    if not head:
        yield 1, "does not begin with a comment that says what it is for"
    elif len(head) > MAX_HEAD_LINES and not path.endswith(".def"):
        yield 1, (f"begins with a comment of {len(head)} lines; the limit is "
                  f"{MAX_HEAD_LINES}")


def check_tested_by(path, lines, files):
    """"Tested by" names existing files, relative to the file or the root."""
    head = " ".join(re.sub(r"^(//|#|\s\*)\s?", "", line)
                    for line in head_comment(lines))
    for match in re.finditer(r"\b[Tt]ested by ([^;]*?)(?:\.(?:\s|$|\W)|;|$)",
                             head):
        for name in re.findall(r"[\w/-]+\.(?:cc|py|sh)\b", match.group(1)):
            beside = os.path.normpath(
                os.path.join(os.path.dirname(path), name))
            if name not in files and beside not in files:
                yield 1, f'says "Tested by {name}", which does not exist'


def check_named(path, lines, files):
    """Pages name files that exist; NAME and `*` stand for any."""
    if not path.endswith(".md"):
        return
    folders = {name.split("/")[0] for name in files if "/" in name}
    named = re.compile(r"`([\w./-]+/[\w.-]+\.(?:cc|h|def|py|sh))`")
    for number, line in enumerate(lines, 1):
        for name in named.findall(line):
            if (name.split("/")[0] in folders and name not in files and
                    "NAME" not in name):
                yield number, f"names {name}, which does not exist"


def check_words(path, lines):
    """Comments begin with a subject, and do not use the words of WORDS."""
    if not path.endswith(COMMENTED) or path.startswith("tests/modules/"):
        return
    was_comment = False
    for number, line in enumerate(lines, 1):
        match = re.match(r"\s*(?://|#|/?\*)\s+(.*)", line)
        text = match.group(1) if match else ""
        if match and not was_comment and NO_SUBJECT.match(text):
            yield number, f"begins a comment with '{text.split()[0]}'"
        was_comment = bool(match)
        for word, plain in WORDS:
            found = word.search(text)
            if found:
                yield number, f"says '{found.group(0)}'; write {plain}"


def check_guard(path, lines):
    """Header guards are EYRIE_ and the path without include/."""
    if not path.endswith(".h"):
        return
    short = re.sub(r"^include/eyrie/", "", path)
    want = "EYRIE_" + re.sub(r"[^A-Z0-9]", "_", short.upper()) + "_"
    text = "\n".join(lines)
    if not re.search(rf"^#ifndef {want}\n#define {want}$", text, re.M):
        yield 1, f"is not guarded by {want}"


def check_lines(path, lines):
    """Single lines have no banned patterns and are not too long."""
    rules = list(BANNED)
    if path.endswith((".md", ".mlir", ".json", ".txt")):
        rules = rules[:1]
    if path.endswith(CPP):
        rules += BANNED_IN_CPP
    if path.startswith(LIBRARIES) and not TEST_FILE.search(path):
        rules += BANNED_IN_LIBRARIES
    for number, line in enumerate(lines, 1):
        code = re.sub(r"//.*", "", line)
        for rule, what in rules:
            subject = code if rule in (r for r, _ in
                                       BANNED_IN_LIBRARIES) else line
            if rule.search(subject):
                yield number, what
        if (path.endswith(NARROW) and len(line) > MAX_COLUMNS and
                "://" not in line and not line.startswith("#include")):
            yield number, f"is {len(line)} columns wide; the limit is 80"
    if lines and not lines[-1]:
        yield len(lines), "ends with an empty line"


def check_owners(path, lines):
    """Clocks and threads come from base/deadline.h and base/thread.h."""
    if not path.endswith(CPP + (".py",)):
        return
    for number, line in enumerate(lines, 1):
        code = re.sub(r"//.*", "", line)
        if path not in WALL_CLOCK_FILES and WALL_CLOCK.search(code):
            yield number, ("reads the wall clock, which anyone may set; "
                           "base/deadline.h has another")
        if (path.startswith(SHIPPED) and path not in NEW_THREAD_FILES and
                not TEST_FILE.search(path) and NEW_THREAD.search(code)):
            yield number, "starts a thread that base/thread.h would guard"


def cpp_functions(lines):
    """Yields (first line, length) of function bodies, found by indentation.

    Relies on clang-format: a body opens at the end of a statement that began at
    column 0 or, in a class, 2, and its brace closes at that column. Does not
    count table rows (lines that begin with a brace or a quote) or the bodies
    of macros.
    """
    for indent in ("", "  "):
        start, previous = None, ""
        for number, line in enumerate(lines, 1):
            text = line[len(indent):]
            if line.startswith("#") or line.endswith("\\"):
                start, line = None, ""
            elif line == indent + "}" and start is not None:
                if is_function(lines[start - 1:start + 5]):
                    body = lines[start - 1:number]
                    yield start, sum(
                        not re.match(r'\s*["{]', row) for row in body)
                start = None
            elif line.startswith(indent) and text[:1] not in tuple(" }):/"):
                if start is None or re.search(
                        r"([;}{]\s*(//.*)?|^\s*|^\s*//.*)$", previous):
                    start = number if text else start
            previous = line


def is_function(header):
    """Reports whether the first lines of a braced block open a function."""
    text = " ".join(header)
    return "(" in text and not re.match(
        r"\s*(namespace|class|struct|enum|union|extern)\b", text)


def python_functions(text):
    """Yields (first line, length) of every Python function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.lineno, node.end_lineno - node.lineno + 1


def check_functions(path, lines):
    """Functions have at most 60 lines."""
    if path.endswith(CPP):
        found = cpp_functions(lines)
    elif path.endswith(".py"):
        found = python_functions("\n".join(lines))
    else:
        return
    for start, length in found:
        if length > MAX_FUNCTION_LINES:
            yield start, (f"begins a function of {length} lines; the limit "
                          f"is {MAX_FUNCTION_LINES}")


def check_built(path, builds):
    """C++ files and tables are named in the BUILD file of their folder.

    A list of files that each machine has names them without its folder.
    """
    if not path.endswith(CPP + (".def", ".fbs")):
        return
    folder = os.path.dirname(path)
    while folder and folder not in builds:
        folder = os.path.dirname(folder)
    name = os.path.relpath(path, folder) if folder else path
    stem = re.sub(r"\.\w+$", "", name)
    text = builds.get(folder, "")
    of_machine = includes.MACHINE_FOLDER.sub("", "/" + name)[1:]
    if not any(f'"{n}"' in text for n in (name, stem, of_machine)):
        yield 1, f"is not named by {os.path.join(folder, 'BUILD')}"


def check_file(path, text, texts, builds):
    """Yields (line, sentence without its subject) for one file."""
    files = set(texts)
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    elif text:
        yield len(lines), "does not end with a newline"
    yield from check_size(path, lines)
    yield from check_head(path, lines, files)
    yield from check_lines(path, lines)
    yield from check_words(path, lines)
    yield from check_named(path, lines, files)
    yield from check_owners(path, lines)
    yield from check_functions(path, lines)
    if path.endswith(COMMENTED):
        yield from check_tested_by(path, lines, files)
    if path.endswith(CPP):
        yield from includes.check_layers(path, text)
        yield from includes.check_unused(path, text, texts)
        yield from check_guard(path, lines)
    yield from check_built(path, builds)


def check_cmake(root, texts):
    """The sources and flags of CMake are those of the BUILD files."""
    path = cmake_libraries.TARGET
    if path in texts and texts[path] != cmake_libraries.libraries_text(root):
        yield (f"{path} is not what tools/house/cmake_libraries.py writes; run "
               "it.")


def lint(root):
    """Returns one sentence per violation in the tree under root."""
    texts = {}
    for path in list_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            texts[path] = file.read()
    builds = {}  # A folder's BUILD and .bzl files, together.
    for path, text in texts.items():
        if os.path.basename(path) == "BUILD" or path.endswith(".bzl"):
            folder = os.path.dirname(path)
            builds[folder] = builds.get(folder, "") + text
    return [
        f"{path}:{line}: {os.path.basename(path)} {what}." if what.startswith(
            ("has", "is not", "does", "begins with", "says")) else
        f"{path}:{line}: The line {what}."
        for path, text in texts.items()
        for line, what in sorted(check_file(path, text, texts, builds))
    ] + list(includes.check_circles(texts)) + list(
        dependencies.check(builds, texts)) + list(
            check_cmake(root, texts))


def main():
    # Bazel runs tests in a tree of links to the real one.
    root = os.path.dirname(os.path.realpath(
        sys.argv[1] if len(sys.argv) > 1 else
        os.path.join(HERE, "..", "WORKSPACE")))
    sentences = lint(root)
    for sentence in sentences:
        print(sentence)
    print(f"{len(sentences)} violations in {root}.")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
