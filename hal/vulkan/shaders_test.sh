#!/bin/sh
# Compares the SPIR-V in the tree with the output of regenerate_shaders.sh, word
# by word, except for the word with glslang's version.
set -eu
cd hal/vulkan
if ! command -v glslangValidator > /dev/null; then
  echo "SKIPPED: glslangValidator is not installed (Debian: glslang-tools)."
  exit 0
fi
mkdir -p "$TEST_TMPDIR/testdata"
sh regenerate_shaders.sh "$TEST_TMPDIR"

# words FILE
words() {
  grep -o '0x[0-9a-fA-F]\{8\}' "$1"
}

for header in fill_shader.h testdata/grid_shader.h; do
  words "$header" > "$TEST_TMPDIR/tree"
  words "$TEST_TMPDIR/$header" > "$TEST_TMPDIR/made"
  # The third word names the generator's version.
  sed -i 3d "$TEST_TMPDIR/tree" "$TEST_TMPDIR/made"
  diff "$TEST_TMPDIR/tree" "$TEST_TMPDIR/made" || {
    echo "$header differs from the output of regenerate_shaders.sh."
    exit 1
  }
done
