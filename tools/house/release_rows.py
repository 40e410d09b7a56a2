"""What a release of the compiler has that the tables of this tree lack.

The compiler's library contains the text of each import module and the names of
the VM operations. The fields of the module format are those of compiled files.
Tested by tests/house_test.py.
"""

import dataclasses
import pathlib
import re
import struct
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPCODES = "vm/isa/opcodes.def"
SCHEMA = "vm/module/module.fbs"
# Import module -> its table.
TABLES = {
    "check": "tools/check/imports.def",
    "hal": "hal/module/imports.def",
    "hal_inline": "hal/module/inline_imports.def",
    "hal_loader": "hal/module/loader_imports.def",
    "io_parameters": "hal/module/parameters_imports.def",
    "vmvx": "hal/vmvx/imports.def",
}
# Operations of the compiler's VM dialect that are no instruction: parts of
# modules, and those that the compiler rewrites to others.
WITHOUT_CODE = re.compile(
    r"vm\.(buffer|cast\.ref\.any|check\.\w+|cmp\.(eq\.f(32|64)\.near|"
    r"[gl]te?\.(f32|f64)\.[ou]|[gl]te?\.i(32|64)\.[su]|nz\.f(32|64)\.[ou])|"
    r"cond_fail|export|ext\.i(8|16)\.i64\.[su]|fallback|fpowi\.f(32|64)|func|"
    r"global\.(address|f32|f64|i32|i64|ref)|import(\.module)?|initializer|list|"
    r"module(_terminator)?|name|opaque|optimization_barrier|ordinal_counts|ref|"
    r"rodata(\.inline|\.table\.inline)?|signature|toplevel|"
    r"trunc\.i(16|64)\.(i8|i16)|unwind|variadic|version)")
_LETTERS = {"i32": "i", "i64": "I", "f32": "f", "f64": "F"}
_ROW = re.compile(r'^\w+_IMPORT\(\s*"([^"]+)",\s*"([^"]+)",\s*'
                  r'(\([^()]*\)|[^,()]+)'
                  r'(?:,\s*(\w+),\s*(\w+))?(?:,\s*"[^"]*")?\s*\)', re.M)
_IMPORT = re.compile(r"vm\.import private (?:optional )?@([\w.]+)\s*\(")


@dataclasses.dataclass(frozen=True, order=True)
class Row:
    """A row of an import table: name and calling convention."""

    name: str
    convention: str


def split(text):
    """Splits a list at the commas that are in no brackets."""
    parts, depth = [""], 0
    for c in text.replace("->", "  "):
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def letters(type_text):
    """Returns the letters of a type in a calling convention."""
    text = type_text.strip()
    if text.endswith("..."):
        return f"C{letters(text[:-3])}D"
    if text.startswith("tuple<"):
        return "".join(letters(each) for each in split(text[6:-1]))
    return _LETTERS.get(text, "r")


def closing(text, begin):
    """Returns the position of the parenthesis that closes text[begin]."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError("A parenthesis is not closed: " + text[begin:begin + 60])


def compiled_rows(text):
    """Returns the rows that an import module's text declares."""
    text = re.sub(r"//[^\n]*", "", text)
    found = set()
    for match in _IMPORT.finditer(text):
        end = closing(text, match.end() - 1)
        operands = [each.split(":", 1)[1]
                    for each in split(text[match.end():end])]
        after = re.match(r"\s*->\s*", text[end + 1:])
        results = []
        if after:
            begin = end + 1 + after.end()
            if text[begin] == "(":
                results = split(text[begin + 1:closing(text, begin)])
            else:
                results = [re.split(r"\s+attributes\b|\s+vm\.|\s*}|\n",
                                    text[begin:], maxsplit=1)[0]]
        found.add(Row(match[1],
                      "0" + ("".join(map(letters, operands)) or "v") + "_" +
                      ("".join(map(letters, results)) or "v")))
    return found


def import_texts(library):
    """Yields the name and text of each import module in a compiler."""
    for match in re.finditer(rb"vm\.module @(\w+)[^\0]*", library):
        yield match[1].decode(), match[0].decode()


