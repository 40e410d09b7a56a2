"""Compares calls of small programs with their kernels alone.

The kernels run the same way as in the call, on one thread or on two, 64 times a
submission, so the difference is the cost of the call. Upstream's study of this
cost is its issue 24396.
Tested by tests/house_test.py.
"""

import dataclasses
import glob
import os
import zipfile

import measure
import rows

# The largest allowed time of a call by that of its kernels, and of our cost of
# a call by upstream's.
BY_KERNELS = 1.05
COST = 0.2
_NUMBERS = "1000000xf32"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A dispatch: the export's number, its workgroups and buffers."""

    ordinal: int
    workgroups: int
    bindings: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Program:
    """A function of programs/small.mlir and its dispatches."""

    function: str
    inputs: tuple[str, ...]
    kernels: tuple[Kernel, ...]


PROGRAMS = (
    Program("add_1m", (f"{_NUMBERS}=1", f"{_NUMBERS}=2"),
            (Kernel(0, 245, (f"{_NUMBERS}=1", f"{_NUMBERS}=2", _NUMBERS)),)),
    Program("sum_1m", (f"{_NUMBERS}=1",),
            (Kernel(1, 1, (f"{_NUMBERS}=1", "1xf32")),)),
    Program("split_sum_1m", ("10x100000xf32=1",),
            (Kernel(2, 10, (f"{_NUMBERS}=1", "10xf32")),
             Kernel(3, 1, ("10xf32=1", "1xf32")))),
)


def extracted(module, folder):
    """Extracts a module's only executable. Returns its path."""
    with zipfile.ZipFile(module) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".so")]
        return archive.extract(name, folder)


def kernel_times(tool, program, executable, shared):
    """Returns a function that adds up the times of a program's kernels."""
    times = [
        measure.call_time(
            [*tool, *shared, "--executable_format=embedded-elf-x86_64",
             f"--executable_file={executable}",
             f"--entry_point={kernel.ordinal}",
             f"--workgroup_count={kernel.workgroups},1,1",
             *(f"--binding={each}" for each in kernel.bindings)],
            "dispatch", 1e6)
        for kernel in program.kernels]
    return lambda: sum(time() for time in times)


def figures(comparison):
    """Yields the figures of each program on one thread and on two."""
    options = comparison.options
    module = comparison.module("small")
    executable = extracted(module, comparison.cache)
    theirs = os.path.dirname(comparison.theirs.benchmark)
    (their_kernels,) = glob.glob(
        os.path.join(theirs, "iree-benchmark-executable"))
    for program in PROGRAMS:
        for threads in (1, 2):
            shared = [f"--device={rows.TASK}",
                      f"--task_topology_group_count={threads}",
                      f"--benchmark_min_time={options.min_time}"]
            call = [*shared, f"--module={module}", "--time_unit=ns",
                    f"--function={program.function}",
                    *(f"--input={each}" for each in program.inputs)]
            sides = [
                (measure.call_time([*tool, *call], program.function, 1e6),
                 kernel_times(kernels, program, executable, shared))
                for tool, kernels in (
                    ([comparison.ours, "bench"],
                     [comparison.ours, "bench", "executable"]),
                    ([comparison.theirs.benchmark], [their_kernels]))]
            name = f"{program.function}, {threads} threads"
            yield measure.compare(f"{name}, by its kernels", "us", *sides[0],
                                  options.rounds, BY_KERNELS)
            yield measure.compare(name, "us", sides[0][0], sides[1][0],
                                  options.rounds, 1.0)
            costs = [lambda side=side: max(side[0]() - side[1](), 0.01)
                     for side in sides]
            yield measure.compare(f"{name}, cost beside its kernels", "us",
                                  *costs, options.rounds, COST)
