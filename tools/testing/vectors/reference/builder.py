# SPDX-License-Identifier: MIT
"""What the generators of random tasks share: registers by name, memory, numbers."""

import struct

from .numbers import BF16, BITS, FLOATS, FP16, TF32, bf16_bits, fp16_bits, fp32_bits, lanes_of
from .task import REG

PLACE = 0x08000000                  # distance of tasks in memory
AT_X, AT_W, AT_Y, AT_B, AT_N, AT_E, AT_POOLED = (i << 24 for i in range(1, 8))
UNTOUCHED = b'\xee'
TABLE_PORT = (REG['DPU_LUT_ACCESS_CFG'], REG['DPU_LUT_ACCESS_DATA'])


class Builder:
    """
    A task in the making; later settings of a register replace earlier ones.

    @place: where in memory and in the program the task is
    @tables: writes of the lookup tables, in order
    """

    def __init__(self, rng, program, place=0):
        self.rng, self.program, self.at = rng, program, place * PLACE
        self.value, self.tables = {}, []

    def set(self, **registers):
        self.value.update(registers)

    def get(self, name):
        return self.value.get(name, 0)

    def chance(self, probability):
        return self.rng.random() < probability

    def flag(self, probability, bit):
        return self.chance(probability) << bit

    def map(self, area, data):
        self.program.memory.add(area + self.at, data)
        return area + self.at

    def output(self, area, size):
        self.program.outputs.append(area + self.at)
        return self.map(area, UNTOUCHED * size)

    def elements(self, kind, count):
        """Random numbers of a type; floats so that sums of them stay exact."""
        if kind not in FLOATS:
            return self.rng.randbytes(-(-count * BITS[kind] // 8))
        numbers = [self.rng.randint(-24, 24) / 8 for _ in range(count)]
        if kind == FP16:
            return b''.join(struct.pack('<H', fp16_bits(x)) for x in numbers)
        if kind == BF16:
            return b''.join(struct.pack('<H', bf16_bits(x)) for x in numbers)
        dirt = 0x1fff if kind == TF32 else 0        # bits that tf32 cuts
        return b''.join(struct.pack('<I', fp32_bits(x) | self.rng.randint(0, dirt))
                        for x in numbers)

    def units(self, kind, count):
        return self.elements(kind, count * lanes_of(kind))

    def writes(self):
        """S_POINTERs first, tables next, everything else in any order."""
        registers = [(REG[name], value & 0xffffffff) for name, value in self.value.items()]
        first = [write for write in registers if write[0] & 0xfff == 4]
        rest = [write for write in registers if write[0] & 0xfff != 4]
        self.rng.shuffle(rest)
        return first + self.tables + rest
