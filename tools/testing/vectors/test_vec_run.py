#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every vector runs as it expects, and vec-run refuses what is no vector."""

import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VEC_RUN = os.path.join(os.environ.get('O', 'build'), 'vec-run')
TASK = 'task 1000 4 d 300\nmem 1000 20\n' + '00' * 32 + '\n'
EXPECT = 'fill 2000 4 ee\nexpect 2000 4 exact\neeeeeeee\n'

# claim, text, line that the message must name
REFUSED = [
    ('no_task', 'fill 2000 4 ee\nexpect 2000 4 exact\neeeeeeee\n', 3),
    ('nothing_expected', TASK, 3),
    ('unknown_directive', TASK + EXPECT + 'reg 4000 1\n', 7),
    ('number_with_a_prefix', 'task 0x1000 4 d 300\n', 1),
    ('number_beyond_32_bits', 'task 100001000 4 d 300\n', 1),
    ('task_with_a_word_missing', 'task 1000 4 d\n', 1),
    ('task_without_words', 'task 1000 0 d 300\n', 1),
    ('task_not_aligned', 'task 1008 4 d 300\n', 1),
    ('length_0', 'fill 2000 0 ee\n', 1),
    ('range_beyond_the_bus', 'fill fffffff0 11 ee\n', 1),
    ('more_than_256_mib', 'fill 0 8000000 ee\nfill 8000000 8000000 ee\nfill 10000000 1 ee\n', 3),
    ('fill_of_more_than_a_byte', 'fill 2000 4 100\n', 1),
    ('overlapping_memory', 'fill 2000 4 ee\nfill 2003 1 ee\n', 2),
    ('data_line_too_short', 'mem 1000 20\n' + '00' * 31 + '\n', 2),
    ('data_line_too_long', 'mem 1000 4\n0000000000\n', 2),
    ('data_not_hexadecimal', 'mem 1000 4\n0000000g\n', 2),
    ('file_cut_short_in_data', 'mem 1000 40\n' + '00' * 32 + '\n', 2),
    ('expect_of_an_unknown_kind', TASK + 'fill 2000 4 ee\nexpect 2000 4 bf16\n', 5),
    ('expect_of_half_an_element', TASK + 'fill 2000 4 ee\nexpect 2000 3 fp16 1\n', 5),
    ('exact_with_a_tolerance', TASK + 'fill 2000 4 ee\nexpect 2000 4 exact 1\n', 5),
    ('negative_tolerance', TASK + 'fill 2000 4 ee\nexpect 2000 4 fp32 -1\n', 5),
    ('expect_of_more_than_256_mib', TASK + 'expect 2000 10000001 exact\n', 4),
    ('expect_not_mapped', TASK + 'fill 2000 4 ee\nexpect 2002 4 exact\neeeeeeee\n', 5),
    ('assume_without_a_value', '# assume 4014\n', 1),
    ('binary_file', 'task\0\n', 1),
    ('line_that_does_not_end', TASK + EXPECT + '# ' + 'x' * 4096, 7),
]


def vec_run(*args, text=None):
    return subprocess.run([VEC_RUN, *args], input=text, capture_output=True, text=True)


def passes(path):
    done = vec_run(path)
    return done.returncode == 0 and done.stdout.endswith(f'PASS {path}\n'), done.stdout + done.stderr


def spoil(text):
    """Change the last byte of the first expectation; returns its line too."""
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith('expect'))
    data = lines[first + 1].rstrip()
    lines[first + 1] = data[:-2] + f'{int(data[-2:], 16) ^ 0x41:02x}\n'
    return ''.join(lines), first + 1


def mismatch_is_found(path):
    """One changed byte is exit status 1, named by line, not more."""
    with open(path) as file:
        text, line = spoil(file.read())
    done = vec_run('-', text=text)
    said = re.search(rf'^# line {line}: 1 of \d+ elements', done.stdout, re.M)
    return done.returncode == 1 and bool(said), done.stdout + done.stderr


def refused(text, line):
    done = vec_run('-', text=text)
    return done.returncode == 2 and done.stderr.startswith(f'<stdin>:{line}: '), \
        f'status {done.returncode}: {done.stderr}'


def bad_uses():
    """No file, an unknown option, a file that is not there, a directory."""
    with tempfile.TemporaryDirectory() as folder:
        uses = [[], ['--no-such-option', 'x'], [os.path.join(folder, 'x')], [folder],
                ['--ties', 'odd', 'x'], ['--mismatches', 'x', 'x']]
        for args in uses:
            done = vec_run(*args)
            if done.returncode != 2 or not done.stderr:
                return False, f'{args}: status {done.returncode} {done.stderr}'
    return True, ''


