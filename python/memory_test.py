"""Makes calls with address space limits that rise in steps.

Each call must return, or raise MemoryError or an eyrie.Error with
RESOURCE_EXHAUSTED. None may end the process. Run by python_test.sh:

  memory_test.py <tests/modules>
"""

import os
import resource
import subprocess
import sys

MIB = 1 << 20
STEP = 24 * MIB
STEPS = 20
COUNT = 1_500_000  # numbers: 70 MB as values, 24 MB in the module's list


def mapped():
    """Returns the bytes of address space that this process uses."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def call(modules, slack):
    """Makes a call with `slack` free bytes of address space."""
    import eyrie

    total = eyrie.load(os.path.join(modules, "3.13", "abi_v1.vmfb"))["sum"]
    numbers = [7] * COUNT
    total([1, 2, 3])
    limit = mapped() + slack
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        return "result" if total(numbers) == 7 * COUNT else "wrong result"
    except MemoryError:
        return "MemoryError"
    except eyrie.Error as error:
        return error.code


def main():
    modules = sys.argv[1]
    if len(sys.argv) > 2:
        print(call(modules, int(sys.argv[2])))
        return
    outcomes = []
    for step in range(STEPS):
        done = subprocess.run(
            [sys.executable, __file__, modules, str(step * STEP)],
            capture_output=True, text=True, check=False)
        outcome = done.stdout.strip() if done.returncode == 0 else (
            f"exit status {done.returncode}: {done.stderr[-300:]}")
        outcomes.append(outcome)
    print("memory_test.py:", outcomes)
    known = {"result", "MemoryError", "RESOURCE_EXHAUSTED"}
    assert set(outcomes) <= known, outcomes
    assert outcomes[0] == "MemoryError" and outcomes[-1] == "result", outcomes


if __name__ == "__main__":
    main()
