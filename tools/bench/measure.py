"""Measures programs against each other: time, start, memory, size.

Every comparison runs in rounds. In each round both sides run, and the side
that runs first alternates, so that other load on the machine affects both. A
round gives one ratio. The figure is the median ratio; its spread is the
quartiles.
Tested by tests/house_test.py.
"""

import dataclasses
import os
import re
import statistics
import subprocess
import tempfile
import time

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclasses.dataclass
class Figure:
    """Our value and theirs, in one unit. A ratio below 1 favours us."""

    name: str
    unit: str
    ours: float
    theirs: float
    ratio: float
    low: float  # The lower quartile of the rounds' ratios.
    high: float  # the upper quartile
    rounds: int
    limit: float | None = None  # the largest allowed ratio
    size: int = 0  # bytes of the array, for the plot of ratios over size
    device: str = ""


def compare(name, unit, ours, theirs, rounds, limit=None):
    """Runs two measurements in turn and returns their Figure.

    `ours` and `theirs` return one number each. Each runs once unmeasured.
    """
    ours()
    theirs()
    pairs = []
    for index in range(rounds):
        if index % 2:
            their_value, our_value = theirs(), ours()
        else:
            our_value, their_value = ours(), theirs()
        pairs.append((our_value, their_value))
    return summarize(name, unit, pairs, limit)


def summarize(name, unit, pairs, limit=None):
    """Returns the Figure of the rounds' (ours, theirs) pairs."""
    ratios = [ours / theirs for ours, theirs in pairs]
    low, middle, high = quartiles(ratios)
    return Figure(name, unit, statistics.median(p[0] for p in pairs),
                  statistics.median(p[1] for p in pairs), middle, low, high,
                  len(pairs), limit)


def quartiles(values):
    """Returns the lower quartile, the median, and the upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def benchmark_seconds(output, function, clock="wall"):
    """Returns the seconds per call from a benchmark's table.

    A row reads `BM_add/process_time/real_time   1.76 us   1.77 us   1000`:
    first the wall-clock time, then the processor time of the process.
    """
    time_of = r"([\d.e+-]+)\s+(ns|us|ms|s)\b"
    match = re.search(
        rf"^BM_{re.escape(function)}\S*\s+{time_of}\s+{time_of}", output, re.M)
    if not match:
        raise ValueError(f"The benchmark printed no row for {function}:\n"
                         f"{output}")
    number, unit = match.groups()[:2] if clock == "wall" else match.groups()[2:]
    return float(number) * UNITS[unit]


def call_time(command, function, scale, clock="wall"):
    """Returns a function that measures the time a benchmark prints."""

    def measure():
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")
        return benchmark_seconds(done.stdout, function, clock) * scale

    return measure


def expect_equal(ours, theirs):
    """Raises unless two commands of one call give the same results.

    Compares printed output, and the files of arrays byte for byte.
    """
    printed = [_output(command) for command in (ours, theirs)]
    if b"=" in printed[1]:
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, side) for side in ("ours", "theirs")]
            for command, path in zip((ours, theirs), paths):
                _output([*command, f"--output=@{path}.npy"])
            for path in paths:
                with open(path + ".npy", "rb") as file:
                    printed.append(file.read())
    if printed[0] != printed[1] or printed[2:3] != printed[3:]:
        raise RuntimeError(f"{' '.join(ours)} gives other results than "
                           f"{' '.join(theirs)}.")


def _output(command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def instructions(command):
    """Counts the instructions of a call in a benchmark with callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        subprocess.run(
            ["valgrind", "--tool=callgrind",
             "--toggle-collect=eyrie::abi::PreparedCall::Invoke(*",
             f"--callgrind-out-file={counts}", *command,
             "--benchmark_min_time=0.5"], check=True, capture_output=True)
        with open(counts, encoding="utf-8") as file:
            return instructions_per_call(file.read())


def instructions_per_call(counts):
    """Returns callgrind's instruction count per call.

    Each call of PreparedCall::Invoke calls Callable::Invoke once.
    """
    total = int(re.search(r"^(?:totals|summary): (\d+)", counts, re.M)[1])
    invoke = re.search(r"\((\d+)\) eyrie::abi::Callable::Invoke\(", counts)[1]
    calls = re.findall(rf"^cfn=\({invoke}\).*\n(?:c\w+=.*\n)*?calls=(\d+)",
                       counts, re.M)
    return total / sum(int(number) for number in calls)


def geometric_mean(name, figures, limit=None):
    """Returns the mean of several figures' ratios as a Figure."""
    def mean(part):
        return statistics.geometric_mean(getattr(f, part) for f in figures)
    return Figure(name, figures[0].unit, mean("ours"), mean("theirs"),
                  mean("ratio"), mean("low"), mean("high"),
                  figures[0].rounds, limit)


def spawn(command):
    """Runs a command without output. Returns its time in seconds."""
    environment = dict(os.environ)  # outside the timed part
    begin = time.perf_counter()
    pid = os.posix_spawn(
        command[0], command, environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status = os.waitpid(pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise RuntimeError(f"{' '.join(command)} failed.")
    return seconds


def start_times(name, ours, theirs, rounds, runs, limit):
    """Compares whole processes; single runs of both sides alternate."""
    spawn(ours)
    spawn(theirs)
    pairs = []
    for _ in range(rounds):
        samples = ([], [])
        for index in range(2 * runs):
            side = (index ^ index >> 1) & 1  # A B B A A B B A ...
            samples[side].append(spawn((ours, theirs)[side]) * 1e3)
        pairs.append(tuple(statistics.median(s) for s in samples))
    return summarize(name, "ms", pairs, limit)


def stripped_size(path):
    """Returns a program's size in bytes without its symbols."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stripped")
        subprocess.run(["strip", "-o", copy, path], check=True)
        return os.path.getsize(copy)
