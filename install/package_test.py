"""Makes the Debian package, checks its content, and uses it.

Arguments: the root of the built files, the module digits.vmfb, and the picture
seven.npy. The package is used in a root folder that has no other files than
those of the packages that it depends on. Also installs it in a root folder with
this release of Debian, if the user is root and tools/house/other_system.sh has
made one in the user's cache.
"""

import glob
import gzip
import os
import pwd
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from checks import check, check_links, entering, failures, run  # noqa: E402
import help_files  # noqa: E402
import install  # noqa: E402

EPOCH = 1750000000
# Patterns of files that must exist, with their modes.
FILES = (
    ("bin/eyrie", 0o755), ("bin/iree-run-module", 0o755),
    ("lib/eyrie/libeyrie_benchmark.so", 0o755),
    ("lib/*-linux-gnu/libeyrie.so.0", 0o644),
    ("lib/*-linux-gnu/libeyrie.so", 0o644),
    ("lib/*-linux-gnu/libeyrie.a", 0o644),
    ("lib/*-linux-gnu/pkgconfig/eyrie.pc", 0o644),
    ("lib/*-linux-gnu/cmake/eyrie/eyrie-config.cmake", 0o644),
    ("include/eyrie/c.h", 0o644), ("include/eyrie/runtime.h", 0o644),
    ("share/man/man1/eyrie.1.gz", 0o644),
    ("share/man/man1/eyrie-params-dump.1.gz", 0o644),
    ("share/man/man1/iree-run-module.1.gz", 0o644),
    ("share/bash-completion/completions/eyrie", 0o644),
    ("share/zsh/vendor-completions/_eyrie", 0o644),
    ("share/fish/vendor_completions.d/eyrie.fish", 0o644),
    ("share/doc/eyrie/copyright", 0o644),
    ("share/doc/eyrie/changelog.gz", 0o644),
    ("share/doc/eyrie/docs/cli.md", 0o644),
    ("share/doc/eyrie/CHANGELOG.md", 0o644),
    ("share/doc/eyrie/CONTRIBUTING.md", 0o644),
    ("share/doc/eyrie/SECURITY.md", 0o644),
)
FIELDS = (
    ("Package", r"eyrie"), ("Version", r"\d+\.\d+\.\d+"),
    ("Maintainer", r"Ada <ada@example\.org>"), ("Installed-Size", r"\d{4,5}"),
    ("Depends", r".*libabsl.*libc6 \(>= .*libstdc\+\+6 .*"),
    ("Recommends", r"libbenchmark\S+ \(>= [^,]*\)"), ("Section", "science"),
)
# Words before the cursor, and the completions that bash offers.
COMPLETIONS = (
    (["r"], "run"), (["params", ""], "dump create convert"),
    (["params", "c"], "create convert"), (["run", "--inp"], "--input="),
    (["bench", "ex"], "executable"), (["asm", "--deb"], "--debug"),
    (["run", "a.vmfb", "--list_d"], "--list_drivers --list_devices"),
    (["run", ""], ""), (["run", "--input", "="], ""), (["none", "r"], ""),
)
COMPLETE = """compopt() { :; }; source "$1"; shift
COMP_WORDS=(eyrie "$@"); COMP_CWORD=$#; _eyrie; echo "${COMPREPLY[*]}"
"""
# Installs a package in a root folder, on an overlay that is removed with the
# mount namespace. Exits with 75 if apt cannot fetch its lists, for example
# without a network.
IN_ROOT = """PATH=$PATH:/usr/sbin:/sbin
mount -t tmpfs none "$2" && mkdir "$2/upper" "$2/run" "$2/all"
mount -t overlay none -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/run" "$2/all"
cp "$3" "$2/all/srv/eyrie.deb" && cp "$4" "$5" "$2/all/srv/"
mount -t proc proc "$2/all/proc" && cp /etc/resolv.conf "$2/all/etc/"
exec chroot "$2/all" sh -euc '
  apt-get -qq update >/srv/log 2>&1 || exit 75
  apt-get -qq install --no-install-recommends /srv/eyrie.deb >/srv/log 2>&1 ||
    { cat /srv/log; exit 1; }
  eyrie run /srv/digits.vmfb --input=@/srv/seven.npy'
"""


def has(program):
    found = shutil.which(program) is not None
    if not found:
        print(f"Skipping {program}: it is not installed.")
    return found


