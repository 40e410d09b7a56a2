# For tests of samples that read this: what a command prints is to have a text
# in it, whatever the exit code.
expect() {  # a text, command...
  local want=$1 got
  shift
  got=$("$@" 2>&1 || true)
  if [[ $got != *"$want"* ]]; then
    printf '%s\nprints "%s"; expected "%s"\n' "$*" "$got" "$want" >&2
    exit 1
  fi
}
