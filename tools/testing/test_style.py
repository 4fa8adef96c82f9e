#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What every file of source keeps to, checked on what git knows of."""

import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SOURCE = re.compile(r'\.(c|h|py|sh|mk|S|dts|dtsi|rst|yaml)$|(^|/)(Makefile|Kconfig|Kbuild|run-tests|run)$')
CODE = re.compile(r'\.(c|h)$')
WIDTH = 100


def files():
    listed = subprocess.run(['git', 'ls-files'], cwd=TOP, check=True,
                            capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines()
            if SOURCE.search(name) and os.path.isfile(os.path.join(TOP, name))]


def lines(name):
    with open(os.path.join(TOP, name), encoding='utf-8') as file:
        return file.read().split('\n')


def no_licence(name):
    if not any('SPDX-License-Identifier:' in line for line in lines(name)[:2]):
        yield f'{name}:1: no SPDX line'


def white_space(name):
    for number, line in enumerate(lines(name), 1):
        if line != line.rstrip():
            yield f'{name}:{number}: white space at the end'


def width(name):
    """Lines with a string are left alone, as checkpatch does: a string is not cut."""
    if not CODE.search(name):
        return
    for number, line in enumerate(lines(name), 1):
        if len(line.expandtabs(8)) > WIDTH and '"' not in line:
            yield f'{name}:{number}: wider than {WIDTH} columns'


def indentation(name):
    if not CODE.search(name):
        return
    for number, line in enumerate(lines(name), 1):
        if re.match(r' {8}', line):
            yield f'{name}:{number}: indented with spaces'


def unfinished(name):
    for number, line in enumerate(lines(name), 1):
        if re.search(r'\b(TODO|FIXME|XXX)\b', line) and not name.endswith('test_style.py'):
            yield f'{name}:{number}: unfinished'


CLAIMS = [
    ('every_file_names_its_licence', no_licence),
    ('no_white_space_at_the_end_of_lines', white_space),
    ('code_fits_100_columns', width),
    ('code_is_indented_with_tabs', indentation),
    ('nothing_is_left_unfinished', unfinished),
]


def main():
    if not os.path.exists(os.path.join(TOP, '.git')):  # a file in a worktree
        print('TAP version 13\n1..1\nok 1 - style # SKIP not a git checkout')
        return 0
    names, failures = files(), 0
    print(f'TAP version 13\n1..{len(CLAIMS)}')
    for number, (claim, check) in enumerate(CLAIMS, 1):
        found = [line for name in names for line in check(name)]
        for line in found[:50]:
            print(f'# {line}')
        failures += bool(found)
        print(f'{"not " if found else ""}ok {number} - {claim}', flush=True)
    return 1 if failures or not names else 0


if __name__ == '__main__':
    sys.exit(main())
