#!/usr/bin/env bash
# Builds kernels.so and callback.so from their sources with Debian's MLIR:
# packages mlir-19-tools, llvm-19 and clang-19. The results are in the
# repository, because the tests do not need these packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

passes=convert-linalg-to-loops,expand-strided-metadata,lower-affine,\
convert-scf-to-cf,convert-arith-to-llvm,convert-index-to-llvm,\
convert-complex-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,\
convert-cf-to-llvm,reconcile-unrealized-casts
for name in kernels callback; do
  mlir-opt-19 $name.mlir --pass-pipeline="builtin.module($passes)" |
    mlir-translate-19 --mlir-to-llvmir |
    llc-19 -O2 -mtriple=x86_64-unknown-linux-gnu -filetype=obj \
      -relocation-model=pic -o "$made/$name.o"
  ../../../eyrie note $name.json -o "$made/note.o"
  # -Bsymbolic: the library calls its own functions, even if the process has
  # others with the same names.
  clang-19 -shared -s -o $name.so "$made/$name.o" "$made/note.o" \
    -Wl,-Bsymbolic -Wl,--build-id=none
done
