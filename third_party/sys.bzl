"""Declares the repository @sys, Debian's /usr, for MODULE.bazel."""

load(
    "@bazel_tools//tools/build_defs/repo:local.bzl",
    "new_local_repository",
)

def _sys_impl(_):
    new_local_repository(
        name = "sys",
        build_file = "//third_party:sys.BUILD",
        path = "/usr",
    )

sys = module_extension(implementation = _sys_impl)
