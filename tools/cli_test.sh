#!/bin/sh
# Runs cli_test.py. Bazel's py_test needs a program called python, but Debian
# has only python3. Hides the machine's Vulkan devices.
export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
exec python3 "$@"
