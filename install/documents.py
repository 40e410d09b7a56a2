"""The documents to install. Links to headers lead to the installed headers.
Links to files that are not installed, such as samples, become plain text.

Tested by consumer_test.py, package_test.py.
"""

import os
import re

FOLDER = "share/doc/eyrie"
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md",
         "SECURITY.md")
# A block of code, code in a line, or a link with its text and target.
PART = re.compile(r"^```.*?^```$|`[^`\n]*`|"
                  r"\[((?:`[^`\n]*`|[^\[\]`])+)\]\(([^)\s]+)\)", re.M | re.S)


def paths(source):
    """Returns the paths of the documents in the source tree."""
    found = list(PAGES)
    for folder, _, names in os.walk(os.path.join(source, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), source)
                  for name in names]
    return sorted(found)


def with_links(text, target_of):
    """Returns a page whose relative links lead to `target_of(path)`. Links for
    which that is None become plain text."""
    def part(match):
        words, target = match.groups()
        if target is None or re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, mark, anchor = target.partition("#")
        path = target_of(path)
        return words if path is None else f"[{words}]({path}{mark}{anchor})"
    return PART.sub(part, text)


def mend_links(tree):
    """Lets the links of a tree's pages lead to files of the tree."""
    known = set(tree.files)
    for path in tree.files:
        known |= {path[:end.start()] for end in re.finditer("/", path)}

    def mended(page):
        def target_of(target):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            if path in known:
                return target
            header = os.path.relpath(path, FOLDER)
            return os.path.relpath(header, os.path.dirname(page)) if (
                header in known) else None
        return target_of

    for page, (content, _, mode) in list(tree.files.items()):
        if page.startswith(FOLDER) and page.endswith(".md"):
            text = with_links(content.decode(), mended(page))
            tree.add_bytes(page, text.encode(), mode)
