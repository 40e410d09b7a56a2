#!/bin/sh
# Runs the commands of native_test.txt or memref_test.txt as cli_test.sh does
# its own: native libraries of tests/native, called alone and by modules.
exec python3 "$@"
