# SPDX-License-Identifier: MIT
"""
What streams of others have and ours do not, none of which may change a result: Mesa writes
registers twice, the vendor's runtime whole blocks of zeros, hand-written streams leave
garbage where a stage is bypassed; pointers, trailers and reserved bits differ (B1 to B6, E4).
"""

from .task import REG

TARGETS = {1: 0x0201, 3: 0x0801, 4: 0x1001, 5: 0x2001, 6: 0x4001, 7: 0x8001}
ENABLE_BIT = {1: 0, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6}
KNOWN = sorted(offset for offset in REG.values() if offset >> 12 in TARGETS and offset & 0xfff > 8)
TABLE_PORT = (REG['DPU_LUT_ACCESS_CFG'], REG['DPU_LUT_ACCESS_DATA'])
NOP, NOP1, SYNC = 0, 1 << 48, 0x0041 << 48
POINTER = 4


def is_pointer(offset):
    return offset & 0xfff == POINTER


def rest(writes):
    """Where the S_POINTERs end."""
    return next((i for i, (offset, _) in enumerate(writes) if not is_pointer(offset)), len(writes))


def insert(writes, more):
    at = rest(writes)
    return writes[:at] + more + writes[at:]


def garbage(rng):
    return rng.choice((0, 0xffffffff, rng.getrandbits(32)))


def twice(writes, mask, rng):
    """The last write counts."""
    return insert(writes, [(offset, rng.getrandbits(32)) for offset, _ in writes
                           if not is_pointer(offset) and offset not in TABLE_PORT])


def zeros_first(writes, mask, rng):
    blocks = {offset >> 12 for offset, _ in writes}
    return insert(writes, [(offset, 0) for offset in KNOWN if offset >> 12 in blocks])


def idle_blocks(writes, mask, rng):
    """Blocks that the enable word leaves out may hold anything."""
    return insert(writes, [(offset, garbage(rng)) for offset in KNOWN
                           if not mask >> ENABLE_BIT[offset >> 12] & 1 and
                           offset not in TABLE_PORT])


def bypassed_stages(writes, mask, rng):
    """BS, BN and EW with bit 0 set, and the tables when EW does not look up."""
    value, idle = dict(writes), {}
    for cfg in ('DPU_BS_CFG', 'DPU_BN_CFG', 'DPU_EW_CFG'):
        if value.get(REG[cfg], 0) & 1:
            idle.update({REG[cfg] + 4 * i: rng.getrandbits(32) for i in range(1, 4)})
    if value.get(REG['DPU_EW_CFG'], 0) & 0x81:
        idle.update({offset: rng.getrandbits(32) for offset in
                     range(REG['DPU_LUT_CFG'], REG['DPU_LUT_LO_SLOPE_SHIFT'] + 4, 4)})
    return [(offset, idle.get(offset, old)) for offset, old in writes]


def engines_off(writes, mask, rng):
    """Addresses and sizes of read engines that are off."""
    value, idle = dict(writes), {}
    if value.get(REG['RDMA_FEATURE_MODE_CFG'], 0) & 0x710 == 0x10:
        idle = {REG['RDMA_SRC_BASE']: garbage(rng), REG['RDMA_SURF_NOTCH']: garbage(rng)}
    if not value.get(REG['RDMA_BRDMA_CFG'], 0):
        idle[REG['RDMA_BS_BASE']] = garbage(rng)
    if not value.get(REG['RDMA_NRDMA_CFG'], 0):
        idle[REG['RDMA_BN_BASE']] = garbage(rng)
    return [(offset, idle.get(offset, old)) for offset, old in writes]


def spare_bits(writes, mask, rng):
    """Negative strides carry their sign, sizes and addresses bits that no field has."""
    spare = {REG['CNA_DMA_CON1']: 0xf0000000, REG['CNA_DMA_CON2']: 0xf0000000,
             REG['DPU_DST_BASE']: 0xf, REG['DPU_WIDTH']: 0xffffe000, REG['RDMA_WIDTH']: 0xffffe000,
             REG['PPU_DST_BASE']: 0xf, REG['CNA_CBUF_CON1']: 0xffffc000}
    return [(offset, value | spare.get(offset, 0) & rng.getrandbits(32)) for offset, value in writes]


def pace(writes, mask, rng):
    """Grains, bursts and arbiters take time only."""
    idle = {REG['CNA_CONV_CON2']: rng.choice((0x10, 0x3ff0, 0xff0010)), REG['CNA_DMA_CON0']: 0x30003,
            REG['RDMA_WEIGHT']: rng.getrandbits(32)}
    return [(offset, idle.get(offset, value)) for offset, value in writes]


def pointer_bits(writes, mask, rng):
    """With ping-pong bit 0 is ignored; 29:28 hold the index of the core."""
    bits = rng.choice((1, 1 << 28, 2 << 28))
    return [(offset, value | bits if is_pointer(offset) and value & 2 else value)
            for offset, value in writes]


def pointers_of_all(writes, mask, rng):
    """Every block's pointer; what is not enabled does not move."""
    written = {offset for offset, _ in writes}
    return [(base << 12 | POINTER, 0xe) for base in TARGETS
            if base << 12 | POINTER not in written] + writes


HABITS = (twice, zeros_first, idle_blocks, bypassed_stages, engines_off, spare_bits, pace,
          pointer_bits, pointers_of_all)


def word(offset, value):
    return TARGETS[offset >> 12] << 48 | (value & 0xffffffff) << 16 | offset


class Habits:
    """A choice of them for one program."""

    def __init__(self, rng):
        self.rng = rng
        self.chosen = [habit for habit in HABITS if rng.random() < .4]
        self.sync = rng.random() < .7
        self.nops = rng.random() < .3
        self.enable_offset = rng.choice((8, 8, 0xf008))
        self.enable_bit_1 = rng.choice((0, 0, 2))
        self.pc_write = rng.random() < .2
        self.cores = rng.choice((0, 0, 1, 2)) << 16

    def body(self, writes, mask):
        for habit in self.chosen:
            writes = habit(writes, mask, self.rng)
        words = []
        for offset, value in writes:
            words.append(word(offset, value))
            if self.nops and self.rng.random() < .2:
                words.append(self.rng.choice((NOP, NOP1, NOP1 | 0x40c4, SYNC)))
        return words + [0x0101 << 48] * self.pc_write

    def trailer(self, length, mask):
        """Three or four words, without a link."""
        return [0, 0x0101 << 48 | (length | self.cores) << 16 | REG['PC_REGISTER_AMOUNTS']] + \
            [SYNC] * self.sync + \
            [0x0081 << 48 | (mask | self.enable_bit_1) << 16 | self.enable_offset]

    def __str__(self):
        return ', '.join([habit.__name__ for habit in self.chosen] +
                         [name for name in ('sync', 'nops', 'pc_write') if getattr(self, name)] +
                         [f'enable at {self.enable_offset:#x}'])
