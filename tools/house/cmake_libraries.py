#!/usr/bin/env python3
"""Writes install/cmake/libraries.cmake out of the BUILD files and .bazelrc.

CMakeLists.txt includes it: the sources and flags of the libraries and the tool.
BUILD files are evaluated here with functions that only record the rules, once
for each machine. A path that differs by the machine's name is written with
${EYRIE_MACHINE}.
Tested by tests/house_test.py; lint_test.py compares the file.
"""

import builtins
import glob
import os
import re
import sys

TARGET = "install/cmake/libraries.cmake"
MACHINES = ("x86_64", "aarch64", "riscv64")
LIBRARY = "//abi/c:c"
TOOL = "//tools:eyrie"
# The libraries of an option, and those of a build without it.
OPTIONS = {
    "//vm/jit:compiler": "IF EYRIE_JIT",
    "//vm/jit:without": "UNLESS EYRIE_JIT",
    "//hal/cpu/isolate:worker": "IF EYRIE_ISOLATION",
    "//hal/cpu/isolate:without": "UNLESS EYRIE_ISOLATION",
    "//hal/vulkan:vulkan": "IF EYRIE_VULKAN",
    "//hal/vulkan:without": "UNLESS EYRIE_VULKAN",
}
HEAD = """\
# Written by tools/house/cmake_libraries.py out of the BUILD files. Do not edit.
"""


class Wrong(Exception):
    """A BUILD file that this script does not understand."""


def label_of(text, folder):
    """Returns a label in full: "//base:base" for "//base"."""
    if text.startswith("@"):
        return text
    if not text.startswith("//"):
        return f"//{folder}:{text.lstrip(':')}"
    if ":" not in text:
        return f"{text}:{text.rsplit('/', 1)[-1]}"
    return text


def path_of(label):
    """Returns the path of a file: "base/ref.h" for "//base:ref.h"."""
    return label[2:].replace(":", "/").lstrip("/")


def evaluate(text, path, names):
    """Runs a file of Bazel's as Python, which it is as to what it uses."""
    exec(compile(text, path, "exec"), names)  # pylint: disable=exec-used


class Tree:
    """The rules of the BUILD files, for a machine."""

    def __init__(self, root, machine):
        self.root = root
        self.machine = machine
        self.rules = {}  # label -> {"kind", attribute -> value}
        self.read = set()

    def select(self, choices, **_):
        """Returns the machine's value. Other conditions are not met."""
        for key in (f"//base:{self.machine}", "//conditions:default"):
            if key in choices:
                return choices[key]
        raise Wrong(f"select has no value for {self.machine}: {choices}")

    def machine_files(self, names, *_, **__):
        return [f"{self.machine}/{name}" for name in names]

    def load(self, folder):
        """Evaluates the BUILD file of a folder."""
        self.read.add(folder)
        path = os.path.join(self.root, folder, "BUILD")

        def recorder(kind):
            def record(name=None, **attributes):
                if name is not None:
                    self.rules[label_of(name, folder)] = {
                        "kind": kind, "folder": folder, **attributes}
            return record

        class Names(dict):
            def __missing__(self, name):
                return getattr(builtins, name, None) or recorder(name)

        names = Names(
            select=self.select, machine_files=self.machine_files,
            load=lambda *_, **__: None, package=lambda **_: None,
            exports_files=lambda *_, **__: None,
            glob=lambda patterns, **_: sorted(
                os.path.relpath(path, os.path.join(self.root, folder))
                for pattern in patterns for path in glob.glob(
                    os.path.join(self.root, folder, pattern))))
        with open(path, encoding="utf-8") as file:
            evaluate(file.read(), path, names)

    def rule(self, label):
        """Returns the rule of a label, or None for a file or an outer one."""
        if label.startswith("@"):
            return None
        folder = label[2:].split(":")[0]
        if folder not in self.read:
            self.load(folder)
        return self.rules.get(label)

    def labels(self, rule, *attributes):
        return [label_of(text, rule["folder"]) for name in attributes
                for text in rule.get(name, ())]

    def files(self, label):
        """Returns the paths of the files that a label means."""
        rule = self.rule(label)
        if rule and rule["kind"] == "filegroup":
            return [path for each in self.labels(rule, "srcs")
                    for path in self.files(each)]
        return [path_of(label)]

    def generated(self):
        """Returns {path: label of the genrule} of the folders read."""
        return {path_of(out): label for label, rule in self.rules.items()
                if rule["kind"] == "genrule"
                for out in self.labels(rule, "outs")}

    def sources(self, rule):
        paths = [path for label in self.labels(rule, "srcs")
                 for path in self.files(label)]
        return paths + [f"{rule['folder']}/{name}" for name in
                        self.machine_files(rule.get("machine_srcs", ()))]

    def closure(self, label, found):
        """Adds the libraries that a label needs, those without deps first."""
        rule = self.rule(label)
        if rule is None or label in found:
            return
        if rule["kind"] == "alias":
            self.closure(label_of(rule["actual"], rule["folder"]), found)
            return
        found[label] = None  # It is begun.
        for dep in self.labels(rule, "deps"):
            self.closure(dep, found)
        del found[label]
        found[label] = rule


