#!/usr/bin/env bash
# Runs a sample of host functions: it must print the total with the discount,
# and fail with a sentence if the module is missing.
# Arguments: the program, the module.
set -euo pipefail
program=$1
module=$2

total=$("$program" "$module")
if [[ $total != 54.00 ]]; then
  echo "The total is $total; expected 54.00." >&2
  exit 1
fi
if "$program" absent.vmfb 2> "$TEST_TMPDIR/error"; then
  echo "A missing module is accepted." >&2
  exit 1
fi
grep -q "absent.vmfb" "$TEST_TMPDIR/error"