def make(built, folder):
    """Makes the package twice, checks that both are equal, and returns the
    path of one."""
    paths = []
    for name in ("one", "two"):
        out = os.path.join(folder, name)
        run([sys.executable, os.path.join(HERE, "package.py"), f"--out={out}",
            f"--source={ROOT}", f"--built={built}"], env=dict(
                os.environ, SOURCE_DATE_EPOCH=str(EPOCH), DEBFULLNAME="Ada",
                DEBEMAIL="ada@example.org"))
        paths += glob.glob(out + "/eyrie_*_*.deb")
    contents = []
    for path in paths:
        with open(path, "rb") as file:
            contents.append(file.read())
    check(len(contents) == 2 and contents[0] == contents[1],
          "Two packages of the same sources differ.")
    return paths[0]


def check_files(usr):
    for pattern, mode in FILES:
        found = glob.glob(os.path.join(usr, pattern))
        check(len(found) == 1, f"{pattern} matches {len(found)} files.")
        for path in found:
            check(os.stat(path).st_mode & 0o7777 == mode,
                  f"{path} has mode {os.stat(path).st_mode & 0o7777:o}.")
    for folder, _, names in os.walk(usr):
        for name in names:
            path = os.path.join(folder, name)
            check(os.path.exists(path), f"{path} is a dangling link.")
            check(os.lstat(path).st_mtime == EPOCH,
                  f"{path} does not have the date of the sources.")
    check_links(os.path.join(usr, "share/doc/eyrie"))
    for name in os.listdir(os.path.join(ROOT, "include/eyrie")):
        check(os.path.exists(os.path.join(usr, "include/eyrie", name)) or
              not name.endswith(".h"), f"{name} is not in the package.")
    check(not os.path.exists(os.path.join(usr, install.MANIFEST)),
          "`./eyrie uninstall` would remove files of the package.")


def check_control(package):
    for field, pattern in FIELDS:
        value = run(["dpkg-deb", "--field", package, field]).strip()
        check(re.fullmatch(pattern, value), f"{field} is {value!r}.")


def check_pages(usr, commands):
    """Checks that each command has a page that lists its flags, and that groff
    prints it without warnings."""
    folder = os.path.join(usr, "share/man/man1")
    for page in ["eyrie"] + [command.page for command in commands.values()]:
        path = os.path.join(folder, page + ".1.gz")
        check(os.path.exists(path), f"There is no man page {page}.")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            text = file.read()
        for command in commands.values():
            if command.page == page:
                for flag in command.flags:
                    check(f"\\fB\\-\\-{flag.name}" in text,
                          f"{page} does not list --{flag.name}.")
                    check(f".SS {flag.group}" in text or not flag.group,
                          f"{page} has no group '{flag.group}'.")
        if shutil.which("groff"):
            warnings = run(["groff", "-ww", "-man", "-Tutf8", "-z"], input=text)
            check(not warnings, f"{page}: {warnings}")


def check_completions(usr, commands):
    """Checks that the shells accept the files, and that these contain every
    command and flag."""
    paths = [path for _, path in help_files.FOLDERS.items()]
    paths = [os.path.join(usr, path.replace("site-f", "vendor-c").replace(
        "vendor-cunctions", "vendor-completions")) for path in paths]
    for shell, path in zip(help_files.FOLDERS, paths):
        text = install.read(path)
        for name, command in commands.items():
            check(f"'{name}'" in text, f"{path} lacks '{name}'.")
            for flag in command.flags:
                check(re.search(rf"(--|-l ){flag.name}\b", text),
                      f"{path} lacks --{flag.name}.")
        if has(shell):
            run([shell, "-n", path])
    for words, want in COMPLETIONS:
        got = run(["bash", "-c", COMPLETE, "-", paths[0], *words]).strip()
        check(got == want, f"{words} completes to {got!r}, not {want!r}.")


def check_use(usr, module, picture):
    """Checks that the tool and the library run from the unpacked folder."""
    scores = run([os.path.join(usr, "bin/eyrie"), "run", module,
                 "--input=@" + picture])
    check("1x10xf32=" in scores or "10xf32=" in scores,
          f"The digits give {scores!r}.")
    bench = run([os.path.join(usr, "bin/eyrie"), "bench", module,
                "--input=@" + picture, "--benchmark_min_time=0.001"])
    check("BM_" in bench, f"The benchmark gives {bench!r}.")
    if not has("pkg-config"):
        return
    folder, = glob.glob(usr + "/lib/*-linux-gnu")
    flags = run(["pkg-config", "--cflags", "--libs", "eyrie"], env=dict(
        os.environ, PKG_CONFIG_PATH=folder + "/pkgconfig")).split()
    program = os.path.join(os.path.dirname(usr), "embed")
    source = os.path.join(HERE, "consumers/add.c")
    run(["gcc", "-std=c11", source, "-o", program,
        *flags])
    needed = run(["ldd", program], env=dict(os.environ, LD_LIBRARY_PATH=folder))
    check(f"=> {folder}/libeyrie.so.0" in needed, f"It loads {needed}.")


