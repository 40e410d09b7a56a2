#!/bin/sh
# Runs the commands of inspect_test.txt, as cli_test.sh does. Hides the
# machine's Vulkan devices.
export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
exec python3 "$@"
