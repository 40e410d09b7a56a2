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

folder=$output.parts
mkdir -p "$folder"

outline=
case " $* " in
  # Their functions are in a library that needs the C library.
  */aarch64/*) outline=-mno-outline-atomics ;;
esac

# Sources are compiled apart from linking: some compilers have no headers of
# Linux for a program without a C library. The compiler may be a command with
# arguments.
for file; do
  case $file in
    # shellcheck disable=SC2086
    *.cc) $compiler -x c++ -std=c++20 -I. -O2 -Wall -Wextra -c \
      -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector \
      -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-pie \
      -fno-threadsafe-statics $outline "$file" \
      -o "$folder/$(echo "$file" | tr / _).o" ;;
  esac
done
# shellcheck disable=SC2086
$compiler -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
  -Wl,-z,norelro -Wl,--entry=EyrieWorkerMain -s "$folder"/*.o \
  -o "$folder/worker"
{
  echo '#include "hal/cpu/isolate/worker_image.h"'
  echo 'namespace eyrie::hal::cpu::isolate {'
  echo 'static constexpr uint8_t kImage[] = {'
  od -An -v -tx1 "$folder/worker" | sed 's/ \(..\)/0x\1,/g'
  echo '};'
  echo 'std::span<const uint8_t> WorkerImage() { return kImage; }'
  echo '}  // namespace eyrie::hal::cpu::isolate'
} >"$output"
rm -r "$folder"
