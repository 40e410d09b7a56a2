"""Runs ./eyrie on machines that lack something.

Each row copies the script into a tree of its own. PATH there has links to
ordinary programs, and fakes for Bazel, dpkg and apt-get. Namespaces of Linux
change the user, the system's name and the file systems.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FILES = (
    "eyrie", "install/documents.py", "install/help_files.py",
    "install/install.py", "install/notices.py", "install/package.py",
    "install/release.py", "install/spdx.py", "install/tarball.py",
    "CHANGELOG.md", "include/eyrie/c_base.h", "python/build_wheel.py",
    "tools/commands.def", "tools/house/docs_layers.py",
    "tools/house/includes.py",
    "tools/house/docs_tables.py",
    "tools/house/packages.txt", "tools/house/testing.sh",
)
PROGRAMS = (
    "basename", "bash", "cat", "chmod", "cksum", "comm", "cp", "cut", "dd",
    "df", "dirname", "env", "find", "grep", "id", "ls", "mkdir", "mount", "mv",
    "paste", "python3", "readlink", "rm", "sed", "sh", "sleep", "sort", "stat",
    "tail", "timeout", "touch", "uname",
)
# A Bazel that "builds" a tool that prints its arguments, and records its own.
BAZEL = """\
echo "$*" >>"$CALLS/bazel"
case " $* " in
  *" build "*) @BUILD@ ;;
  *" info "*) echo "$CALLS/out" ;;
esac
"""
TOOL = "#!/bin/sh\necho tool \"$@\"\n"
INSTALLED = """\
sed 's/^[^ ]* *\\([^ ]*\\).*/installed \\1/' "$TREE/tools/house/packages.txt"
"""
WITHOUT_ZLIB = INSTALLED.replace("\n", " | grep -v zlib\n")
FAKES = {
    "bazel": BAZEL.replace("@BUILD@", ":"),
    "dpkg-query": INSTALLED,
    "apt-get": 'echo "$*" >>"$CALLS/apt-get"; exit 100',
    "strip": 'cp "$3" "$2"',
}
DEBIAN = 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian 12"\n'
UBUNTU = 'ID=ubuntu\nVERSION_CODENAME=noble\nPRETTY_NAME="Ubuntu 24.04"\n'

# Puts a fake of other_system.sh with this exit code into the tree.
OTHER_SYSTEM = """\
printf '#!/bin/sh\\ncat >/dev/null; echo $TREE/root; exit {}' \\
  >tools/house/other_system.sh
