"""Checks for the tests in this folder. A failed check is printed and recorded
in `failures`; the test goes on.
"""

import os
import re
import subprocess

failures = []


def check(good, sentence):
    if not good:
        failures.append(sentence)
        print(f"FAILED: {sentence}", flush=True)


def check_links(folder):
    """Checks that the links between the pages in a folder lead to files."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(parent, name), "rb") as file:
                text = file.read() if name.endswith(".md") else b""
            text = re.sub(rb"^```.*?^```$|(?<!\[)`[^`\n]*`", b"", text,
                          flags=re.M | re.S).decode()
            for target in re.findall(r"\]\(([^)\s#]+)", text):
                check(re.match("[a-z]+:", target) or
                      os.path.exists(os.path.join(parent, target)),
                      f"{parent}/{name} has a link to {target}.")


def run(command, **options):
    """Returns the output of a command. If it fails, prints its output and
    records the failure."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **options)
    if done.returncode != 0:
        print(done.stdout[-4000:])
        check(False, f"'{' '.join(command)}' exits with {done.returncode}.")
    return done.stdout


def entering(root):
    """Returns the beginning of a command that runs a program in a root folder,
    or nothing, with a note, if this machine does not allow that."""
    command = ["unshare"]
    if os.getuid() != 0:
        command += ["--user", "--map-root-user"]
    if subprocess.run([*command, "--root=/", "true"], check=False,
                      capture_output=True).returncode == 0:
        return [*command, "--root=" + root]
    print(f"Skipping programs in {root}: there are no user namespaces here.")
    return []
