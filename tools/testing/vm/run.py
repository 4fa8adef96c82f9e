# SPDX-License-Identifier: MIT
"""Run the guest's tests on one lane and say in TAP how they went."""
import collections
import re
import subprocess
import threading
import time
import typing

from console import Console

BOARD = re.compile(r"scoria-board: violations=(\d+) expected=(\d+) (.*)")


class Ended(typing.NamedTuple):
    """What is left of a run of QEMU."""
    console: Console
    last: collections.deque     # lines of the console
    board: list                 # lines that QEMU itself printed
    status: int
    late: bool                  # stopped for taking too long


def watch(arguments, console_log, board_log, seconds):
    """Boot, feed the console to a Console, and end QEMU after its time."""
    console = Console()
    last = collections.deque(maxlen=10)
    with open(console_log, "w", encoding="utf-8", buffering=1) as log, \
            open(board_log, "w+", encoding="utf-8", errors="replace") as errors, \
            subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=errors, text=True, errors="replace") as machine:
        stopped = threading.Event()
        timer = threading.Timer(seconds, lambda: (stopped.set(), machine.kill()))
        timer.start()
        for line in machine.stdout:
            log.write(line)
            last.append(line.rstrip("\r\n"))
            console.line(last[-1])
        status = machine.wait()
        timer.cancel()
        errors.seek(0)
        return Ended(console, last, errors.read().splitlines(), status, stopped.is_set())


def claim_programs(tap, lane, console, names):
    for name in names:
        program = console.programs.get(name)
        if not program:
            tap.claim(False, f"{lane}: {name} ran")
            continue
        for passed, claim, skip, notes in program.claims:
            # the board has everything: what skips here has not been tested
            tap.claim(passed and not skip, f"{lane}: {name}: {claim}",
                      [*notes, f"skipped: {skip}"] if skip else notes)
        problem = program.problem()
        tap.claim(not problem, f"{lane}: {name} ran to its end",
                  [problem, *program.notes[-20:]] if problem else ())


def claim_end(tap, lane, ended, seconds, log):
    """The guest came to the end of its tests, or what became of it."""
    reason = None
    if ended.late:
        reason = f"the guest was still running after {seconds} s"
    elif ended.status:
        reason = f"QEMU ended with status {ended.status}"
    elif not ended.console.done:
        reason = "the guest stopped before its tests were done"
    tap.claim(not reason, f"{lane}: the guest ran all tests",
              [reason, *ended.board[-3:], "last on the console, see " + str(log), *ended.last])


def claim_board(tap, lane, lines):
    found = [match for line in lines if (match := BOARD.match(line))]
    tap.claim(bool(found), f"{lane}: the board lived to the end", lines[-10:])
    for match in found:
        tap.claim(match[1] == match[2], f"{lane}: the board counted no violation",
                  [match[0]])


def lane_tests(tap, lane, arguments, names, logs, seconds):
    """Run one lane; the claims go to `tap`, the raw output to the `logs` directory."""
    logs.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    console_log = logs / f"{lane}.console"
    ended = watch(arguments, console_log, logs / f"{lane}.board", seconds)
    console = ended.console
    claim_end(tap, lane, ended, seconds, console_log)
    claim_programs(tap, lane, console, names)
    for passed, name in console.kunit:
        tap.claim(passed, f"{lane}: kunit: {name}")
    tap.claim(not console.complaints, f"{lane}: the kernel has nothing to complain about",
              console.complaints[:30])
    claim_board(tap, lane, ended.board)
    print(f"# {lane}: {time.monotonic() - start:.0f} s", flush=True)
