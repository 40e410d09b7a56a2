#!/bin/sh
# Runs archive_test.py on the real tree, whose links Bazel puts here.
exec python3 "$(readlink -f "$1")"
