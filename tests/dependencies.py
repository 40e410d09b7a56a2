"""A rule of lint_test.py: targets depend on what their sources include.

clang's layering_check does the same while it compiles. GCC accepts a header
that it finds through another dependency.
"""

import os
import re

import includes

RULE = re.compile(r"^(\w+)\(\n(.*?)^\)", re.S | re.M)
# Lists of labels or files in a rule, also those chosen by `select`.
SOURCES = ("srcs", "hdrs", "textual_hdrs")


def strings(body, names):
    """Returns the strings of the lists `names` of a rule."""
    found = re.findall(r"^    (?:%s) = \w*\(?\[(.*?)\]" % "|".join(names), body,
                       re.S | re.M)
    return re.findall(r'"([^"]+)"', " ".join(found))


def absolute(label, folder):
    """Returns a label as //folder:name."""
    if label.startswith(":"):
        return f"//{folder}{label}"
    if label.startswith("//") and ":" not in label:
        return f"{label}:{os.path.basename(label)}"
    return label


def read_rules(builds):
    """Returns {label: (folder, files, labels it may include from)}."""
    rules = {}
    for folder, text in builds.items():
        for kind, body in RULE.findall(text):
            name = re.search(r'name = "([^"]+)"', body)
            if name and kind.startswith(("cc_", "fuzz_target", "alias")):
                needs = strings(body, ("deps", "private_deps"))
                if kind == "alias":
                    needs = re.findall(r': "([^"]+)"', body)
                rules[f"//{folder}:{name.group(1)}"] = (
                    folder, strings(body, SOURCES),
                    {absolute(need, folder) for need in needs})
    return rules


def check(builds, texts):
    """Yields one sentence for each include without its dependency."""
    rules = read_rules(builds)
    owners = {}
    for label, (folder, files, _) in rules.items():
        for name in files:
            owners.setdefault(os.path.join(folder, name), set()).add(label)
    for label, (folder, files, needs) in rules.items():
        # An alias allows the headers of the targets that it chooses from.
        needs = needs.union(*(rules[n][2] for n in needs
                              if n in rules and not rules[n][1]))
        for path in (os.path.join(folder, name) for name in files):
            for _, header, _ in includes.parse(texts.get(path, "")):
                own = owners.get(header, set())
                if own and label not in own and not own & needs:
                    yield (f"{path}: includes {header}, but {label} does not "
                           f"depend on {sorted(own)[0]}.")
