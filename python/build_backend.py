"""Builds the package for pip and the like, as pyproject.toml says (PEP 517).

./eyrie wheel does the work; this calls it for the Python that asks. It installs
what is missing of Debian's packages, and gets nanobind from PyPI.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _made(*flags):
    """Returns the name of the file that ./eyrie wheel makes."""
    done = subprocess.run([os.path.join(ROOT, "eyrie"), "wheel", *flags],
                          check=True, stdout=subprocess.PIPE, text=True)
    return os.path.basename(done.stdout.split()[-1])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    return _made(f"--out={wheel_directory}", f"--python={sys.executable}")


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    return _made(f"--out={sdist_directory}", "--sdist")
