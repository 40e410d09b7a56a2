#!/bin/sh
# Builds the wheel and tests its content, with the Python from install.sh. Under
# `./eyrie test --all` also tests that builds are reproducible, the wheels of
# other Pythons, and other packages.
#   python_test.sh <libeyrie.so> <eyrie> <preloaded_clock.so> <libeyrie_pjrt.so>
set -eu
# Bazel's tests have no HOME.
home=${HOME:-$(getent passwd "$(id -u)" | cut -d : -f 6)}
python=$home/.cache/eyrie/python/bin/python
if ! "$python" -c 'import nanobind, numpy, ml_dtypes' 2>/dev/null; then
  echo "SKIPPED: $python has no nanobind, NumPy and ml_dtypes;" \
    "python/install.sh gets them from PyPI."
  exit 0
fi
here=$(dirname "$0")
make_wheel() {
  "$python" "$here/build_wheel.py" --library="$library" --plugin="$plugin" \
    --python="$2" --out="$TEST_TMPDIR/$1"
}
library=$1
plugin=$4
make_wheel dist "$python"
others=
if [ "${EYRIE_TESTS:-}" = all ]; then
  # Check that builds are reproducible.
  make_wheel again "$python"
  cmp "$TEST_TMPDIR"/dist/*.whl "$TEST_TMPDIR"/again/*.whl
  # Those that install.sh --all has found.
  others=$(ls -d "$home"/.cache/eyrie/pythons/*/bin/python || true)
fi
for other in $others; do
  name=$(basename "${other%/bin/python}")
  echo "The wheel of $name:"
  make_wheel "$name" "$other"
  "$other" -m pip install --quiet --no-index --no-deps \
    --target="$TEST_TMPDIR/site-$name" "$TEST_TMPDIR/$name"/*.whl
  for test in eyrie_test.py arrays_test.py; do
    PYTHONPATH="$TEST_TMPDIR/site-$name" "$other" "$here/$test" tests/modules
  done
done
"$python" -m pip install --quiet --no-index --no-deps \
  --target="$TEST_TMPDIR/site" "$TEST_TMPDIR"/dist/*.whl
"$2" asm "$here/talker.vmasm" -o "$TEST_TMPDIR/talker.vmfb"
"$2" asm "$here/imports.vmasm" -o "$TEST_TMPDIR/imports.vmfb"
"$2" asm "$here/state.vmasm" -o "$TEST_TMPDIR/state.vmfb"
same=$TEST_TMPDIR/same.vmfb
"$2" asm "$here/same.vmasm" -o "$same"
export PYTHONPATH="$TEST_TMPDIR/site"
# Otherwise lavapipe reports on stderr that it cannot write to the home
# directory.
export MESA_SHADER_CACHE_DIR="$TEST_TMPDIR"
"$python" "$here/eyrie_test.py" tests/modules
"$python" "$here/arrays_test.py" tests/modules
"$python" "$here/device_array_test.py" tests/modules "$same"
"$python" "$here/devices_test.py" tests/modules
"$python" "$here/imports_test.py" "$TEST_TMPDIR/imports.vmfb"
"$python" "$here/state_test.py" "$TEST_TMPDIR/state.vmfb" tests/modules
"$python" "$here/names_test.py" tests/modules
"$python" "$here/bisect_test.py" tests/modules "$PWD/$2"
"$python" "$here/types_test.py" tests/modules
"$python" "$here/call_bench.py" tests/modules --rounds=1
"$python" "$here/memory_test.py" tests/modules
frameworks=$home/.cache/eyrie/frameworks/bin/python
if [ ! -x "$frameworks" ]; then
  echo "$frameworks does not exist; \`python/install.sh --frameworks\`" \
    "creates it. Without it, tests with other packages skip."
  frameworks=$python
fi
"$frameworks" "$here/frameworks_test.py"
"$frameworks" "$here/pages_test.py"
"$frameworks" "$here/custom_calls_test.py"
"$frameworks" "$here/jax_plugin_test.py"
if [ "$frameworks" != "$python" ]; then
  "$frameworks" "$here/arrays_test.py" tests/modules
  "$frameworks" "$here/device_array_test.py" tests/modules "$same"
  "$frameworks" "$here/types_test.py" tests/modules
  "$frameworks" "$here/call_bench.py" tests/modules
fi
# Check that timeouts do not depend on the wall clock.
export LD_PRELOAD="$PWD/$3"
exec "$python" "$here/ended_calls_test.py" tests/modules \
  "$TEST_TMPDIR/talker.vmfb"
