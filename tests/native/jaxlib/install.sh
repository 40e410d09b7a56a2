#!/bin/sh
# Makes the Python that jaxlib_test.py looks for, with jaxlib from PyPI:
# about 300 MB below ~/.cache/eyrie.
set -eu
python3 -m venv ~/.cache/eyrie/jaxlib
~/.cache/eyrie/jaxlib/bin/pip install --quiet jaxlib==0.10.2
