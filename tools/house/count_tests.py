"""Counts the test cases that Bazel ran, from its build event files.

usage: count_tests.py <events.json>... [--root=FOLDER <events.json>...]

Each file is one configuration. Files after --root were written by a Bazel that
ran with that folder as its root. Prints the failures, then, as the last line,
"N passed, M failed". Each case of a GoogleTest target counts; any other test
counts as one case. A target that does not build counts as failed, and so does
a configuration without a record. Exits with 1 on a failure or without a test.
Tested by tests/house_test.py.
"""

import json
import os
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

# Bazel's exit codes that add nothing to the test results.
RESULT_CODES = {"SUCCESS", "TESTS_FAILED", "NO_TESTS_FOUND"}


def count_cases(path):
    """Returns (passed, names of failed cases) of one test.xml."""
    passed, failed = 0, []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(
            case.get(key) for key in ("classname", "name") if case.get(key))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.find("skipped") is None and case.get("status") != "notrun":
            passed += 1
    return passed, failed


def xml_path(result, root):
    """Returns the path of a test result's test.xml, or None."""
    for output in result.get("testActionOutput", []):
        if output.get("name") == "test.xml":
            url = urllib.parse.urlparse(output.get("uri", ""))
            return root + urllib.request.url2pathname(url.path)
    return None


def count_result(label, result, root):
    """Returns (passed, sentences about failures) of one testResult event."""
    passed, failed = 0, []
    try:
        passed, failed = count_cases(xml_path(result, root))
    except (OSError, TypeError, ElementTree.ParseError):
        pass  # Without a readable report the status alone counts.
    ok = result.get("status") in ("PASSED", "FLAKY")
    if ok and not failed:
        return passed, []
    if ok or failed:
        return passed, [f"{label}: {name} failed." for name in failed]
    return passed, [f"{label}: {result.get('status')}."]


def count_events(path, root=""):
    """Returns (passed, sentences about failures) of one event file."""
    passed, failures, exit_name = 0, [], None
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            kind = event.get("id", {})
            if "testResult" in event and "testResult" in kind:
                if event["testResult"].get("status") == "NO_STATUS":
                    continue
                count, sentences = count_result(
                    kind["testResult"]["label"], event["testResult"],
                    root)
                passed += count
                failures += sentences
            elif "targetCompleted" in kind:
                if not event.get("completed", {}).get("success"):
                    label = kind["targetCompleted"]["label"]
                    failures.append(f"{label} does not build.")
            elif "finished" in event:
                exit_name = event["finished"].get("exitCode", {}).get("name")
    if exit_name not in RESULT_CODES and not failures:
        failures.append(f"Bazel ended with {exit_name}.")
    return passed, failures


def main(arguments):
    total_passed, total_failed = 0, 0
    root = ""
    for path in arguments:
        if path.startswith("--root="):
            root = path[len("--root="):]
            continue
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            passed, failures = count_events(path, root)
        except (OSError, ValueError) as error:
            passed, failures = 0, [f"No record of the run: {error}."]
        for sentence in failures:
            print(f"{name}: {sentence}")
        print(f"{name}: {passed} passed, {len(failures)} failed")
        total_passed += passed
        total_failed += len(failures)
    if total_passed + total_failed == 0:
        print("No test ran.")
    print(f"{total_passed} passed, {total_failed} failed")
    return 0 if total_passed and not total_failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
