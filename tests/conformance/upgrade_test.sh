#!/bin/sh
# Rewrites the fixtures of releases for others with `eyrie upgrade`, and runs
# their cases in Eyrie.
set -eu
for pair in 20231004:3.13 3.3:3.13 3.13:3.3 3.12:3.11; do
  echo "From ${pair%:*} to ${pair#*:}:"
  python3 "$1" --eyrie="$2" --runner="$2 run" --releases="${pair%:*}" \
    --upgrade_to="${pair#*:}"
done
