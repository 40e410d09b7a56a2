"""Draws the folders and their includes, for docs/generated/layers.md.

A folder's floor is one above the highest folder that it includes. Arrows that
follow from others are left out: if a includes b and b includes c, then "a c" is
not drawn. Tests, fuzz targets and benchmarks do not count.
Tested by tests/house_docs_test.py.
"""

import os
import re

from includes import LAYERS, TEST_FILE, folder_of, parse

ROOTS = ("abi", "base", "hal", "include", "plugins", "tools", "vm")


def sources(root):
    """Yields (path, text) of the files that count."""
    for top in ROOTS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if (name.endswith((".h", ".cc", ".def")) and
                        not TEST_FILE.search(name)):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), file.read()


def includes(files):
    """Returns folder -> folders that its files include."""
    graph = {}
    for path, text in files:
        source = folder_of(path)
        graph.setdefault(source, set())
        for _, name, _ in parse(text):
            target = folder_of(name)
            if target == "eyrie":
                target = "include/eyrie"
            if target != source and target.startswith(ROOTS):
                graph[source].add(target)
    return graph


def reachable(graph, folder):
    """Returns the folders that `folder` includes, also by others."""
    found, left = set(), list(graph.get(folder, ()))
    while left:
        target = left.pop()
        if target not in found:
            found.add(target)
            left += graph.get(target, ())
    return found


def reduced(graph):
    """Returns the graph without the arrows that follow from others."""
    return {
        folder: {
            target for target in targets
            if not any(target in reachable(graph, other)
                       for other in targets if other != target)
        }
        for folder, targets in graph.items()
    }


def floors(graph):
    """Returns lists of folders, the lowest floor first.

    A circle of folders is an error: tests/lint_test.py finds it first.
    """
    left, done, result = dict(graph), set(), []
    while left:
        floor = sorted(f for f, targets in left.items()
                       if all(t in done or t not in graph for t in targets))
        if not floor:
            raise SystemExit(f"Includes go in a circle: {sorted(left)}.")
        result.append(floor)
        done.update(floor)
        for folder in floor:
            del left[folder]
    return result


def picture(files):
    """Returns the floors as lines, the highest first."""
    graph = includes(files)
    arrows = reduced(graph)
    width = max(map(len, graph))
    lines = []
    for number, floor in reversed(list(enumerate(floors(graph)))):
        for folder in floor:
            targets = ", ".join(sorted(arrows[folder])) or "nothing"
            lines.append(f"{number:2}  {folder:{width}}  {targets}")
    return "\n".join(lines) + "\n"


def rules():
    """Returns the rows of a table: each folder, and what it may include."""
    return [(folder, ", ".join(f"`{each}`" for each in targets) or "nothing")
            for folder, targets in LAYERS.items() if targets is not None]
