#!/bin/sh
# Runs a Python script. Bazel's py_test needs a program called python, but
# Debian has only python3.
exec python3 "$@"
