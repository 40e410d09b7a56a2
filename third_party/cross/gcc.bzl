"""A toolchain of GCC and binutils for another machine, with Bazel's rule.

The flags are those that Bazel finds for this machine's own GCC, so that both
builds have the same features.
"""

load(
    "@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl",
    "cc_toolchain_config",
)
load("@rules_cc//cc:defs.bzl", "cc_toolchain")

TOOLS = [
    "ar",
    "cpp",
    "dwp",
    "gcc",
    "gcov",
    "ld",
    "llvm-cov",
    "nm",
    "objcopy",
    "objdump",
    "strip",
]

def gcc(machine):
    """Declares the toolchain `machine`, such as "aarch64"."""
    triplet = machine + "-linux-gnu"
    cc_toolchain_config(
        name = machine + "_config",
        abi_libc_version = "local",
        abi_version = "local",
        compile_flags = [
            "-U_FORTIFY_SOURCE",
            "-fstack-protector",
            "-Wall",
            "-Wunused-but-set-parameter",
            "-Wno-free-nonheap-object",
            "-fno-omit-frame-pointer",
        ],
        compiler = "compiler",
        cpu = machine,
        cxx_builtin_include_directories = [
            "/usr/lib/gcc-cross/" + triplet,
            "/usr/%s/include" % triplet,
            "/usr/include",
        ],
        dbg_compile_flags = ["-g"],
        host_system_name = "local",
        link_flags = [
            "-Wl,-no-as-needed",
            "-Wl,-z,relro,-z,now",
            "-pass-exit-codes",
        ],
        link_libs = [
            "-l:libstdc++.a",
            "-lm",
        ],
        opt_compile_flags = [
            "-g0",
            "-O2",
            "-D_FORTIFY_SOURCE=1",
            "-DNDEBUG",
            "-ffunction-sections",
            "-fdata-sections",
        ],
        opt_link_flags = ["-Wl,--gc-sections"],
        tags = ["manual"],
        target_libc = "local",
        target_system_name = triplet,
        tool_paths = {
            tool: "/usr/bin/%s-%s" % (triplet, tool)
            for tool in TOOLS
        },
        toolchain_identifier = triplet,
        unfiltered_compile_flags = [
            "-fno-canonical-system-headers",
            "-Wno-builtin-macro-redefined",
            '-D__DATE__="redacted"',
            '-D__TIMESTAMP__="redacted"',
            '-D__TIME__="redacted"',
        ],
    )
    native.filegroup(name = machine + "_files")
    files = ":%s_files" % machine
    cc_toolchain(
        name = machine,
        all_files = files,
        ar_files = files,
        as_files = files,
        compiler_files = files,
        dwp_files = files,
        linker_files = files,
        objcopy_files = files,
        strip_files = files,
        supports_param_files = 1,
        tags = ["manual"],
        toolchain_config = ":%s_config" % machine,
        toolchain_identifier = triplet,
    )
