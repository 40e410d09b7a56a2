#!/bin/sh
# Runs ranks_test.py, whose path is the first argument.
exec python3 "$@"
