#!/bin/sh
# Runs cli_test.py: Debian has python3 only, and Bazel's py_test asks for a
# program called python. No Vulkan device is there, whatever the machine has.
export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
exec python3 "$@"
