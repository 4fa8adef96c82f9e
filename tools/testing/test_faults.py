#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page that says which test watches for which fault: complete, and true."""

import os
import re
import subprocess

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
FAULTS = 'Documentation/accel/scoria/faults.md'
PAGE = 'Documentation/accel/scoria/fault-tests.rst'
SELFTESTS = 'tools/testing/selftests/drivers/accel/scoria'


def read(name):
    with open(os.path.join(TOP, name), encoding='utf-8') as file:
        return file.read()


def sources():
    """The text of every test that a bare name can be of."""
    listed = subprocess.run(['git', 'ls-files', '--', 'drivers/accel/scoria/tests',
                             'tools/testing/model/tests'], cwd=TOP, check=True,
                            capture_output=True, text=True)
    return '\n'.join(read(name) for name in listed.stdout.split())


def rows():
    """Fault and text of each row; rows go on in lines that start with spaces."""
    found = re.findall(r'^([HUMPR]\d+) +(.+(?:\n {7}.+)*)', read(PAGE), re.M)
    return {fault: ' '.join(text.split()) for fault, text in found}


def faults_without_a_row():
    known = re.findall(r'^\| ([HUMPR]\d+) \|', read(FAULTS), re.M)
    yield from (f'{PAGE}: no row for {fault}' for fault in known if fault not in rows())
    if len(known) < 60:
        yield f'{FAULTS}: only {len(known)} faults were found'


def claims_that_do_not_exist():
    for fault, text in rows().items():
        for fixture, claim in re.findall(r'(?<!\S)([a-z_]+)\.([a-z][a-z0-9_]+)(?=[,;]|$)', text):
            pattern = re.compile(rf'^TEST_F(_TIMEOUT)?\({fixture}, {claim}[,)]', re.M)
            files = [f'{SELFTESTS}/{name}' for name in os.listdir(os.path.join(TOP, SELFTESTS))
                     if name.endswith('.c')]
            if not any(pattern.search(read(name)) for name in files):
                yield f'{PAGE}: {fault}: no claim {fixture}.{claim}'


def tests_that_do_not_exist():
    text = sources()
    for fault, row in rows().items():
        for name in re.findall(r'(\w+) \((?:KUnit|model)\)', row):
            if not re.search(rf'\b{name}\b', text):
                yield f'{PAGE}: {fault}: no test {name}'
        for path in re.findall(r'``([\w./-]+/[\w.-]+)``', row):
            if not os.path.exists(os.path.join(TOP, path)):
                yield f'{PAGE}: {fault}: no file {path}'


def main():
    checks = [faults_without_a_row, claims_that_do_not_exist, tests_that_do_not_exist]
    failed = 0
    print('TAP version 13')
    print(f'1..{len(checks)}')
    for number, check in enumerate(checks, 1):
        problems = list(check())
        failed += bool(problems)
        for problem in problems:
            print(f'# {problem}')
        print(f"{'not ' if problems else ''}ok {number} - {check.__name__}")
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