def number_of(text):
    """Returns a release of a table as a number; those before 3.0 are -1."""
    return int(text) if text.isdigit() else -1


def table_rows(text, last):
    """Returns a table's rows whose last release is `last`, or unlimited."""
    return {Row(name, convention)
            for name, convention, _, _, until in _ROW.findall(text)
            if not until or number_of(until) == last}


def ended_rows(text, last):
    """Returns the rows whose last release is `last`: those that may end."""
    return {Row(name, convention)
            for name, convention, _, _, until in _ROW.findall(text)
            if until and number_of(until) == last}


def all_rows(text):
    """Returns all rows of a table."""
    return {Row(name, convention)
            for name, convention, *_ in _ROW.findall(text)}


def text_of(row, table, number):
    """Returns a row as its table has it, without the function."""
    macro = re.search(r"^\w+_IMPORT\(", table, re.M)[0]
    until = f", {number}, {number}" if number_of(_ROW.search(table)[5] or "") \
        >= 0 else ""
    return f'{macro}"{row.name}", "{row.convention}", ...{until})'


def newest_release():
    """Returns the number of the newest release that the tables know."""
    text = (ROOT / "vm/isa/release.h").read_text()
    return int(re.search(r"kNewestRelease = (\d+);", text)[1])


def operations(library):
    """Returns the names of the compiler's VM operations."""
    return {name.decode() for name in
            re.findall(rb"\0(vm\.[a-z0-9_.]+)(?=\0)", library)}


def unknown_operations(library, table):
    """Returns operations that are neither instructions nor known others."""
    known = set(re.findall(r'^OP\(\w+, *0x\w+, \w+, *"([^"]+)"', table, re.M))
    return sorted(name for name in operations(library)
                  if name[3:] not in known and
                  not WITHOUT_CODE.fullmatch(name))


def tables_of(schema):
    """Returns {table: [(field, type), ...]} of a schema."""
    schema = re.sub(r"//[^\n]*", "", schema)
    found = {}
    for name, body in re.findall(r"table (\w+) \{([^}]*)\}", schema):
        fields = []
        for field, kind in re.findall(r"(\w+):\s*([\w\[\]]+)", body):
            if re.search(rf"\bunion {kind.strip('[]')} ", schema):
                fields.append((field + "_type", "uint8"))
            fields.append((field, kind))
        found[name] = fields
    return found


def root_of(path):
    """Returns the FlatBuffer of a module file."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return archive.read(archive.infolist()[0])
    return pathlib.Path(path).read_bytes()


def field_places(data, at, fields):
    """Returns {number: place} of the fields that the table at `at` has."""
    vtable = at - struct.unpack_from("<i", data, at)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    numbers = range(max((size - 4) // 2, len(fields)))
    offsets = {n: struct.unpack_from("<H", data, vtable + 4 + 2 * n)[0]
               for n in numbers if 4 + 2 * n < size}
    return {n: at + offset for n, offset in offsets.items() if offset}


def unknown_fields(data, schema):
    """Returns sentences about fields that `schema` does not name."""
    tables = tables_of(schema)
    start = 4 if data[8:12] == b"IREE" else 0
    found, seen = set(), set()

    def follow(at):
        return at + struct.unpack_from("<I", data, at)[0]

    def visit(name, at):
        if (name, at) in seen:
            return
        seen.add((name, at))
        fields = tables[name]
        for number, place in field_places(data, at, fields).items():
            if number >= len(fields):
                found.add(f"table {name} has a field {number}; the known ones "
                          f"end before {len(fields)}")
                continue
            kind = fields[number][1]
            if kind in tables:
                visit(kind, follow(place))
            elif kind.strip("[]") in tables:
                vector = follow(place)
                for i in range(struct.unpack_from("<I", data, vector)[0]):
                    visit(kind.strip("[]"), follow(vector + 4 + 4 * i))

    visit(re.search(r"root_type (\w+);", schema)[1], follow(start))
    return sorted(found)
