#!/usr/bin/env python3
"""Tests conformance.py: how it reads suites, judges runs and makes tables."""

import unittest

import conformance

SUITE = """vm.export @good
vm.export @fail_so
vm.export @with_argument
vm.export @__init
vm.func @good() -> () {
vm.func @fail_so() -> () {
vm.func @with_argument(%i0: i32) -> () {
vm.func @__init() -> () {
"""
PROBLEMS = [
    # Name, exit code, stderr, what is wrong.
    ("good", 0, "", None),
    ("good", 1, "INTERNAL; x", "INTERNAL; x"),
    ("good", 1, "", "exit 1"),
    ("fail_so", 1, "INTERNAL; x", None),
    ("fail_so", 0, "", "returns"),
    ("fail_so", -8, "", "the process ends with code -8"),
    ("fail_so", 139, "", "the process ends with code 139"),
]
FEATURES = [
    ("3.13/add.vmfb", "V1"), ("3.3/add.async.vmfb", "V1, coarse fences"),
    ("3.3/abi_v0.vmfb", "V0 (raw, SIP)"), ("3.3/vm_i32.bare.vmfb",
                                           "VM, compiled"),
    ("3.9/archive.inline-static.vmfb", "inline-static"),
]


class ConformanceTest(unittest.TestCase):

    def test_cases(self):
        self.assertEqual(conformance.suite_cases(SUITE), ["good", "fail_so"])

    def test_problems(self):
        for name, code, stderr, want in PROBLEMS:
            with self.subTest(name=name, code=code):
                self.assertEqual(
                    conformance.suite_problem(name, code, stderr), want)

    def test_features(self):
        for file, want in FEATURES:
            self.assertEqual(conformance.feature_of(file), want)

    def test_releases(self):
        for release, want in [("3.13.0", "3.13"), ("3.3.0rc1", "3.3"),
                              ("3.13", "3.13"), ("20230404.479", "20230404")]:
            self.assertEqual(conformance.short(release), want)

    def test_table(self):
        self.assertEqual(
            conformance.table([("V1", "3.3", True), ("V1", "3.3", False),
                               ("VMVX", "3.9", True)]),
            "| | 3.3 | 3.9 |\n|---|---|---|\n| V1 | 1/2 |  |\n"
            "| VMVX |  | 1/1 |")


if __name__ == "__main__":
    unittest.main()
