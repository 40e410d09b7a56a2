#!/usr/bin/env bash
# gdb stops in compiled code, names its functions and finds their callers.
#   gdb_test.sh eyrie loops.vmfb
set -euo pipefail
eyrie=$1 module=$2

if ! command -v gdb >/dev/null; then
  echo "gdb is not installed: nothing is tested."
  exit 0
fi
commands=$TEST_TMPDIR/commands
cat >"$commands" <<'END'
set breakpoint pending on
set disable-randomization off
break 'eyrie::enter'
run
break 'eyrie::import'
continue
backtrace
END
# Stops in the program and prints gdb's output.
stop_in() {
  gdb -q -nx -batch -x "$commands" --args "$1" run "$module" \
    --function=gcd_tensor --input=i32=1071 --input=i32=462 \
    --jit=eager --gdb 2>&1 || true
}

# An installed program has no symbols.
stripped=$TEST_TMPDIR/stripped
strip -o "$stripped" "$eyrie"
for program in "$eyrie" "$stripped"; do
  shown=$(stop_in "$program")
  if [[ $shown == *ptrace* || $shown == *"Could not trace"* ]]; then
    echo "Processes may not be traced here: nothing is tested."
    exit 0
  fi
  echo "$shown"
  grep -q '^#0 .* in eyrie::import ()' <<<"$shown"
  grep -q '^#1 .* in module\.\.init ()' <<<"$shown"
  grep -q '^#2 .* in eyrie::enter ()' <<<"$shown"
  [[ $program == "$stripped" ]] ||
    grep -q '^#3 .* in eyrie::vm::' <<<"$shown"
done
