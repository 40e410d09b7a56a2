#!/usr/bin/env bash
# Counts the blobs of a picture with the program and from the command line, and
# checks messages of errors. Arguments: the tool, the program, the module, the
# library, its manifest, the picture.
set -euo pipefail
eyrie=$1
program=$2
module=$3
library=$4
manifest=$5
picture=$6

. samples/expect.sh

count=("$program" "$module" "$library" "$manifest")
expect '.11....2........
.11...222....3..
.......2....33..
..4.......333...
..4..4444.3.....
..4444..4.333...
.....4..4...3...
.....4444.......
4 blobs' "${count[@]}" < "$picture"
expect '0 blobs' "${count[@]}" <<< '....'
expect 'count_blobs: ' "${count[@]}" <<< $'##\n#'
expect 'count_blobs: Cannot open ./none.so: No such file or directory.' \
  "$program" "$module" ./none.so "$manifest" < "$picture"

run=("$eyrie" run "$module" --input='2x3xf32=1 0 3 1 0 2')
native=(--native_library="$library,manifest=$manifest")
expect '2x3xi32=[1 0 2][1 0 2]' "${run[@]}" --input=0.5 "${native[@]}"
expect '2x3xi32=[0 0 1][0 0 1]' "${run[@]}" --input=2 "${native[@]}"
expect '0x3xi32=' "$eyrie" run "$module" --input=0x3xf32 --input=0 \
  "${native[@]}"
# The import must match the manifest.
wrong=${TEST_TMPDIR:?}/wrong.json
sed 's/, f32)/)/' "$manifest" > "$wrong"
expect 'INVALID_ARGUMENT: ' "${run[@]}" --input=0.5 \
  --native_library="$library,manifest=$wrong"
expect 'NOT_FOUND: Module module requires module regions' \
  "${run[@]}" --input=0.5
