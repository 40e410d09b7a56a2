#!/bin/sh
# Compiles the executables of this folder again: regenerate.sh IREE_DIR.
# IREE_DIR/<release>/bin must contain iree-compile of each release.
#
# A .vmfb is a ZIP archive. Its member that ends in .so is the executable.
set -eu
iree=$1
cd "$(dirname "$0")"

# compile NAME RELEASE SOURCE FLAGS...
compile() {
  name=$1; release=$2; source=$3; shift 3
  folder=$(mktemp -d)
  "$iree/$release/bin/iree-compile" --iree-hal-target-backends=llvm-cpu \
      --iree-llvmcpu-debug-symbols=false "$@" "$source" -o "$folder/m.vmfb"
  unzip -p "$folder/m.vmfb" '*.so' > "$name.so"
  chmod 644 "$name.so"
  rm -r "$folder"
}

compile add_v5 3.3.0 add.mlir --iree-llvmcpu-target-cpu=generic
compile add_v6 3.13.0 add.mlir --iree-llvmcpu-target-cpu=generic
compile add_avx512 3.13.0 add.mlir --iree-llvmcpu-target-cpu=skylake-avx512
compile add_system 3.13.0 add.mlir --iree-llvmcpu-target-cpu=generic \
    --iree-llvmcpu-link-embedded=false
compile matmul_v5 3.3.0 matmul.mlir --iree-llvmcpu-target-cpu=generic \
    --iree-llvmcpu-enable-ukernels=all --iree-opt-data-tiling
compile matmul_v6 3.13.0 matmul.mlir --iree-llvmcpu-target-cpu=generic \
    --iree-llvmcpu-enable-ukernels=all --iree-opt-data-tiling
