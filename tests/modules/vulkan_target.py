"""How the fixtures for Vulkan are compiled, and where they can run.

The target is Mesa's llvmpipe: subgroups of 8 lanes, and numbers of every width.
Compilers since 3.12 know its name. For earlier ones, the program itself has the
target's attribute. Used by regenerate.py; run_manifest.py runs the modules.
"""

import directives

NAMED_SINCE = (3, 12)

DEVICE_FLAGS = ("--iree-hal-target-device=vulkan",)
NAMED_TARGET_FLAGS = ("--iree-vulkan-target=llvmpipe",)
OLDER_FLAGS = ("--iree-hal-target-backends=vulkan-spirv",)
DEVICES_FLAG = "--iree-hal-target-device="

# Variant name -> flags for its target. "vulkan-default" and "vulkan-mixed"
# (which also targets a CPU) use the compiler's default target, which has only
# 32-bit numbers.
VARIANTS = {
    "vulkan": DEVICE_FLAGS + NAMED_TARGET_FLAGS,
    "vulkan-async": DEVICE_FLAGS + NAMED_TARGET_FLAGS,
    "vulkan-bda": DEVICE_FLAGS + NAMED_TARGET_FLAGS + (
        "--iree-vulkan-dispatch-abi=bda",),
    "vulkan-default": DEVICE_FLAGS,
    "vulkan-two": NAMED_TARGET_FLAGS + (
        DEVICES_FLAG + "device_a=vulkan[0]",
        DEVICES_FLAG + "device_b=vulkan[1]"),
    "vulkan-mixed": (
        DEVICES_FLAG + "device_a=local[0]",
        DEVICES_FLAG + "device_b=vulkan[0]"),
}
BRING_TARGET = ("vulkan", "vulkan-async")
DEVICES = {
    "vulkan-two": ["vulkan", "vulkan"],
    "vulkan-mixed": ["local-sync", "vulkan"],
}

# Compared with the CPU, elements are computed in another order and by other
# functions. 16-bit floats have 8 to 11 bits of mantissa.
TOLERANCE = 2e-4
NARROW_TOLERANCE = 2e-2

_ATTRIBUTE = """\
#fixture_target = #hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", {
  %s = #iree_gpu.target<arch = "llvmpipe",
    features = "spirv:v1.6,cap:Shader",
    wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8,
      storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic,
      dot = dp4xi8toi32, mma = [], subgroup_size_choices = [8, 8],
      max_workgroup_sizes = [1024, 1024, 1024],
      max_thread_count_per_workgroup = 1024,
      max_workgroup_memory_bytes = 32768,
      max_workgroup_counts = [65535, 65535, 65535]>>
}>
module attributes {hal.device.targets = [
  #hal.device.target<"vulkan", [#fixture_target]> : !hal.device]} {
"""


def is_variant(variant):
    return variant in VARIANTS


def exists(variant, release):
    """Reports whether a release, as a pair of numbers, has the variant."""
    return (variant not in ("vulkan-bda", "vulkan-two") or
            release >= NAMED_SINCE)


def brings_target(variant, release):
    """Reports whether the program itself must name the target."""
    return (variant in BRING_TARGET and
            directives.TARGET_DEVICES_SINCE <= release < NAMED_SINCE)


def with_target(text, release):
    """Returns the program in a module that names the target."""
    key = "iree.gpu.target" if release < (3, 9) else "iree_codegen.target_info"
    return _ATTRIBUTE % key + text + "\n}\n"


def flags(variant, release):
    """Returns the compiler flags for a variant's target."""
    if release < directives.TARGET_DEVICES_SINCE:
        return OLDER_FLAGS
    return () if brings_target(variant, release) else VARIANTS[variant]


def devices(variant):
    """Returns the devices of a variant."""
    return DEVICES.get(variant, ["vulkan"])


def tolerance(case):
    """Returns how far a case's results may differ from the CPU's."""
    texts = " ".join(case["inputs"] + case.get("expected", []))
    least = NARROW_TOLERANCE if "f16" in texts else TOLERANCE
    return max(least, case.get("tolerance", 0))
