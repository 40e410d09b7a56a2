"""Runs a command on a terminal and prints its output in visible form.

`python3 on_terminal.py COMMAND...`: prints "\\r" and escapes as text and keeps
line feeds. Exits with the command's exit code. For tables of cli_test.py.
"""

import os
import pty
import sys


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execvp(sys.argv[1], sys.argv[1:])
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux: the other end of the terminal is closed
            break
        if not piece:
            break
        output += piece
    _, status = os.waitpid(pid, 0)
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    sys.stdout.write(text.replace("\r", "\\r").replace("\x1b", "\\e"))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
