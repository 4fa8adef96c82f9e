#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random programs leave what the reference says: the model against a second reading of the page.

usage: test_programs.py [FIRST COUNT [KIND]...]   programs of every kind (0 25)

A program that differs stays in $O/programs, as a vector for vec-run.
"""

import os
import random
import subprocess
import sys

from reference.habits import Habits
from reference.random_program import KINDS, random_program

O = os.environ.get('O', 'build')
FOLDER = os.path.join(O, 'programs')
MOST_SAID = 3


def vec_run(*args):
    return subprocess.run([os.path.join(O, 'vec-run'), *args], capture_output=True, text=True)


def write(kind, seed, habits=False):
    path = os.path.join(FOLDER, f'{os.getpid()}-{kind}-{seed}{"-habits" * habits}.vec')
    program = random_program(kind, seed)
    if habits:
        program.adopt(Habits(random.Random(f'habits {kind} {seed}')))
    with open(path, 'w') as file:
        file.write(program.vec())
    return path


def differing(paths):
    """What vec-run says of each that it does not pass; the others are removed."""
    runs = {} if not vec_run(*paths).returncode else \
        {path: vec_run('--mismatches', '4', path) for path in paths}
    said = [f'{path}: exit status {run.returncode}\n{run.stdout}{run.stderr}'
            for path, run in runs.items() if run.returncode]
    for path in paths:
        if path not in runs or not runs[path].returncode:
            os.unlink(path)
    return said


def other_rounding_differs(paths):
    """The same programs on a model with one switch turned: the test can fail."""
    return vec_run('--model', 'ties-out=cut', *paths).returncode == 1


def one_by_one_is_the_same(paths):
    """The mainline driver starts every task alone: registers, pointers and CBUF stay."""
    done = vec_run('--one-by-one', '--mismatches', '4', *paths)
    return [done.stdout + done.stderr] if done.returncode else []


def claims(kinds, first, count):
    """Claims with what speaks against them."""
    for kind in kinds:
        paths = [write(kind, seed) for seed in range(first, first + count)]
        if kind == 'flying_tasks':
            yield 'flying_tasks_tell_another_rounding', \
                [] if other_rounding_differs(paths) else ['all passed']
        if kind == 'chains':
            yield 'chains_are_the_same_when_started_task_by_task', one_by_one_is_the_same(paths)
        yield f'{count}_random_{kind}_are_as_the_reference_says', differing(paths)
        if kind != 'chains':
            yield f'habits_of_others_leave_{kind}_as_they_are', \
                differing([write(kind, seed, True) for seed in range(first, first + count)])


def main():
    first, count = (int(arg) for arg in sys.argv[1:3]) if sys.argv[2:] else (0, 25)
    kinds = sys.argv[3:] or list(KINDS)
    os.makedirs(FOLDER, exist_ok=True)
    # all have two claims, these one more and one other
    print(f'TAP version 13\n1..{2 * len(kinds) + len({"flying_tasks"} & set(kinds))}')
    worst = 0
    for number, (claim, said) in enumerate(claims(kinds, first, count), 1):
        worst |= bool(said)
        for text in said[:MOST_SAID]:
            print(''.join(f'# {line}\n' for line in text.splitlines()[:20]), end='')
        print(f'{"not " if said else ""}ok {number} - {claim}', flush=True)
    return worst


if __name__ == '__main__':
    sys.exit(main())
