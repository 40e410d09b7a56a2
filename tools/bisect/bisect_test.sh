#!/bin/sh
# Runs the commands of bisect_test.txt, as cli_test.sh does. $FAKE is a program
# that stands in for the compiler.
export FAKE="$PWD/tools/tune/fake_compiler.py"
unset EYRIE_COMPILER
exec python3 "$@"
