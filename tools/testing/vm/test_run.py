#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How the run of a lane is judged: shell scripts play the guest."""
import contextlib
import io
import pathlib
import sys
import tempfile

import run
import tap

TESTS = "echo @@ begin bo; echo 1..1; echo ok 1 bo.a; echo @@ end bo 0; echo @@ done;"
BOARD = "echo scoria-board: violations={} expected=0 last-kind=0 >&2;"
SECONDS = 1
# claim, guest, number of failures, what the notes must say
CASES = [
    ("lane_in_which_all_is_well_passes", TESTS + BOARD.format(0), 0, ""),
    ("violation_fails", TESTS + BOARD.format(3), 1, "violations=3"),
    ("claim_that_fails_fails", TESTS.replace("ok 1", "not ok 1") + BOARD.format(0), 1, ""),
    ("skip_fails", TESTS.replace("bo.a", "'bo.a # SKIP no board'") + BOARD.format(0), 1, "no board"),
    ("complaint_fails", TESTS.replace("bo.a;", "bo.a; echo '[ 9.0] BUG: KASAN: oh';") +
     BOARD.format(0), 1, "BUG: KASAN: oh"),
    ("panic_names_itself", "echo '[ 9.0] Kernel panic - not syncing: oh'", 4, "not syncing: oh"),
    ("guest_that_stops_early_says_what_it_said_last", "echo booting", 3, "booting"),
    ("qemu_that_crashes_is_named", TESTS + BOARD.format(0) + "kill -SEGV $$", 1, "status -11"),
    ("qemu_that_refuses_its_options_says_so", "echo no such device >&2; exit 1", 3,
     "no such device"),
    ("guest_that_hangs_is_stopped", "echo booting; exec sleep 60", 3, f"after {SECONDS} s"),
]


def judge(script, logs):
    """Failures, and all that is printed, when `script` is the guest of a lane."""
    claims = tap.Tap()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run.lane_tests(claims, "lane", ["sh", "-c", script], ["bo"], pathlib.Path(logs), SECONDS)
    return claims.failed, printed.getvalue()


def main():
    failures = 0
    print(f"TAP version 13\n1..{len(CASES)}")
    for number, (claim, script, want, note) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as logs:
            failed, printed = judge(script, logs)
        good = failed == want and note in printed
        if not good:
            failures += 1
            print(f"# {failed} failures, not {want}, or no '{note}' in:")
            print("".join(f"#   {line}\n" for line in printed.splitlines()), end="")
        print(f"{'ok' if good else 'not ok'} {number} - {claim}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
