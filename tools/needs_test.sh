#!/bin/sh
# The tool loads libc alone: see lazy_math.cc. One that loads libstdc++, as a
# sanitizer's does, may load anything. A library that it loads finds libm all
# the same.
#   needs_test.sh <eyrie> <a module>
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

library=$TEST_TMPDIR/f.so
echo 'float expf(float); float x;
void *f(void *frame) { return expf(x) > 2 ? frame : 0; }' |
  gcc -shared -fPIC -nostdlib -o "$library" -x c -
echo '{"module": "m", "functions": {"f": {"convention": "xla_ffi",
  "arguments": ["?xf32"], "results": [{"like": 0}]}}}' >"$library.json"
said=$("$1" run "$2" --function=sum_to --input=10 \
  --native_library="$library" 2>&1) || true
case $said in
*"or no handler."*) ;; # it was called
*)
  echo "$said" >&2
  exit 1
  ;;
esac
