#!/bin/sh
# Runs the commands of rival_test.txt, as cli_test.sh does.
exec python3 "$@"
