#!/bin/sh
# Runs the test: Debian has python3 only, and Bazel's py_test asks for a program
# called python. The second argument on are files of samples.
set -e
exec python3 "$1" "$PWD" "$2" "$3"
