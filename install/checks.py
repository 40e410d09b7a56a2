"""Checks of the tests beside: what fails is printed, noted, and does not end
the test.
"""

import subprocess

failures = []


def check(good, sentence):
    if not good:
        failures.append(sentence)
        print(f"FAILED: {sentence}", flush=True)


def run(command, **options):
    """Returns the output of a command; a failure is printed and noted."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **options)
    if done.returncode != 0:
        print(done.stdout[-4000:])
        check(False, f"'{' '.join(command)}' gives {done.returncode}.")
    return done.stdout
