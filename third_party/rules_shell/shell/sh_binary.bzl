"""Bazel's native rule, at the place where newer Bazels have it."""

sh_binary = native.sh_binary
