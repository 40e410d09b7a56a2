#!/usr/bin/env python3
"""Runs the conformance cases with a runtime that has iree-run-module's flags.

Cases are the exports of vm/*.vmasm, assembled by eyrie, and the calls of
tests/modules/manifest.json on CPU devices. Prints a line for each case that
does not pass, then a table per feature and release.
Tested by conformance_test.py.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent / "modules"
sys.path.insert(0, str(MODULES))
import run_manifest  # pylint: disable=wrong-import-position

# The column of cases in assembly, which have no release.
ASSEMBLED = "assembled"
SECONDS = 10
# Stops a runtime that allocates whatever a module asks for. In KiB.
LIMITED = ["sh", "-c", 'ulimit -v 16777216; exec "$@"', "sh"]
EXPORT = re.compile(r"^vm\.export @(\w+)", re.MULTILINE)
IMPORT = re.compile(r"^vm\.import @yieldable_test\.", re.MULTILINE)
# Variants of fixtures that are one feature of the table.
FEATURES = {
    "plain": "V1", "bare": "V1, bare FlatBuffer", "debug": "V1, debug",
    "bare-debug": "V1, bare FlatBuffer, debug", "async": "V1, coarse fences",
    "vmvx": "VMVX", "vmvx-ukernels": "VMVX, microkernels",
    "two": "V1, two devices", "two-async": "V1, two devices, coarse fences",
    "two-vmvx": "VMVX, two devices",
}


def takes_arguments(text, name):
    """Reports whether the suite's function @name has parameters."""
    return re.search(rf"^vm\.func @{name}\(\)", text, re.MULTILINE) is None


def suite_cases(text):
    """Returns the cases of a suite: exported functions without arguments."""
    return [name for name in EXPORT.findall(text)
            if not name.startswith("__") and not takes_arguments(text, name)]


def feature_of(file):
    """Returns the feature that a fixture such as "3.3/add.async.vmfb" has."""
    parts = pathlib.PurePath(file).name.split(".")
    variant = parts[1] if len(parts) == 3 else "plain"
    if parts[0].startswith(("abi_v0", "raw_")):
        return "V0 (raw, SIP)"
    if parts[0].startswith("vm_"):
        return "VM, compiled"
    return FEATURES.get(variant, variant)


def short(release):
    """Returns the name of a release in tables: "3.13" for "3.13.0"."""
    return re.sub(r"^(\d\.\d+|\d{8})\.\d+.*$", r"\1", release)


def suite_problem(name, code, stderr):
    """Returns what is wrong with a run of a case in assembly, or None."""
    if code < 0 or code > 128:
        return f"the process ends with code {code}"
    if (code != 0) == name.startswith("fail_"):
        return None
    return "returns" if code == 0 else stderr.strip() or f"exit {code}"


