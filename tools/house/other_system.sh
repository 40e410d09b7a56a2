#!/usr/bin/env bash
# Runs ./eyrie in another release of Debian: other_system.sh trixie test --quick
#
# Reads the names of the packages to install there from stdin. debootstrap
# creates a root of that release once, in the user's cache folder; without a
# command, nothing else is done. The checkout is copied into it as /eyrie. The
# last line of stdout is the root's folder.
# Exits with the exit code of ./eyrie in the root, or with 75 if the root cannot
# be created.
set -euo pipefail

readonly CANNOT=75
release=$1
shift
tree=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
root=${XDG_CACHE_HOME:-$HOME/.cache}/eyrie/roots/$release

say() { echo "eyrie: $*" >&2; }

make_root() {
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' 'Origin: Debian' \
    'Label: Debian' | head -n 1)
  say "Creating a root folder of Debian $release ..."
  rm -rf "$root.new"
  mkdir -p "$(dirname "$root")"
  debootstrap --variant=minbase --include=ca-certificates "$release" \
    "$root.new" ${mirror:+"$mirror"} >&2 &&
    mv "$root.new" "$root"
}

copy_tree() {
  rm -rf "$root/eyrie"
  mkdir "$root/eyrie"
  tar -C "$tree" --exclude='./bazel-*' --exclude=./.git --exclude=./.eyrie \
    -cf - . | tar -C "$root/eyrie" -xf -
}

# Runs a command in its own mount namespace, so that no mount outlives it.
enter() {
  unshare --mount --pid --fork --kill-child sh -euc '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH="$PATH" \
      ${http_proxy:+"http_proxy=$http_proxy"} "$@"' - "$root" "$@"
}

# Installs the packages that ./eyrie would install there. If no mirror answers,
# the tests are skipped instead of failing.
install_packages() {
  local wanted
  mapfile -t wanted
  enter sh -euc 'export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y --no-install-recommends "$@"' - "${wanted[@]}" >&2
}

give_up() {
  say "Skipping Debian $release: $*"
  exit $CANNOT
}

((EUID == 0)) || give_up "only root can create and enter its root folder."
unshare --mount true || give_up "this machine does not allow mount namespaces."
[[ -d $root ]] || { make_root && install_packages; } ||
  give_up "its packages cannot be downloaded."
if (($# == 0)); then exit; fi
copy_tree
status=0
enter /eyrie/eyrie "$@" >&2 || status=$?
echo "$root"
exit $status
