"""Prints what Bazel's records of test runs say.

usage: count_tests.py [--budget] [--root=FOLDER] [NAME:]<events.json>...

Each record is one part: a configuration, a system or a machine; "NAME:SECONDS"
is one without tests, or says how long the part before it took. Records after
--root are of a Bazel whose root was that folder. Prints failures, skipped tests
with the reason, the ten slowest, a row for each part, with --budget also its
minutes on two cores, and as the last line "N passed, M failed". A GoogleTest
case counts, any other test, and what does not build or left no record. Exits
with 1 on a failure or without a test. Tested by tests/house_test.py.
"""

import collections
import dataclasses
import json
import os
import re
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

# Bazel's exit codes that add nothing to the test results.
RESULT_CODES = {"SUCCESS", "TESTS_FAILED", "NO_TESTS_FOUND"}
SLOWEST = 10
# Minutes that each part may take on two cores, from nothing; together 45.
BUDGET = {"packages": 1, "build": 8, "gcc": 9, "asan": 14, "tsan": 5,
          "aarch64": 3, "trixie": 5}
WARN_AT = 0.8
# The line of a script that skips its tests, or some of them.
SKIPPED = re.compile(r"^SKIPPED[^:]*: (.*)", re.M)


@dataclasses.dataclass
class Part:
    """The tests of one record."""
    name: str = ""
    passed: int = 0
    seconds: float = 0
    failures: list = dataclasses.field(default_factory=list)  # sentences
    skipped: list = dataclasses.field(default_factory=list)  # (label, why)
    times: list = dataclasses.field(default_factory=list)  # (seconds, label)


def count_cases(path):
    """Returns (passed, names of failed cases, reasons of skipped cases)."""
    passed, failed, skipped = 0, [], []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(
            case.get(key) for key in ("classname", "name") if case.get(key))
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif skip is not None:
            # GoogleTest writes the place on a line of its own.
            reason = (skip.get("message") or skip.text or "").strip()
            skipped.append(reason.split("\n", 1)[-1].strip() or name)
        elif case.get("status") != "notrun":
            passed += 1
    return passed, failed, skipped


def output_path(result, name, root):
    """Returns the path of a file that a test left, or None."""
    for output in result.get("testActionOutput", []):
        if output.get("name") == name:
            url = urllib.parse.urlparse(output.get("uri", ""))
            return root + urllib.request.url2pathname(url.path)
    return None


def count_result(part, label, result, root):
    """Adds one testResult event to a part."""
    passed, failed, skipped = 0, [], []
    try:
        passed, failed, skipped = count_cases(
            output_path(result, "test.xml", root))
    except (OSError, TypeError, ElementTree.ParseError):
        pass  # Without a readable report the status alone counts.
    try:
        with open(output_path(result, "test.log", root), encoding="utf-8",
                  errors="replace") as log:
            skipped += SKIPPED.findall(log.read())
    except (OSError, TypeError):
        pass
    part.passed += passed
    part.skipped += [(label, reason) for reason in skipped]
    if not result.get("cachedLocally"):
        part.times.append(
            (int(result.get("testAttemptDurationMillis", 0)) / 1000, label))
    if result.get("status") in ("PASSED", "FLAKY") or failed:
        part.failures += [f"{label}: {name} failed." for name in failed]
    else:
        part.failures.append(f"{label}: {result.get('status')}.")


def count_events(path, root=""):
    """Returns the part that an event file describes."""
    part, exit_name, begin, end = Part(), None, 0, 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            kind = event.get("id", {})
            if "testResult" in event and "testResult" in kind:
                if event["testResult"].get("status") == "NO_STATUS":
                    continue
                count_result(part, kind["testResult"]["label"],
                             event["testResult"], root)
            elif "targetCompleted" in kind:
                if not event.get("completed", {}).get("success"):
                    label = kind["targetCompleted"]["label"]
                    part.failures.append(f"{label} does not build.")
            elif "started" in event:
                begin = int(event["started"].get("startTimeMillis", 0))
            elif "finished" in event:
                end = int(event["finished"].get("finishTimeMillis", 0))
                exit_name = event["finished"].get("exitCode", {}).get("name")
    if exit_name not in RESULT_CODES and not part.failures:
        part.failures.append(f"Bazel ended with {exit_name}.")
    part.seconds = max(end - begin, 0) / 1000
    return part


def read_part(argument, root):
    """Returns the part of an argument."""
    name, _, record = argument.rpartition(":")
    if record.isdigit():
        return Part(name, seconds=int(record))
    try:
        part = count_events(record, root)
    except (OSError, ValueError) as error:
        part = Part(failures=[f"No record of the run: {error}."])
    part.name = name or os.path.splitext(os.path.basename(record))[0]
    return part


def details(parts):
    """Yields lines about what failed, was skipped, and took long."""
    for part in parts:
        for sentence in part.failures:
            yield f"{part.name}: {sentence}"
    reasons = collections.defaultdict(lambda: collections.defaultdict(int))
    for part in parts:
        for label, reason in part.skipped:
            reasons[reason][f"{label} ({part.name})"] += 1
    if reasons:
        yield "Skipped:"
    for reason, places in reasons.items():
        cases = sum(places.values())
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        yield f"  {next(iter(places))}{more}, {cases} times: {reason}"
    times = sorted(((*time, part.name) for part in parts
                    for time in part.times), reverse=True)[:SLOWEST]
    if times:
        yield "The slowest tests:"
    for seconds, label, name in times:
        yield f"  {seconds:6.1f} s  {label} ({name})"


def row(part, budget):
    """Returns the line of a part."""
    minutes = part.seconds / 60
    text = (f"{part.name}: {part.passed} passed, {len(part.failures)} failed, "
            f"{len(part.skipped)} skipped, {minutes:.1f} min")
    limit = BUDGET.get(part.name) if budget else None
    if limit is None:
        return text
    text += f" of {limit}"
    if minutes > limit:
        return text + " (OVER its budget)"
    return text + (" (over 80%)" if minutes > WARN_AT * limit else "")


def main(arguments):
    parts, root, budget = [], "", False
    for argument in arguments:
        if argument == "--budget":
            budget = True
        elif argument.startswith("--root="):
            root = argument[len("--root="):]
        else:
            part = read_part(argument, root)
            if parts and part.name == parts[-1].name:
                parts[-1].seconds = part.seconds
            else:
                parts.append(part)
    for line in details(parts):
        print(line)
    for part in parts:
        print(row(part, budget))
    print(f"Together: {sum(part.seconds for part in parts) / 60:.1f} min")
    passed = sum(part.passed for part in parts)
    failed = sum(len(part.failures) for part in parts)
    if passed + failed == 0:
        print("No test ran.")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
