#!/bin/sh
# Compiles the worker's program and writes it as C++ source:
# make_image.sh COMPILER OUTPUT SOURCES ...
#
# The program is freestanding: the build's own flags do not apply. Headers among
# the sources are left out. They are found from the current folder.
set -eu
compiler=$1
output=$2
shift 2

# Their functions are in a library that needs the C library.
no_library=
sources=
for file; do
  case $file in
    */aarch64/*.cc) no_library=-mno-outline-atomics ;;
  esac
  case $file in
    *.cc) sources="$sources $file" ;;
  esac
done

# The compiler may be a command with arguments.
# shellcheck disable=SC2086
$compiler -x c++ -std=c++20 -I. -O2 -Wall -Wextra \
  -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector \
  -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie \
  -fno-threadsafe-statics $no_library -nostdlib -static \
  -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro \
  -Wl,--entry=EyrieWorkerMain -s $sources -o "$output.elf"
{
  echo '#include "hal/cpu/isolate/worker_image.h"'
  echo 'namespace eyrie::hal::cpu::isolate {'
  echo 'static constexpr uint8_t kImage[] = {'
  od -An -v -tx1 "$output.elf" | sed 's/ \(..\)/0x\1,/g'
  echo '};'
  echo 'std::span<const uint8_t> WorkerImage() { return kImage; }'
  echo '}  // namespace eyrie::hal::cpu::isolate'
} >"$output"
rm "$output.elf"
