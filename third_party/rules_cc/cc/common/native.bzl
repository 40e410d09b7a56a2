"""Bazel's native CcInfo by another name, so that cc_info.bzl can define it."""

native_cc_info = CcInfo
