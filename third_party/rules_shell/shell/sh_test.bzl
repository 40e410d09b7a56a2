"""Bazel's native rule, at the place where newer Bazels have it."""

sh_test = native.sh_test
