#!/usr/bin/env bash
# Checks the pipeline's output, in order, and the message of an error.
# Arguments: the program, the module, a module without these functions.
set -euo pipefail
pipeline=$1
module=$2
other=$3

expect() {  # what is printed, command...
  local want=$1 got
  shift
  got=$("$@" 2>&1 || true)
  if [[ $got != "$want" ]]; then
    printf '%s\nprints "%s"; expected "%s"\n' "$*" "$got" "$want" >&2
    exit 1
  fi
}

# Computed with numpy: the square has edges on all sides, but fewer at the edge
# of the picture.
want=$(for ((i = 0; i < 13; ++i)); do
  echo "picture $i: $((i % 12 == 0 ? 98 : 116)) pixels are edges"
done)
expect "$want" "$pipeline" "$module" 13
expect "$(sed -n 1,3p <<< "$want")" "$pipeline" "$module" 3
expect '' "$pipeline" "$module" 0

got=$("$pipeline" "$other" 2>&1) && exit 1
[[ $got == "pipeline: Module 'module' exports no function 'smooth'"* ]] ||
  { echo "$got" >&2; exit 1; }
