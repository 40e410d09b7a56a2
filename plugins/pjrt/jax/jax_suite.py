"""Runs JAX's own tests on this platform and on jaxlib's CPU, and compares.

  jax_suite.py --tests=jax/tests --sample=100 lax_test nn_test

`--tests` is the folder `tests` of a checkout of JAX at the installed version.
Needs jax with the plug-in, iree-base-compiler, pytest, pytest-xdist,
pytest-timeout and absl-py. Prints a row a file: how many tests pass on the CPU,
how many of those here, and the causes of the others, with the first line of
the error. `--sample=N` runs about N tests of each file, always the same ones;
`--at_least=85` fails below that percentage. With `--results=DIR` the reports of
both platforms are kept, and a file that has them is not run again.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

FILES = """
lax_test lax_numpy_test lax_numpy_operators_test lax_scipy_test nn_test
random_test api_test aot_test array_test dtypes_test buffer_callback_test
compilation_cache_test export_test linalg_test ffi_test
""".split()

# Chooses tests by their names, so that both platforms run the same ones.
SAMPLER = """\
import os, zlib
def pytest_collection_modifyitems(items):
    most = int(os.environ["SAMPLE"])
    if most and len(items) > most:
        items.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        del items[most:]
"""


def run(options, platform, file, report, folder):
    """Runs the tests of a file and writes a report in JUnit's form."""
    with open(os.path.join(folder, "sampler.py"), "w", encoding="utf-8") as out:
        out.write(SAMPLER)
    path = os.path.join(options.tests, file + ".py")
    env = {**os.environ, "JAX_PLATFORMS": platform,
           "JAX_NUM_GENERATED_CASES": "1", "SAMPLE": str(options.sample),
           # JAX's tests complain if the plug-in sets it during one.
           "JAX_USE_SHARDY_PARTITIONER": "0",
           "EYRIE_PJRT_DEVICE_COUNT": "8", "PYTHONPATH": folder}
    with open(report + ".log", "wb") as log:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "sampler", "-p",
             "no:cacheprovider", "-n", str(options.jobs), "--timeout",
             str(options.timeout), "--junitxml", report, path],
            env=env, stdout=log, stderr=log, check=False)


def outcomes(report):
    """Returns {test: None if it passed, else the first line of its error}."""
    found = {}
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("skipped") is not None:
            continue
        error = case.find("failure")
        error = case.find("error") if error is None else error
        found[name] = None if error is None else cause(error)
    return found


def cause(error):
    """Returns what a test failed for, without what differs between tests."""
    text = (error.get("message") or "") + "\n" + (error.text or "")
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines:
        found = re.search(
            r"failed to legalize operation '[^']*'.*|dialect '\w+' .*|"
            r"call_target_name = \"[^\"]*\"|undefined symbol: \w+|"
            r"UNIMPLEMENTED: .*|NotImplementedError: .*|DEADLINE_EXCEEDED.*|"
            r"ended by signal.*|Mismatched elements.*|Not equal to tol.*|"
            r"`EmitPythonCallback`.*", line)
        if found:
            return re.sub(r"0x[0-9a-f]+|%\w+|\d+", "#", found.group())[:100]
    return re.sub(r"\d+", "#", lines[0] if lines else "")[:100]


def main():
    parser = argparse.ArgumentParser(description="Runs JAX's tests.")
    parser.add_argument("--tests", required=True)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--at_least", type=float, default=0)
    parser.add_argument("--results")
    parser.add_argument("files", nargs="*", default=FILES)
    options = parser.parse_args()
    total = collections.Counter()
    causes = collections.Counter()
    print(f"{'file':28} {'CPU':>6} {'here':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files or FILES:
            place = options.results or folder
            os.makedirs(place, exist_ok=True)
            reports = {}
            for platform in ("cpu", "eyrie,cpu"):
                report = os.path.join(place, f"{file}.{platform}.xml")
                if not os.path.exists(report):
                    run(options, platform, file, report, folder)
                reports[platform] = (outcomes(report)
                                     if os.path.exists(report) else {})
            good = [name for name, error in reports["cpu"].items()
                    if error is None]
            here = [name for name in good
                    if reports["eyrie,cpu"].get(name, "not run") is None]
            total.update(cpu=len(good), here=len(here))
            print(f"{file:28} {len(good):6} {len(here):6}", flush=True)
            for name in sorted(set(good) - set(here)):
                why = reports["eyrie,cpu"].get(name, "skipped, or not run")
                causes[why] += 1
                if options.results:
                    print(f"    {name}: {why}")
    share = 100 * total["here"] / max(total["cpu"], 1)
    print(f"{'together':28} {total['cpu']:6} {total['here']:6} {share:5.1f}%")
    for why, count in causes.most_common():
        print(f"{count:5}  {why}")
    return share < options.at_least


if __name__ == "__main__":
    sys.exit(main())
