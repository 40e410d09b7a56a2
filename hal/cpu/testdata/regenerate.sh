#!/bin/sh
# Compiles the executables of these folders again: regenerate.sh IREE_DIR.
# IREE_DIR/<release>/bin must contain iree-compile of each release.
#
# A .vmfb is a ZIP archive. Its member that ends in .so is the executable.
set -eu
iree=$1
cd "$(dirname "$0")"

# compile FOLDER NAME RELEASE SOURCE FLAGS...
compile() {
  target=$1/$2.so; machine=$1; release=$3; source=$4; shift 4
  folder=$(mktemp -d)
  case $machine in
    arm_64) triple=aarch64-unknown-linux-gnu ;;
    # FLAGS can name other features: the last flag counts.
    riscv_64) triple=riscv64-unknown-linux-gnu
      set -- --iree-llvmcpu-target-abi=lp64d \
          --iree-llvmcpu-target-cpu-features=+m,+a,+f,+d,+c "$@" ;;
    *) triple=x86_64-unknown-linux-gnu ;;
  esac
  "$iree/$release/bin/iree-compile" --iree-hal-target-backends=llvm-cpu \
      --iree-llvmcpu-debug-symbols=false \
      --iree-llvmcpu-target-triple="$triple" \
      "$@" "$source" -o "$folder/m.vmfb"
  unzip -p "$folder/m.vmfb" '*.so' > "$target"
  chmod 644 "$target"
  rm -r "$folder"
}

# The same for every machine.
for machine in x86_64 arm_64 riscv_64; do
  compile $machine add_v5 3.3.0 add.mlir --iree-llvmcpu-target-cpu=generic
  compile $machine add_v6 3.13.0 add.mlir --iree-llvmcpu-target-cpu=generic
  compile $machine add_system 3.13.0 add.mlir \
      --iree-llvmcpu-target-cpu=generic --iree-llvmcpu-link-embedded=false
  compile $machine matmul_v5 3.3.0 matmul.mlir \
      --iree-llvmcpu-target-cpu=generic \
      --iree-llvmcpu-enable-ukernels=all --iree-opt-data-tiling
  compile $machine matmul_v6 3.13.0 matmul.mlir \
      --iree-llvmcpu-target-cpu=generic \
      --iree-llvmcpu-enable-ukernels=all --iree-opt-data-tiling
done
compile x86_64 add_avx512 3.13.0 add.mlir \
    --iree-llvmcpu-target-cpu=skylake-avx512
compile arm_64 matmul_i8mm 3.13.0 matmul.mlir \
    --iree-llvmcpu-target-cpu=generic \
    --iree-llvmcpu-target-cpu-features=+i8mm,+dotprod --iree-opt-data-tiling
compile riscv_64 add_vector 3.13.0 add.mlir \
    --iree-llvmcpu-target-cpu-features=+m,+a,+f,+d,+c,+v
