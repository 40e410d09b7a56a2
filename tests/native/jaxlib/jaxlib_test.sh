#!/bin/sh
# Runs jaxlib_test.py, which describes its requirements.
exec python3 "$@"
