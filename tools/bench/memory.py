"""Figures of memory: peaks, growth, and pages that processes share.

Each function yields figures of a Comparison. Their sides are numbers of one
run of ours and of upstream's, or of ours and its limit.
Tested by tests/house_test.py.
"""

import os
import re
import subprocess
import time

import measure
import rows
import sparse_files

MIB = 1 << 20
PROGRAMS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "programs")
QUIET = "--output_max_element_count=1"
# Bytes needed to read the constants: the pages that the function reads, and its
# result. The table has 65536 rows of 4096 bytes.
CONSTANTS = {
    "row": ("--input=7", 4096 + 4096),
    "sums": ("--input=f32=2", 256 * MIB + 65536 * 4),
}
PROCESSES = 4


class Peaks:
    """Measures peaks with peak.c, which it compiles."""

    def __init__(self, cache):
        self.starter = os.path.join(cache, "peak")
        subprocess.run(["cc", "-O2", os.path.join(PROGRAMS, "peak.c"), "-o",
                        self.starter], check=True)

    def of(self, command):
        """Runs a command. Returns its peak in MiB."""
        done = subprocess.run([self.starter, *command], check=True,
                              capture_output=True, text=True)
        return int(done.stdout.rsplit("\n", 2)[-2]) / 1024


def by_limit(name, unit, value, limit):
    """Returns the figure of a number of ours that has a limit."""
    return measure.summarize(f"{name}, by its limit", unit, [(value, limit)], 1)


def constants(comparison, limit):
    """Compares peak memory beyond what reading the constants needs.

    Upstream's figure is the better of its two ways to load a module.
    """
    peaks = Peaks(comparison.cache)
    for function, (argument, needed) in CONSTANTS.items():
        ours, theirs = comparison.sides(
            rows.Row("", "constants", function, (argument,)))
        theirs.append("--module_mode=mmap")
        above = [peaks.of([*command, QUIET]) - needed / MIB
                 for command in (ours, theirs)]
        yield measure.summarize(f"constants, @{function}: peak above need",
                                "MiB", [above], limit / above[1])


def decode(comparison):
    """Measures the peak of a decode loop, and its growth over the steps."""
    peaks = Peaks(comparison.cache)

    def peak(steps):
        row = rows.Row("", "decode", "decode",
                       ("--input=16xf32=1", f"--input={steps}"))
        return peaks.of([*comparison.sides(row)[0], QUIET])

    first = peak(1)
    yield by_limit("decode: peak above the cache", "MiB", first - 64, 8)
    yield by_limit("decode: growth in 10,000 steps", "MiB",
                   max(peak(10_000) - first, 0), 1)


def smaps(pid):
    """Returns a process's memory in MiB, by the kernel's names."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return {name: int(kib) / 1024
                for name, kib in re.findall(r"^(\w+):\s+(\d+) kB", file.read(),
                                            re.M)}


def smaps_of(command, count):
    """Returns the memory of processes that run a benchmark at the same time."""
    processes = []
    try:
        for _ in range(count):
            processes.append(subprocess.Popen(
                [*command, "--benchmark_min_time=60s"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        time.sleep(count)  # until all have read all pages
        return [smaps(process.pid) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def sampled(command, seconds):
    """Returns the resident MiB of a benchmark, every 0.1 s.

    The first samples are left out: until its results exist, a process grows.
    """
    process = subprocess.Popen(
        [*command, f"--benchmark_min_time={seconds}s"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples = []
    try:
        while process.poll() is None:
            samples.append(smaps(process.pid).get("Rss", 0))
            time.sleep(0.1)
    except (FileNotFoundError, ProcessLookupError):
        pass  # it has just ended
    finally:
        process.kill()
        process.wait()
    return [each for each in samples[len(samples) // 4:] if each > 0]


def growth(samples):
    """Returns by how much the last half's peak exceeds that of the first."""
    half = len(samples) // 2
    return max(0, max(samples[half:]) - max(samples[:half]))


def over_time(comparison, seconds):
    """Compares peaks of long runs with upstream's, and measures growth."""
    for row in rows.OVER_TIME:
        ours, theirs = (sampled(command, seconds)
                        for command in comparison.sides(row, True))
        yield measure.summarize(f"memory over time: {row.name}", "MiB",
                                [(max(ours), max(theirs))], row.limit)
        yield by_limit(f"memory over time: {row.name}, growth", "MiB",
                       growth(ours), 1)


def _file(comparison, gib, suffix):
    path = os.path.join(comparison.cache, f"zeros_{gib}.{suffix}")
    if not os.path.exists(path):
        sparse_files.write(path, gib)
    return path


def parameters(comparison):
    """Compares starts with 1 GiB and 64 GiB of parameters, and shared pages."""
    def row(gib, suffix, function="row", argument="--input=7"):
        path = _file(comparison, gib, suffix)
        return rows.Row("", "parameters", function,
                        (argument, f"--parameters=model={path}"))

    for suffix in ("irpa", "safetensors"):
        small, large = row(1, suffix), row(64, suffix)
        yield measure.start_times(
            f"start: 1 GiB of .{suffix}", *comparison.sides(small), 3, 1, 0.02)
        figure = measure.start_times(
            f"start: 64 GiB of .{suffix}, by 1 GiB", comparison.sides(large)[0],
            comparison.sides(small)[0], comparison.options.rounds, 25, 1.2)
        yield figure
        yield by_limit(f"start: 64 GiB of .{suffix}", "ms", figure.ours, 10)

    all_rows = row(1, "irpa", "sums", "--input=f32=2")
    shared = smaps_of(comparison.sides(all_rows, True)[0], PROCESSES)
    yield by_limit(
        f"{PROCESSES} processes, 1 GiB: private", "MiB",
        max(each["Private_Clean"] + each["Private_Dirty"] for each in shared),
        20)
    yield two_devices(comparison)


def two_devices(comparison):
    """Measures a process's share of 1 GiB that two devices have read."""
    command = [comparison.ours, "bench",
               f"--module={comparison.module('parameters_two', 'two')}",
               "--function=sums", f"--device={rows.SYNC}",
               f"--device={rows.SYNC}", "--input=f32=2", "--input=f32=2",
               f"--parameters=model={_file(comparison, 1, 'irpa')}"]
    share = smaps_of(command, 1)[0]["Pss"]
    return by_limit("2 devices, 1 GiB: above one copy", "MiB",
                    share - 1024, 20)
