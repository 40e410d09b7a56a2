"""Runs every flag that writes a file, for every kind of path.

A write keeps the file's links, its other names, its mode and its owner. If the
new content cannot be written, the old content stays. A path that cannot be
written is an error before anything runs. The commands run without root's
capabilities, so that file permissions apply.

  files_test.py <eyrie>
"""

import concurrent.futures
import ctypes
import os
import pathlib
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile

MODULES = "tests/modules/3.13"
OLD = b"old content\n"

# Name, command, how the file begins, file name. "{f}" is the file, "{d}" its
# folder.
WRITERS = [
    ("@.npy", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --output=@{f}",
     b"\x93NUMPY", "f.npy"),
    ("@.npz", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --output=@{f}",
     b"PK", "f.npz"),
    ("@.bin", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --output=@{f}",
     struct.pack("<4f", 3, 3, 3, 3), "f.bin"),
    ("+.npy", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --output=+{f}",
     b"\x93NUMPY", "f.npy"),
    ("+.bin", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --output=+{f}",
     struct.pack("<4f", 3, 3, 3, 3), "f.bin"),
    ("--trace", "run add.vmfb --input=4xf32=1 --input=4xf32=2 --trace={f}",
     b"{", "f"),
    ("bench --trace", "bench add.vmfb --input=4xf32=1 --input=4xf32=2 "
     "--benchmark_min_time=1x --trace={f}", b"{", "f"),
    ("--benchmark_out", "bench add.vmfb --input=4xf32=1 --input=4xf32=2 "
     "--benchmark_min_time=1x --benchmark_out={f}", b"{", "f"),
    ("--xml", "check checks.vmfb --filter=*.empty --xml={f}", b"<?xml", "f"),
    ("--gtest_output", "check checks.vmfb --filter=*.empty "
     "--gtest_output=xml:{f}", b"<?xml", "f"),
    ("--html", "inspect add.vmfb --html={f}", b"<!", "f"),
    ("asm -o", "asm t.vmasm -o {f}", b"", "f"),
    ("note -o", "note t.mlir -o {f}", b"\x7fELF", "f"),
    ("params create", "params create --data=w=8xf32=1.5 --output={f}", b"IRPA",
     "f"),
    ("params convert", "params convert w.irpa --output={f}", b"IRPA", "f"),
    ("--extract", "params dump w.irpa --extract=w={f}",
     struct.pack("<f", 1.5), "f"),
    ("--rodata", "dump t.vmfb --output=disassembly --rodata={d}",
     b"x" * 300, "rodata_0.bin"),
]

# Name, shell commands that create "f", expected state of the file afterwards,
# and then of its folder. "E" begins an error. "new" is the new content; it
# follows the old content if the writer appends.
STATES = [
    ("missing", ":", "644 new"),
    ("regular", "cp old f", "644 new"),
    ("mode", "cp old f; chmod 600 f", "600 new"),
    ("symlink", "mkdir e; cp old e/g; chmod 640 e/g; ln -s e/g f",
     "> 640 new"),
    ("dangling", "mkdir e; ln -s e/g f", "> 644 new"),
    ("dangling nowhere", "ln -s e/g f", "E > none"),
    ("hard link", "cp old f; ln f g", "644 x2 new"),
    ("read-only", "cp old f; chmod 444 f", "E 444 old"),
    ("folder", "cp old f; chmod 555 .", "644 new"),
    ("folder, missing", "chmod 555 .", "E none"),
    ("no folder", "rm old; rmdir $PWD", "E none"),
    ("is a folder", "mkdir f", "E folder"),
    ("other's, in place", "cp old f; chmod 666 f; chown 4321:4321 f",
     "666 4321 new"),
    ("other's", "cp old f; chown 4321:4321 f", "E 644 4321 old"),
    ("/dev/null", "ln -s /dev/null f", "ok"),
    ("/dev/full", "ln -s /dev/full f", "E ok"),
    ("/dev/stdout", "ln -s /dev/stdout f", "stdout"),
    ("FIFO", "mkfifo f", "fifo"),
    ("limit", "cp old f", "E 644 old"),
    ("limit, hard link", "cp old f; ln f g", "E 644 x2 old"),
    ("limit, missing", ":", "E none"),
]
# These flags create missing folders, as GoogleTest does.
MAKES_FOLDERS = ("--gtest_output",)


def drop_powers():
    """Drops root's capabilities from this process and its children."""
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    header = struct.pack("<II", 0x20080522, 0)
    libc.capset(header, struct.pack("<6I", 0, 0, 0, 0, 0, 0))


def describe(path):
    """Returns a file's mode, link count, other owner, and its content."""
    if not os.path.lexists(path):
        return "none", b""
    text = "> " if os.path.islink(path) else ""
    if not os.path.exists(path):
        return text + "none", b""
    info = os.stat(path)
    if stat.S_ISDIR(info.st_mode):
        return text + "folder", b""
    text += "%o" % (info.st_mode & 0o777)
    if info.st_nlink > 1:
        text += " x%d" % info.st_nlink
    if info.st_uid != os.geteuid():
        text += " %d" % info.st_uid
    return text, path.read_bytes()


