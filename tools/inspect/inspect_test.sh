#!/bin/sh
# Runs the commands of inspect_test.txt as cli_test.sh does its own. No Vulkan
# device is there, whatever the machine has.
export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
exec python3 "$@"
