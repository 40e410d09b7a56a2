#!/bin/sh
# Runs the commands of debug_test.txt, as cli_test.sh does.
export TERM=dumb VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
exec python3 "$@"
