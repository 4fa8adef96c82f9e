#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""make board-shell, at a terminal: commands, an interrupted one, and the way out."""
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

import board
import tap

BOARD = pathlib.Path(board.__file__)
SECONDS = 900                   # what a busy host may take, and a board that is not built yet
PROMPT = b"# "


class Terminal:
    """The shell, with us as its terminal."""

    def __init__(self, out):
        self.ours, theirs = pty.openpty()
        self.child = subprocess.Popen([BOARD, "shell", "--out", out], stdin=theirs, stdout=theirs,
                                      stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.end = time.monotonic() + SECONDS
        self.seen = b""

    def read_until(self, wanted):
        """What came up to and with `wanted`, or up to the end of the shell or of the time."""
        while wanted not in self.seen:
            ready, _, _ = select.select([self.ours], [], [], max(0, self.end - time.monotonic()))
            try:
                data = os.read(self.ours, 4096) if ready else b""
            except OSError:     # the other side is closed
                data = b""
            if not data:
                break
            self.seen += data
        came, found, self.seen = self.seen.partition(wanted)
        return came + found

    def type(self, text):
        os.write(self.ours, text)

    def status(self):
        """The exit status of the shell, None when it had to be ended with its machine."""
        try:
            return self.child.wait(max(1, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(self.child.pid, signal.SIGKILL)
            return None
        finally:
            os.close(self.ours)


def unless(passed, came):
    """No finding, or what the terminal showed."""
    return [] if passed else came.decode(errors="replace").splitlines()[-15:] or ["nothing came"]


def without_terminal(out):
    """Before anything is built or booted."""
    done = subprocess.run([BOARD, "shell", "--out", out], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    said = f"status {done.returncode}: {done.stderr}"
    return [] if done.returncode == 1 and "terminal" in done.stderr else [said]


def claims(terminal):
    yield "a_pipe_is_refused", without_terminal(board.default_out())
    came = terminal.read_until(PROMPT)
    yield "a_prompt_comes", unless(came.endswith(PROMPT), came)
    terminal.type(b"echo there are $(ls /dev/accel)\n")
    came = terminal.read_until(b"there are accel0") + terminal.read_until(PROMPT)
    yield "a_command_sees_the_device", unless(b"there are accel0" in came, came)
    terminal.type(b"scoria info; echo status $?\n")
    came = terminal.read_until(b"status 0") + terminal.read_until(PROMPT)
    yield "scoria_is_a_command", unless(b"status 0" in came and b"rocket" in came, came)
    terminal.type(b"sleep 100000\n")
    came = terminal.read_until(b"100000")
    time.sleep(1)               # until the shell has started it, most likely
    terminal.type(b"\x03")
    came += terminal.read_until(PROMPT)
    yield "control_c_ends_a_command_and_not_the_board", unless(came.endswith(PROMPT), came)
    terminal.type(b"exit\n")
    came = terminal.read_until(b"the end never says this")
    status = terminal.status()
    yield "exit_turns_the_board_off", unless(status == 0, came + f"\nstatus {status}".encode())


if __name__ == "__main__":
    sys.exit(tap.report(claims(Terminal(board.default_out()))))
