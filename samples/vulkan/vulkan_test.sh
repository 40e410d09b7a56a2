#!/usr/bin/env bash
# Classifies the picture on lavapipe, if that is installed, and on the CPU if
# Vulkan has no device. Arguments: the program, the picture, the files of the
# digits sample.
set -euo pipefail
classify=$1
picture=$2
module=$3
vulkan_module=$4

expect() {  # the beginning of the first line; checks that the digit is 7
  local got likeliest
  got=$("$classify" "$vulkan_module" "$module" \
    < "$picture" 2> "$TEST_TMPDIR/err")
  likeliest=$(sed 1d <<< "$got" | sort -k2 -rn | head -n 1)
  if [[ $got != "$1"* || $likeliest != 7:* ]]; then
    printf 'prints "%s"; expected %s, and a 7\n' "$got" "$1" >&2
    exit 1
  fi
}

# If the loader finds no driver, the program prints why and uses the CPU.
unset VK_DRIVER_FILES
VK_ICD_FILENAMES=/nonexistent expect 'on local-task'
grep -q '^classify: .*Vulkan' "$TEST_TMPDIR/err"

# Lavapipe uses no threads of its own and writes no cache.
drivers=(/usr/share/vulkan/icd.d/lvp_icd.*.json)
lavapipe=${drivers[0]}
if [[ ! -e $lavapipe ]]; then
  echo "SKIPPED on Vulkan: this needs lavapipe (Debian: mesa-vulkan-drivers)."
  exit 0
fi
# Preload the driver so that it is not unloaded: memory that only it can reach
# would be reported as a leak.
export VK_ICD_FILENAMES=$lavapipe LP_NUM_THREADS=0
export MESA_SHADER_CACHE_DISABLE=true XDG_CACHE_HOME="$TEST_TMPDIR/cache"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
LD_PRELOAD=$(sed -n 's/.*"library_path": *"\(.*\)".*/\1/p' "$lavapipe") \
  expect 'on vulkan'
