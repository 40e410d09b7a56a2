#!/bin/sh
# Creates the Python environment for recipes_test.sh, with Ray, Dask and
# scikit-learn from PyPI: about 700 MB in ~/.cache/eyrie.
set -eu
folder=~/.cache/eyrie/engines
if "$folder/bin/python" -c 'import ray, dask.distributed, sklearn' 2>/dev/null
then exit; fi
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --retries 1 --timeout 20 \
  ray 'dask[distributed]' scikit-learn numpy==2.4.6
