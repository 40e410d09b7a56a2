#!/bin/sh
# Runs the commands of upgrade_test.txt, as cli_test.sh does.
exec python3 "$@"
