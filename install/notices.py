"""The licences of what Eyrie's programs and libraries hold of others' code.

Debian's packages keep them; those named here are what third_party links into
the tool and libeyrie, and the headers that are compiled along.
"""

import os

FOLDER = "/usr/share/doc"
PARTS = (
    ("abseil", "libabsl-dev"),
    ("asmjit", "libasmjit-dev"),
    ("flatbuffers", "libflatbuffers-dev"),
    ("nlohmann-json", "nlohmann-json3-dev"),
    ("spirv-headers", "spirv-headers"),
    ("volk", "libvulkan-volk-dev"),
    ("vulkan-headers", "libvulkan-dev"),
    ("zlib", "zlib1g-dev"),
)
COMPILER = ("gcc", "libstdc++6")  # libstdc++ and libgcc, in programs alone


def notices(parts=PARTS):
    """Returns (name, text) of each part."""
    found = []
    for name, package in parts:
        with open(os.path.join(FOLDER, package, "copyright"),
                  encoding="utf-8") as file:
            found.append((name, file.read()))
    return found
