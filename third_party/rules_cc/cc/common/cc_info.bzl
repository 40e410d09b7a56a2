"""The provider that newer Bazels have here alone."""

load(":native.bzl", "native_cc_info")

CcInfo = native_cc_info
