#!/usr/bin/env bash
# Joins rows in storage from the result allocator and from the caller.
# Arguments: the tool, the module.
set -euo pipefail
eyrie=$1
module=$2

expect() {  # a text, arguments of "eyrie run"...
  local want=$1 got
  shift
  got=$("$eyrie" run "$module" --function=join "$@" 2>&1 || true)
  if [[ $got != *"$want"* ]]; then
    printf '%s\nprints "%s"; expected "%s"\n' "$*" "$got" "$want" >&2
    exit 1
  fi
}

rows=(--input='2xf32=1 2' --input='3xf32=3 4 5')
expect '5xf32=1 2 3 4 5' "${rows[@]}"
expect '1xf32=7' --input='1xf32=7' --input=0xf32
expect '5xf32=1 2 3 4 5' "${rows[@]}" --input='5xf32=9 9 9 9 9'
expect 'INVALID_ARGUMENT: ' "${rows[@]}" --input=4xf32
expect '[1.0, 2.0, 3.0]' --output=json --args='[[1, 2], [3]]'
got=$("$eyrie" dump --signatures "$module")
[[ $got == *'join(input0: ?xf32, input1: ?xf32) -> (output0: ?xf32)  [f]'* ]]
