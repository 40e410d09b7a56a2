#!/bin/sh
# Compiles the modules with three releases, synchronous and with fences. Usage:
# regenerate.sh COMPILERS, a folder with RELEASE/bin/iree-compile.
set -eu
cd "$(dirname "$0")"
for release in 3.3 3.11 3.13; do
  compile() {
    "$1/$release.0/bin/iree-compile" --iree-hal-target-backends=llvm-cpu \
      --iree-llvmcpu-target-cpu=generic \
      "$2" -o "$release/$3" $4
  }
  mkdir -p "$release"
  for name in lapack memref scale; do
    compile "$1" $name.mlir $name.vmfb ""
    # Imports get fences if their attribute requests the model with fences.
    fences='attributes {iree.abi.model = "coarse-fences"}'
    sed "/^func.func private/s/\$/ $fences/" $name.mlir > async.mlir
    compile "$1" async.mlir $name.async.vmfb \
      --iree-execution-model=async-external
    rm async.mlir
  done
done
