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


def write_script(folder, script):
    path = os.path.join(folder, 'script')
    with open(path, 'w') as file:
        file.write('#!/bin/sh\n' + script + '\n')
    os.chmod(path, stat.S_IRWXU)
    return path


def run_tests(folder, *args):
    """Lines that run-tests prints, and its exit status."""
    done = subprocess.run([RUNNER, '--log', os.path.join(folder, 'log'), *args],
                          capture_output=True, text=True)
    return done.stdout.splitlines(), done.returncode


def run_case(folder, script, want, status):
    path = write_script(folder, script)
    lines, got = run_tests(folder, '--timeout', '1', '--group', 'self', folder, path)
    if (lines[-1], got) != (want, status):
        print(f'# want {(want, status)}, got {(lines[-1], got)}')
        return False
    return True


def arguments_reach_the_test(folder):
    path = write_script(folder, 'echo 1..$#; for i; do echo ok; done')
    lines, _ = run_tests(folder, '--group', 'self', folder, f"{path} --lane 'a lane'")
    return lines[-1] == '2 passed, 0 failed, 0 skipped'


def each_group_has_its_own_limit(folder):
    path = write_script(folder, 'sleep 1.5; echo 1..1; echo ok')
    lines, _ = run_tests(folder, '--timeout', '1', '--group', 'short', folder, path,
                         '--timeout', '60', '--group', 'long', folder, path)
    return lines[-1] == '1 passed, 1 failed, 0 skipped'


def last_words_of_a_test_without_tap_are_shown(folder):
    path = write_script(folder, 'echo the network is down; exit 1')
    lines, _ = run_tests(folder, '--group', 'self', folder, path)
    return any('the network is down' in line for line in lines)


def claims():
    """Each claim, and a function of a folder that says whether it holds."""
    for claim, *case in CASES:
        yield claim, lambda folder, case=case: run_case(folder, *case)
    for claim in (arguments_reach_the_test, each_group_has_its_own_limit,
                  last_words_of_a_test_without_tap_are_shown):
        yield claim.__name__, claim


def main():
    failures = 0
    found = list(claims())
    print(f'TAP version 13\n1..{len(found)}')
    for number, (claim, holds) in enumerate(found, 1):
        with tempfile.TemporaryDirectory() as folder:
            good = holds(folder)
        failures += not good
        print(f'{"" if good else "not "}ok {number} - {claim}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
