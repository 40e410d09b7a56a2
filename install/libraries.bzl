"""Builds libeyrie as a shared library and as an archive.

Both use the object files of the tool, and export only the names in
libeyrie.map, so that a program may link another Abseil.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _compiler(ctx):
    """Returns g++ for the machine that is built for."""
    gcc = ctx.attr._toolchain[cc_common.CcToolchainInfo].compiler_executable
    return gcc[:-len("gcc")] + "g++" if gcc.endswith("-gcc") else "g++"

_TOOLCHAIN = attr.label(
    default = "@bazel_tools//tools/cpp:current_cc_toolchain",
)

def _parts(deps):
    """Returns the object files and linker flags of `deps`."""
    objects = []
    flags = []
    for dep in deps:
        for part in dep[CcInfo].linking_context.linker_inputs.to_list():
            for library in part.libraries:
                objects += library.pic_objects
            flags += part.user_link_flags
    return depset(objects).to_list(), flags

def _static_archive_impl(ctx):
    objects, flags = _parts(ctx.attr.deps)
    arguments = ctx.actions.args()
    arguments.add(_compiler(ctx))
    arguments.add(ctx.outputs.archive)
    arguments.add_all(objects)
    arguments.add("--")
    arguments.add_all(
        [flag for flag in flags if flag.startswith("-l:")],
        uniquify = True,
    )
    ctx.actions.run(
        executable = ctx.executable._merge,
        arguments = [arguments],
        inputs = objects,
        outputs = [ctx.outputs.archive],
        use_default_shell_env = True,
        mnemonic = "MergeObjects",
    )
    return [DefaultInfo(files = depset([ctx.outputs.archive]))]

# An archive with one object file, which includes the parts of other archives
# that it needs.
static_archive = rule(
    implementation = _static_archive_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "archive": attr.output(),
        "_merge": attr.label(
            default = "//install:merge_objects",
            executable = True,
            cfg = "host",
        ),
        "_toolchain": _TOOLCHAIN,
    },
)

def _shared_library_impl(ctx):
    objects, flags = _parts(ctx.attr.deps)
    arguments = ctx.actions.args()
    arguments.add_all(["-shared", "-o", ctx.outputs.library])
    arguments.add("-Wl,-soname," + ctx.attr.soname)
    arguments.add("-Wl,--version-script=" + ctx.file.version_script.path)
    arguments.add_all(["-Wl,-z,defs", "-Wl,--gc-sections", "-Wl,--as-needed"])
    arguments.add_all(objects)
    for flag in flags:
        # Some objects in Abseil's archives cannot be linked into a shared
        # library.
        if flag.startswith("-l:libabsl_"):
            flag = flag[:-len(".a")] + ".so"
        arguments.add(flag)
    ctx.actions.run_shell(
        command = _compiler(ctx) + ' "$@"',
        arguments = [arguments],
        inputs = objects + [ctx.file.version_script],
        outputs = [ctx.outputs.library],
        use_default_shell_env = True,
        mnemonic = "LinkShared",
    )
    return [DefaultInfo(files = depset([ctx.outputs.library]))]

# A shared library that depends on Debian's shared Abseil and libstdc++.
shared_library = rule(
    implementation = _shared_library_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "library": attr.output(),
        "soname": attr.string(),
        "version_script": attr.label(allow_single_file = True),
        "_toolchain": _TOOLCHAIN,
    },
)