class Tester:
    """Runs commands in its own folder and counts wrong results."""

    def __init__(self, eyrie, folder):
        self.eyrie = eyrie
        self.folder = folder
        self.rows = 0
        self.failures = 0

    def check(self, name, got, want):
        """Checks one row of a table."""
        self.rows += 1
        if got != want:
            self.failures += 1
            print("FAILED: %s\n  want: %s\n  got:  %s" % (name, want, got))

    def start(self, command, limit=None, **options):
        """Starts a command of the tool without root's capabilities."""

        def prepare():
            drop_powers()
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [self.eyrie] + command.split(" "), cwd=self.folder,
            preexec_fn=prepare, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **options)

    def run(self, command, limit=None):
        """Runs a command. Returns its exit code, stdout and stderr."""
        process = self.start(command, limit, stdin=subprocess.DEVNULL)
        out, errors = process.communicate(timeout=300)
        return process.returncode, out, errors

    def prepare(self, place, state, setup):
        """Creates the folder for a row. Returns False if that fails."""
        if place.exists():
            os.chmod(place, 0o755)
            shutil.rmtree(place)
        place.mkdir()
        (place / "old").write_bytes(OLD)
        done = subprocess.run(["sh", "-c", setup], cwd=place, check=False,
                              stderr=subprocess.PIPE)
        if done.returncode != 0 and "chown" in setup:
            print("Not tested: %s: this user cannot make such files." % state)
            return False
        assert done.returncode == 0, (setup, done.stderr)
        return True


def write_one(test, writer, state):
    """Tests one writer with one kind of path."""
    name, command, start, file = writer
    state_name, setup, want = state
    title = "%s to %s" % (name, state_name)
    place = test.folder / "place"
    setup = setup.replace(" f", " " + file)
    if not test.prepare(place, state_name, setup):
        return
    path = place / file
    command = command.format(f=path, d=place)
    fifo = os.open(path, os.O_RDWR | os.O_NONBLOCK) if want == "fifo" else None
    limit = 8 if state_name.startswith("limit") else None
    code, out, errors = test.run(command, limit)
    fails = want.startswith("E ")
    if name in MAKES_FOLDERS and state_name == "no folder":
        fails, want = False, "E 644 new"
    # Google Benchmark itself may be killed by the limit.
    killed = limit and name == "--benchmark_out" and code < 0
    test.check(title + ": exit code, " + repr(errors), code,
               code if killed else 1 if fails else 0)
    if fails and not killed:
        test.check(title + ": a sentence", b"eyrie: " in errors, True)
        early = limit is None and state_name != "/dev/full"
        test.check(title + ": reported first", b"EXEC" in out and early, False)
    if fifo is not None:
        data = os.read(fifo, 1 << 20) if code == 0 else b""
        os.close(fifo)
        test.check(title, data[:len(start)], start)
        return
    if want == "stdout":
        test.check(title, start in out, True)
        return
    if want.endswith("ok"):
        return
    text, content = describe(path)
    appends = name[0] == "+" and ("cp old" in setup)
    if content == OLD:
        text += " old"
    elif content.startswith((OLD if appends else b"") + start) and content:
        text += " new"
    test.check(title, text, want.replace("E ", ""))
    if place.exists():
        test.check(title + ": leftovers",
                   [each for each in os.listdir(place) if ".part" in each], [])
        os.chmod(place, 0o755)


def append_in_parallel(test):
    """Tests ten processes that append to one file and create it."""
    command = "run add.vmfb --input=4xf32=%d --input=4xf32 --output=+%s"
    for name in ("many.npy", "many.npz", "many.bin"):
        path = test.folder / name
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            done = list(pool.map(lambda i: test.run(command % (i, path)),
                                 range(10)))
        test.check(name + ": exit codes", [each[0] for each in done], [0] * 10)
        if name.endswith("z"):
            with zipfile.ZipFile(path) as archive:
                test.check(name, archive.testzip(), None)
                records = [archive.read(each) for each in archive.namelist()]
        else:
            content = path.read_bytes()
            size = len(content) // 10
            records = [content[i * size:(i + 1) * size] for i in range(10)]
        test.check(name + ": records",
                   sorted(struct.unpack("<4f", each[-16:])
                          for each in records),
                   [(float(i),) * 4 for i in range(10)])


def open_files(process):
    """Returns the number of a process's open files, or 1000 if it ended."""
    try:
        return len(os.listdir("/proc/%d/fd" % process))
    except OSError:
        return 1000


