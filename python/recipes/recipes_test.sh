#!/bin/sh
# Builds the wheel, as python_test.sh does, and runs recipes_test.py and
# serving_test.py with the Python from install.sh.
#   recipes_test.sh <libeyrie.so> <digits.vmfb>
set -eu
# Bazel's tests have no HOME.
HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d : -f 6)}
export HOME
python=$HOME/.cache/eyrie/python/bin/python
engines=$HOME/.cache/eyrie/engines/bin/python
if ! "$python" -c 'import nanobind, numpy' 2>/dev/null ||
  ! "$engines" -c 'import ray, dask.distributed, sklearn' 2>/dev/null; then
  echo "SKIPPED: $python has no nanobind and NumPy, or $engines no Ray," \
    "Dask and scikit-learn; python/install.sh and" \
    "python/recipes/install.sh get them from PyPI."
  exit 0
fi
"$python" python/build_wheel.py --library="$1" --out="$TEST_TMPDIR/dist"
"$engines" -m pip install --quiet --no-index --no-deps \
  --target="$TEST_TMPDIR/site" "$TEST_TMPDIR"/dist/*.whl
# Paths of Ray's sockets must not exceed 107 bytes.
RAY_FOLDER=$(TMPDIR= mktemp -d -t eyrie.XXXXXX)
trap 'rm -rf "$RAY_FOLDER"' EXIT
export RAY_FOLDER DIGITS="$PWD/$2" MODULES="$PWD/tests/modules/3.13"
export PYTHONPATH="$TEST_TMPDIR/site:$PWD/python/recipes"
"$engines" python/recipes/recipes_test.py
"$engines" python/recipes/serving_test.py