chmod +x tools/house/other_system.sh
"""

# An x86-64 machine with the packages for AArch64.
ARM_PACKAGES = {
    "uname": "echo x86_64",
    "dpkg": 'case $1 in *foreign*) echo arm64 ;; *) echo amd64 ;; esac',
    "dpkg-deb": 'case $3 in Depends) echo "libmpi3 (= 4.1), other (>= 1)";; '
                '*) echo arm64;; esac',
    "aarch64-linux-gnu-strip": FAKES["strip"],
}
# Puts the files that Bazel builds of plug-ins into place.
PLUGINS = """\
mkdir -p "$CALLS/out/plugins/mpi" "$CALLS/out/plugins/spirv_tools"
touch "$CALLS/out/plugins/mpi/libeyrie_mpi.so"
touch "$CALLS/out/plugins/spirv_tools/libSPIRV-Tools-shared.so"
"""

# Commands to run the script in namespaces. The user of the first is unknown,
# so not root. The second binds $ROW/os-release to the system's file.
NO_ROOT = ["unshare", "--user"]
NAMED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
         'mount --bind "$ROW/os-release" /etc/os-release; exec "$@"', "-"]
FULL_DISK = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
             'mkdir -p "$HOME/.cache"\n'
             'mount -t tmpfs -o size=1m none "$HOME/.cache"; exec "$@"', "-"]
NO_LOOPBACK = ["unshare", "--user", "--map-root-user", "--net"]
PAGE = "; see 'When ./eyrie fails' in docs/building.md."

# The subject of the row, arguments, a dict of its machine, and the end of the
# last line. Keys of a machine: "in" (a command to start the script with),
# fakes by their names (None removes a program), "system" (its os-release),
# "before" (shell commands in the tree), and "code" (the exit code, if not 0 for
# the tool, else 1).
ROWS = [
    ("a working machine", "run a.vmfb", {}, "tool run a.vmfb"),
    ("no root, no sudo", "build",
     {"in": NO_ROOT, "dpkg-query": WITHOUT_ZLIB},
     "Only root or sudo can install packages; as root, run "
     "'apt-get install zlib1g-dev'" + PAGE),
    ("sudo that refuses", "build",
     {"in": NO_ROOT, "dpkg-query": WITHOUT_ZLIB, "sudo": "exit 1"},
     "sudo does not let you install packages; as root, run "
     "'apt-get install zlib1g-dev'" + PAGE),
    ("no network", "build",
     {"in": NAMED, "dpkg-query": WITHOUT_ZLIB},
     "apt-get cannot install zlib1g-dev; check its messages, the network and "
     "/etc/apt" + PAGE),
    ("another machine", "build --cpu=aarch64", {**ARM_PACKAGES, "code": 0},
     "/.eyrie/aarch64/bin/eyrie'."),
    ("a plug-in", "build spirv_tools",
     {"before": PLUGINS, "code": 0},
     "/.eyrie/plugins/spirv_tools/libSPIRV-Tools-shared.so'."),
    ("a plug-in for another machine", "build mpi --cpu=aarch64",
     {**ARM_PACKAGES, "before": PLUGINS, "code": 0,
      "apt-get": 'for name; do case $name in download) ;; *) '
                 'touch "$name.deb";; esac; done'},
     "/.eyrie/aarch64/bin/libeyrie_mpi.so'."),
    ("the same, without a network", "build mpi --cpu=aarch64",
     {**ARM_PACKAGES, "before": PLUGINS},
     "apt-get cannot download the packages of the group aarch64-plugins; check "
     "its messages, the network and /etc/apt" + PAGE),
    ("another machine that dpkg does not have, without rights",
     "test --cpu=aarch64",
     {"in": NO_ROOT, "dpkg": ":", "uname": "echo x86_64"},
     "Only root or sudo can do that; as root, run 'dpkg --add-architecture "
     "arm64' and 'apt-get update'" + PAGE),
    ("a machine that only Debian 13 has", "build --cpu=riscv64",
     {"in": NAMED, "uname": "echo x86_64", "code": 0,
      "before": OTHER_SYSTEM.format(0) +
                'mkdir -p .eyrie/riscv64/bin root/eyrie/.eyrie/riscv64/bin\n'
                'for file in eyrie libeyrie_benchmark.so; do\n'
                'touch root/eyrie/.eyrie/riscv64/bin/$file; done'},
     "/.eyrie/riscv64/bin/eyrie'."),
    ("the same, without its root", "test --cpu=riscv64",
     {"in": NAMED, "uname": "echo x86_64", "before": OTHER_SYSTEM.format(75)},
     "'./eyrie test --cpu=riscv64' needs a root folder of Debian trixie, which "
     "cannot be created here" + PAGE),
    ("this machine", "build --cpu=aarch64",
     {"uname": "echo aarch64", "code": 0}, "Built in 0 min 0 s."),
    ("Ubuntu", "build",
     {"in": NAMED, "system": UBUNTU, "dpkg-query": WITHOUT_ZLIB},
     "This is Ubuntu 24.04, not Debian 12 or 13: install these packages or "
     "their counterparts yourself: zlib1g-dev" + PAGE),
    ("Ubuntu with all packages", "run a",
     {"in": NAMED, "system": UBUNTU}, "tool run a"),
    ("no dpkg", "build",
     {"in": NAMED, "system": "PRETTY_NAME=Arch\n", "dpkg-query": None},
     "This is Arch, not Debian 12 or 13: install the counterparts of "
     "tools/house/packages.txt, and build with bazel" + PAGE),
    ("a tree that is not writable", "run a",
     {"in": NO_ROOT, "before": 'chmod -R a-w "$TREE"'}, "tool run a"),
    ("a tree that is not writable, documents", "docs",
     {"in": NO_ROOT, "before": 'chmod -R a-w "$TREE"'},
     "which is not writable" + PAGE),
    ("a package into a folder of another user", "package --out=/proc/dist",
     {"in": NO_ROOT}, "eyrie: '/proc/dist' cannot be written."),
    ("a wheel into a folder of another user", "wheel --out=/proc/dist",
     {"in": NO_ROOT}, "eyrie: '/proc/dist' cannot be written."),
    ("a release into a folder of another user", "release --out=/proc/dist",
     {"in": NO_ROOT}, "eyrie: '/proc/dist' cannot be written."),
    ("a release without a repository", "release", {"git": "exit 128"},
     "eyrie: A release is made from a commit: git does not find one in "
     "'@TREE@'."),
    ("a release without git", "release", {}, "'@TREE@'."),
    ("a release of a changed tree", "release", {"git": 'echo " M eyrie"'},
     "eyrie: A release is made from a commit, and the tree differs from it: "
     "' M eyrie'. Commit or remove the changes; 'git status' lists them."),
    ("a release into a folder with files", "release --out=/proc/self/fd",
     {"git": ":"}, "or name another folder with --out."),
    ("a release of a version without notes", "release",
     {"git": ":", "before": "echo >CHANGELOG.md"}, "nor '## Unreleased'."),
    ("a release without the packages for AArch64", "release",
     {"in": NAMED, **ARM_PACKAGES, "git": ":",
      "dpkg-query": INSTALLED.replace("\n", " | grep -v arm64\n")},
     "libasmjit-dev:arm64 libbenchmark-dev:arm64 libflatbuffers-dev:arm64 "
     "libpython3-dev:arm64 zlib1g-dev:arm64; check its messages, the network "
     "and /etc/apt" + PAGE),
    ("a state of another user", "run a",
     {"in": NO_ROOT, "before": 'mkdir .eyrie; chmod a-w .eyrie'},
     "tool run a"),
    ("no place for the tool", "run a",
     {"in": NO_ROOT, "before": 'chmod -R a-w "$TREE" "$HOME"',
      "mkdir": 'case $* in */var/tmp/*) exit 1; esac; exec /bin/mkdir "$@"'},
     "can be written" + PAGE),
    ("a Bazel cache of another user", "run a",
     {"in": NO_ROOT,
      "before": 'mkdir -p "$HOME/.cache/bazel"; chmod a-w "$HOME/.cache/bazel"',
      "bazel": FAKES["bazel"] + 'case $* in *"--output_user_root="*) ;; '
               "*) exit 36; esac"},
     "tool run a"),
    ("a Bazel output of another user", "run a",
     {"in": NO_ROOT,
      "before": 'place="$HOME/.cache/bazel/_bazel_ada/0123"\n'
                'mkdir -p "$place"; chmod a-w "$place"',
      "bazel": FAKES["bazel"] + 'case $* in *"--output_user_root="*) ;; '
               "*) exit 36; esac"},
     "tool run a"),
    ("a full disk", "build",
     {"in": FULL_DISK, "bazel": BAZEL.replace("@BUILD@", "exit 36")},
     "_bazel_ada' is full" + PAGE),
    ("no loopback interface", "build", {"in": NO_LOOPBACK},
     "Bazel needs the loopback interface (lo), which is down" + PAGE),
    ("no Bazel in PATH", "build", {"bazel": None},
     "bazel is installed, but not in PATH" + PAGE),
    ("a path with a space", "build",
     {"before": 'mv "$TREE" "$ROW/a tree"; /bin/ln -s "$ROW/a tree" "$TREE"'},
     "the path contains a space" + PAGE),
    ("a checkout without its last files", "build",
     {"before": 'rm tools/house/packages.txt'},
     "'tools/house/packages.txt' is missing or empty" + PAGE),
    ("a crash of Bazel", "build",
     {"bazel": BAZEL.replace("@BUILD@", "exit 37")},
     "The tool cannot be built: Bazel failed with exit code 37" + PAGE),
    ("a compiler that fails", "build",
     {"bazel": BAZEL.replace("@BUILD@", "exit 1")},
     "The tool cannot be built: the messages above say which command failed" +
     PAGE),
    ("a wheel without a home", "wheel",
     {"in": NO_ROOT, "before": 'chmod a-w "$HOME"'},
     "which cannot be written" + PAGE),
    ("a wheel without a network", "wheel",
     {"before": "printf '#!/bin/sh\\nexit 1\\n' >python/install.sh\n"
                "chmod +x python/install.sh"},
     "pip cannot install nanobind, NumPy and ml_dtypes from PyPI" + PAGE),
]

# Arguments that end the script before it installs or builds anything, and the
# end of its last line.
ARGUMENTS = [
    ("bulid", "There is no command 'bulid'; './eyrie help' lists the "
              "commands."),
    ("--bogus", "There is no command '--bogus'; './eyrie help' lists the "
                "commands."),
    ("", "The script lists missing Debian packages and installs them, as root "
         "or with sudo."),
    ("build --bogus", "There is no plug-in '--bogus'; there are: mpi, "
                      "spirv_tools."),
    ("build mpi again", "'./eyrie build' does not take 'again'."),
    ("build mpi --cpu=riscv64",
     "'./eyrie build mpi' makes nothing for riscv64; './eyrie build "
     "--cpu=riscv64' builds the tool."),
    ("build mpi --cpu=riscv64 again", "'./eyrie build' does not take 'again'."),
    ("test --bogus", "'./eyrie test' takes names of tests or folders, --asan, "
                     "--tsan, --all, --quick, --system=RELEASE or "
                     "--cpu=MACHINE, not '--bogus'."),
    ("test --all again", "'./eyrie test' does not take 'again'."),
    ("test --cpu=z80", "'--cpu' takes aarch64 or riscv64, not 'z80'."),
    ("build --cpu=z80", "'--cpu' takes aarch64 or riscv64, not 'z80'."),
    ("build --cpu=aarch64 again", "'./eyrie build' does not take 'again'."),
    ("b.*", "There is no command 'b.*'; './eyrie help' lists the commands."),
    ("help bulid", "There is no command 'bulid'; './eyrie help' lists the "
                   "commands."),
    ("test --quick again", "'./eyrie test' does not take 'again'."),
    ("test --system=sid", "'./eyrie test --system' takes bookworm or trixie, "
                          "not 'sid'."),
    ("test --system=", "'./eyrie test --system' takes bookworm or trixie, "
                       "not ''."),
    ("docs again", "'./eyrie docs' does not take 'again'."),
    ("compdb again", "'./eyrie compdb' does not take 'again'."),
    ("format a.cc", "'./eyrie format' does not take 'a.cc'."),
    ("package --cpu=vax", "'--cpu' takes aarch64 or riscv64, not 'vax'."),
    ("package --cpu=riscv64", "'./eyrie package' makes nothing for riscv64; "
     "'./eyrie build --cpu=riscv64' builds the tool."),
    ("wheel --cpu=riscv64", "'./eyrie wheel' makes nothing for riscv64; "
     "'./eyrie build --cpu=riscv64' builds the tool."),
    ("install --bogus", "error: unrecognized arguments: --bogus"),
    ("package --bogus", "error: unrecognized arguments: --bogus"),
    ("wheel --bogus", "error: unrecognized arguments: --bogus"),
    ("tarball --cpu=riscv64", "'./eyrie tarball' makes nothing for riscv64; "
     "'./eyrie build --cpu=riscv64' builds the tool."),
    ("tarball --bogus", "error: unrecognized arguments: --bogus"),
    ("tarball --out=/etc/os-release", "'/etc/os-release' is not a folder."),
    ("release --bogus", "error: unrecognized arguments: --bogus"),
    ("release --out=/etc/os-release/a", "'/etc/os-release' is not a folder."),
    ("uninstall --bogus", "error: unrecognized arguments: --bogus"),
]


class Machine:
    """A tree with the script, a home directory, and the programs in PATH."""

    def __init__(self, folder, machine):
        self.machine = machine
        self.tree, self.calls = folder + "/tree", folder + "/calls"
        self.env = {"HOME": folder + "/home", "PATH": folder + "/bin",
                    "TREE": self.tree, "CALLS": self.calls, "ROW": folder,
                    "USER": "ada", "LC_ALL": "C.UTF-8"}
        for name in ("home", "bin", "calls/out/tools"):
            os.makedirs(f"{folder}/{name}")
        for name in FILES:
            os.makedirs(os.path.dirname(f"{self.tree}/{name}"), exist_ok=True)
            shutil.copy(f"{ROOT}/{name}", f"{self.tree}/{name}")
        for name in ("mpi", "spirv_tools"):
            os.makedirs(f"{self.tree}/plugins/{name}")
            self.write(f"{self.tree}/plugins/{name}/BUILD", "")
        for name in ("eyrie", "libeyrie_benchmark.so"):
            self.write(f"{self.calls}/out/tools/{name}", TOOL)
        self.write(f"{folder}/os-release", machine.get("system", DEBIAN))
        for name in PROGRAMS:
            os.symlink(shutil.which(name), f"{folder}/bin/{name}")
        for name, text in {**FAKES, **machine}.items():
            path = f"{folder}/bin/{name}"
            if name not in ("in", "before", "system", "code"):
                if os.path.lexists(path):
                    os.remove(path)
                if text is not None:
                    self.write(path, "#!/bin/sh\n" + text)
        subprocess.run(["sh", "-euc", machine.get("before", "")], check=True,
                       cwd=self.tree, env=self.env)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def start(self, arguments, **options):
        inside = self.machine.get("in", [])
        if inside:
            inside = [shutil.which(inside[0]), *inside[1:]]
        return subprocess.Popen(
            [*inside, self.tree + "/eyrie", *arguments.split()], env=self.env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd="/", **options)

    def calls_of(self, name):
        if not os.path.exists(f"{self.calls}/{name}"):
            return []
        with open(f"{self.calls}/{name}", encoding="utf-8") as file:
            return file.read().splitlines()


def can(command):
    return subprocess.run([*command, "true"], check=False, env=dict(
        os.environ, ROW="/", HOME="/"), stderr=subprocess.DEVNULL,
                          ).returncode == 0


class ScriptTest(unittest.TestCase):

    def run_on(self, machine, arguments):
        """Returns the machine, the exit code and the output."""
        with tempfile.TemporaryDirectory() as folder:
            row = Machine(folder, machine)
            process = row.start(arguments)
            output = process.communicate(timeout=60)[0].rstrip("\n")
            output = re.sub(r"\d+ min \d+ s", "0 min 0 s", output)
            calls = row.calls_of("bazel") + row.calls_of("apt-get")
            subprocess.run(["chmod", "-R", "u+w", folder], check=True)
            with contextlib.suppress(OSError):
                os.rmdir("/var/tmp/eyrie-bazel-65534")
        return process.returncode, output, calls

    def test_machines(self):
        if not can(NO_ROOT) or not can(NO_LOOPBACK):
            self.skipTest("There are no user namespaces here.")
        for about, arguments, machine, end in ROWS:
            with self.subTest(about=about):
                code, output, _ = self.run_on(machine, arguments)
                output = re.sub(r"/\S*/tree\b", "@TREE@", output)
                self.assertTrue(output.endswith(end), output)
                want = machine.get("code", int(not end.startswith("tool")))
                self.assertEqual(code, want, output)

    def test_arguments(self):
        for arguments, end in ARGUMENTS:
            with self.subTest(arguments=arguments):
                code, output, calls = self.run_on({"dpkg-query": WITHOUT_ZLIB},
                                                  arguments)
                self.assertTrue(output.endswith(end), output)
                self.assertIn(code, (1, 2), output)
                self.assertEqual(calls, [])

    def test_help_builds_nothing(self):
        for command, word in (("install", "--prefix"), ("package", "--out"),
                              ("wheel", "--out"), ("build", "build mpi"),
                              ("tarball", "--out"), ("release", "--out"),
                              ("test", "--quick")):
            with self.subTest(command=command):
                code, output, calls = self.run_on(
                    {"dpkg-query": WITHOUT_ZLIB}, command + " --help")
                self.assertIn(word, output)
                self.assertEqual((code, calls), (0, []), output)

    # Ctrl-C reaches every process of the terminal. Bazel ends with code 8.
    def test_interrupts(self):
        for arguments in ("build", "test"):
            with self.subTest(arguments=arguments), \
                    tempfile.TemporaryDirectory() as folder:
                row = Machine(folder, {"bazel": (
                    "trap 'kill $!; exit 8' INT\n" + FAKES["bazel"] +
                    'case " $* " in *" build "* | *" test "*) '
                    'touch "$CALLS/begun"; sleep 60 & wait;; esac')})
                process = row.start(
                    arguments, start_new_session=True, preexec_fn=lambda:
                    signal.signal(signal.SIGINT, signal.SIG_DFL))
                for _ in range(3000):
                    if os.path.exists(row.calls + "/begun"):
                        break
                    time.sleep(0.01)
                os.killpg(process.pid, signal.SIGINT)
                output = process.communicate(timeout=60)[0]
                self.assertTrue(output.endswith(
                    "eyrie: Interrupted. The same command continues where "
                    "this one stopped.\n"), output)
                self.assertEqual(process.returncode, 130)
                started = [call for call in row.calls_of("bazel")
                           if " build " in call or " test " in call]
                self.assertEqual(len(started), 1, started)


if __name__ == "__main__":
    sys.exit(unittest.main())
