#!/usr/bin/env python3
"""Runs every case of manifest.json through the command-line tool.

Text must match exactly, but for floats, which may differ by a case's
tolerance. With --upstream the cases run on the tool of the release that
recorded them instead, which checks this script and the manifest. Sequences,
several calls on one context, are beyond the command line: manifest_test.cc
runs them. Python's standard library only.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import directives

# Floats are printed with six digits, so equal ones may round differently.
DEFAULT_TOLERANCE = 2e-6
SECONDS = 60
FLOAT_HEAD = re.compile(r"(^|x|\s)(f16|bf16|f32|f64|f8\w*|complex\S*)$")
NO_PRINTER = "(no printer)"
# Mesa's llvmpipe. Runtimes before 3.12 accept only its UUID.
ICD = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
LAVAPIPE = "vulkan://6d657361-3232-2e33-2e36-000000000000"
NAMED_SINCE = (3, 12)


def upstream_device(release, name):
    """Returns the name of a manifest's device for a release's own tool."""
    if name == "vulkan" and directives.version(release) < NAMED_SINCE:
        return LAVAPIPE
    return name


def upstream_environment():
    """Returns the environment in which "vulkan" is llvmpipe, unthreaded."""
    return dict(os.environ, LP_NUM_THREADS="0", VK_ICD_FILENAMES=ICD)


def split_values(line):
    """"2xf32=[1 2]" -> ("2xf32", ["[", "1", "2", "]"])."""
    head, equals, values = line.partition("=")
    if not equals:
        return line, []
    return head, re.findall(r"[\[\]]|[^\s\[\]]+", values)


def same_number(want, got, tolerance):
    if want.lower() == got.lower():
        return True
    try:
        a, b = float(want), float(got)
    except ValueError:
        return False
    if a != a or b != b:
        return a != a and b != b
    return a == b or abs(a - b) <= tolerance * max(1.0, abs(a))


def same_line(want, got, tolerance):
    """Reports whether a printed line is as expected."""
    # Upstream cannot print these bytes, but other tools may.
    if want == got or want == NO_PRINTER:
        return True
    head, values = split_values(want)
    got_head, got_values = split_values(got)
    if head != got_head or len(values) != len(got_values):
        return False
    if not FLOAT_HEAD.search(head):
        return values == got_values
    return all(same_number(a, b, tolerance)
               for a, b in zip(values, got_values))


def same_lines(wants, gots, tolerance=DEFAULT_TOLERANCE):
    """Reports whether printed lines are as expected."""
    return len(wants) == len(gots) and all(
        same_line(want, got, tolerance) for want, got in zip(wants, gots))


def differences(case, code, stdout, stderr):
    """Returns what is wrong with a run of a case, or None."""
    lines = stdout.splitlines()
    if lines and lines[0] == f"EXEC @{case['function']}":
        lines = lines[1:]
    elif "fails" not in case:
        return f"does not begin with EXEC: exit {code}, {stderr.strip()}"
    if "fails" in case:
        if code == 0:
            return "succeeds: " + " ".join(lines)
        if code != 1 or not stderr.strip():
            return f"fails without a sentence: exit {code}"
        if case["fails"] != "ANY" and case["fails"] not in stderr:
            return f"fails, but not with {case['fails']}: {stderr.strip()}"
        return f"prints results: {lines}" if lines else None
    if code != 0:
        return f"exit {code}: {stderr.strip()}"
    tolerance = case.get("tolerance", DEFAULT_TOLERANCE)
    if len(lines) != len(case["expected"]):
        return f"prints {lines} instead of {case['expected']}"
    for want, got in zip(case["expected"], lines):
        if not same_line(want, got, tolerance):
            return f"prints '{got}' instead of '{want}'"
    return None


class Runner:
    """Runs cases with the tool under test, or with upstream's."""

    def __init__(self, options):
        self.folder = options.manifest.parent
        self.eyrie = options.eyrie
        self.under = options.under.split()
        self.compilers = options.upstream

    def command(self, module, case):
        if self.compilers:
            tool = (self.compilers.expanduser() / module["release"] / "bin" /
                    "iree-run-module")
            command = [str(tool)]
        else:
            command = [*self.under, str(self.eyrie), "run"]
        for name in module.get("devices", ["local-sync"]):
            if self.compilers:
                name = upstream_device(module["release"], name)
            command.append(f"--device={name}")
        for name in module.get("needs", []) + [module["file"]]:
            command.append(f"--module={self.folder / name}")
        command.append(f"--function={case['function']}")
        return command + [f"--input={text}" for text in case["inputs"]]

    def run(self, module, case):
        """Returns what is wrong with the case, or None."""
        if self.compilers and "upstream" in case:
            return None
        try:
            done = subprocess.run(self.command(module, case),
                                  capture_output=True, text=True,
                                  timeout=SECONDS,
                                  env=upstream_environment()
                                  if self.compilers else None)
        except subprocess.TimeoutExpired:
            return f"runs longer than {SECONDS} s"
        return differences(case, done.returncode, done.stdout, done.stderr)


