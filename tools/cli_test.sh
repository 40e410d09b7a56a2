#!/bin/sh
# Runs cli_test.py: Debian has python3 only, and Bazel's py_test asks for a
# program called python.
exec python3 "$@"
