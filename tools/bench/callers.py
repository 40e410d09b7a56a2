"""Measures programs that eight threads call at the same time.

Upstream's benchmark calls on one thread, so eight of its processes run at the
same time: they share nothing, and so no lock slows them down.
Tested by tests/house_test.py.
"""

import json
import os
import re
import statistics
import subprocess

import measure
import rows

CALLERS = 8
# The calls of eight callers in a second, by those of one: on two processors.
SPEED_UP = 1.9
# The largest allowed time of a call of a CallPool by that of one thread: a call
# of 7 us is requested, queued and reported by threads on the same processors.
BY_ONE_THREAD = 0.9
# The largest allowed ratio of the time that 99 of 100 calls do not exceed to
# the median.
SPREAD = 3
# The largest allowed ratio of a call's time to upstream's, and of the time on
# local-task to that on local-sync.
BY_UPSTREAM = 1.0
BY_SYNC = 1.05


def command(comparison, row):
    """Returns the tool's command line, which prints JSON."""
    ours = comparison.sides(row, benchmark=True)[0]
    return [*ours, "--benchmark_format=json"]


def measured(arguments):
    """Returns the row of JSON that a command prints."""
    done = subprocess.run(arguments, capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)["benchmarks"][0]


def call_time(arguments, callers):
    """Returns a function that measures the time of the run by its calls."""
    flags = [f"--callers={callers}"]
    return lambda: measured([*arguments, *flags])["real_time"] / 1e3


def spread(arguments):
    """Returns p99 and p50 of calls, in microseconds."""
    row = measured([*arguments, f"--callers={CALLERS}"])
    return row["p99"] / 1e3, row["p50"] / 1e3


def upstream_time(arguments, function):
    """Returns a function that measures the same in upstream's processes.

    Takes their processor time: on two busy processors the wall-clock time that
    they print leaves most of their waiting out (244 us a call for 208 us of
    work, eight processes at once).
    """
    processors = min(CALLERS, len(os.sched_getaffinity(0)))
    def run():
        running = [subprocess.Popen(arguments, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, text=True)
                   for _ in range(CALLERS)]
        seconds = [measure.benchmark_seconds(each.communicate()[0], function,
                                             "cpu") for each in running]
        return 1e6 * statistics.mean(seconds) / processors
    return run


def pool(bench, root, options):
    """Returns the figure of a CallPool with as many threads, by one thread."""
    def timed(name):
        return measure.call_time(
            ["env", "-C", root, bench, f"--benchmark_filter=^BM_{name}$",
             f"--benchmark_min_time={options.min_time[:-1]}"],
            name.split("/", maxsplit=1)[0], 1e6)
    return measure.compare(
        f"CallPool of {CALLERS}: digits, by one thread", "us",
        timed(f"digits_pool/{CALLERS}/real_time"), timed("digits_marshalled"),
        options.rounds, BY_ONE_THREAD)


def figures(comparison):
    """Yields the figures of each program on both devices."""
    rounds = comparison.options.rounds
    for row in rows.CALLERS:
        name = f"{CALLERS} callers: {row.name}"
        ours = command(comparison, row)
        theirs = comparison.sides(row, benchmark=True)[1]
        eight = call_time(ours, CALLERS)
        is_task = row.device == rows.TASK
        yield measure.compare(f"{name}, by one caller", "us", eight,
                              call_time(ours, 1), rounds,
                              None if is_task else 1 / SPEED_UP)
        yield measure.compare(name, "us", eight,
                              upstream_time(theirs, row.function), rounds,
                              BY_UPSTREAM)
        pairs = [spread(ours) for _ in range(rounds)]
        yield measure.summarize(f"{name}, p99 by p50", "us", pairs,
                                SPREAD if row.program == "mlp" else None)
        if is_task:
            sync = [re.sub(f"^--device={rows.TASK}$",
                           f"--device={rows.SYNC}", each) for each in ours]
            yield measure.compare(f"{name}, by local-sync", "us", eight,
                                  call_time(sync, CALLERS), rounds, BY_SYNC)
