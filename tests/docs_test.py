"""Checks the documents: tables, links, and every command that they show.

The tables of docs/generated must be as docs_tables.py makes them, examples of
CONTRIBUTING.md in the files that their rows name. Links must lead to existing
files and headings, and each page must be reachable from README.md. The commands
of a ```console block run in a folder of links to the tree: "$ " begins one, and
"> ", or any line after a backslash, continues it. The other lines are its
output on both streams; "..." matches any lines, "…" any part of a line. A block
```c name.c is a file for the commands.
    docs_test.py TOOL [--update] [PAGE ...]    only these pages' commands
Tested by house_docs_test.py.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools", "house"))

import docs_tables  # pylint: disable=wrong-import-position

FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.M | re.S)
FOLDERS = ("docs", "samples", "tests")
SECONDS = 120


def page_paths(root):
    """Returns README.md and all pages, relative to the root."""
    found = ["README.md"]
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            found += [os.path.relpath(os.path.join(folder, name), root)
                      for name in sorted(names) if name.endswith(".md")]
    return found


def anchors(text):
    """Returns the anchors of a page's headings."""
    names = []
    for line in FENCE.sub("", text).split("\n"):
        match = re.match(r"^#+ +(.*)$", line)
        if match:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1))
            name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            count = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", other)
                        is not None for other in names)
            names.append(f"{name}-{count}" if count else name)
    return names


def links(text):
    """Returns (line, target) of every link that is not to another site."""
    # Blanks out code but keeps the line numbers.
    text = FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    text = re.sub(r"`[^`\n]*`", lambda m: "`" * len(m.group(0)), text)
    return [(text.count("\n", 0, match.start()) + 1, match.group(1))
            for match in re.finditer(r"\]\(([^)\s]+)\)", text)
            if not re.match(r"[a-z]+:", match.group(1))]


def check_links(root):
    """Yields a sentence for each broken link and each page without links."""
    texts = {path: docs_tables.read(root, path) for path in page_paths(root)}
    targets = {path: set() for path in texts}
    for path, text in texts.items():
        for line, link in links(text):
            name, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(
                os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(root, target)):
                yield f"{path}:{line}: There is no {target}."
            elif anchor and target.endswith(".md") and anchor not in anchors(
                    docs_tables.read(root, target)):
                yield f"{path}:{line}: {target} has no heading '{anchor}'."
            targets[path] |= {target, os.path.join(target, "README.md")}
    reached, waiting = {"README.md"}, ["README.md"]
    while waiting:
        for target in sorted(targets.get(waiting.pop(), ())):
            if target in texts and target not in reached:
                reached.add(target)
                waiting.append(target)
    for path in sorted(set(texts) - reached):
        yield f"{path}: No link leads from README.md to it."


def row_files(root, names):
    """Returns the files that a row names; NAME, … and * match any text."""
    beside = os.path.dirname(names[0])
    patterns = [re.sub("NAME|…", "*", name) for name in names]
    found = {path for pattern in patterns for path in
             glob.glob(os.path.join(root, pattern)) +
             glob.glob(os.path.join(root, beside, pattern))}
    return sorted(path for path in found if os.path.isfile(path))


def check_examples(root, page="CONTRIBUTING.md"):
    """Yields a sentence for each example in a page that its files lack.

    A row is "| `files` | what to add | `examples` |". An example is code of one
    of the files, where … matches any text, or the name of one.
    """
    for number, line in enumerate(docs_tables.read(root, page).split("\n"), 1):
        spans = [re.findall(r"`([^`]+)`", cell)
                 for cell in line.split("|")[1:-1]]
        if len(spans) != 3 or not spans[0] or "NAME" in spans[0][0]:
            continue
        files = row_files(root, spans[0] + spans[2])
        text = " ".join(docs_tables.read(root, path) for path in files)
        for example in spans[2]:
            words = [re.escape(word) for word in example.split()]
            code = r"\s+".join(words).replace("…", ".*")
            if not re.search(code, text, re.S) and not any(
                    path.endswith("/" + example) for path in files):
                yield (f"{page}:{number}: No file of the row has the example: "
                       f"{example}")


