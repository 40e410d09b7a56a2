"""The rules on includes: layers, circles, and includes that nothing needs.

tests/lint_test.py checks them; docs_layers.py draws LAYERS and the includes.
Tested by tests/house_test.py.
"""

import functools
import os
import re

# Folder -> folders that its files may include, besides itself. The longest
# matching folder counts. "vm/*" is every folder in vm. None: every folder.
LAYERS = {
    "base": [],
    "vm/isa": ["base"],
    "vm/limits": ["base"],
    "vm/module": ["vm/isa", "vm/limits", "base"],
    "vm/object": ["vm/isa", "vm/limits", "base"],
    "vm/native": ["vm/module", "vm/isa", "vm/limits", "base"],
    "vm/lower": ["vm/module", "vm/isa", "base"],
    "vm/asm": ["vm/module", "vm/isa", "base"],
    "vm/flow": ["vm/lower", "vm/asm", "vm/module", "vm/isa", "base"],
    "vm/run": ["vm/lower", "vm/native", "vm/object", "vm/module", "vm/isa",
               "vm/limits", "base"],
    "vm/jit": ["vm/run", "vm/lower", "vm/object", "vm/module", "vm/isa",
               "base"],
    "hal": ["hal/collectives", "base"],
    "hal/collectives": ["include/eyrie", "base"],
    "hal/parameters": ["base"],
    "hal/module": ["vm/*", "hal", "hal/collectives", "hal/parameters", "base"],
    # The interface of a machine, then the machines, then their users.
    "hal/cpu/machine": ["base"],
    "hal/cpu/aarch64": ["hal/cpu/machine", "base"],
    "hal/cpu/riscv64": ["hal/cpu/machine", "base"],
    "hal/cpu/x86_64": ["hal/cpu/machine", "base"],
    "hal/cpu": ["hal/cpu/machine", "hal", "hal/collectives", "base"],
    "hal/cpu/isolate": ["hal/cpu", "hal/cpu/machine", "hal", "base"],
    "hal/vmvx": ["vm/*", "hal/cpu", "hal/cpu/machine", "hal", "base"],
    "hal/vulkan": ["hal", "base"],
    "hal/drivers": ["hal/cpu", "hal/cpu/isolate", "hal/vulkan", "hal", "base"],
    "include/eyrie": [],
    "abi/tensor": ["hal", "base"],
    "abi/v0": ["vm/module", "hal", "base"],
    "abi/signature": ["abi/v0", "vm/asm", "vm/flow", "vm/lower", "vm/module",
                      "vm/isa", "hal", "base"],
    "abi/value": ["abi/signature", "abi/tensor", "abi/v0", "vm/object",
                  "vm/isa", "hal", "base"],
    "abi/v0/call": ["abi/v0", "abi/signature", "abi/tensor", "abi/value",
                    "vm/object", "vm/isa", "vm/run", "hal", "base"],
    "abi/native": ["vm/module", "vm/isa", "vm/limits", "hal", "base",
                   "include/eyrie"],
    "abi/native/memref": ["abi/native", "vm/isa", "hal", "base"],
    "abi/native/xla": ["abi/native", "vm/object", "vm/isa", "hal", "base",
                       "include/eyrie"],
    "abi/call": ["abi/native", "abi/signature", "abi/tensor", "abi/v0",
                 "abi/v0/call", "abi/value", "hal/drivers", "hal/module",
                 "hal/parameters", "hal/vmvx", "hal", "vm/*", "base"],
    "abi/needs": ["abi/call", "hal/drivers", "hal", "vm/*", "base"],
    "abi/c": ["abi/call", "abi/native", "abi/native/xla/program.h",
              "abi/needs", "abi/signature", "abi/value",
              "hal/drivers", "hal/parameters", "hal", "vm/*", "base",
              "include/eyrie"],
    "tools": ["tools/*", "include/eyrie", "abi/*", "abi/native/*", "vm/*",
              "hal/drivers", "hal", "hal/collectives", "hal/parameters",
              "hal/cpu/code_places.h", "hal/cpu/machine/cpu_features.h",
              "hal/cpu/machine/signal_place.h", "base"],
    # These tools read the library's internals: only these folders and headers.
    "tools/debug": ["tools", "abi/call", "abi/tensor", "vm/asm", "vm/isa",
                    "vm/limits/stepper.h", "vm/lower/code_walk.h",
                    "vm/lower/frame.h", "vm/lower/function_code.h", "vm/module",
                    "vm/object", "vm/run/bytecode_module.h", "vm/run/context.h",
                    "hal", "base"],
    "tools/inspect": ["tools", "abi/call/host_imports.h", "abi/call/session.h",
                      "abi/needs", "hal/buffer_view.h", "hal/driver.h",
                      "hal/executable_facts.h",
                      "vm/asm", "vm/isa", "vm/module", "base"],
    "tools/upgrade": ["tools", "abi/call", "abi/needs",
                      "hal/cpu/dispatch_abi.h", "hal/cpu/library_rewrite.h",
                      "hal", "vm/asm", "vm/flow", "vm/isa", "vm/module",
                      "base"],
    # It runs programs, and reads no module.
    "tools/compiler": ["tools", "base"],
    "tools/tune": ["tools", "tools/compiler", "abi/call", "abi/needs", "hal",
                   "vm/isa", "base"],
    "plugins": ["include/eyrie"],
    "plugins/pjrt/compiler": ["base"],
    "plugins/pjrt": ["plugins/pjrt/compiler", "include/eyrie", "base"],
    "samples": ["include/eyrie"],
    "tests": None,
}
# Tests may open devices, assemble modules and compile them, too.
TEST_LAYERS = ["tests", "hal/drivers", "abi/tensor", "vm/*"]
TEST_FILE = re.compile(r"_(test|fuzz|bench)\.cc$")

