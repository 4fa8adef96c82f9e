# SPDX-License-Identifier: MIT
"""Random programs: one task of a kind, or a chain in which CBUF may be used again."""

import random

from .builder import AT_POOLED, AT_Y, PLACE, Builder
from .program import Program
from .random_conv import conv
from .random_dpu import flying
from .random_pool import pool, pooled
from .task import REG

NOWHERE = 0x10
DATA_REUSE, WEIGHT_REUSE = 1 << 12, 1 << 13
EN_CNA = 1


def one(kind):
    def build(rng):
        program = Program()
        b = Builder(rng, program)
        mask = kind(b)
        program.add(b.writes(), mask)
        return program
    return build


def reuse(rng, b, mask):
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
    b.program.add(claims, mask, writes)


def chain(rng):
    program, place = Program(), 0
    length = rng.randint(2, 7)
    while place < length:
        b = Builder(rng, program, place)
        mask = rng.choice((conv, conv, flying, pool, pooled))(b)
        program.add(b.writes(), mask)
        place += 1
        if place < length and mask & EN_CNA and not b.tables and rng.random() < .6:
            reuse(rng, b, mask)
            place += 1
    return program


KINDS = {
    'convolutions': one(conv), 'flying_tasks': one(flying), 'poolings': one(pool),
    'poolings_of_what_the_dpu_sends': one(pooled), 'chains': chain,
}


def random_program(kind, seed):
    return KINDS[kind](random.Random(f'{kind} {seed}'))
