# For tests of samples: checks that the output of a command contains a text,
# whatever its exit code.
expect() {  # a text, command...
  local want=$1 got
  shift
  got=$("$@" 2>&1 || true)
  if [[ $got != *"$want"* ]]; then
    printf '%s\nprints "%s"; expected "%s"\n' "$*" "$got" "$want" >&2
    exit 1
  fi
}
