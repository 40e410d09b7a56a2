"""Shared libraries of test handlers, with their manifests beside and within."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def handler_library(name, srcs, manifest, minor = 3):
    """Declares lib/<name>.so, and lib/<name>_noted.so with its manifest.

    Args:
      name: of the libraries.
      srcs: written against eyrie/xla_ffi.h.
      manifest: a JSON file.
      minor: the version of the API that they speak, 0.minor.
    """
    native.genrule(
        name = name + "_note",
        testonly = True,
        # The tool is a source, to be built once, as it is for the tests.
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
            # GCC warns that C has no -fno-rtti.
            copts = ["-DEYRIE_FFI_MINOR=%d" % minor] + (
                ["-fexceptions"] if srcs[0].endswith(".cc") else [
                    "-Wno-error",
                    "-Werror=all",
                    "-Werror=extra",
                ]
            ),
            linkopts = ["-lpthread"],
            linkshared = True,
            deps = [":handler"],
        )
