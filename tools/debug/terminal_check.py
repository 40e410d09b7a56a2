"""Types commands on a terminal and prints what a user sees.

`python3 terminal_check.py KEYS... -- COMMAND...`: types each of KEYS, with a
line feed, when the next prompt appears. "^C" and "^D" are typed without one;
"^Z" stops the process and lets it go on, as a shell with `fg` does;
"^C later" is typed after the command has been busy for a while. Prints the exit
code.
"""

import os
import pathlib
import pty
import select
import signal
import sys
import termios
import time

KEYS = {"^C": b"\x03", "^D": b"\x04"}
PROMPT = b"(eyrie) "
PATIENCE = 60  # seconds for a prompt


def wait_until_busy(pid):
    """Waits until the process computes and does not read a line."""
    stat = pathlib.Path("/proc/%d/stat" % pid)
    busy, end = 0, time.monotonic() + PATIENCE
    while busy < 5 and time.monotonic() < end:
        state = stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        busy = busy + 1 if state == "R" else 0
        time.sleep(0.05)


def stop_and_continue(pid, terminal):
    """Does what Ctrl-Z and `fg` in a shell do."""
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
    settings = termios.tcgetattr(terminal)
    settings[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    os.kill(pid, signal.SIGCONT)


def main():
    split = sys.argv.index("--")
    keys, command = sys.argv[1:split], sys.argv[split + 1:]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    seen, read_to = b"", 0
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if keys and keys[0] == "^C later":
            wait_until_busy(pid)
            os.write(terminal, b"\x03")
            keys.pop(0)
            end = time.monotonic() + PATIENCE
        # The editor prints the prompt again before a line that it completes.
        elif keys and len(seen) > read_to and seen.endswith(PROMPT):
            read_to = len(seen)
            key = keys.pop(0)
            if key == "^Z":
                stop_and_continue(pid, terminal)
                continue
            os.write(terminal, KEYS.get(key, key.encode() + b"\n"))
            end = time.monotonic() + PATIENCE
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux: the other end of the terminal is closed
            break
        if not piece:
            break
        seen += piece
    else:
        print("No prompt, nor the end, has come.")
        os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
    sys.stdout.write(seen.decode("utf-8", "replace").replace("\r\n", "\n"))
    print("exit code %d" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
