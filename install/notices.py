"""The licences of other projects' code in Eyrie's programs and libraries.

They are read from Debian's packages. PARTS lists the packages of the libraries
that third_party links into the tool and libeyrie, and of the headers that are
compiled with them.
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
COMPILER = ("gcc", "libstdc++6")  # libstdc++ and libgcc, only in programs


def notices(parts=PARTS):
    """Returns (name, licence) for each part."""
    found = []
    for name, package in parts:
        with open(os.path.join(FOLDER, package, "copyright"),
                  encoding="utf-8") as file:
            found.append((name, file.read()))
    return found
