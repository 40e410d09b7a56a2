#!/usr/bin/env bash
# Calls the handler from the module and directly, and checks error messages.
# Arguments: the tool, the library, the module.
set -euo pipefail
eyrie=$1
library=$2
module=$3

. samples/expect.sh

expect 'order.argsort: xla_ffi (?xf32) -> ([0.0]xs32) descending=false:pred' \
  "$eyrie" dump "$library"

rank=("$eyrie" run "$module" "--native_library=$library" --function=rank)
expect $'5xi32=1 4 2 0 3\nresult[1]: hal.buffer_view\n5xf32=3 3 2 1 NAN' \
  "${rank[@]}" --input='5xf32=1 3 2 nan 3'
expect $'0xi32=\nresult[1]: hal.buffer_view\n0xf32=' \
  "${rank[@]}" --input=0xf32
argsort=("$eyrie" run "--native_library=$library")
expect '4xi32=3 0 2 1' "${argsort[@]}" --input='4xf32=1 nan 2 -inf'
expect '3xi32=1 2 0' "${argsort[@]}" --input='3xf32=1 2 2' \
  --function='order.argsort?descending=true:pred'
expect "'descending' of 'argsort' is declared as pred, and given as s32: " \
  "${argsort[@]}" --input='3xf32=1 2 2' \
  --function='order.argsort?descending=1:i32'
expect 'INVALID_ARGUMENT: Argument 0' "${argsort[@]}" --input=2x2xf32

# Without the library, the module's import is missing.
expect 'NOT_FOUND: Module module requires module order' \
  "$eyrie" run "$module" --input=2xf32
