#!/bin/sh
# Runs the commands of vulkan_test.txt as cli_test.sh does its own, on lavapipe,
# which computes in the threads that submit; nothing of it is kept.
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
exec python3 "$@"
