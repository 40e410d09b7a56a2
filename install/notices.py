"""The parts of Eyrie's programs and libraries that other projects wrote, and
their licences.

Licences are read from Debian's packages. PARTS lists the packages of the
libraries that third_party links into the tool and libeyrie, and of the headers
that are compiled with them.
"""

import collections
import os

FOLDER = "/usr/share/doc"
# `linked` is set for a library, not for headers. `licence` is an expression of
# SPDX, for what is inside of the programs and libraries.
Part = collections.namedtuple("Part", "name package licence linked",
                              defaults=(True,))
PARTS = (
    Part("abseil", "libabsl-dev", "Apache-2.0"),
    Part("asmjit", "libasmjit-dev", "Zlib"),
    Part("flatbuffers", "libflatbuffers-dev", "Apache-2.0"),
    Part("nlohmann-json", "nlohmann-json3-dev", "MIT", False),
    Part("spirv-headers", "spirv-headers", "MIT", False),
    Part("volk", "libvulkan-volk-dev", "MIT"),
    Part("vulkan-headers", "libvulkan-dev", "Apache-2.0", False),
    Part("zlib", "zlib1g-dev", "Zlib"),
)
# libstdc++ and libgcc, only in programs.
COMPILER = Part("gcc", "libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1")
# Only in wheels, from PyPI: the second is in the package of the first.
WHEEL_PARTS = (
    Part("nanobind", "nanobind", "BSD-3-Clause"),
    Part("robin_map", "nanobind", "MIT", False),
)


def notices(parts=PARTS):
    """Returns (name, licence) for each part from Debian."""
    found = []
    for part in parts:
        with open(os.path.join(FOLDER, part.package, "copyright"),
                  encoding="utf-8") as file:
            found.append((part.name, file.read()))
    return found
