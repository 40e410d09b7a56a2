#!/bin/sh
# Runs the commands of diff_test.txt, as cli_test.sh does.
exec python3 "$@"
