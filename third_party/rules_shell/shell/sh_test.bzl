"""Bazel's own rule, where newer ones have it."""

sh_test = native.sh_test
