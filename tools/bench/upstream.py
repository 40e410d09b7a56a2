"""Upstream's programs of one release, for comparisons.

They come from a virtual environment: a given one, or one created under .eyrie/
from the Python package index. The programs are the binaries in the wheels, not
the Python scripts that start them, because the scripts' start would be
measured, too.
"""

import glob
import os
import subprocess
import sys
import venv

PACKAGES = ("iree-base-compiler", "iree-base-runtime")
# Compiler flags for each kind of module: native code for one device or two, or
# VMVX bytecode with or without the runtime's microkernels.
COMPILE_FLAGS = {
    "native": ("--iree-hal-target-backends=llvm-cpu",
               "--iree-llvmcpu-target-cpu=host"),
    # A CPU level that valgrind supports on every machine.
    "avx2": ("--iree-hal-target-backends=llvm-cpu",
             "--iree-llvmcpu-target-cpu=x86-64-v3"),
    "aarch64": ("--iree-hal-target-backends=llvm-cpu",
                "--iree-llvmcpu-target-triple=aarch64-unknown-linux-gnu"),
    "two": ("--iree-hal-target-device=device_a=local[0]",
            "--iree-hal-target-device=device_b=local[1]",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=host"),
    "vmvx": ("--iree-hal-target-backends=vmvx",),
    "vmvx-microkernels": ("--iree-hal-target-backends=vmvx",
                          "--iree-vmvx-enable-microkernels",
                          "--iree-opt-data-tiling"),
}


class Upstream:
    """The programs of one release, in a virtual environment."""

    def __init__(self, folder):
        libs = os.path.join(folder, "lib", "python3*", "site-packages", "iree")
        self.folder = folder
        self.compiler = os.path.join(folder, "bin", "iree-compile")
        self.run = self._find(libs, "iree-run-module")
        self.benchmark = self._find(libs, "iree-benchmark-module")

    def _find(self, libs, name):
        for place in ("_runtime_libs", "_runtime_libs_tracy"):
            found = glob.glob(os.path.join(libs, place, name))
            if found:
                return found[0]
        raise FileNotFoundError(f"There is no {name} below {self.folder}.")

    def version(self):
        """Returns the release, as the compiler prints it."""
        text = subprocess.run([self.compiler, "--version"], check=True,
                              capture_output=True, text=True).stdout
        for line in text.splitlines():
            if "version" in line and "IREE" in line:
                return line.strip()
        return "unknown"

    def compile(self, source, target, kind="native"):
        """Compiles an MLIR file for this machine unless it was compiled."""
        if not os.path.exists(target):
            subprocess.run(
                [self.compiler, *COMPILE_FLAGS[kind], source, "-o",
                 target + ".new"],
                check=True)
            os.rename(target + ".new", target)


def find(folder, release, cache):
    """Returns the Upstream in a folder (or its bin); creates a default."""
    if folder:
        folder = os.path.abspath(folder).rstrip("/")
        if os.path.basename(folder) == "bin":
            folder = os.path.dirname(folder)
        return Upstream(folder)
    made = os.path.join(cache, "upstream-" + release)
    if not os.path.exists(os.path.join(made, "bin", "iree-compile")):
        wanted = [f"{package}=={release}" for package in PACKAGES]
        print(f"Fetching {' '.join(wanted)} into {made}.", file=sys.stderr)
        venv.create(made, with_pip=True)
        subprocess.run(
            [os.path.join(made, "bin", "python3"), "-m", "pip", "install",
             "--quiet", *wanted],
            check=True, stdout=sys.stderr)
    return Upstream(made)
