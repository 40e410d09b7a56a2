# Builds and runs the tests; ./eyrie reads this file for its command "test".
#
# A part is one configuration, system or machine. Bazel writes a record of each
# part's tests, and count_tests.py prints what the records say.
# Tested by tests/script_test.py.

# Prints the labels that a query finds, one a line.
labels() {
  run_bazel query --noshow_progress --ui_event_filters=-info "$1" 2>/dev/null
}

GCC=(-c opt --config=strict) # the flags of the part "gcc"

# Prints how many commands may run at a time: one for each processor, and one
# for each 1.5 GB of memory.
job_count() {
  local kib processors
  processors=$(nproc)
  kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  local most=$((${kib:-4000000} / 1500000))
  if ((most > processors)); then most=$processors; fi
  echo $((most > 0 ? most : 1))
}

# Runs Bazel, whose line of progress says what it does and how far it is. If the
# output is not a terminal, there is such a line every half minute.
bazel_with_progress() {
  local command=$1 flags=(--keep_going --noshow_loading_progress)
  shift
  flags+=(--ui_event_filters=-info,-debug --show_result=0)
  if [[ ! -t 2 ]]; then
    flags+=(--curses=no --color=no --show_progress_rate_limit=30)
  fi
  flags+=("--jobs=$(job_count)")
  # A failure is in Bazel's record.
  run_bazel "$command" "${flags[@]}" "$@" >&2 || true
}

# Runs the tests of the part $1 and keeps Bazel's record of them.
test_with() {
  local name=$1
  shift
  say "Testing: $name"
  rm -f "$state/$name.json"
  bazel_with_progress test "--build_event_json_file=$state/$name.json" \
    --build_event_json_file_path_conversion=false --test_summary=terse \
    "--test_env=EYRIE_TESTS=${size:-some}" "$@"
}

# The tests that the sanitizers run.
declare -A filters=(
  [asan]=-source_only,-many_processes,-optimized_only
  [tsan]=threads
)

# Runs those of the targets that the sanitizer $1 runs.
test_sanitized() {
  test_with "$1" "--config=$1" --build_tests_only \
    "--test_tag_filters=${filters[$1]}" "${@:2}"
}

# Builds targets for the part "gcc", while the command $1 downloads what tests
# use.
build_beside() {
  local command=$1
  shift
  set -m # gives the command a process group, which Ctrl-C ends
  $command </dev/null &
  background=$!
  set +m
  say "Building the tests ..."
  bazel_with_progress build "${GCC[@]}" "$@"
  wait "$background" || true
  background=
}

# Prints what the records of the parts say.
count_parts() {
  python3 "$root/tools/house/count_tests.py" "$@"
}

