#!/bin/sh
# Creates the Python environment for recipes_test.sh, with Ray, Dask, KServe and
# scikit-learn from PyPI: about 1.2 GB in ~/.cache/eyrie. pip must choose all
# packages at once, because Ray and KServe share protobuf.
set -eu
folder=~/.cache/eyrie/engines
if "$folder/bin/python" -c '
import ray.data, ray.serve, dask.distributed, sklearn, kserve
import tritonclient.http' 2>/dev/null; then
  exit
fi
/usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --retries 1 --timeout 20 \
  'ray[data,serve]' 'dask[distributed]' scikit-learn \
  kserve 'tritonclient[http,grpc]' numpy==2.4.6
