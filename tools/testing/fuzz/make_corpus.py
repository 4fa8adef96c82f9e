#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write seed inputs for the fuzz targets, made from the test vectors.

usage: make_corpus.py DIR VECTOR...

DIR/pc gets each vector's commands behind the header of fuzz_pc.h, DIR/decode
the same words raw, as hex text and the vector itself, each behind the byte
that chooses the format (fuzz_decode.c).
"""

import os
import struct
import sys


def memory(path):
    """Tasks, assumed registers and {address: bytes} of the `mem` directives of a vector."""
    tasks, assumes, ranges, want = [], [], {}, 0
    with open(path) as file:
        for line in file:
            words = line.split()
            if want > 0:
                ranges[start] += bytes.fromhex(words[0])
                want = length - len(ranges[start])
            elif words and words[0] == 'task':
                tasks.append([int(word, 16) for word in words[1:]])
            elif words[:2] == ['#', 'assume'] and len(words) == 4:
                assumes.append((int(words[3], 16), int(words[2], 16)))
            elif words and words[0] == 'mem':
                start, length = int(words[1], 16), int(words[2], 16)
                ranges[start], want = b'', length
    return tasks, assumes, ranges


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)


def seed_pc(folder, name, tasks, assumes, commands):
    """With and without holes in memory; started as the vendor's driver does."""
    amount = (tasks[0][1] + 5) // 2 - 1
    writes = b''.join(struct.pack('<IHH', value, reg, 0) for value, reg in assumes)
    commands = commands.ljust(16 * (amount + 1), b'\0')
    for holes in (0, 0x1234567):
        header = struct.pack('<BBHHHII', len(assumes), 0x12, amount, len(tasks), 0, tasks[0][0],
                             holes)
        write(folder, f'{name}-{holes:x}', header + writes + commands)


def seed_decode(folder, name, path, commands):
    hex_text = ''.join(f'{word:016x}\n' for (word,) in struct.iter_unpack('<Q', commands))
    with open(path, 'rb') as file:
        vector = file.read()
    write(folder, name + '-words', b'\0' + commands)
    write(folder, name + '-raw', b'\x81' + commands)
    write(folder, name + '-hex', b'\x82' + hex_text.encode())
    if len(vector) < 20000:
        write(folder, name + '-vec', b'\x87' + vector)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = sys.argv[1]
    for path in sys.argv[2:]:
        name = os.path.basename(path)[:-4]
        tasks, assumes, ranges = memory(path)
        commands = ranges[tasks[0][0]]
        seed_pc(os.path.join(folder, 'pc'), name, tasks, assumes, commands)
        seed_decode(os.path.join(folder, 'decode'), name, path, commands)


if __name__ == '__main__':
    main()
