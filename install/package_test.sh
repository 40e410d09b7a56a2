#!/bin/sh
# Runs the test. Bazel's py_test needs a program called python, which Debian
# lacks. The arguments are the script, then a model and its input.
set -e
exec python3 "$1" "$PWD" "$2" "$3"
