#!/usr/bin/env bash
# Assembles the tokenizer and splits texts with it, with and without the JIT.
# Arguments: the tool, the program's text.
set -euo pipefail
eyrie=$1
source=$2
module=${TEST_TMPDIR:?}/tokenizer.vmfb
"$eyrie" asm "$source" -o "$module"

expect() {  # the result, a text
  local jit got
  for jit in off eager; do
    got=$("$eyrie" run "$module" --args="[\"$2\"]" --output=json --jit=$jit)
    if [[ $got != *"$1" ]]; then
      printf '%s: prints "%s"; expected "%s"\n' "$2" "$got" "$1" >&2
      exit 1
    fi
  done
}

ids='[1, 2, 3, 4, 6, 8, 7, 9, 10, 11]'
words='["token", "iz", "er", "s", " read", " a", " text", " in", " piec", "es"]'
expect "[$ids, $words]" 'tokenizers read a text in pieces'
expect '[[0, 5, 0, 0], ["a", " ", "7", "!"]]' 'a 7!'
expect '[[14, 3], ["e", "er"]]' 'eer'
expect '[[], []]' ''

# Disassembling and assembling again gives the same module.
"$eyrie" dump --output=disassembly "$module" > "$TEST_TMPDIR/dump.vmasm"
"$eyrie" asm "$TEST_TMPDIR/dump.vmasm" -o "$TEST_TMPDIR/again.vmfb"
cmp "$module" "$TEST_TMPDIR/again.vmfb"
