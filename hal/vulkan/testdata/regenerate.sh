#!/bin/sh
# Recompiles the executables of this folder. Usage: regenerate.sh IREE_DIR;
# IREE_DIR/<release>/bin must contain iree-compile of each release.
#
# A .vmfb is a ZIP; its member other than module.fb is the executable.
set -eu
iree=$1
cd "$(dirname "$0")"

# compile NAME RELEASE SOURCE FLAGS...
compile() {
  name=$1; release=$2; source=$3; shift 3
  folder=$(mktemp -d)
  "$iree/$release/bin/iree-compile" "$@" "$source" -o "$folder/m.vmfb"
  unzip -p "$folder/m.vmfb" '*vulkan*.fb' > "$name.vk"
  chmod 644 "$name.vk"
  rm -r "$folder"
}

compile add_3_3 3.3.0 add.mlir --iree-hal-target-backends=vulkan-spirv
compile add_3_11 3.11.0 add.mlir --iree-hal-target-device=vulkan \
    --iree-vulkan-target=turing
for source in add scale; do
  compile ${source}_3_13 3.13.0 $source.mlir --iree-hal-target-device=vulkan \
      --iree-vulkan-target=llvmpipe
done
compile sum_turing 3.11.0 sum.mlir --iree-hal-target-device=vulkan \
    --iree-vulkan-target=turing
compile scale_addresses 3.13.0 scale.mlir --iree-hal-target-device=vulkan \
    --iree-vulkan-target=llvmpipe --iree-vulkan-dispatch-abi=bda
compile matmul_rdna3 3.13.0 matmul.mlir --iree-hal-target-device=vulkan \
    --iree-vulkan-target=rdna3
