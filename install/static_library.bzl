"""One archive of a library with all that it needs of other archives.

Its one object shows the same names as the shared library, so that a program
may have an Abseil of its own.
"""

def _static_archive(ctx):
    objects = []
    flags = []
    context = ctx.attr.deps[0][CcInfo].linking_context
    for linker_input in context.linker_inputs.to_list():
        for library in linker_input.libraries:
            objects += library.pic_objects
        for flag in linker_input.user_link_flags:
            if flag.startswith("-l:"):
                flags.append(flag)
    arguments = ctx.actions.args()
    arguments.add(ctx.outputs.archive)
    arguments.add_all(objects)
    arguments.add("--")
    arguments.add_all(flags, uniquify = True)
    ctx.actions.run(
        executable = ctx.executable._merge,
        arguments = [arguments],
        inputs = objects,
        outputs = [ctx.outputs.archive],
        use_default_shell_env = True,
        mnemonic = "MergeObjects",
    )
    return [DefaultInfo(files = depset([ctx.outputs.archive]))]

static_archive = rule(
    implementation = _static_archive,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "archive": attr.output(),
        "_merge": attr.label(
            default = "//install:merge_objects",
            executable = True,
            cfg = "host",
        ),
    },
)
