#!/bin/sh
# Runs the commands of native_test.txt or memref_test.txt, as cli_test.sh does.
# They call native libraries of tests/native directly and from modules.
exec python3 "$@"
