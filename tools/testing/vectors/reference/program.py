# SPDX-License-Identifier: MIT
"""Programs: tasks with the memory they need, what must come out, and their .vec file."""

import struct

from .dpu import Dpu
from .ppu import Ppu
from .task import REG, Memory, Task

COMMANDS = 0x100000
EN_DPU, EN_PPU = 0x08, 0x20
TARGETS = {0: 0x0101, 1: 0x0201, 3: 0x0801, 4: 0x1001, 5: 0x2001, 6: 0x4001, 7: 0x8001}
TRAILER = 4
DPU_DONE, PPU_DONE = 0x300, 0xc00


def word(offset, value):
    return TARGETS[offset >> 12] << 48 | (value & 0xffffffff) << 16 | offset


def compute(task):
    """Let @task do to its memory what the page says."""
    cube, width = None, 0
    if task.mask & EN_DPU:
        dpu = Dpu(task)
        cube, width = dpu.run(), dpu.width
    if task.mask & EN_PPU:
        Ppu(task, cube, width).run()


class Program:
    """
    @tasks:  (writes, mask, writes as they take effect): the last differ from the first
             where a task finds in CBUF what its registers do not point at
    @memory: before the run
    @outputs: addresses of the ranges to compare
    @habits: class Habits of a single task, or None
    """

    def __init__(self):
        self.tasks = []
        self.memory = Memory()
        self.outputs = []
        self.habits = None

    def adopt(self, habits):
        """Write the only task as others would."""
        writes, mask, _ = self.tasks[0]
        self.habits, self.adopted = habits, habits.body(writes, mask)

    def add(self, writes, mask, effective=None):
        self.tasks.append((writes, mask, effective or writes))

    def expected(self):
        memory, tables = self.memory.copy(), ([0] * 513, [0] * 513)
        for _, mask, effective in self.tasks:
            compute(Task(effective, mask, memory, tables))
        return memory

    def segments(self):
        """(address, words without the trailer) of every task, 64 bytes aligned."""
        at, segments = COMMANDS, []
        for writes, _, _ in self.tasks:
            count = len(self.adopted if self.habits else writes)
            segments.append((at, count))
            at += (count + TRAILER) * 8 + 63 & ~63
        return segments

    def stream(self, index, segments):
        writes, mask, _ = self.tasks[index]
        words = [word(*write) for write in writes]
        if self.habits:
            words = self.adopted + self.habits.trailer(0, mask)
            words += [0] * (len(words) % 2)
            return b''.join(struct.pack('<Q', w) for w in words)
        if index + 1 < len(segments):
            address, count = segments[index + 1]
            words += [word(REG['PC_BASE_ADDRESS'], address),
                      word(REG['PC_REGISTER_AMOUNTS'], (count + TRAILER + 1) // 2 - 1)]
        else:
            words += [0, word(REG['PC_REGISTER_AMOUNTS'], 0)]
        words += [0x0041 << 48, 0x0081 << 48 | mask << 16 | 8]
        words += [0] * (len(words) % 2)
        return b''.join(struct.pack('<Q', w) for w in words)

    def size(self):
        """Bytes of the stream."""
        address, count = self.segments()[-1]
        return address + (count + TRAILER) * 8 - COMMANDS

    def vec(self):
        """The program as a test vector, README.md."""
        lines = list(self.before())
        for address, data in self.expected().ranges:
            if address in self.outputs:
                lines += data_lines('expect', address, data, ' exact')
        return '\n'.join(lines) + '\n'

    def before(self):
        """The lines of a vector but what it expects."""
        segments = self.segments()
        if self.habits:
            yield f'# {self.habits}'
        for (address, count), (_, mask, _) in zip(segments, self.tasks):
            done = DPU_DONE if mask & EN_DPU else PPU_DONE
            yield f'task {address:x} {count:x} {mask:x} {done:x}'
        for index, (address, _) in enumerate(segments):
            yield from data_lines('mem', address, self.stream(index, segments))
        for address, data in self.memory.ranges:
            yield from data_lines('mem', address, data)


def data_lines(directive, address, data, kind=''):
    yield f'{directive} {address:x} {len(data):x}{kind}'
    for at in range(0, len(data), 32):
        yield data[at:at + 32].hex()
