#!/bin/sh
# The tool needs no library, and does without eyrie-full what is on the CPU. A
# library that eyrie-full loads finds libm, however it was linked.
#   static_test.sh <eyrie> <a module> <is_release>
set -eu
eyrie=$1 module=$2 is_release=$3

fail() {
  echo "$*" >&2
  exit 1
}

# A sanitizer's build is not static.
if [ "$is_release" = yes ]; then
  readelf -lW "$eyrie" | grep -q INTERP && fail "$eyrie asks for a loader."
  readelf -dW "$eyrie" | grep NEEDED && fail "$eyrie loads a library."
  for part in vulkan::MakeVulkanDriver native::ReadManifest \
    tools::MakeReport; do
    nm -C "$eyrie-full" | grep -q "::$part(" || fail "What is $part?"
    nm -C "$eyrie" | grep "::$part(" && fail "$eyrie has eyrie-full's $part."
  done
fi

# Alone, in a folder without the other.
alone=$TEST_TMPDIR/alone
mkdir -p "$alone"
cp "$eyrie" "$alone/eyrie"
"$alone/eyrie" run "$module" --function=sum_to --input=10 |
  grep -q '^result\[0\]: i64=45$' || fail "It does not run alone."
for asked in "dump $module" "bench $module" "run $module --device=vulkan" \
  "run $module --list_devices" "run $module --native_library=x.so" \
  "run $module --allow_system_executables" "run $module --collectives=mpi"; do
  # shellcheck disable=SC2086
  if said=$("$alone/eyrie" $asked 2>&1); then fail "$asked: it succeeds."; fi
  case $said in
  "eyrie: NOT_FOUND: '$alone/eyrie-full' cannot be started: No such file or \
directory. It has what needs shared libraries, and all commands but run.") ;;
  *) fail "$asked: $said" ;;
  esac
done

library=$TEST_TMPDIR/f.so
echo 'float expf(float); float x;
void *f(void *frame) { return expf(x) > 2 ? frame : 0; }' |
  gcc -shared -fPIC -nostdlib -o "$library" -x c -
echo '{"module": "m", "functions": {"f": {"convention": "xla_ffi",
  "arguments": ["?xf32"], "results": [{"like": 0}]}}}' >"$library.json"
said=$("$eyrie" run "$module" --function=sum_to --input=10 \
  --native_library="$library" 2>&1) || true
case $said in
*"or no handler."*) ;; # it was called
*) fail "$said" ;;
esac
