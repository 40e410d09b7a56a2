#!/usr/bin/env bash
# Calls the functions of the memref sample from the command line, also with
# wrong arguments. Arguments: the tool, the library.
set -euo pipefail
eyrie=$1
library=$2

expect() {  # a text, arguments of "eyrie run"...
  local want=$1 got
  shift
  got=$("$eyrie" run "--native_library=$library" "$@" 2>&1 || true)
  if [[ $got != *"$want" ]]; then
    printf '%s\nprints "%s"; expected "%s"\n' "$*" "$got" "$want" >&2
    exit 1
  fi
}

heat=(--function=plate.heat
  --input='4x4xf32=8 8 8 8 0 0 0 0 0 0 0 0 0 0 0 0')
expect '4x4xf32=[8 8 8 8][0 0 0 0][0 0 0 0][0 0 0 0]' "${heat[@]}" --input=0
expect '4x4xf32=[8 8 8 8][0 2 2 0][0 0 0 0][0 0 0 0]' "${heat[@]}" --input=1
expect '4x4xf32=[8 8 8 8][0 2.5 2.5 0][0 0.5 0.5 0][0 0 0 0]' \
  "${heat[@]}" --input=2
# The final state: a = 3 and b = 1 solve 4a = 8 + a + b and 4b = a + b.
expect '4x4xf32=[8 8 8 8][0 3 3 0][0 1 1 0][0 0 0 0]' "${heat[@]}" --input=200
expect '0x3xf32=' --function=plate.heat --input=0x3xf32 --input=5
expect 'result[0]: f32=2.5' --function=plate.mean --input='2x2xf32=1 2 3 4'
expect 'one of the native functions: plate.heat, plate.mean.' \
  --input=4
got=$("$eyrie" run "--native_library=$library" --function=plate.mean \
  --input=4xf32 2>&1) && exit 1
[[ $got == *'array 4xf32 is given; the rank is 1, expected 2 (?x?xf32).'* ]]
