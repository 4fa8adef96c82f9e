#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A program is built with what `make install` leaves, and with nothing else. In TAP."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[4]
BUILD = os.path.abspath(os.environ.get('O') or 'build')
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']


def run(*args, **options):
    return subprocess.run([*map(str, args)], capture_output=True, text=True, check=False,
                          timeout=300, **options)


def install(destination):
    environment = {name: value for name, value in os.environ.items() if not name.startswith('MAKE')}
    return run('make', '-s', f'O={BUILD}', f'DESTDIR={destination}', 'PREFIX=/opt/npu', 'install',
               cwd=TOP, env=environment)


def facts(destination):
    """What scoria.pc says, with what pkg-config does about a prefix that is elsewhere."""
    text = (destination / 'opt/npu/lib/pkgconfig/scoria.pc').read_text(encoding='ascii')
    found = dict(re.findall(r'^(\w+)=(.*)$', text, re.M))
    found['prefix'] = f'{destination}{found["prefix"]}'
    found['libdir'] = f'{destination}{found["libdir"]}'

    def expand(value):
        while '${' in value:
            value = re.sub(r'\$\{(\w+)\}', lambda name: found[name[1]], value)
        return value
    return {name: expand(value).split()
            for name, value in re.findall(r'^([A-Z][\w.]*): (.*)$', text, re.M)}


def example():
    return re.search(r'^```c\n(.*?)^```$', (TOP / 'README.md').read_text(encoding='utf-8'),
                     re.M | re.S)[1]


def program(destination, said, *flags):
    """The example of README.md, compiled in a directory of its own."""
    source, result = destination / 'example.c', destination / 'example'
    source.write_text(example(), encoding='ascii')
    built = run('gcc', '-std=c11', *STRICT, *said['Cflags'], source, '-o', result, *flags,
                cwd=destination)
    ran = built.returncode or run(result, env={'LD_LIBRARY_PATH': str(destination / 'opt/npu/lib')})
    return built.returncode == 0 and ran.stdout == '4 5\n10 11\n', f'{built} {ran}'


def headers(destination, language, said):
    """Each by itself, of which none may need another before it."""
    for path in sorted((destination / 'opt/npu/include/scoria').iterdir()):
        done = run('clang', '-x', language[0], f'-std={language[1]}', '-fsyntax-only', *STRICT,
                   *said['Cflags'], '-', input=f'#include <scoria/{path.name}>\n', cwd=destination)
        if done.returncode:
            return False, f'{done}'
    return True, ''


def claims(destination):
    done = install(destination)
    yield 'make_install_is_quiet_and_well', done.returncode == 0 and not done.stderr, f'{done}'
    if done.returncode:
        return
    said = facts(destination)
    command = run(destination / 'opt/npu/bin/scoria', '--version', cwd=destination)
    yield 'the_command_has_the_version_of_the_library', \
        command.stdout.split()[1:] == said['Version'], f'{command} {said}'
    yield 'a_program_runs_with_the_shared_library', *program(destination, said, *said['Libs'])
    yield 'a_program_is_linked_statically', \
        *program(destination, said, '-static', *said['Libs'], *said['Libs.private'])
    for language in (('c', 'c99'), ('c', 'c11'), ('c++', 'c++11'), ('c++', 'c++20')):
        yield f'headers_are_{language[1]}', *headers(destination, language, said)


def main():
    with tempfile.TemporaryDirectory() as name:
        found = list(claims(pathlib.Path(name)))
    print(f'TAP version 13\n1..{len(found)}')
    for number, (claim, good, said) in enumerate(found, 1):
        print('' if good else f'# {said}\nnot ', end='')
        print(f'ok {number} - {claim}')
    return not all(good for _, good, _ in found)


if __name__ == '__main__':
    sys.exit(main())
