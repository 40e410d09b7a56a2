"""cc_library and cc_test for Eyrie: compile several sources together.

A compiler spends three quarters of its time on the headers of a small file. So
the sources of a library are joined, sixteen to a unit; file-local names must be
unique within it. `--define=units=off` compiles each source alone, for
editors and to find missing includes.
"""

load("@rules_cc//cc:defs.bzl", _cc_library = "cc_library", _cc_test = "cc_test")

# The #line before each source lets messages and debuggers name it.
JOIN = "for f in $(SRCS); do echo \"#line 1 \\\"$$f\\\"\"; cat $$f; done >$@"

# The same for tests, whose file-local names may be alike: each file has a
# namespace of its own instead of one without a name. Macros must be unique.
JOIN_TESTS = "n=0; for f in $(SRCS); do n=$$((n + 1)); " + \
             "echo \"#line 1 \\\"$$f\\\"\"; " + \
             "sed \"s/^namespace {$$/namespace UNIT_$$n {/\" $$f; done >$@"

def _in_units(target, files, size, join):
    """Returns the files, with the .cc files of them joined into units."""
    if type(files) == "select" or size < 2:
        return files
    sources = [file for file in files if file.endswith(".cc")]
    others = [file for file in files if not file.endswith(".cc")]
    total = len(sources)
    if total < 2:
        return files
    count = (total + size - 1) // size
    units = ["%s_unit%d.cc" % (target, i + 1) for i in range(count)]
    for i in range(count):
        native.genrule(
            name = units[i][:-len(".cc")],
            srcs = sources[i * total // count:(i + 1) * total // count],
            outs = [units[i]],
            cmd = join.replace("UNIT", "unit%d" % (i + 1)),
        )
    return others + select({
        "//base:units_off": sources,
        "//conditions:default": units,
    })

# The machines that the libraries have files for; see docs/porting.md.
MACHINES = ["aarch64", "riscv64", "x86_64"]

def machine_files(files, target = None, unit_size = 1):
    """Selects the files of a machine: "x86_64/pause.cc" for "pause.cc".

    If unit_size is more than 1, joins the .cc files in units of `target`.
    """
    sources = {
        machine: [machine + "/" + file for file in files]
        for machine in MACHINES
    }
    if unit_size > 1 and len(files) > 1:
        for machine in MACHINES:
            name = target + "_" + machine
            native.filegroup(
                name = name,
                srcs = _in_units(name, sources[machine], unit_size, JOIN),
            )
            sources[machine] = [":" + name]
    return select(
        {"//base:" + machine: sources[machine] for machine in MACHINES},
        no_match_error = "This machine has no files; see docs/porting.md.",
    ) if files else []

# Flags for a machine. A product and a sum are rounded one after the other on
# all machines; the fused operations of AArch64 and RISC-V would round once.
MACHINE_COPTS = select({
    "//base:aarch64": ["-ffp-contract=off"],
    "//base:riscv64": ["-ffp-contract=off"],
    "//conditions:default": [],
})

def cc_library(
        name,
        srcs = [],
        machine_srcs = [],
        copts = [],
        unit_size = 16,
        **kwargs):
    """A cc_library with at most unit_size of its .cc files in a unit.

    Each machine has its own machine_srcs: "pause.cc" is "x86_64/pause.cc".
    """
    _cc_library(
        name = name,
        srcs = _in_units(name, srcs, unit_size, JOIN) +
               machine_files(machine_srcs, name, unit_size),
        copts = MACHINE_COPTS + copts,
        **kwargs
    )

def cc_test(
        name,
        srcs,
        machine_srcs = [],
        unit_size = 12,
        alike_names = True,
        **kwargs):
    """A cc_test, whose sources are those of a cc_library.

    Without alike_names, sources may use their local names outside of the
    namespace without a name, and those of other sources must differ.
    """
    join = JOIN_TESTS if alike_names else JOIN
    _cc_test(
        name = name,
        srcs = _in_units(name, srcs, unit_size, join) +
               machine_files(machine_srcs),
        **kwargs
    )
