#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The runner itself: what must not pass for a success."""

import os
import stat
import subprocess
import sys
import tempfile

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run-tests')
CASES = [
    # claim, script, last line, exit status
    ('claims_are_counted', 'echo 1..2; echo ok 1 - a; echo ok 2 - b', '2 passed, 0 failed, 0 skipped', 0),
    ('failing_claim_fails', 'echo 1..2; echo not ok 1 - a; echo ok 2 - b; exit 1',
     '1 passed, 1 failed, 0 skipped', 1),
    ('skip_is_counted_apart', 'echo 1..2; echo ok 1 - a "#" SKIP no such board; echo ok 2',
     '1 passed, 0 failed, 1 skipped', 0),
    ('crash_behind_good_claims_fails', 'echo 1..1; echo ok 1 - a; kill -SEGV $$',
     '1 passed, 1 failed, 0 skipped', 1),
    ('silence_fails', 'exit 0', '0 passed, 1 failed, 0 skipped', 1),
    ('missing_claims_fail', 'echo 1..3; echo ok 1 - a', '1 passed, 1 failed, 0 skipped', 1),
    ('unplanned_claims_fail', 'echo 1..1; echo ok 1; echo ok 2', '2 passed, 1 failed, 0 skipped', 1),
    ('bad_exit_status_fails', 'echo 1..1; echo ok 1 - a; exit 3', '1 passed, 1 failed, 0 skipped', 1),
    ('endless_test_fails', 'echo 1..1; sleep 60', '0 passed, 1 failed, 0 skipped', 1),
    ('nothing_but_skips_is_no_success', 'echo 1..1; echo "ok 1 # SKIP all"',
     '0 passed, 0 failed, 1 skipped', 1),
]


def run_script(folder, script):
    path = os.path.join(folder, 'script')
    with open(path, 'w') as file:
        file.write('#!/bin/sh\n' + script + '\n')
    os.chmod(path, stat.S_IRWXU)
    done = subprocess.run([RUNNER, '--timeout', '1', '--log', os.path.join(folder, 'log'),
                           '--group', 'self', folder, path], capture_output=True, text=True)
    return done.stdout.splitlines()[-1], done.returncode


def main():
    failures = 0
    print(f'TAP version 13\n1..{len(CASES)}')
    for number, (claim, script, want, status) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            got = run_script(folder, script)
        if got != (want, status):
            failures += 1
            print(f'# want {(want, status)}, got {got}\nnot ', end='')
        print(f'ok {number} - {claim}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
