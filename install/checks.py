"""Checks for the tests in this folder. A failed check is printed and recorded
in `failures`; the test goes on.
"""

import subprocess

failures = []


def check(good, sentence):
    if not good:
        failures.append(sentence)
        print(f"FAILED: {sentence}", flush=True)


def run(command, **options):
    """Returns the output of a command. If it fails, prints its output and
    records the failure."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **options)
    if done.returncode != 0:
        print(done.stdout[-4000:])
        check(False, f"'{' '.join(command)}' gives {done.returncode}.")
    return done.stdout
