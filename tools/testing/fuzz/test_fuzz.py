#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Replay every seed and kept input through the fuzz targets, then fuzz briefly.

The replay programs are there for any compiler, the fuzzers only in a build
with clang's -fsanitize=fuzzer-no-link; without them the second half is left
out, since the build with sanitizers runs it.
"""

import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, '..', 'vectors')
sys.path.insert(0, VECTORS)

from reference.random_program import KINDS, random_program

BUILD = os.path.join(os.environ.get('O', 'build'), 'fuzz')
RUNS = {'pc': 10000, 'decode': 20000}
SEEDS, MOST_BYTES = 60, 7000        # random programs of a kind, and of their stream
LIMITS = ['-timeout=10', '-rss_limit_mb=2048', '-max_len=8192', '-seed=1', '-verbosity=0',
          '-close_fd_mask=3']


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors='replace')
    return done.returncode == 0, f'{" ".join(command[:1])}: status {done.returncode}\n' + done.stderr


def random_vectors(folder):
    """Random programs of one task, short enough for an input."""
    for kind in KINDS:
        for seed in range(SEEDS if kind != 'chains' else 0):
            program = random_program(kind, seed)
            if program.size() <= MOST_BYTES:
                path = os.path.join(folder, f'{kind}-{seed}.vec')
                with open(path, 'w') as file:
                    file.write('\n'.join(program.before()) + '\n')
                yield path


def make_corpus(folder):
    vectors = sorted(glob.glob(os.path.join(VECTORS, '*.vec')))
    subprocess.run([os.path.join(HERE, 'make_corpus.py'), folder, *vectors,
                    *random_vectors(folder)], check=True)


def inputs(folder, target):
    """Seeds, and what once failed and is kept in the tree."""
    kept = os.path.join(HERE, 'regress', target)
    return [os.path.join(folder, target)] + ([kept] if os.path.isdir(kept) else [])


def fuzz(folder, target):
    """A fixed number of runs from a fixed seed; new inputs go to a folder of their own."""
    found = os.path.join(folder, f'found-{target}')
    os.makedirs(found)
    dictionary = os.path.join(HERE, f'fuzz_{target}.dict')
    options = LIMITS + ([f'-dict={dictionary}'] if os.path.exists(dictionary) else [])
    return run([os.path.abspath(os.path.join(BUILD, f'fuzz_{target}')), f'-runs={RUNS[target]}',
                *options, found, *inputs(folder, target)], folder)


def claims(folder):
    for target in RUNS:
        replay = os.path.abspath(os.path.join(BUILD, f'replay_{target}'))
        yield f'{target}_replays_its_corpus', run, ([replay, *inputs(folder, target)], folder)
        if os.path.exists(os.path.join(BUILD, f'fuzz_{target}')):
            yield f'{target}_survives_{RUNS[target]}_runs', fuzz, (folder, target)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(folder)
        rows = list(claims(folder))
        print(f'TAP version 13\n1..{len(rows)}')
        for number, (claim, check, args) in enumerate(rows, 1):
            good, said = check(*args)
            if not good:
                failures += 1
                print(''.join(f'# {line}\n' for line in said.splitlines()[:60]) + 'not ', end='')
            print(f'ok {number} - {claim}', flush=True)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