# Prints the labels of the tests that a name means: those in a folder of the
# tree, with those below it, or those with the name in their label.
named_tests() {
  local name=${1%/}
  if [[ $name == //* ]]; then
    labels "tests($name)"
  elif [[ -d $root/$name ]]; then
    labels "tests(//${name#./}/...)"
  else
    labels "tests(//...)" | grep -F -- "$name" || true
  fi
}

# Runs the tests that the names mean with the flags of $1, and without names all
# that it may run.
test_named() {
  local part=$1 targets=() found name
  shift
  need build core test
  check_machine
  check_versions
  for name; do
    mapfile -t found < <(named_tests "$name")
    ((${#found[@]})) ||
      fail "No test has '$name' in its name, and no folder of this name has" \
        "tests."
    targets+=("${found[@]}")
  done
  if [[ $part == gcc ]]; then
    test_with gcc "${GCC[@]}" "${targets[@]}"
  else
    need all
    ((${#targets[@]})) || targets=(//...)
    test_sanitized "$part" "${targets[@]}"
  fi
  count_parts "$state/$part.json"
}

# Every test of the product once, with the system's compiler. Manual ones need
# packages that this does not install.
test_product() {
  need build core test
  check_machine
  check_versions
  local targets
  mapfile -t targets < <(labels 'tests(//...) except
    attr(tags, "\b(all|manual)\b", //...)')
  build_beside "install_python some" "${targets[@]}"
  test_with gcc "${GCC[@]}" "${targets[@]}"
  count_parts "$state/gcc.json"
}

# Installs the Python with which //python is tested. With "all" also those for
# other versions and the recipes. Without them, tests skip.
install_python() {
  if ! (need python) || ! timeout 400 "$root/python/install.sh" >&2; then
    say "Packages of PyPI cannot be installed: //python skips its tests."
    return
  fi
  [[ $1 == all ]] || return 0
  if ! timeout 400 "$root/python/install.sh" --all >&2 ||
    ! timeout 400 "$root/python/recipes/install.sh" >&2; then
    say "Not all packages of PyPI can be installed: //python skips some tests."
  fi
  if ! (need jaxlib) ||
    ! timeout 240 "$root/tests/native/jaxlib/install.sh" >&2; then
    say "jaxlib cannot be installed: jaxlib_test skips the tests that need it."
  fi
}

# Builds the tool, runs a model, and tests what runs modules from end to end.
# With "archive", also builds the source archive with CMake.
quick_tests() {
  need build core "$@"
  build_tool
  "$state/bin/eyrie" run "$root/samples/digits/digits.vmfb" \
    --input="@$root/samples/digits/seven.npy" ||
    fail "'eyrie run samples/digits/digits.vmfb' fails."
  local targets
  mapfile -t targets < <(labels 'tests(//tests/vm/... +
    //tests/conformance/... + //tools:cli_test) except
    attr(tags, "\ball\b", //...)')
  (($# == 0)) || targets+=("//install:$1_test")
  test_with quick -c opt "${targets[@]}"
  count_parts "$state/quick.json"
}

# Runs the tests of tools/house/machine_tests.txt whose rows match the pattern
# $2 and not $3, with flags for Bazel.
machine_tests() {
  local cpu=$1 rows=$2 left=$3 list=$root/tools/house/machine_tests.txt
  local folders cases targets
  shift 3
  folders=$(sed -nE "s/^($rows) +([^ ]*).*/\2/p" "$list" | paste -s -d +)
  cases=$(sed -n 's|^skip *\([^/ ]*\)  .*|\1|p' "$list" | paste -s -d :)
  mapfile -t targets < <(labels "kind('cc_test rule', $folders)" | sort |
    comm -23 - <(sed -nE "s#^($left) +(//[^ ]*).*#\2#p" "$list" | sort))
  say "Not run for $cpu:"
  sed -nE "s/^($left) +/  /p" "$list" >&2
  # Qemu takes up to ten times as long.
  test_with "$cpu" "${GCC[@]}" --test_timeout=600 \
    "--test_filter=-$cases" "$@" "${targets[@]}"
}

# Runs them for a machine, in qemu if it is another one.
test_for() {
  local cpu=$1
  if is_elsewhere "$cpu"; then
    elsewhere test "$cpu" >/dev/null || exit
    return
  fi
  if [[ $cpu == "$(uname -m)" ]]; then
    need build core
    check_machine
    machine_tests "$cpu" "ci|run|native|$cpu" skip
  else
    need_for "$cpu" "$cpu-test"
    machine_tests "$cpu" "ci|run|$cpu" 'skip|native' "--config=$cpu"
  fi
  count_parts "$state/$cpu.json"
}

# Runs quick_tests in another release of Debian. The last line of the output is
# the root folder of that system.
test_system() {
  [[ " ${RELEASES[*]} " == *" $1 "* ]] ||
    fail "'./eyrie test --system' takes ${RELEASES[0]} or ${RELEASES[1]}," \
      "not '$1'."
  other_system "$1" test --quick archive
}

# Downloads what the parts after the first need.
download_all() {
  install_python all
  other_system trixie
}

# Every part.
test_all() {
  local size=all records=() targets
  local begin=$SECONDS
  need build core test all mpi package
  check_machine
  check_versions
  records+=("packages:$((SECONDS - begin))")
  # Tests and programs by name: `//...` would also build a shared form of every
  # library, which is not used.
  mapfile -t targets < <(labels 'tests(//...) + kind("cc_binary rule", //...)
    except attr(tags, "\bmanual\b", //...)')
  targets+=(//plugins/mpi:ranks_test //samples/mpi:mpi_test)
  begin=$SECONDS
  build_beside download_all "${targets[@]}"
  records+=("build:$((SECONDS - begin))")
  test_with gcc "${GCC[@]}" "${targets[@]}"
  test_sanitized asan //...
  test_sanitized tsan //...
  records+=("$state/gcc.json" "$state/asan.json" "$state/tsan.json")
  if (need_for aarch64 aarch64-test); then
    machine_tests aarch64 ci 'skip|native' --config=aarch64
    records+=("$state/aarch64.json")
  else
    say "The packages for AArch64 cannot be installed: no tests in qemu."
  fi
  run_bazel shutdown || true
  local folder code=0
  begin=$SECONDS
  folder=$(test_system trixie) || code=$?
  if ((code != 75)); then
    records+=("--root=$folder" "trixie:$folder/eyrie/.eyrie/quick.json"
      "trixie:$((SECONDS - begin))")
  fi
  count_parts --budget "${records[@]}"
}

# The command: test_command [--all|--quick|--asan|--tsan|…] [NAME...]
test_command() {
  local part=gcc
  case ${1-} in
    --all | --system=* | --cpu=*) no_more test "${@:2}" ;;
    --quick) [[ ${*:2} == archive ]] || no_more test "${@:2}" ;;
    --asan | --tsan)
      part=${1#--}
      shift
      ;;
  esac
  case ${1-} in
    --all) test_all ;;
    --quick) quick_tests "${@:2}" ;;
    --system=*) test_system "${1#*=}" >/dev/null ;;
    --cpu=*) test_for "${1#*=}" ;;
    -*)
      fail "'./eyrie test' takes names of tests or folders, --asan, --tsan," \
        "--all, --quick, --system=RELEASE or --cpu=MACHINE, not '$1'."
      ;;
    *)
      if [[ $part == gcc ]] && (($# == 0)); then
        test_product
      else
        test_named "$part" "$@"
      fi
      ;;
  esac
}
