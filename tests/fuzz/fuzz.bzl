"""Builds a fuzz target as a replay test and a libFuzzer binary."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")

def fuzz_target(name, target, mutator = None):
    """Declares <name>_replay_test and <name>_fuzz.

    Args:
      name: name of the target; its corpus is corpus/<name>/.
      target: a cc_library that defines LLVMFuzzerTestOneInput.
      mutator: a cc_library that defines LLVMFuzzerCustomMutator, or None.
    """
    corpus = native.glob(["corpus/" + name + "/**"])
    cc_test(
        name = name + "_replay_test",
        size = "small",
        args = ["$(location %s)" % file for file in corpus],
        data = corpus,
        deps = [target, ":replay_main"],
    )
    cc_binary(
        name = name + "_fuzz",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [target] + ([mutator] if mutator else []),
    )
