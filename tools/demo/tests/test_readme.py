#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What README.md tells a newcomer to type works: its commands, its program, its links."""

import os
import re
import subprocess
import tempfile

BUILD = os.path.abspath(os.environ.get('O', 'build'))
README = open('README.md', encoding='utf-8').read()


def blocks(language):
    return re.findall(rf'^```{language}\n(.*?)^```$', README, re.M | re.S)


def commands():
    """(command, lines that follow it) of the console blocks."""
    for block in blocks('console'):
        for part in re.split(r'^\$ ', block, flags=re.M)[1:]:
            command, _, output = part.partition('\n')
            yield command, output


def run(command, directory):
    """Run @command as if the tree's build directory were in @directory."""
    return subprocess.run(command, shell=True, cwd=directory, capture_output=True, text=True,
                          check=False)


def newcomer(directory):
    """A directory that looks like the top of the tree after make, with the example saved."""
    for name in ('include', 'tools'):
        os.symlink(os.path.abspath(name), os.path.join(directory, name))
    os.symlink(BUILD, os.path.join(directory, 'build'))
    with open(os.path.join(directory, 'example.c'), 'w', encoding='utf-8') as file:
        file.write(blocks('c')[0])


def check_commands(directory):
    for command, output in commands():
        result = run(command, directory)
        ok = result.returncode == 0 and (not output or result.stdout == output)
        yield ok, f'works as shown: {command}', result.stdout + result.stderr


def check_links():
    for target in re.findall(r'\]\(([^)]+)\)', README):
        yield os.path.exists(target), f'is there: {target}', ''


def main():
    with tempfile.TemporaryDirectory() as directory:
        newcomer(directory)
        claims = list(check_commands(directory)) + list(check_links())
    print(f'1..{len(claims)}')
    for number, (ok, claim, detail) in enumerate(claims, 1):
        print(f'{"ok" if ok else "not ok"} {number} - {claim}')
        if not ok:
            print(''.join(f'# {line}\n' for line in detail.splitlines()), end='')
    return 0 if all(ok for ok, _, _ in claims) else 1


if __name__ == '__main__':
    raise SystemExit(main())