def end_in_the_middle(test):
    """Tests that killing a writer leaves the old or the new content."""
    size = 16 << 20
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        for links in (1, 2):
            place = test.folder / "ended"
            test.prepare(place, "ended",
                         "cp old f" + ("; ln f g" if links == 2 else ""))
            process = test.start("params create --quiet --data=w=%dxf32=1.5 "
                                 "--output=%s" % (size, place / "f"),
                                 stdin=subprocess.DEVNULL)
            while process.poll() is None and open_files(process.pid) < 4:
                pass  # until the new content is a file
            process.send_signal(number)
            process.communicate(timeout=300)
            content = (place / "f").stat().st_size
            # SIGKILL during a copy in place leaves a partial file.
            test.check("ended by %d, %d names" % (number, links),
                       content == len(OLD) or content >= size * 4 or
                       (number == signal.SIGKILL and links == 2), True)
            test.check("ended: leftovers", sorted(os.listdir(place)),
                       ["f", "g", "old"] if links == 2 else ["f", "old"])


def report_early(test):
    """Tests that wrong paths are errors before stdin is closed."""
    for flags in ("--parameters=nowhere.irpa", "--parameters=a=nowhere.irpa",
                  "--output=@nowhere/f.npy", "--trace=nowhere/f",
                  "nowhere.vmfb", "--output=@folder", "--output=f.npy"):
        code = 2 if flags == "--output=f.npy" else 1  # without '@'
        process = test.start("run - --input=4xf32 --input=4xf32 " + flags,
                             stdin=subprocess.PIPE)
        name = "early: " + flags
        try:
            test.check(name, process.wait(timeout=120), code)
        except subprocess.TimeoutExpired:
            process.kill()
            test.check(name, "waits for standard input", "an error")
        out, errors = process.stdout.read(), process.stderr.read()
        test.check(name, (out, b"eyrie: " in errors), (b"", True))
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def write_to_inputs(test):
    """Tests files that are both read and written by a command."""
    folder = test.folder
    add = "run add.vmfb --input=4xf32=1 --input=@x.npy --output=@x.npy"
    npy = (folder / "f.npy").read_bytes()
    (folder / "x.npy").write_bytes(npy)
    test.check("an input", test.run(add)[0], 0)
    test.check("an input", (folder / "x.npy").read_bytes()[-16:],
               struct.pack("<4f", 4, 4, 4, 4))
    os.link(folder / "x.npy", folder / "y.npy")
    test.check("an input with two names", test.run(add)[0], 0)
    test.check("an input with two names",
               (folder / "y.npy").read_bytes()[-16:],
               struct.pack("<4f", 5, 5, 5, 5))
    os.link(folder / "add.vmfb", folder / "module")
    os.link(folder / "w.irpa", folder / "w2.irpa")
    module = (folder / "module").read_bytes()
    weights = (folder / "w.irpa").read_bytes()
    for command in (
            "run add.vmfb --input=4xf32 --input=4xf32 --output=@module",
            "run add.vmfb --input=4xf32 --input=4xf32 --output=+module",
            "run add.vmfb --input=4xf32 --input=4xf32 --trace=module",
            "inspect add.vmfb --html=module",
            "asm t.vmasm -o t.vmasm",
            "params dump w.irpa --extract=w=w2.irpa",
            "params convert w.irpa --output=w2.irpa"):
        code, _, errors = test.run(command)
        test.check(command, (code, errors[:7]), (1, b"eyrie: "))
    test.check("the module", (folder / "module").read_bytes(), module)
    test.check("the weights", (folder / "w.irpa").read_bytes(), weights)
    os.remove(folder / "w2.irpa")
    code, _, errors = test.run("params convert w.irpa --output=w.irpa")
    test.check("converted in its place", (code, errors), (0, b""))


def main():
    eyrie = pathlib.Path(sys.argv[1]).absolute()
    modules = pathlib.Path(MODULES).absolute()
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        test = Tester(str(eyrie), folder)
        for module in ("add.vmfb", "checks.vmfb"):
            (folder / module).write_bytes((modules / module).read_bytes())
        (folder / "folder").mkdir()
        (folder / "rodata").write_bytes(b"x" * 300)
        (folder / "t.vmasm").write_text(
            'vm.module @m\nvm.rodata[0] = file "rodata"\n', encoding="utf-8")
        (folder / "t.mlir").write_text(
            "func.func @f(%a: memref<?xf32>) attributes "
            "{llvm.emit_c_interface} {\n  return\n}\n", encoding="utf-8")
        for command in (
                "asm t.vmasm -o t.vmfb",
                "params create --data=w=8xf32=1.5 --output=w.irpa",
                "run add.vmfb --input=4xf32=1 --input=4xf32=2 "
                "--output=@f.npy"):
            code, _, errors = test.run(command)
            test.check(command, (code, errors), (0, b""))
        for writer in WRITERS:
            for state in STATES:
                write_one(test, writer, state)
        append_in_parallel(test)
        end_in_the_middle(test)
        report_early(test)
        write_to_inputs(test)
    print("%d of %d rows as expected" % (test.rows - test.failures, test.rows))
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
