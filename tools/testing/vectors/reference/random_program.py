# SPDX-License-Identifier: MIT
"""Random programs: one task of a kind, or a chain that uses CBUF and registers again."""

import random

from .builder import AT_POOLED, AT_Y, PLACE, TABLE_PORT, Builder
from .program import Program
from .random_conv import conv
from .random_dpu import flying
from .random_pool import pool, pooled
from .task import REG

NOWHERE = 0x10
DATA_REUSE, WEIGHT_REUSE = 1 << 12, 1 << 13
EN_CNA = 1


class Groups:
    """What the two register groups of every block hold (B6), so that it need not be written."""

    def __init__(self, rng):
        self.rng, self.held, self.pointer = rng, {}, [0] * 8

    def dispensable(self, offset, value):
        block = offset >> 12
        place = block, self.pointer[block], offset
        known = self.held.get(place) == value
        self.held[place] = value
        return known and offset & 0xfff != 4 and offset not in TABLE_PORT and \
            self.rng.random() < .5

    def thin(self, writes, mask):
        """@writes without some that change nothing; @mask's blocks take their other group."""
        needed = [write for write in writes if not self.dispensable(*write)]
        for block in range(1, 8):
            self.pointer[block] ^= mask >> block - 1 & 1
        return needed


def one(kind):
    def build(rng):
        program = Program()
        b = Builder(rng, program)
        mask = kind(b)
        program.add(b.writes(), mask)
        return program
    return build


def reuse(rng, groups, b, mask):
    """The task of @b again, whose features or weights are in CBUF only."""
    claim, pointer = rng.choice(((DATA_REUSE, 'CNA_FEATURE_DATA_ADDR'),
                                 (WEIGHT_REUSE, 'CNA_DCOMP_ADDR0')))
    for area in (AT_Y, AT_POOLED):
        for address, data in list(b.program.memory.ranges):
            if address == area + b.at:
                b.program.memory.add(address + PLACE, data)
                b.program.outputs.append(address + PLACE)
    moved = {name: b.get(name) + PLACE for name in ('DPU_DST_BASE', 'PPU_DST_BASE')
             if name in b.value}
    writes = [(offset, {REG[name]: value for name, value in moved.items()}.get(offset, value))
              for offset, value in b.writes()]
    claims = [(offset, value | claim if offset == REG['CNA_CBUF_CON0'] else
               NOWHERE if offset == REG[pointer] else value) for offset, value in writes]
    b.program.add(groups.thin(claims, mask), mask, writes)


def chain(rng):
    program, groups, place = Program(), Groups(rng), 0
    length = rng.randint(2, 7)
    while place < length:
        b = Builder(rng, program, place)
        mask = rng.choice((conv, conv, flying, pool, pooled))(b)
        writes = b.writes()
        program.add(groups.thin(writes, mask), mask, writes)
        place += 1
        if place < length and mask & EN_CNA and not b.tables and rng.random() < .6:
            reuse(rng, groups, b, mask)
            place += 1
    return program


KINDS = {
    'convolutions': one(conv), 'flying_tasks': one(flying), 'poolings': one(pool),
    'poolings_of_what_the_dpu_sends': one(pooled), 'chains': chain,
}


def random_program(kind, seed):
    return KINDS[kind](random.Random(f'{kind} {seed}'))