# Folders with the files of one machine, or of tests: a part of the folder that
# they are in.
MACHINE_FOLDER = re.compile(r"/(aarch64|riscv64|x86_64|testing)(?=/|$)")

INCLUDE = re.compile(r'^#\s*include\s+["<]([^">]+)[">](.*)', re.M)


def parse(text):
    """Yields (line, header, rest of the line) of each include."""
    for match in INCLUDE.finditer(text):
        yield (text.count("\n", 0, match.start()) + 1, match.group(1),
               match.group(2))


def layer_of(path):
    """Returns the longest folder of LAYERS that contains a path, or None."""
    if path.startswith("eyrie/"):
        path = "include/" + path
    found = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(found, key=len) if found else None


def is_allowed(target, allowed):
    """Returns whether a list of layers has one, or its parent's "/*"."""
    return target in allowed or os.path.dirname(target) + "/*" in allowed


def check_layers(path, text):
    """Includes follow the arrows between the layers."""
    layer = layer_of(path)
    if layer is None or LAYERS[layer] is None:
        return
    allowed = [layer] + LAYERS[layer]
    if TEST_FILE.search(path):
        allowed += TEST_LAYERS
    for number, name, _ in parse(text):
        target = layer_of(name)
        if (target and name not in allowed
                and not is_allowed(target, allowed)):
            yield number, (f"includes {name}: {layer} may not "
                           f"include {target}")


# Words before a parenthesis, or after "struct" and the like, that name nothing.
NOT_NAMES = {"", "alignas", "decltype", "defined", "eyrie", "for", "if",
             "noexcept", "operator", "return", "sizeof", "static_assert",
             "switch", "while"}


# A type, macro or constant; a function, also a method; a field.
NAME = re.compile(
    r"\b(?:class|struct|enum|union|using|define|concept)\s+"
    r"(?:class\s+|\[\[\w+\]\]\s+|alignas\(\d+\)\s+)?(\w+)|\b(k[A-Z]\w*)|"
    r"(\w+)(?=\(|;| = |\{\})")


@functools.lru_cache(maxsize=None)
def own_names(header):
    """Returns the names in a header's text; None if a table fills it."""
    code = re.sub(r"//.*", "", header)
    if re.search(r'#\s*include "[^"]+\.def"', code):
        return None
    return {name for found in NAME.findall(code) for name in found} - NOT_NAMES


def names_of(header, texts):
    """Returns the names that a header declares; None if a table fills it.

    Methods and fields count, so that a file may use a class without its name.
    So do the names of headers that it includes with a comment, for others.
    """
    names = own_names(header)
    if names is None:
        return None
    for _, included, rest in parse(header):
        if rest.strip() and included in texts:
            more = names_of(texts[included], texts)
            if more is None:
                return None
            names = names | more
    return names


def check_unused(path, text, texts):
    """A file uses a name of each header that it includes.

    A comment on the line of the include says why it is needed otherwise. Files
    that expand a table may need any header for its rows.
    """
    if re.search(r'#\s*include "[^"]+\.def"', text):
        return
    body = re.sub(r"//.*|^\s*#\s*include.*", "", text, flags=re.M)
    words = set(re.findall(r"\w+", body))
    for number, name, rest in parse(text):
        if (name not in texts or not name.endswith(".h") or rest.strip() or
                stem(name) == stem(path).removesuffix("_test")):
            continue
        names = names_of(texts[name], texts)
        if names and not names & words:
            yield number, f"includes {name} and uses no name of it"


def find_circles(graph):
    """Returns the sets of nodes that reach each other, sorted, by Tarjan."""
    order, low, stack, circles = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in order:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                circles.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return circles


def stem(path):
    """Returns a path without its extension: a .h and its .cc have one."""
    return re.sub(r"\.\w+$", "", path)


def folder_of(path):
    """Returns a path's folder, outside of machines' folders."""
    return MACHINE_FOLDER.sub("", os.path.dirname(path))


def check_circles(texts):
    """No files and no folders include in a circle.

    A .h and its .cc are one; files that define tests do not count. A machine's
    folder is one of its own.
    """
    files, folders = {}, {}
    for path, text in texts.items():
        if not path.endswith((".h", ".cc", ".def")) or TEST_FILE.search(path):
            continue
        for _, name, _ in parse(text):
            if name not in texts:
                continue
            for graph, short in ((files, stem), (folders, os.path.dirname)):
                if short(path) != short(name):
                    graph.setdefault(short(path), set()).add(short(name))
    for circle in find_circles(files) + find_circles(folders):
        yield f"{circle[0]}: includes go in a circle: {', '.join(circle)}."
