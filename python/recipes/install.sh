#!/bin/sh
# Creates the Python environment for recipes_test.sh, with Ray, Dask and
# scikit-learn from PyPI: about 1.1 GB in ~/.cache/eyrie.
set -eu
folder=~/.cache/eyrie/engines
if "$folder/bin/python" -c '
import ray.data, ray.serve, dask.distributed, sklearn' 2>/dev/null; then
  exit
fi
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --retries 1 --timeout 20 \
  'ray[data,serve]' 'dask[distributed]' scikit-learn numpy==2.4.6
