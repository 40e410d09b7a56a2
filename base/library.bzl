"""cc_library for Eyrie's own libraries: compiles several sources together.

A compiler spends three quarters of its time on the headers of a small file. So
the sources of a library are joined, eight to a unit; file-local names must be
unique within a library. `--define=units=off` compiles each source alone, for
editors and to find missing includes.
"""

load("@rules_cc//cc:defs.bzl", _cc_library = "cc_library")

# The #line before each source lets messages and debuggers name it.
JOIN = "for f in $(SRCS); do echo \"#line 1 \\\"$$f\\\"\"; cat $$f; done >$@"

def _units(library, sources, size):
    total = len(sources)
    count = (total + size - 1) // size
    units = ["%s_unit%d.cc" % (library, i + 1) for i in range(count)]
    for i in range(count):
        native.genrule(
            name = units[i][:-len(".cc")],
            srcs = sources[i * total // count:(i + 1) * total // count],
            outs = [units[i]],
            cmd = JOIN,
        )
    return select({
        "//base:units_off": sources,
        "//conditions:default": units,
    })

def cc_library(name, srcs = [], unit_size = 8, **kwargs):
    """A cc_library with at most unit_size of its .cc files in a unit."""
    sources = [file for file in srcs if file.endswith(".cc")]
    others = [file for file in srcs if not file.endswith(".cc")]
    if min(len(sources), unit_size) > 1:
        sources = _units(name, sources, unit_size)
    _cc_library(name = name, srcs = sources + others, **kwargs)
