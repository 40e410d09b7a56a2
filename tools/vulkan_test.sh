#!/bin/sh
# Runs the commands of vulkan_test.txt, as cli_test.sh does, on lavapipe. It
# computes on the threads that submit work. Its caches are discarded.
vulkan=/usr/share/vulkan
lavapipe=$(ls $vulkan/icd.d/lvp_icd.*.json 2>/dev/null | head -n 1)
layer=$vulkan/explicit_layer.d/VkLayer_khronos_validation.json
if [ -z "$lavapipe" ] || [ ! -e "$layer" ]; then
  echo "SKIPPED: this needs lavapipe and the validation layer (Debian:" \
    "mesa-vulkan-drivers, vulkan-validationlayers)."
  exit 0
fi
unset VK_DRIVER_FILES
export VK_ICD_FILENAMES="$lavapipe" LP_NUM_THREADS=0
export MESA_SHADER_CACHE_DISABLE=true XDG_CACHE_HOME="$TEST_TMPDIR/cache"
# Keeps the driver loaded by preloading it. If it is unloaded, memory that only
# it can reach is reported as our leak. (The layer cannot be preloaded, so its
# rows do not check leaks.)
LD_PRELOAD=$(sed -n 's/.*"library_path": *"\(.*\)".*/\1/p' "$lavapipe")
ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
NO_LEAKS="$ASAN_OPTIONS:detect_leaks=0"
export LD_PRELOAD ASAN_OPTIONS NO_LEAKS
exec python3 "$@"
