"""Shared libraries of test handlers, with separate and embedded manifests."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def handler_library(name, srcs, manifest, minor = 3):
    """Declares lib/<name>.so, and lib/<name>_noted.so with its manifest.

    Args:
      name: name of the libraries.
      srcs: sources that use eyrie/xla_ffi.h.
      manifest: a JSON file.
      minor: minor version of their API, 0.minor.
    """
    native.genrule(
        name = name + "_note",
        testonly = True,
        # The tool is in `srcs`, so that it is built once, as for the tests.
        srcs = [
            manifest,
            "//tools:eyrie",
        ],
        outs = [name + "_note.o"],
        cmd = "$(location //tools:eyrie) note " +
              "$(location %s) -o $@" % manifest,
    )
    for suffix, note in [("", []), ("_noted", [name + "_note.o"])]:
        cc_binary(
            name = "lib/" + name + suffix + ".so",
            testonly = True,
            srcs = srcs + note,
            copts = ["-DEYRIE_FFI_MINOR=%d" % minor] + (
                ["-fexceptions"] if srcs[0].endswith(".cc") else []
            ),
            linkopts = ["-lpthread"],
            linkshared = True,
            deps = [":handler"],
        )
