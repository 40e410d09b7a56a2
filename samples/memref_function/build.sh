#!/usr/bin/env bash
# Compiles heat.mlir to heat.so with the Debian packages mlir-19-tools, llvm-19
# and clang-19. heat.so is in the repository, because running it needs none of
# them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT

# The types of the functions, before they are lowered.
../../eyrie note heat.mlir -o "$made/note.o"

passes=convert-scf-to-cf,convert-arith-to-llvm,finalize-memref-to-llvm,\
convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts
mlir-opt-19 heat.mlir --pass-pipeline="builtin.module($passes)" |
  mlir-translate-19 --mlir-to-llvmir |
  llc-19 -O2 -mtriple=x86_64-unknown-linux-gnu -filetype=obj \
    -relocation-model=pic -o "$made/heat.o"
# -Bsymbolic: calls within the library use its own functions, even if the
# process has others of the same name.
clang-19 -shared -s -o heat.so "$made/heat.o" "$made/note.o" \
  -Wl,-Bsymbolic -Wl,--build-id=none