def is_for_vulkan(module):
    return "vulkan" in module.get("devices", ())


def why_no_vulkan(eyrie):
    """Returns why the tool under test finds no Vulkan device, or None."""
    done = subprocess.run([str(eyrie), "run", "--list_devices=vulkan"],
                          capture_output=True, text=True, timeout=SECONDS)
    if done.returncode == 0:
        return None if done.stdout.strip() else "No device is present."
    return done.stderr.strip() if "NOT_FOUND" in done.stderr else None


def choose(modules, options):
    """Returns (module, case) pairs to run. Prints what is left out."""
    reason = None
    if options.eyrie and any(map(is_for_vulkan, modules)):
        reason = why_no_vulkan(options.eyrie)
    work = []
    for module in modules:
        cases = [c for c in module.get("cases", ()) if "sequence" not in c]
        if is_for_vulkan(module):
            cases = [] if reason else cases[:options.vulkan_cases]
        cases = cases[:options.cases]
        work += [(module, case) for case in cases]
    if reason:
        print(f"Modules for Vulkan are not run: {reason}")
    elif options.vulkan_cases is not None:
        print(f"Of each module for Vulkan, {options.vulkan_cases} at most "
              "of the cases are run.")
    if options.cases is not None:
        print(f"Of each module, {options.cases} at most of the cases are run.")
    return work


def check_files(folder, modules):
    """Returns a sentence for each module that differs from its record."""
    wrong = []
    for module in modules:
        if "absent" in module:
            continue
        path = folder / module["file"]
        if not path.exists():
            wrong.append(f"{module['file']} is missing.")
        elif (hashlib.sha256(path.read_bytes()).hexdigest() !=
              module["sha256"]):
            wrong.append(f"{module['file']} is not the recorded file.")
    return wrong


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--eyrie", type=pathlib.Path, help="the tool to test")
    parser.add_argument("--under", default="",
                        help="a command that runs the tool, such as qemu")
    parser.add_argument("--upstream", type=pathlib.Path,
                        help="folder with an environment per release "
                        "(regenerate.py --compilers)")
    parser.add_argument("--manifest", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent /
                        "manifest.json")
    parser.add_argument("--only", default="",
                        help="part of the names of the modules to run")
    parser.add_argument("--vulkan_cases", type=int, metavar="N",
                        help="run at most N cases of each module for Vulkan")
    parser.add_argument("--cases", type=int, metavar="N",
                        default=1 if os.environ.get("EYRIE_TESTS") == "some"
                        else None,
                        help="run at most N cases of each module")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if (options.eyrie is None) == (options.upstream is None):
        parser.error("Give either --eyrie or --upstream.")
    return options


def main():
    options = parse_arguments()
    modules = json.loads(options.manifest.read_text())["modules"]
    modules = [m for m in modules if options.only in m["file"]]
    wrong = check_files(options.manifest.parent, modules)
    for sentence in wrong:
        print(sentence)
    runner = Runner(options)
    work = choose(modules, options)
    passed = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda job: runner.run(*job), work)
        for (module, case), problem in zip(work, results):
            tally = passed.setdefault(module["release"], [0, 0])
            tally[0] += problem is None
            tally[1] += 1
            if problem:
                print(f"{module['file']} @{case['function']} "
                      f"{case['inputs']}: {problem}")
    for release, (good, total) in passed.items():
        print(f"{release}: {good} of {total} cases pass")
    good = sum(tally[0] for tally in passed.values())
    failed = len(work) - good
    print(f"{good} passed, {failed} failed")
    sys.exit(1 if failed or wrong or not work else 0)


if __name__ == "__main__":
    main()
