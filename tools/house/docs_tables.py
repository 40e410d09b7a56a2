"""Writes docs/generated: tables of the .def files and of the tool's --help.

    docs_tables.py --eyrie=PATH            writes the stale pages
    docs_tables.py --eyrie=PATH --check    lists the stale pages, writes nothing

`./eyrie docs` builds the tool and runs this script. Tested by
tests/docs_test.py and tests/house_docs_test.py.
"""

import argparse
import os
import re
import subprocess
import sys

import docs_layers

FOLDER = "docs/generated"
COMMAND = "./eyrie docs"


def read(root, path):
    """Returns the text of a file of the tree."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def def_rows(root, path, macro):
    """Returns the arguments of each `macro(...)` in a .def file, unquoted."""
    text = re.sub(r"^\s*(//|#).*$", "", read(root, path), flags=re.M)
    rows = []
    for match in re.finditer(rf"^{macro}\(", text, re.M):
        tokens = re.compile(r'"((?:[^"\\]|\\.)*)"|\'(.)\'|'
                            r'(\([^()]*\)|[^",()\s]+)|([,)])')
        row, position, after = [], match.end(), ""
        while after != ")":
            token = tokens.match(text, re.compile(r"\s*").match(
                text, position).end())
            if token is None:
                line = text[position:].split("\n")[0]
                raise SystemExit(f"{path}: Cannot read a row of {macro} at "
                                 f"'{line}'.")
            position, after = token.end(), token.group(4)
            if after is None:
                row.append(next(g for g in token.groups() if g is not None))
        rows.append(row)
    if not rows:
        raise SystemExit(f"{path}: Expected a row of {macro}.")
    return rows


def escaped(text):
    """Returns text as Markdown shows it unchanged, also in a table."""
    return re.sub(r"([\\|*_<>\[\]`])", r"\\\1", text)


def code(text):
    """Returns text as code in a table cell; "" stays empty."""
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(header, rows):
    """Returns a Markdown table; cells are Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(cells)} |\n")
                   for cells in lines)


def page(title, sources, text):
    """Returns a page that names its sources."""
    links = " and ".join(f"[`{path}`](../../{path})" for path in sources)
    made = f"Made by `{COMMAND}` from {links}." if sources else (
        f"Made by `{COMMAND}` from the output of `eyrie COMMAND --help`.")
    return f"# {title}\n\n{made}\n\n{text.strip()}\n"


# Instructions.

OP_SETS = {
    "Core": ("The core set", "An instruction begins with one byte, the code."),
    "F32": ("The set EXT_F32", "The byte `0xE0` precedes the code."),
    "F64": ("The set EXT_F64", "The byte `0xE1` precedes the code."),
}
OPERANDS = """\
Fields have this order in the bytecode, with operands before results. `since` is
the first release whose compiler may write the instruction.

| field | |
|---|---|
| `i` `I` `f` `F` `r` | a register: i32, i64 (an even pair), f32, f64 (a \
pair), reference |
| `r.move` | a reference that the instruction may move out of the register; as \
a result, one that it may move out of the list or the global |
| `i*` … `r*`, `regs` | a counted list of such registers; of registers of any \
kind |
| `imm.T` | an immediate of type T |
| `string` | counted bytes |
| `global.T`, `global.ref` | the byte offset of a global; the ordinal of a \
reference |
| `rodata`, `type`, `func`, `import` | an ordinal |
| `segments` | counts per argument |
| `block`, `remap`, `cases` | a branch target; the moves of registers before \
the branch; a counted list of both |
"""


def opcodes(root):
    """Returns the page of instructions."""
    path = "vm/isa/opcodes.def"
    rows = def_rows(root, path, "OP")
    text = (f"{len(rows)} instructions. [vmasm.md](../vmasm.md) describes them "
            "as text, where `vm.` is added before the name.\n\n" + OPERANDS)
    for name, (title, prefix) in OP_SETS.items():
        text += f"\n## {title}\n\n{prefix}\n\n" + table(
            ["code", "instruction", "operands", "results", "since"],
            [[code(byte), code(word), code(reads), code(writes), since]
             for which, byte, _, word, reads, writes, since, _, _ in rows
             if which == name])
    unknown = {row[0] for row in rows} - set(OP_SETS)
    if unknown:
        raise SystemExit(f"{path}: docs_tables.py has no title for {unknown}.")
    return page("Instructions", [path], text)


