"""Bazel's own rule, where newer ones have it."""

sh_binary = native.sh_binary
