#!/usr/bin/env bash
# Runs the embedding sample on the digits module: it must recognize the seven,
# and errors must print a message and exit with code 1.
# Arguments: the program, the picture, the files of the digits sample.
set -euo pipefail
embed=$1
picture=$2
module=$3

digit=$("$embed" "$module" < "$picture" | sort -k2 -rn | head -n 1)
if [[ $digit != 7:* ]]; then
  echo "The likeliest digit is $digit; expected 7." >&2
  exit 1
fi

expect_error() {  # sentence, command...
  local want=$1 got code=0
  shift
  got=$("$@" 2>&1 >&2) || code=$?
  if [[ $code != 1 || $got != "embed: $want" ]]; then
    printf 'exit code %s, "%s"; expected 1, "embed: %s"\n' \
      "$code" "$got" "$want" >&2
    exit 1
  fi
}

expect_error 'Fewer than 64 pixels are given.' "$embed" "$module" < /dev/null
expect_error 'embed MODULE < PIXELS' "$embed"
expect_error \
  'Cannot open none.vmfb: No such file or directory.' \
  "$embed" none.vmfb
