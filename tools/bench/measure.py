"""Measures programs against each other: time, start, memory, size.

Every comparison runs in rounds, and in each round both sides run, the one
that begins changing from round to round: what else the machine does then
falls on both. A round gives one ratio; the figure is their median, with the
quartiles as its spread.
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
    """Ours against theirs, in one unit; below 1 ours is the smaller."""

    name: str
    unit: str
    ours: float
    theirs: float
    ratio: float
    low: float  # The lower quartile of the rounds' ratios.
    high: float  # The upper one.
    rounds: int
    limit: float | None = None  # The largest ratio that the project allows.


def compare(name, unit, ours, theirs, rounds, limit=None):
    """Runs two measurements in turn and returns their Figure.

    ours and theirs return one number each; they run once unmeasured first.
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


def benchmark_seconds(output, function):
    """Returns the seconds per call in a benchmark's table.

    A row reads `BM_add/process_time/real_time   1.76 us   1.77 us   1000`.
    """
    match = re.search(
        rf"^BM_{re.escape(function)}\S*\s+([\d.e+-]+)\s+(ns|us|ms|s)\b",
        output, re.M)
    if not match:
        raise ValueError(f"The benchmark printed no row for {function}:\n"
                         f"{output}")
    return float(match.group(1)) * UNITS[match.group(2)]


def call_time(command, function, scale):
    """Returns a measurement: the time per call that a benchmark prints."""

    def measure():
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")
        return benchmark_seconds(done.stdout, function) * scale

    return measure


def spawn(command):
    """Runs a command, output dropped; returns (seconds, peak KiB)."""
    begin = time.perf_counter()
    pid = os.posix_spawn(
        command[0], command, dict(os.environ),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise RuntimeError(f"{' '.join(command)} failed.")
    return seconds, usage.ru_maxrss


def start_times(name, ours, theirs, rounds, runs, limit):
    """Compares whole processes, single runs of both sides alternating."""
    spawn(ours)
    spawn(theirs)
    pairs = []
    for _ in range(rounds):
        samples = ([], [])
        for index in range(2 * runs):
            side = (index ^ index >> 1) & 1  # A B B A A B B A ...
            samples[side].append(spawn((ours, theirs)[side])[0] * 1e3)
        pairs.append(tuple(statistics.median(s) for s in samples))
    return summarize(name, "ms", pairs, limit)


def stripped_size(path):
    """Returns a program's size in bytes without its symbols."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stripped")
        subprocess.run(["strip", "-o", copy, path], check=True)
        return os.path.getsize(copy)
