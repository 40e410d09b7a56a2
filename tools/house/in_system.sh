#!/usr/bin/env bash
# Runs test programs on a whole machine of another kind: in_system.sh aarch64
#
# qemu-user passes system calls to this machine's kernel, except seccomp's. So
# this script boots Debian's kernel for that machine in qemu-system and runs the
# rows "native" of machine_tests.txt there, from an initial RAM disk.
# KERNEL=FILE boots another kernel, such as one with larger pages.
# Needs the Debian packages qemu-system-arm and cpio, and those of "aarch64" and
# "aarch64-test" in packages.txt. Exits with 0 if all programs succeed.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

if [[ ${1:-} != aarch64 ]]; then
  echo "usage: tools/house/in_system.sh aarch64" >&2
  exit 2
fi
state=$PWD/.eyrie/system
libraries=/usr/lib/aarch64-linux-gnu

# Downloads a package for the machine and unpacks it.
unpack() {
  (cd "$state" && apt-get download "$1:arm64" >&2 && dpkg-deb -x "$1"_*.deb .)
  rm -f "$state/$1"_*.deb
}

prepare_system() {
  mkdir -p "$state"
  unpack busybox-static
  local kernel
  kernel=$(apt-cache depends linux-image-arm64:arm64 |
    sed -n 's/ *Depends: \(linux-image-[^:]*\).*/\1/p')
  unpack "$kernel"
}

# Copies a program and the files that it reads.
add_program() {
  local path=${1#//}
  path=${path/:/\/}
  mkdir -p "$root/tests/$path"
  cp -rL "bazel-bin/$path.runfiles/eyrie/." "$root/tests/$path"
  echo "(cd /tests/$path && ./$path) || failed=1" >>"$root/programs"
}

[[ -x $state/bin/busybox ]] || prepare_system
mapfile -t labels < <(sed -nE 's|^native +(//[^ ]*).*|\1|p' \
  tools/house/machine_tests.txt)
bazel build -c opt --config=strict --config=aarch64 "${labels[@]}" >&2
root=$state/root
rm -rf "$root"
mkdir -p "$root"/{bin,dev,lib,proc,tmp}
cp "$state/bin/busybox" "$root/bin"
cp -L "$libraries"/{ld-linux-aarch64.so.1,libc.so.6,libm.so.6} "$root/lib"
for label in "${labels[@]}"; do add_program "$label"; done
cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
failed=0
. /programs
[ $failed = 0 ] && echo 'All programs succeed.'
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$state/initrd"
timeout 900 qemu-system-aarch64 -M virt -cpu max -smp 2 -m 3072 -nographic \
  -nic none -no-reboot -kernel "${KERNEL:-$(echo "$state"/boot/vmlinuz-*)}" \
  -initrd "$state/initrd" -append 'console=ttyAMA0 quiet panic=-1' \
  </dev/null | tee "$state/log"
grep -q 'All programs succeed.' "$state/log"
