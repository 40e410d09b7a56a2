"""Checks a file that --trace wrote and lists what is in it.

Prints `sound` if it is JSON, the spans nest on each thread, each thread's
events are in order of time, and arrows have both ends. Then prints one line
for each name in the given categories, each once, in order.

  trace_check.py <file> <category>...
Tested by tools/cli_test.py.
"""

import json
import sys

SLACK = 0.0015  # microseconds: times are written in nanoseconds


def faults(events):
    """Yields a sentence for every error."""
    last, open_ends, arrows = {}, {}, set()
    for event in events:
        if event["ph"] == "M":
            continue
        thread, begin = event["tid"], event["ts"]
        if begin < last.get(thread, 0):
            yield f"{event} is earlier than what is before it"
        last[thread] = begin
        ends = open_ends.setdefault(thread, [])
        while ends and ends[-1] <= begin + SLACK:
            ends.pop()
        if event["ph"] == "X":
            end = begin + event["dur"]
            if ends and end > ends[-1] + SLACK:
                yield f"{event} ends after the span that it is in"
            ends.append(end)
        elif event["ph"] == "s":
            arrows.add(event["id"])
    for event in events:
        if event["ph"] == "f" and event["id"] not in arrows:
            yield f"{event} comes from nowhere"
    named = {event["tid"] for event in events
             if event["name"] == "thread_name"}
    for thread in set(last) - named:
        yield f"thread {thread} has no name"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    found = list(faults(events))
    for fault in found:
        print(fault)
    if not found:
        print("sound")
    for category in sys.argv[2:]:
        for name in sorted({event["name"] for event in events
                            if event.get("cat") == category}):
            print(category, name)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
