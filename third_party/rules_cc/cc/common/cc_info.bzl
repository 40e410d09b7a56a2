"""The provider CcInfo. Newer Bazels have it only here."""

load(":native.bzl", "native_cc_info")

CcInfo = native_cc_info