# Imports.

IMPORTS = [
    ("hal", "hal/module/imports.def", "HAL_IMPORT",
     "Programs for devices import these."),
    ("hal_inline", "hal/module/inline_imports.def", "HAL_IMPORT",
     "Programs of `inline-static` and `inline-dynamic` import these."),
    ("hal_loader", "hal/module/loader_imports.def", "HAL_IMPORT",
     "Programs of `inline-dynamic` call their kernels by these."),
    ("io_parameters", "hal/module/parameters_imports.def", "HAL_IMPORT",
     "Programs read [parameters](../parameters.md) by these."),
    ("vmvx", "hal/vmvx/imports.def", "VMVX_IMPORT",
     "Microkernels of all releases, for kernels in bytecode."),
    ("check", "tools/check/imports.def", "CHECK_IMPORT",
     "The expectations of [tests](../check.md). Only `eyrie check` has them."),
]
LETTERS = """\
An import is found by its module, its name *and* its calling convention. If a
function has changed, it has a row for each convention. A convention is `0`, the
arguments, `_` and the results: `i` is an i32, `I` an i64, `f` an f32, `F` an
f64, `r` a reference, `v` nothing. The values between `C` and `D` are repeated;
each call gives their count.
"""


def release(number):
    """Returns the name of a release in an import table: k20230209, 13."""
    return number[1:] if number.startswith("k") else f"3.{number}"


def imports(root):
    """Returns the page of host functions."""
    text = LETTERS
    for module, path, macro, what in IMPORTS:
        rows = def_rows(root, path, macro)
        dated = len(rows[0]) > 4
        text += f"\n## {module}\n\n{what} [`{path}`](../../{path})\n\n" + table(
            ["import", "convention"] + ["releases"] * dated,
            [[code(row[0]), code(row[1])] +
             ([f"{release(row[3])} to {release(row[4])}"] if dated else [])
             for row in rows])
    return page("Imports", [path for _, path, _, _ in IMPORTS[:1]], text)


# Element types.

KINDS = {
    0x00: "opaque bytes", 0x10: "signless integer", 0x11: "signed integer",
    0x12: "unsigned integer", 0x13: "boolean", 0x21: "float",
    0x22: "bfloat", 0x23: "complex",
}


def element_types(root):
    """Returns the page of element types."""
    tensors = "hal/element_types.def"
    gguf = "hal/parameters/ggml_types.def"
    ranks = "hal/collectives/collectives.def"

    def heading(title, path):
        return f"\n## {title}\n\n[`{path}`](../../{path})\n\n"

    def tensor(text, kind, size, numpy, mlir, dlpack, ffi=("", "", "")):
        number, name, since = ffi
        return [code(text), code(f"0x{int(kind, 16) << 24 | int(size):08X}"),
                size, KINDS.get(int(kind, 16), f"{size}-bit float"),
                code(numpy), code(mlir), dlpack if dlpack != "-1" else "",
                number, code(name), f"0.{since}" if since else ""]

    rows = {row[0]: tensor(*row[1:])
            for row in def_rows(root, tensors, "ELEMENT_TYPE")}
    rows |= {row[0]: tensor(*row[1:7], row[8:])
             for row in def_rows(root, tensors, "XLA_ELEMENT_TYPE")}
    order = re.findall(r"^(?:XLA_)?ELEMENT_TYPE\((\w+)", read(root, tensors),
                       re.M)
    text = heading("Tensors", tensors) + table(
        ["text", "number", "bits", "kind", "NumPy", "MLIR", "DLPack code",
         "XLA FFI", "its name", "since API"], [rows[name] for name in order])
    text += "\nXLA FFI has these types, too, which no tensor has:\n\n" + table(
        ["number", "name", "since API"],
        [[number, code(name), f"0.{since}"] for _, number, name, since, _ in
         def_rows(root, tensors, "XLA_TYPE")])
    text += heading("Collectives", ranks) + table(
        ["number", "name", "bytes"],
        [[number, code(name), size if size != "0" else "not supported"]
         for number, _, name, size in def_rows(
             root, ranks, "COLLECTIVE_TYPE")])
    text += heading("GGUF files", gguf) + table(
        ["number", "name", "elements of a block", "bytes of a block"],
        [[number, code(name), elements, size]
         for number, name, elements, size in def_rows(
             root, gguf, "GGML_TYPE")])
    return page("Element types", [tensors], text)