def run(command):
    try:
        done = subprocess.run(LIMITED + command, capture_output=True,
                              text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return -9, "", f"runs longer than {SECONDS} s"
    return done.returncode, done.stdout, done.stderr


def run_suite_case(name, command):
    code, _, stderr = run(command)
    return suite_problem(name, code, stderr)


def rewrite(options, module, release, path):
    """Rewrites a module for a release. Returns the error, or ""."""
    done = subprocess.run(
        [options.eyrie, "upgrade", module, f"--to={release}", "-o", path],
        capture_output=True, text=True, check=False)
    return done.stderr.strip()


def suite_jobs(options, folder):
    """Assembles the suites. Returns (feature, column, name, function)."""
    jobs = []
    for path in sorted((HERE / "vm").glob("*.vmasm")):
        text = path.read_text()
        if IMPORT.search(text):
            print(f"{path.name} is not run: it imports 'yieldable_test', which "
                  "only Eyrie's own runner provides.")
            continue
        module = folder / f"{path.stem}.vmfb"
        subprocess.run([options.eyrie, "asm", path, "-o", module], check=True)
        if options.assemble_for:
            assembled, module = module, folder / f"{path.stem}.for.vmfb"
            error = rewrite(options, assembled, options.assemble_for, module)
            if error:
                print(f"{path.name} is not run: {error}")
                continue
        for case in suite_cases(text):
            command = options.runner + [f"--module={module}",
                                        f"--function={case}"]
            jobs.append((f"VM, {path.stem}", ASSEMBLED, f"{path.name} @{case}",
                         lambda c=case, m=command: run_suite_case(c, m)))
    return jobs


def upgrade(options, file, folder):
    """Rewrites a fixture for --upgrade_to. Returns its path and the error."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    return path, rewrite(options, MODULES / file, options.upgrade_to, path)


def fixture_paths(options, module, folder):
    """Returns the paths of the modules to load, and why one is missing."""
    files = module.get("needs", []) + [module["file"]]
    if not options.upgrade_to:
        return [MODULES / file for file in files], ""
    made = [upgrade(options, file, folder) for file in files]
    return ([path for path, _ in made],
            " ".join(error for _, error in made if error))


def fixture_command(options, module, paths, case):
    command = list(options.runner)
    for name in module.get("devices", ["local-sync"]):
        command.append(f"--device={name}")
    command += [f"--module={path}" for path in paths]
    command.append(f"--function={case['function']}")
    return command + [f"--input={text}" for text in case["inputs"]]


def fixture_jobs(options, folder):
    modules = json.loads((MODULES / "manifest.json").read_text())["modules"]
    jobs = []
    for module in modules:
        if (any("vulkan" in d for d in module.get("devices", [])) or
                options.releases and
                short(module["release"]) not in options.releases):
            continue
        cases = [case for case in module.get("cases", ())
                 if "sequence" not in case]
        if not cases:
            continue
        paths, error = fixture_paths(options, module, folder)
        if "UNIMPLEMENTED" in error:
            print(f"{module['file']}, {len(cases)} cases, is not rewritten: "
                  f"{error}")
            continue
        for case in cases:
            command = fixture_command(options, module, paths, case)
            jobs.append((feature_of(module["file"]), short(module["release"]),
                         f"{module['file']} @{case['function']}",
                         lambda c=case, m=command, e=error:
                         e or run_manifest.differences(c, *run(m))))
    return jobs


def table(results):
    """Returns a table of "passed/tried" from (feature, column, passed)."""
    tally, columns = {}, []
    for feature, column, passed in results:
        if column not in columns:
            columns.append(column)
        cell = tally.setdefault(feature, {}).setdefault(column, [0, 0])
        cell[0] += passed
        cell[1] += 1
    lines = ["| | " + " | ".join(columns) + " |",
             "|---|" + "---|" * len(columns)]
    for feature, cells in tally.items():
        texts = ["{}/{}".format(*cells[c]) if c in cells else ""
                 for c in columns]
        lines.append(f"| {feature} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./eyrie conformance",
                                     description=__doc__)
    parser.add_argument("--eyrie", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--runner", type=shlex.split, required=True,
                        help="a command that takes iree-run-module's flags")
    parser.add_argument("--releases", type=lambda text: text.split(","),
                        help="run only modules of these releases: 3.12,3.13")
    parser.add_argument("--assemble_for", metavar="RELEASE",
                        help="rewrite the assembled modules with `eyrie "
                        "upgrade`, for a runtime before 3.11")
    parser.add_argument("--upgrade_to", metavar="RELEASE",
                        help="rewrite these modules with `eyrie upgrade` "
                        "first, and do not run the cases in assembly")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        jobs = [] if options.upgrade_to else suite_jobs(options, folder)
        jobs += fixture_jobs(options, folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            problems = list(pool.map(lambda job: job[3](), jobs))
    for (_, _, name, _), problem in zip(jobs, problems):
        if problem:
            print(f"{name}: {' '.join(problem.split())[:200]}")
    print(table([(feature, column, problem is None) for
                 (feature, column, _, _), problem in zip(jobs, problems)]))
    failed = sum(problem is not None for problem in problems)
    print(f"\n{len(jobs) - failed} of {len(jobs)} cases pass.")
    sys.exit(1 if failed or not jobs else 0)


if __name__ == "__main__":
    main()
