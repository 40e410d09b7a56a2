#!/usr/bin/env bash
# Tests the runner's output and exit code with suites created here.
set -euo pipefail

runner=$PWD/$1
cd "$TEST_TMPDIR"
mkdir suites
cat >suites/a.vmasm <<'END'
vm.module @a
vm.export @good
vm.export @with_argument
vm.func @good() -> () {
  vm.return
}
vm.func @with_argument(%i0: i32) -> () {
  vm.return
}
END
echo 'vm.module' >suites/b.vmasm

# Runs the runner. Compares its exit code and its last line.
expect() {
  local code=$1 line=$2 status=0
  shift 2
  "$runner" "$@" >out 2>&1 || status=$?
  if [[ $status != "$code" || $(tail -n 1 out) != "$line" ]]; then
    echo "runner $*: wanted $code, $line; got $status:"
    cat out
    exit 1
  fi
}

expect 0 '1 cases in 1 files, 0 failures, 1 with arguments skipped' \
  suites/a.vmasm
expect 0 '1 cases in 1 files, 1 with arguments skipped' --list suites/a.vmasm
expect 1 "1 cases in 1 files, 0 failures, 1 with arguments skipped, \
1 files do not load" suites
expect 0 '  --list  names the cases and runs none' --help
expect 1 '  --list  names the cases and runs none' --lst
expect 1 'runner: NOT_FOUND: There are no .vmasm files at none.' none
