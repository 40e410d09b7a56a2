#!/usr/bin/env bash
# Runs the test of calls by signature as an AArch64 program, with qemu-user.
#
# Needs g++-aarch64-linux-gnu, qemu-user, and Abseil and GoogleTest for arm64
# (dpkg --add-architecture arm64; libabsl-dev:arm64 and libgtest-dev:arm64, or
# their contents in $EYRIE_ARM64_ROOT). Without them, prints a message and
# passes. Arguments: the sources.
set -euo pipefail
root=${EYRIE_ARM64_ROOT:-}
libraries=$root/usr/lib/aarch64-linux-gnu

for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED: $tool is not installed."
    exit
  fi
done
for library in libabsl_status.a libgtest.a libgtest_main.a; do
  if [[ ! -e $libraries/$library ]]; then
    echo "SKIPPED: there is no $libraries/$library."
    exit
  fi
done

program=${TEST_TMPDIR:-$(mktemp -d)}/machine_call_test
aarch64-linux-gnu-g++ -std=c++20 -O2 -static -fno-exceptions -fno-rtti -w \
  -I. -isystem "$root/usr/include" "$@" -o "$program" \
  "$libraries"/libgtest{,_main}.a \
  -Wl,--start-group "$libraries"/libabsl_*.a -Wl,--end-group -lpthread
qemu-aarch64 "$program"
