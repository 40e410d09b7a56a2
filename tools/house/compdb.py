"""Turns Bazel's compile actions into compile_commands.json.

usage: bazel aquery --output=jsonproto '...' | compdb.py <workspace>

Reads the actions from stdin and prints one entry per source file. If a file is
compiled twice, the first action counts. Paths stay relative to the workspace,
whose bazel-out link leads to the generated headers.
Tested by tests/house_test.py.
"""

import json
import sys

# Flags that clang-based tools do not support.
DROPPED = ("-fno-canonical-system-headers", "-Wno-free-nonheap-object",
           "-Wunused-but-set-parameter")


def entries(actions, workspace):
    """Returns the compilation database's entries for aquery's actions."""
    result = {}
    for action in actions:
        arguments = [a for a in action["arguments"] if a not in DROPPED]
        if "-c" not in arguments:
            continue
        source = arguments[arguments.index("-c") + 1]
        if source.startswith("external/"):
            continue
        result.setdefault(source, {
            "directory": workspace,
            "file": source,
            "arguments": arguments,
        })
    return [result[source] for source in sorted(result)]


def main(workspace):
    actions = json.load(sys.stdin).get("actions", [])
    json.dump(entries(actions, workspace), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(sys.argv[1])
