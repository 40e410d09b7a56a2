"""The build backend (PEP 517) that pyproject.toml names, for pip and others.

Runs `./eyrie wheel` for the calling Python, which installs missing Debian
packages and gets nanobind from PyPI.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _made(*flags):
    """Runs ./eyrie wheel and returns the name of the file that it created."""
    done = subprocess.run([os.path.join(ROOT, "eyrie"), "wheel", *flags],
                          check=True, stdout=subprocess.PIPE, text=True)
    return os.path.basename(done.stdout.split()[-1])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    return _made(f"--out={wheel_directory}", f"--python={sys.executable}")


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    return _made(f"--out={sdist_directory}", "--sdist")
