#!/bin/sh
# Runs jaxlib_test.py, which says what it needs.
exec python3 "$@"
