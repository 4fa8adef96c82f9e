# SPDX-License-Identifier: MIT
"""The registers of a task and the memory around it."""

import os
import re

from .numbers import BITS

HERE = os.path.dirname(os.path.abspath(__file__))
OFFSETS = os.path.join(HERE, '..', '..', 'model', 'tests', 'regs.h')


def read_offsets():
    """Names and offsets, restated by hand in the tests of the model."""
    with open(OFFSETS) as file:
        return {m[1]: int(m[2], 16) for m in re.finditer(r'(\w+) = (0x[0-9a-f]{4}),', file.read())}


REG = read_offsets()
REG.update({f'DPU_EW_OP_VALUE_{i}': REG['DPU_EW_OP_VALUE_0'] + 4 * i for i in range(8)})


class Memory:
    """Ranges of bytes by bus address."""

    def __init__(self):
        self.ranges = []

    def add(self, address, data):
        self.ranges.append((address, bytearray(data)))

    def copy(self):
        twin = Memory()
        twin.ranges = [(address, bytearray(data)) for address, data in self.ranges]
        return twin

    def find(self, address, size):
        for start, data in self.ranges:
            if start <= address and address + size <= start + len(data):
                return data, address - start
        raise LookupError(f'{size} bytes at {address:#x} are not mapped')

    def read(self, address, size):
        data, at = self.find(address, size)
        return int.from_bytes(data[at:at + size], 'little')

    def write(self, address, value):
        data, at = self.find(address, len(value))
        data[at:at + len(value)] = value

    def element(self, kind, base, index):
        """The bits of an element of an array; int4 has the low nibble first."""
        if BITS[kind] == 4:
            return self.read(base + index // 2, 1) >> index % 2 * 4 & 15
        return self.read(base + index * BITS[kind] // 8, BITS[kind] // 8)


class Task:
    """
    Registers as the blocks see them.

    @writes: (offset, value) in order
    @mask:   blocks that the enable word names
    @tables: LE and LO, 513 entries each, which outlive the task
    """

    def __init__(self, writes, mask, memory, tables):
        self.value = dict(writes)
        self.mask = mask
        self.memory = memory
        self.tables = tables
        self.load_tables(writes)

    def get(self, name):
        return self.value.get(REG[name], 0)

    def bits(self, name, msb, lsb):
        return self.get(name) >> lsb & ((1 << (msb - lsb + 1)) - 1)

    def load_tables(self, writes):
        """Writes of LUT_ACCESS_DATA (F1): bit 17 write, 16 table, then the address."""
        access = 0
        for offset, value in writes:
            if offset == REG['DPU_LUT_ACCESS_CFG']:
                access = value
            elif offset == REG['DPU_LUT_ACCESS_DATA']:
                if access >> 17 & 1:
                    self.tables[access >> 16 & 1][access & 0x3ff] = value & 0xffff
                access += 1
