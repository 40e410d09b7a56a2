#!/bin/sh
# The tool loads libc alone: see lazy_math.cc. One that loads libstdc++, as a
# sanitizer's does, may load anything.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
case $needed in
*libstdc++*) exit 0 ;;
esac
for library in $needed; do
  case $library in
  libc.so.6 | ld-linux*) ;;
  *)
    echo "$1 loads $library at every start; it would do with libc." >&2
    nm -D "$1" >&2
    exit 1
    ;;
  esac
done