def depended_on(package):
    """Returns the installed packages that a package depends on, with those
    that they depend on."""
    found = run(["dpkg-deb", "--field", package, "Depends"])
    names = re.findall(r"(?:^|, )([^ ,]+)", found.strip())
    rows = run(["apt-cache", "depends", "--recurse", "--installed",
                "--important", *names]).splitlines()
    return sorted({row for row in rows if row[0] not in " |<"})


def copy_libraries(name, root):
    """Copies the shared libraries of an installed package into a root."""
    architecture = run(["dpkg", "--print-architecture"]).strip()
    for path in run(["dpkg", "-L", f"{name}:{architecture}"]).splitlines():
        if re.search(r"/lib.*/[^/]+\.so[^/]*$", path):
            os.makedirs(os.path.dirname(root + path), exist_ok=True)
            shutil.copy(path, root + path, follow_symlinks=False)


def check_depends(package, folder, module, picture):
    """Runs the tool in a root that has only the package and what it depends on,
    and looks there for the libraries of a program that check_use has built."""
    root = os.path.join(folder, "root")
    for name in ("lib", "lib64"):
        os.makedirs(f"{root}/usr/{name}")
        os.symlink("usr/" + name, f"{root}/{name}")
    for name in depended_on(package):
        copy_libraries(name, root)
    run(["dpkg-deb", "--extract", package, root])
    enter = entering(root)
    if not enter:
        return
    for path in (module, picture, os.path.join(folder, "unpacked/embed")):
        shutil.copy(path, root)
    scores = run([*enter, "/usr/bin/eyrie", "run",
                  "/" + os.path.basename(module),
                  "--input=@/" + os.path.basename(picture)])
    check("10xf32=" in scores, f"In the root the digits give {scores!r}.")
    loader = glob.glob(root + "/lib*/ld-linux*.so.*")[0]
    needed = run([*enter, loader.removeprefix(root), "--list", "/embed"])
    check("libeyrie.so.0 => /" in needed and "not found" not in needed,
          f"In the root a program loads {needed}.")


def check_in_root(package, folder, module, picture):
    """Installs the package and its dependencies in a separate root folder."""
    release = re.search(r"^VERSION_CODENAME=(\w+)", install.read(
        "/etc/os-release"), re.M).group(1)
    home = pwd.getpwuid(os.getuid()).pw_dir
    root = os.path.join(home, ".cache/eyrie/roots", release)
    if os.getuid() != 0 or not os.path.isdir(root):
        print(f"Skipping the installation: it needs root, and {root}.")
        return
    layer = os.path.join(folder, "layer")
    os.makedirs(layer)
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-euc", IN_ROOT, "-", root, layer,
         package, module, picture], capture_output=True, text=True, check=False)
    if done.returncode == 75:
        print("Skipping the installation: Debian's archive does not answer.")
        return
    check("10xf32=" in done.stdout,
          f"In {root} the digits give {done.stdout}{done.stderr}.")
    print(f"Installed the package in {root}.")


def main():
    built, module, picture = (os.path.abspath(path) for path in sys.argv[1:])
    folder = os.environ["TEST_TMPDIR"]
    package = make(built, folder)
    unpacked = os.path.join(folder, "unpacked")
    run(["dpkg-deb", "--extract", package, unpacked])
    usr = os.path.join(unpacked, "usr")
    commands = help_files.commands_of(os.path.join(usr, "bin/eyrie"))
    check(len(commands) > 10, f"There are {len(commands)} commands.")
    check_control(package)
    check_files(usr)
    check_pages(usr, commands)
    check_completions(usr, commands)
    check_use(usr, module, picture)
    if has("lintian"):
        print(run(["lintian", "--allow-root", "--fail-on=error", package]))
    check_depends(package, folder, module, picture)
    check_in_root(package, folder, module, picture)
    print(f"{len(failures)} failures.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
