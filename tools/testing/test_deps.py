#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a target of the Makefile runs is among the packages that it asks for first. In TAP."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
# what a recipe calls, and the package that has it
PROGRAMS = [(r'python3', 'python3'), (r'\bgcc\b', 'gcc'), (r'\bclang\b', 'clang')]


def make(target):
    """What the target would run, of the sub-makes that it starts as well."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith('MAKE')}
    with tempfile.TemporaryDirectory() as build:
        done = subprocess.run(['make', '-n', f'O={build}', target], cwd=TOP, check=False,
                              capture_output=True, text=True, env=environment)
    return done.stdout


def packages(lanes):
    """What deps.sh tells a user of a machine without any package to install."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('dpkg-query', 'exit 1'), ('id', 'echo 1000')):
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='ascii') as file:
                file.write(f'#!/bin/sh\n{text}\n')
            os.chmod(path, 0o755)
        done = subprocess.run(['tools/deps.sh', *lanes], cwd=TOP, check=False, capture_output=True,
                              text=True, env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'})
    return set(done.stderr.split('--no-install-recommends')[-1].split())


def asks_for_what_it_runs(target):
    said = make(target)
    calls = re.findall(r'tools/deps\.sh ([a-z ]+)$', said, re.M)
    wanted = set().union(*(packages(lanes.split()) for lanes in calls))
    return [f'make {target} runs {package}, which none of {calls} has'
            for pattern, package in PROGRAMS if re.search(pattern, said) and package not in wanted]


def check_asks_once():
    calls = re.findall(r'tools/deps\.sh ([a-z ]+)$', make('check'), re.M)
    first = packages(calls[0].split()) if calls else set()
    return [f'the first of {calls} lacks {sorted(packages(lanes.split()) - first)}'
            for lanes in calls if packages(lanes.split()) - first]


def main():
    claims = [(f'make_{target}_asks_for_what_it_runs', asks_for_what_it_runs, (target,))
              for target in ('demo', 'bench', 'check-host', 'check-vm', 'check-static',
                             'board-shell')]
    claims.append(('make_check_asks_once', check_asks_once, ()))
    failures = 0
    print(f'TAP version 13\n1..{len(claims)}')
    for number, (claim, check, args) in enumerate(claims, 1):
        found = check(*args)
        print(''.join(f'# {line}\n' for line in found), end='')
        print(f'{"not ok" if found else "ok"} {number} - {claim}')
        failures += bool(found)
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
