"""Bazel's own provider, by a name that cc_info.bzl may bind to another."""

native_cc_info = CcInfo