def check_forms(root, table="tools/house/forms.txt",
                page="docs/from_iree.md"):
    """Returns the named differences of the table that the page lacks."""
    with open(os.path.join(root, page), encoding="utf-8") as file:
        text = " ".join(file.read().split())
    sentences = []
    with open(os.path.join(root, table), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            name = line.partition("  ## ")[2].strip()
            if not line.startswith("#") and name not in text:
                sentences.append(f"{table}:{number}: {page} does not say "
                                 f"'{name}'.")
    return sentences


def commands(block):
    """Returns (line, command, output) of a console block's commands."""
    found = []
    for number, line in enumerate(block.rstrip("\n").split("\n")):
        if line.startswith("$ "):
            found.append([number, line[2:], []])
        elif found and not found[-1][2] and (
                line.startswith("> ") or found[-1][1].endswith("\\")):
            found[-1][1] += "\n" + re.sub(r"^> ?", "", line)
        elif found:
            found[-1][2].append(line)
        else:
            found.append([number, "false # a line before '$ '", []])
    return found


def matches(wanted, got):
    """Reports whether lines match a page, ignoring blanks at their ends."""
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else
        ".*".join(map(re.escape, line.rstrip().split("…"))) + "\n"
        for line in wanted)
    text = "".join(line.rstrip() + "\n" for line in got)
    return re.fullmatch(re.sub(r"\n+$", "\n", pattern) + "\n*", text)


def run(command, folder, environment):
    """Returns the lines that a command prints."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=SECONDS)
    text = done.stdout.decode(errors="replace")
    return text.rstrip("\n").split("\n") if text.strip() else []


def page_folder(root, environment, folder):
    """Fills the folder in which a page's commands run."""
    for name in os.listdir(root):
        if not name.startswith((".", "bazel-")) and name != "eyrie":
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
    os.symlink(environment["EYRIE"], os.path.join(folder, "eyrie"))


def run_page(text, environment, folder):
    """Yields (block, line in it, command, wanted lines, got lines)."""
    for block in FENCE.finditer(text):
        language, name, body = block.groups()
        if language == "console":
            for number, command, wanted in commands(body):
                yield (block, number, command, wanted,
                       run(command, folder, environment))
        elif name:
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(body)


def check_commands(root, path, environment, update):
    """Yields a sentence for each command with other output than the page.

    With --update, writes the output to the page instead.
    """
    text = docs_tables.read(root, path)
    if "```console" not in text:
        return
    made, end = [], 0
    with tempfile.TemporaryDirectory() as folder:
        page_folder(root, environment, folder)
        for block, number, command, wanted, got in run_page(
                text, environment, folder):
            if block.start() >= end:
                made += [text[end:block.start(3)]]
                end = block.end(3)
            same = matches(wanted, got)
            first = text.count("\n", 0, block.start(3)) + 1
            if not same and not update:
                yield (f"{path}:{first + number}: '{command}' prints\n" +
                       "\n".join("  | " + line for line in got))
            lines = block.group(3).split("\n")[
                number:number + command.count("\n") + 1]
            made += [line.rstrip() + "\n"
                     for line in lines + (wanted if same else got)]
    if update:
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write("".join(made) + text[end:])


def installed(root, tool, prefix):
    """Installs into a prefix; returns the environment of a user of it."""
    built = os.path.dirname(os.path.dirname(os.path.realpath(tool)))
    done = subprocess.run(
        [sys.executable, os.path.join(root, "install/install.py"),
         f"--source={root}", f"--built={built}", f"--prefix={prefix}"],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise SystemExit(f"Nothing can be installed of {built}: "
                         f"{done.stdout.decode().strip()}")
    # Removes the test settings of Bazel, because `eyrie check` obeys them, too.
    own = {name: value for name, value in os.environ.items()
           if not re.match("GTEST_|TEST_|XML_|BENCHMARK_", name)}
    return {**own, "EYRIE": os.path.join(prefix, "bin/eyrie"),
            "PATH": f"{prefix}/bin:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig",
            "LD_LIBRARY_PATH": f"{prefix}/lib", "LC_ALL": "C.UTF-8"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", help="the built eyrie, the others beside it")
    parser.add_argument("--root", help="a file in the root of the tree",
                        default=os.path.join(HERE, "..", "WORKSPACE"))
    parser.add_argument("--update", action="store_true",
                        help="writes what commands print to the pages")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_intermixed_args()
    root = os.path.dirname(os.path.realpath(options.root))
    wanted = docs_tables.pages(root, os.path.abspath(options.tool))
    sentences = docs_tables.stale_pages(root, wanted)
    sentences += check_links(root)
    sentences += check_examples(root)
    sentences += check_forms(root)
    with tempfile.TemporaryDirectory() as prefix:
        environment = installed(root, options.tool, prefix)
        for path in options.pages or page_paths(root):
            sentences += check_commands(root, path, environment,
                                        options.update)
    for sentence in sentences:
        print(sentence)
    print(f"{len(sentences)} faults in the documents of {root}.")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
