#!/bin/sh
# Compiles the modules with three releases, synchronous and with fences. Usage:
# regenerate.sh COMPILERS, a folder with RELEASE/bin/iree-compile.
set -eu
cd "$(dirname "$0")"
for release in 3.3 3.11 3.13; do
  cpu="--iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic"
  # Only recent compilers know the name of Mesa's device.
  vulkan="--iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
    --iree-vm-bytecode-module-strip-debug-ops \
    --iree-vm-bytecode-module-strip-source-map=true"
  compile() {
    "$1/$release.0/bin/iree-compile" $5 "$2" -o "$release/$3" $4
  }
  mkdir -p "$release"
  for name in blending lapack memref scale; do
    devices=cpu
    [ $name.$release = scale.3.13 ] && devices="cpu vulkan"
    # Imports get fences if their attribute requests the model with fences.
    fences='attributes {iree.abi.model = "coarse-fences"}'
    sed "/^func.func private/s/\$/ $fences/" $name.mlir > async.mlir
    for device in $devices; do
      flags=$cpu suffix=
      [ $device = vulkan ] && flags=$vulkan suffix=.vulkan
      compile "$1" $name.mlir $name$suffix.vmfb "" "$flags"
      compile "$1" async.mlir $name.async$suffix.vmfb \
        --iree-execution-model=async-external "$flags"
    done
    rm async.mlir
  done
done