def libraries(tree):
    """Returns {label: rule} of the library's parts and then the tool's, and the
    labels that only the tool has."""
    found = {}
    for label in (LIBRARY, *OPTIONS):
        tree.closure(label, found)
    of_library = len(found)
    tree.closure(TOOL, found)
    return found, set(list(found)[of_library:])


def machine_options(root, machine):
    """Returns the flags that library.bzl adds for a machine."""
    names = {"load": lambda *_, **__: None,
             "select": Tree(root, machine).select}
    path = os.path.join(root, "base/library.bzl")
    with open(path, encoding="utf-8") as file:
        evaluate(file.read(), path, names)
    return names["MACHINE_COPTS"]


def merge(per_machine, where):
    """Returns one list for all machines, with ${EYRIE_MACHINE} in paths."""
    common = set.intersection(*(set(paths) for paths in per_machine.values()))
    merged = {
        tuple(path if path in common else
              re.sub(rf"(?<=/){machine}(?=/)", "${EYRIE_MACHINE}", path)
              for path in paths)
        for machine, paths in per_machine.items()}
    if len(merged) != 1:
        raise Wrong(f"{where}: machines have different sources: {merged}")
    return list(merged.pop())


class Flags:
    """The compiler's flags in .bazelrc, of builds without a configuration."""

    def __init__(self, text):
        self.all = []
        self.per_file = []
        for line in re.findall(r"^build (.*)", text, re.M):
            for option in line.split():
                name, _, value = option.replace("\\\\", "\\").partition("=")
                if name in ("--copt", "--cxxopt") and value.startswith("-f"):
                    self.all.append(value)
                elif name == "--copt" and value.startswith("-O"):
                    self.per_file.append(([re.compile("")], [], [value]))
                elif name == "--per_file_copt":
                    self.add_per_file(*value.rsplit("@", 1))

    def add_per_file(self, patterns, flags):
        parts = patterns.split(",")
        self.per_file.append((
            [re.compile(p) for p in parts if not p.startswith("-")],
            [re.compile(p[1:]) for p in parts if p.startswith("-")],
            flags.split(",")))

    def of(self, path):
        """Returns the flags of a file; the last -O counts."""
        found = [flag for yes, no, flags in self.per_file
                 if any(p.search(path) for p in yes)
                 and not any(p.search(path) for p in no) for flag in flags]
        level = [flag for flag in found if flag.startswith("-O")][-1:]
        return level + [flag for flag in found if not flag.startswith("-O")]


def name_of(label):
    """Returns a name for CMake: "vm_run" for "//vm/run:run"."""
    folder, name = label[2:].split(":")
    parts = folder.split("/")
    return "_".join(parts if parts[-1] == name else [*parts, name])


def machines_of(option):
    """Returns the machines of a library with this value of OPTIONS: RISC-V has
    no compiler of functions and no worker."""
    return MACHINES[:2] if (option or "").startswith("IF") else MACHINES


def command_of(rule, tree):
    """Returns a genrule's command with CMake's variables."""
    sources = [path for label in tree.labels(rule, "srcs")
               for path in tree.files(label)]
    out = path_of(tree.labels(rule, "outs")[0])
    values = {
        "$@": "'${EYRIE_GENERATED}/" + out + "'",
        "$(@D)": "'${EYRIE_GENERATED}/" + os.path.dirname(out) + "'",
        "$<": sources[0],
        "$(SRCS)": " ".join(sources),
        '"$(CC)"': '"${EYRIE_CXX}"',
    }
    command = " ".join(rule["cmd"].split())
    command = re.sub(r"\$\(location ([^)]+)\)", lambda match: path_of(
        label_of(match.group(1), rule["folder"])), command)
    for key, value in values.items():
        command = command.replace(key, value)
    command = re.sub(r"^flatc ", "'${EYRIE_FLATC}' ", command)
    if "$(" in command:
        raise Wrong(f"{out}: the command has another variable: {command}")
    return out, command, sources + [
        path_of(label) for label in tree.labels(rule, "tools")]


