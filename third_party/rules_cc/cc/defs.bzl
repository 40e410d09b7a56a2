"""The names that Bazel's own tools load from rules_cc, as native rules."""

cc_library = native.cc_library
cc_binary = native.cc_binary
cc_test = native.cc_test
cc_import = native.cc_import
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
cc_toolchain_alias = getattr(native, "cc_toolchain_alias", None)
cc_proto_library = getattr(native, "cc_proto_library", None)
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
cc_flags_supplier = None
compiler_flag = None