def truncated(path):
    """However a vector is cut, there is an exit status and no crash."""
    with open(path) as file:
        text = file.read()
    for at in range(0, len(text), 97):
        done = vec_run('-', text=text[:at])
        if done.returncode not in (1, 2):
            return False, f'cut at {at}: status {done.returncode} {done.stderr}'
    return True, ''


def lost_output():
    """A full disk or a closed stdout is no success."""
    for where in ('>/dev/full', '>&-'):
        for args in ('--help', os.path.join(HERE, 'allbilly-add-fp16.vec')):
            done = subprocess.run(['sh', '-c', f'"$0" "$1" {where}', VEC_RUN, args],
                                  capture_output=True, text=True)
            if done.returncode != 2 or 'could not be written' not in done.stderr:
                return False, f'{args} {where}: status {done.returncode} {done.stderr}'
    return True, ''


def stream_that_hangs():
    """A segment without an enable is a failure that says why."""
    done = vec_run('-', text=TASK + EXPECT)
    return done.returncode == 1 and 'core is' in done.stdout, done.stdout + done.stderr


def count_may_include_the_trailer(path):
    """Some lists count it, and all that stands behind: no memory is needed further on."""
    with open(path) as file:
        text = file.read()
    cut = re.sub(r'^(task \w+ )68', r'\g<1>70', re.sub(r'^fill ffffa380 .*\n', '', text, flags=re.M),
                 flags=re.M)
    for args in ('-',), ('--one-by-one', '-'):
        done = vec_run(*args, text=cut)
        if cut == text or done.returncode:
            return False, done.stdout + done.stderr
    return True, ''


def expect_exact(address, data):
    lines = ''.join(data[i:i + 32].hex() + '\n' for i in range(0, len(data), 32))
    return f'expect {address:x} {len(data):x} exact\n{lines}'


def conversion_for_the_host(path):
    """The recorded program has three more tasks: the cube as pixels of 8 channels, then as fp32."""
    with open(path) as file:
        head = file.read().partition('\nexpect ')[0] + '\n'
    for address in ('ffc60b00', 'ffc60880', 'ffc60600'):
        head = head.replace('task ffc60380 45 18 300\n',
                            f'task ffc60380 45 18 300\ntask {address} 45 18 300\n')
    head = head.replace('fill ffbc0000 1d000 00', 'fill ffbc0000 3c000 00')
    sums = [(k * 197 % 4001 - 2000) / 4 + 2 for k in range(85 * 85)]
    pixels = [value for x in sums for value in (x, 0, 0, 0, 0, 0, 0, 0)]
    done = vec_run('-', text=head + expect_exact(0xffd50000, struct.pack(f'<{len(pixels)}e', *pixels)) +
                   expect_exact(0xffbc0000, struct.pack(f'<{len(pixels)}f', *pixels)))
    return done.returncode == 0, done.stdout + done.stderr


def claims():
    vectors = sorted(glob.glob(os.path.join(HERE, '*.vec')))
    for path in vectors:
        name = os.path.basename(path)[:-4].replace('-', '_')
        yield f'{name}_runs_as_expected', passes, (path,)
        if not name.startswith('phhusson'):
            yield f'{name}_with_one_byte_changed_fails', mismatch_is_found, (path,)
    yield 'there_are_ten_vectors', lambda: (len(vectors) >= 10, f'{len(vectors)}'), ()
    for claim, text, line in REFUSED:
        yield f'{claim}_is_refused', refused, (text, line)
    yield 'bad_use_is_exit_status_2', bad_uses, ()
    yield 'output_that_is_lost_is_exit_status_2', lost_output, ()
    yield 'cut_vectors_never_crash', truncated, (os.path.join(HERE, 'allbilly-add-fp16.vec'),)
    yield 'stream_that_hangs_is_exit_status_1', stream_that_hangs, ()
    yield 'phhusson_converts_for_the_host', conversion_for_the_host, \
        (os.path.join(HERE, 'phhusson-conv1ch-add2-pattern.vec'),)
    yield 'count_may_include_the_trailer', count_may_include_the_trailer, \
        (os.path.join(HERE, 'mtx512-matmul-int8-1x32x32.vec'),)


def main():
    failures, rows = 0, list(claims())
    print(f'TAP version 13\n1..{len(rows)}')
    for number, (claim, check, args) in enumerate(rows, 1):
        good, said = check(*args)
        if not good:
            failures += 1
            print(''.join(f'# {line}\n' for line in said.splitlines()[:20]) + 'not ', end='')
        print(f'ok {number} - {claim}', flush=True)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
