#!/bin/sh
# The tool needs no library, and does without its other programs what is on the
# CPU. eyrie-full needs libc and libm, and a library that it loads finds libm,
# however that was linked.
#   static_test.sh <eyrie> <a module> <is_release>
set -eu
eyrie=$1 module=$2 is_release=$3

fail() {
  echo "$*" >&2
  exit 1
}

# Fails unless the command's output has the text.
expect() {
  text=$1
  shift
  said=$("$@" 2>&1) || true
  case $said in
  *"$text"*) ;;
  *) fail "$*: $said" ;;
  esac
}

# A sanitizer's build is not static, and may load anything.
if [ "$is_release" = yes ]; then
  readelf -lW "$eyrie" | grep -q INTERP && fail "$eyrie asks for a loader."
  readelf -dW "$eyrie" | grep NEEDED && fail "$eyrie loads a library."
  readelf -dW "$eyrie-full" | grep NEEDED |
    grep -v -e libc.so.6 -e libm.so.6 -e ld-linux &&
    fail "$eyrie-full loads more than libc and libm at every start."
  for part in vulkan::MakeVulkanDriver native::ReadManifest \
    tools::MakeReport; do
    nm -C "$eyrie-full" | grep -q "::$part(" || fail "What is $part?"
    nm -C "$eyrie" | grep "::$part(" && fail "$eyrie has eyrie-full's $part."
  done
fi

# Alone, in a folder without the others.
alone=$TEST_TMPDIR/alone
mkdir -p "$alone"
cp "$eyrie" "$alone/eyrie"
expect 'result[0]: i64=45' "$alone/eyrie" run "$module" --function=sum_to \
  --input=10
missing="eyrie: NOT_FOUND: '$alone/eyrie-full' cannot be started: No such file \
or directory. It belongs beside this program, for what that leaves to it."
for asked in "dump $module" "run $module --device=vulkan" \
  "run $module --list_devices" "run $module --native_library=x.so" \
  "run $module --allow_system_executables" "run $module --collectives=mpi"; do
  # shellcheck disable=SC2086
  expect "$missing" "$alone/eyrie" $asked
  # shellcheck disable=SC2086
  if "$alone/eyrie" $asked 2>/dev/null; then fail "$asked: it succeeds."; fi
done
expect "$alone/eyrie-bench' cannot be started" "$alone/eyrie" bench "$module"

# Under the other's name.
ln -s eyrie "$alone/eyrie-full"
expect "eyrie-full' is this program, which cannot do 'dump'" \
  "$alone/eyrie" dump "$module"
rm "$alone/eyrie-full"

# Copied by another name, with the other beside it.
cp "$eyrie" "$alone/iree-run-module"
ln -s "$(readlink -f "$eyrie-full")" "$alone/eyrie-full"
expect 'local-task://' "$alone/iree-run-module" --list_devices

# A flag file that can be read once, with what is left out or beside it.
expect 'local-task://' sh -c "echo --list_devices |
  '$eyrie' run --flagfile=/dev/stdin"

library=$TEST_TMPDIR/f.so
echo 'float expf(float); float x;
void *f(void *frame) { return expf(x) > 2 ? frame : 0; }' |
  gcc -shared -fPIC -nostdlib -o "$library" -x c -
echo '{"module": "m", "functions": {"f": {"convention": "xla_ffi",
  "arguments": ["?xf32"], "results": [{"like": 0}]}}}' >"$library.json"
# It is called.
expect 'or no handler.' "$eyrie" run "$module" --function=sum_to --input=10 \
  --native_library="$library"
expect 'or no handler.' sh -c "echo --function=sum_to |
  '$eyrie' run '$module' --input=10 --native_library='$library' \
    --flagfile=/dev/stdin"