# Flags.

def help_of(eyrie, *words):
    """Returns what `eyrie words --help` prints."""
    done = subprocess.run([eyrie, *words, "--help"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"eyrie {' '.join(words)} --help fails: "
                         f"{done.stderr.decode().strip()}")
    return done.stdout.decode()


def plain(lines):
    """Returns the lines of a comment without its '# '."""
    return [re.sub(r"^# ?", "", line) for line in lines]


def prose(lines):
    """Returns help as the Markdown of one cell.

    Indented items go on lines of their own.
    """
    cell, in_items = "", False
    for line in lines:
        item = re.match(r"^  (\S.*?)(?:  +(\S.*))?$", line)
        if item and item.group(2):
            cell += f"<br>{code(item.group(1))}: {escaped(item.group(2))}"
        else:
            breaks = item or (in_items and line[:1] != " ")
            cell += ("<br>" if breaks else " ") + escaped(line.strip())
        in_items = line[:1] == " "
    return re.sub(r" +", " ", cell.strip())


def parse_help(text):
    """Returns the usage, as lines, and the flags: (name, default, lines)."""
    parts = text.rstrip("\n").split("\n\n")
    flags = []
    for part in parts[1:]:
        lines = part.strip("\n").split("\n")
        match = re.match(r"^(?:# )?--(\w+)(?:=(.*))?$", lines[-1])
        if match:
            default = match.group(2) or ""
            if lines[-1].startswith("#"):
                default = ""
            flags.append((match.group(1), default, plain(lines[:-1])))
    return plain(parts[0].split("\n")), flags


def every_command(eyrie):
    """Returns (name, usage, flags) of every command."""
    found = []
    waiting = [[name] for name in re.findall(r"^  (\w+)  ", help_of(eyrie),
                                             re.M)]
    while waiting:
        words = waiting.pop(0)
        text = help_of(eyrie, *words)
        name = " ".join(words)
        more = []
        if re.search(rf"Usage: eyrie {name} COMMAND", text):
            more = re.findall(r"^#?   (\w+)  ", text, re.M)
        more += re.findall(rf"eyrie {name} (\w+) --help:", text)
        waiting[:0] = [words + [word] for word in more]
        usage, flags = parse_help(text)
        found.append((name, usage, flags))
    if not found:
        raise SystemExit("eyrie --help lists no command.")
    return found


def commands_of(eyrie):
    """Returns (name, usage, flags) of every command that has flags."""
    return [command for command in every_command(eyrie) if command[2]]


def flag_key(flag):
    """Returns a key that is equal for the same flag of two commands."""
    name, default, lines = flag
    return name, default, " ".join(lines)


def flag_rows(flags, extra):
    """Returns table rows of flags; `extra` returns a last cell, or []."""
    return [[code("--" + flag[0]), code(flag[1]), prose(flag[2])] + extra(flag)
            for flag in flags]


def flags_page(root, eyrie):
    """Returns the page of flags."""
    commands = commands_of(eyrie)
    users, shared = {}, []
    for name, _, flags in commands:
        for flag in flags:
            users.setdefault(flag_key(flag), []).append(name)
    for _, _, flags in commands:
        for flag in flags:
            if len(users[flag_key(flag)]) > 1 and flag_key(flag) not in map(
                    flag_key, shared):
                shared.append(flag)
    text = ("[cli.md](../cli.md) describes the syntax of flags and values."
            "\n\n## Flags of several commands\n\n") + table(
        ["flag", "default", "", "commands"],
        flag_rows(shared, lambda flag: [
            ", ".join(users[flag_key(flag)])
            if len(users[flag_key(flag)]) < len(commands) else "all"]))
    for name, usage, flags in commands:
        own = [f for f in flags if len(users[flag_key(f)]) == 1]
        text += f"\n## eyrie {name}\n\n```\n" + "\n".join(usage) + "\n```\n"
        if own:
            text += "\n" + table(["flag", "default", ""],
                                 flag_rows(own, lambda _: []))
    return page("Flags", [], text + public_names(root))


def public_names(root):
    """Returns the sections on names and flags of upstream's tools."""
    names, ignored = "tools/names.def", "tools/public_flags.def"
    text = (f"\n## By the public tools' names\n\n[`{names}`](../../{names}); "
            "[from_iree.md](../from_iree.md) lists the differences.\n\n")
    text += table(["name", "runs"],
                  [[code(row[0]), code("eyrie " + " ".join(row[1:]))]
                   for row in def_rows(root, names, "PUBLIC_TOOL")])
    text += ("\n## Accepted without effect\n\nFlags of the public tools for "
             "hardware and drivers that Eyrie lacks, and for the public "
             "runtime's own threads, tracing, profiling and replay: "
             f"[`{ignored}`](../../{ignored}). A note on stderr names those "
             "that were given.\n\n")
    return text + ", ".join(
        code("--" + row[0])
        for row in def_rows(root, ignored, "PUBLIC_FLAG")) + "\n"


def layers(root):
    """Returns the page of folders and their includes."""
    return (f"# Layers\n\nMade by `{COMMAND}` from the includes of all files. "
            "A folder is one\nfloor above the highest that it includes. "
            "Arrows that follow from others are\nleft out.\n\n```\n"
            f"{docs_layers.picture(docs_layers.sources(root))}```\n\n"
            "## What a folder may include\n\nBesides itself and the folders in "
            "it. `vm/*` is every folder in `vm`; tests may\ninclude more. "
            "`LAYERS` in `tools/house/includes.py` has these rules.\n\n"
            "| folder | may include |\n|---|---|\n" +
            "".join(f"| `{folder}` | {targets} |\n"
                    for folder, targets in docs_layers.rules()))


def pages(root, eyrie):
    """Returns the generated pages by their path from the root."""
    return {
        f"{FOLDER}/opcodes.md": opcodes(root),
        f"{FOLDER}/imports.md": imports(root),
        f"{FOLDER}/element_types.md": element_types(root),
        f"{FOLDER}/flags.md": flags_page(root, eyrie),
        f"{FOLDER}/layers.md": layers(root),
    }


def stale_pages(root, wanted):
    """Returns a sentence for each page that is stale."""
    sentences = []
    for path, text in wanted.items():
        place = os.path.join(root, path)
        if not os.path.exists(place):
            sentences.append(f"{path} is missing: run {COMMAND}.")
        elif read(root, path) != text:
            old, new = read(root, path).split("\n"), text.split("\n")
            line = next((i for i, (a, b) in enumerate(zip(old, new), 1)
                         if a != b), min(len(old), len(new)))
            sentences.append(f"{path}:{line}: The page is stale: run "
                             f"{COMMAND}, and commit what it writes.")
    folder = os.path.join(root, FOLDER)
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
        if f"{FOLDER}/{name}" not in wanted:
            sentences.append(f"{FOLDER}/{name} is not generated: delete it.")
    return sentences


def main():
    parser = argparse.ArgumentParser(
        description="Writes the tables of docs/generated.")
    parser.add_argument("--eyrie", required=True,
                        help="the built tool")
    parser.add_argument("--check", action="store_true",
                        help="lists stale pages and writes nothing")
    options = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")
    wanted = pages(root, os.path.abspath(options.eyrie))
    if options.check:
        sentences = stale_pages(root, wanted)
        print("\n".join(sentences + [f"{len(sentences)} pages are stale."]))
        return 1 if sentences else 0
    os.makedirs(os.path.join(root, FOLDER), exist_ok=True)
    for path, text in wanted.items():
        place = os.path.join(root, path)
        if not os.path.exists(place) or read(root, path) != text:
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"Wrote {path}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
