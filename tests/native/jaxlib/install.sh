#!/bin/sh
# Installs jaxlib and apache-tvm-ffi from PyPI for jaxlib_test.py: about 600 MB
# in ~/.cache/eyrie. CI runs it; see ../../../eyrie.
set -eu
folder=~/.cache/eyrie/jaxlib
if "$folder/bin/python" -c 'import jaxlib, tvm_ffi' 2>/dev/null; then exit; fi
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --retries 1 --timeout 20 jaxlib==0.10.2 \
  apache-tvm-ffi==0.1.15.post2
