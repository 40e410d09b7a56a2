"""Checks what `./eyrie release` adds to files that other commands have made:
the notes, the list of what is inside, and the checksums.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
import install  # noqa: E402
import notices  # noqa: E402
import release  # noqa: E402

SOURCE = os.path.dirname(HERE)
VERSION = install.version_of(SOURCE)
# (text of CHANGELOG.md, the notes without their title). {} is the version.
CHANGELOGS = (
    ("# Changes\n\n## {}\n\n* One\n\n### Python\n\n* Two\n\n## 0.0.1\n\n* No\n",
     "* One\n\n### Python\n\n* Two\n"),
    ("## {}, not released yet\n\n* [A page](docs/a.md), [b](https://b.org)\n",
     "* A page, [b](https://b.org)\n"),
    ("## [Unreleased]\n\n* One\n\n## 0.0.1\n", "* One\n"),
    ("## Unreleased\n* One\n## {}\n* Two\n", "* Two\n"),
    ("## {}0\n\n* One\n", None),
    ("", None),
)


class Tree:
    """A copy of the files of the tree that the lists are made from."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("include/eyrie/c_base.h", "python/install.sh"):
            self.write(name, install.read(SOURCE, name))

    def write(self, name, text):
        place = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def file_names():
    """Returns names of all files of a release that commands make."""
    names = [name for _, files in release.COMMANDS for name in files]
    names += [name for _, name, _ in release.OPTIONAL]
    return [name.format(version=VERSION).replace("*", "1") for name in names]


class ReleaseTest(unittest.TestCase):

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.tree = Tree(holder.name + "/tree")
        self.tree.write("CHANGELOG.md", f"## {VERSION}\n\n* One\n")
        self.out = holder.name + "/out"
        os.environ["SOURCE_DATE_EPOCH"] = "1750000000"

    def described(self):
        """Returns the bytes of the lists, after making all other files."""
        os.makedirs(self.out, exist_ok=True)
        for name in os.listdir(self.out):
            os.remove(os.path.join(self.out, name))
        for name in file_names():
            with open(os.path.join(self.out, name), "w",
                      encoding="utf-8") as file:
                file.write(name)
        release.describe(self.out, self.tree.folder)
        return [install.read(self.out, name) for name in (
            release.NOTES, release.SUMS, f"eyrie-{VERSION}.spdx.json")]

    def test_notes(self):
        for text, want in CHANGELOGS:
            with self.subTest(text=text):
                self.tree.write("CHANGELOG.md", text.replace("{}", VERSION))
                if want is not None:
                    self.assertEqual(release.notes(self.tree.folder),
                                     f"# Eyrie {VERSION}\n\n{want}")
                    continue
                with self.assertRaisesRegex(
                        install.Failure, "neither a section '## "
                        f"{re.escape(VERSION)}' nor '## Unreleased'"):
                    release.notes(self.tree.folder)

    def test_checksums(self):
        _, sums, _ = self.described()
        names = [line.split("  ")[1] for line in sums.splitlines()]
        self.assertEqual(names, sorted(
            [*file_names(), release.NOTES, f"eyrie-{VERSION}.spdx.json"]))
        subprocess.run(["sha256sum", "-c", "--strict", "--quiet",
                        release.SUMS], cwd=self.out, check=True)

    def test_equal_bytes(self):
        self.assertEqual(self.described(), self.described())

    def test_spdx(self):
        document = json.loads(self.described()[2])
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(document["creationInfo"]["created"],
                         "2025-06-15T15:06:40Z")
        packages = {package["SPDXID"]: package
                    for package in document["packages"]}
        self.assertEqual(len(packages), len(document["packages"]))
        for name in packages:
            self.assertRegex(name, r"^SPDXRef-[\w.-]+$")
        for package in packages.values():
            self.assertTrue(package["versionInfo"])
            self.assertIn("checksums" if "packageFileName" in package
                          else "externalRefs", package)
        inside = {}
        for row in document["relationships"]:
            self.assertIn(row["relatedSpdxElement"], packages)
            inside.setdefault(row["spdxElementId"], {})[packages[
                row["relatedSpdxElement"]]["name"]] = row["relationshipType"]
        described = inside.pop("SPDXRef-DOCUMENT")
        self.assertEqual(sorted(described), sorted(file_names()))
        parts = {packages[name]["name"]: found
                 for name, found in inside.items()}
        self.check_parts(parts)

    def check_parts(self, parts):
        """Checks {file: {part: relation}}."""
        for name in file_names():
            found = set(parts.get(name, {}))
            if not name.endswith((".whl", ".deb")) and "libeyrie" not in name:
                self.assertEqual(found, set(), name)
                continue
            self.assertLessEqual({part.name for part in notices.PARTS}, found)
            self.assertEqual("nanobind" in found, name.endswith(".whl"), name)
            self.assertEqual("gcc" in found, name.endswith(".deb"), name)
        deb = parts[f"eyrie_{VERSION}_amd64.deb"]
        self.assertEqual(deb["abseil"], "STATIC_LINK")
        self.assertEqual(deb["nlohmann-json"], "CONTAINS")

    def test_commands(self):
        os.makedirs(self.out)
        for end, want in (("true", "'./eyrie package' has not made 'a-1'"),
                          ("exit 3", "'./eyrie package' has failed: ")):
            self.tree.write("eyrie", "#!/bin/sh\n" + end)
            os.chmod(self.tree.folder + "/eyrie", 0o755)
            with self.assertRaisesRegex(install.Failure, want):
                release.make("package", ["a-1"], self.out, self.tree.folder)

    def test_missing_files(self):
        os.makedirs(self.out)
        rows = release.missing(self.out, VERSION)
        self.assertEqual(len(rows), len(release.OPTIONAL))
        self.described()
        self.assertEqual(release.missing(self.out, VERSION), [])


if __name__ == "__main__":
    unittest.main()
