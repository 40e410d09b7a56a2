#!/usr/bin/env bash
# Calls the cipher with the program and from the command line. Messages about
# wrong arguments must name them. Arguments: the tool, the program, the module.
set -euo pipefail
eyrie=$1
encipher=$2
module=$3

. samples/expect.sh

expect 'Uryyb, jbeyq!
10 letters: d1 e1 h1 l3 o2 r1 w1' "$encipher" "$module" 'Hello, world!' 13
expect $'\n\n0 letters:' "$encipher" "$module" '' 13
expect 'encipher: encipher MODULE TEXT PLACES' "$encipher"

call() { "$eyrie" run "$module" --output=json --kwargs="$1"; }
expect '"text": "EBIIL", "letters": 5' \
  call '{"text": "Hello", "key": {"by": -3, "shout": true}}'
expect "Argument 1 ('key'): the key 'shout' is missing." \
  call '{"text": "Hello", "key": {"by": -3}}'
expect "Argument 1 ('key')['by']: " \
  call '{"text": "Hello", "key": {"by": 2.5, "shout": true}}'
expect "missing argument 'text'" call '{"key": {"by": 1, "shout": true}}'