def quoted(text):
    """Returns an argument of CMake that keeps quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_generated(trees, label, option):
    """Returns the lines of a generated file."""
    results = {machine: command_of(trees[machine].rules[label], trees[machine])
               for machine in machines_of(option)}
    out = results["x86_64"][0]
    commands = merge({machine: [result[1]] for machine, result in
                      results.items()}, out)
    sources = merge({machine: result[2] for machine, result in
                     results.items()}, out)
    return [f"eyrie_generate({out}{' ' + option if option else ''}",
            f"  COMMAND {quoted(commands[0])}",
            "  FROM", *(f"    {path}" for path in sorted(sources)), ")"]


def write_library(trees, label, flags, is_tools):
    """Returns the lines of a library, and the generated files among them."""
    per_machine = {machine: trees[machine].sources(trees[machine].rules[label])
                   for machine in machines_of(OPTIONS.get(label))}
    sources = [path for path in merge(per_machine, label)
               if path.endswith((".cc", ".c"))]
    if not sources:
        return []
    rule = trees["x86_64"].rules[label]
    # Bazel's flags are those of the file that joins the sources.
    level, *others = flags.of(sources[0] if len(sources) == 1 else
                              path_of(label) + "_unit1.cc")
    others += rule.get("copts", [])
    generated = trees["x86_64"].generated()
    lines = [f"eyrie_library({name_of(label)}",
             *(["  IF EYRIE_TOOL"] if is_tools else []),
             *([f"  {OPTIONS[label]}"] if label in OPTIONS else []),
             f"  OPTIMIZE {level}",
             *([f"  OPTIONS {' '.join(others)}"] if others else []),
             "  SOURCES"]
    # Bazel joins a machine's sources apart from the others.
    own = ["/${EYRIE_MACHINE}/" in path and bool(rule.get("machine_srcs"))
           for path in sources]
    for path in sources:
        place = "${EYRIE_GENERATED}/" if path in generated else ""
        lines.append(f"    {place}{path}")
    if any(own):
        lines.insert(len(lines) - sum(own), "  MACHINE_SOURCES")
    return lines + [")"]


def user_of(label, found, tree):
    """Returns the label of a library that names a genrule's file, or None."""
    outs = set(tree.labels(tree.rules[label], "outs"))
    for user, rule in found.items():
        if outs.intersection(
                tree.labels(rule, "srcs", "hdrs", "textual_hdrs")):
            return user
    return None


def libraries_text(root):
    """Returns what the file must be."""
    trees = {machine: Tree(root, machine) for machine in MACHINES}
    found = {machine: libraries(tree) for machine, tree in trees.items()}
    all_found, of_tool = found["x86_64"]
    with open(os.path.join(root, ".bazelrc"), encoding="utf-8") as file:
        flags = Flags(file.read())
    blocks = [["set(EYRIE_OPTIONS", *(f"  {flag}" for flag in flags.all), ")"]]
    blocks += [["set(EYRIE_OPTIONS_" + machine,
                *(f"  {flag}" for flag in machine_options(root, machine)), ")"]
               for machine in MACHINES]
    links = [flag for rule in all_found.values()
             for flag in rule.get("linkopts", []) if "symbol" in flag]
    blocks.append(["set(EYRIE_TOOL_LINK_OPTIONS",
                   *(f"  {flag}" for flag in links), ")"])
    for label in trees["x86_64"].generated().values():
        user = user_of(label, all_found, trees["x86_64"])
        if user:
            blocks.append(write_generated(trees, label, OPTIONS.get(user)))
    for label in all_found:
        blocks.append(write_library(trees, label, flags, label in of_tool))
    return HEAD + "".join("\n" + "\n".join(block) + "\n"
                          for block in blocks if block)


def write(root):
    """Writes the file if it has changed."""
    path, wanted = os.path.join(root, TARGET), libraries_text(root)
    with open(path, "a+", encoding="utf-8") as file:
        file.seek(0)
        if file.read() != wanted:
            file.truncate(0)
            file.write(wanted)


if __name__ == "__main__":
    try:
        write(os.path.dirname(os.path.dirname(os.path.dirname(
            os.path.realpath(__file__)))))
    except Wrong as error:
        sys.exit(str(error))
