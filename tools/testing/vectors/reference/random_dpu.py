# SPDX-License-Identifier: MIT
"""Random settings of the DPU and of DPU_RDMA, and random flying tasks."""

import struct

from .builder import AT_B, AT_E, AT_N, AT_X, AT_Y, TABLE_PORT
from .numbers import BF16, FLOATS, FP16, FP32, INT4, INT8, INT16, INT32, fp16_bits, fp32_bits, \
    lanes_of
from .rdma import ALU, BY_SIZE, CPEND, MUL

FACTORS = (0.5, -1, 2, 0.25, 3, -0.125)
NEUTRAL = {
    'DPU_S_POINTER': 0xe, 'RDMA_S_POINTER': 0xe, 'DPU_OFFSET_PEND': 0, 'DPU_NOTCH': 0,
    'DPU_BS_CFG': 0x53, 'DPU_BS_ALU': 0, 'DPU_BS_MUL': 0, 'DPU_BS_RELUX': 0, 'DPU_BN_CFG': 0x53,
    'DPU_BN_ALU': 0, 'DPU_BN_MUL': 0, 'DPU_BN_RELUX': 0, 'DPU_EW_CFG': 0x383, 'DPU_EW_OFFSET': 0,
    'DPU_EW_SCALE': 1, 'DPU_EW_RELUX': 0, 'DPU_OUT_OFFSET': 0, 'DPU_OUT_SCALE': 1,
    'DPU_OUT_SHIFT': 0, 'DPU_UNKNOWN_40C4': 0, 'DPU_OW_OP': 0, 'DPU_LUT_CFG': 0, 'DPU_FEATURE_MODE_CFG': 0x1e5,
    'RDMA_SRC_BASE': 0, 'RDMA_BRDMA_CFG': 0, 'RDMA_BS_BASE': 0, 'RDMA_NRDMA_CFG': 0,
    'RDMA_BN_BASE': 0, 'RDMA_ERDMA_CFG': 1, 'RDMA_EW_BASE': 0, 'RDMA_EW_SURF_STRIDE': 0,
    'RDMA_SRC_DMA_CFG': 0, 'RDMA_SURF_NOTCH': 0, 'RDMA_PAD_CFG': 0, 'RDMA_WEIGHT': 0x01010101,
    'RDMA_EW_SURF_NOTCH': 0,
}
# first and last settings of LUT_CFG that select tables; MUX is always 2
TABLE_CHOICES = (0x68, 0x08, 0x18, 0x28, 0x48, 0x78, 0x58)


def cube(b, width, height, channels, real):
    b.set(DPU_WIDTH=width - 1, DPU_HEIGHT=height - 1, DPU_CHANNEL=real - 1 << 16 | channels - 1,
          DPU_WDMA_SIZE_0=channels - 1, DPU_WDMA_SIZE_1=height - 1 << 16 | width - 1,
          RDMA_WIDTH=width - 1, RDMA_HEIGHT=height - 1, RDMA_CHANNEL=channels - 1)


def output(b, group, surfaces, width, height, channels):
    """Planar, row-major or, now and then, overlapping."""
    groups = -(-channels // group)
    notch = b.rng.choice((0, 0, 0, b.rng.randint(1, 5)))
    stride = height * (width + notch) + b.rng.choice((0, 0, b.rng.randint(0, 9)))
    step = surfaces * stride
    if b.chance(.15):
        stride, step, notch = width, surfaces * width, width * (groups * surfaces - 1)
    elif b.chance(.1):
        stride, step = b.rng.randint(1, width * height), b.rng.randint(0, 20)
    units = groups * step + 16 * stride + height * (width + notch) + 64
    b.set(DPU_DST_BASE=b.output(AT_Y, 16 * units), DPU_DST_SURF_STRIDE=stride << 4,
          DPU_SURFACE_ADD=step << 4, DPU_NOTCH=notch * 0x10001,
          DPU_BS_OW_CFG=b.get('DPU_BS_OW_CFG') | (surfaces - 1) * 0x124)


def alu_operand(b, is_float):
    return fp32_bits(b.rng.randint(-40, 40) / 4) if is_float else b.rng.randint(-9000, 9000)


def mul_operand(b, is_float):
    return fp16_bits(b.rng.choice(FACTORS)) if is_float else b.rng.randint(-300, 300)


def operands(b, kind, is_float, count):
    """@count operands of one kind as an engine reads them."""
    if kind == ALU:
        values = [alu_operand(b, is_float) & 0xffffffff for _ in range(count)]
        return struct.pack(f'<{count}I', *values)
    return struct.pack(f'<{count}H', *(mul_operand(b, is_float) & 0xffff for _ in range(count)))


def vector(b, use, is_float, channels):
    """A dense array of one kind, else fours of each."""
    count = -(-channels // 64) * 64
    kinds = [kind for kind in (ALU, CPEND, MUL) if use & kind]
    if len(kinds) == 1:
        return operands(b, use, is_float, count)
    return b''.join(operands(b, kind, is_float, 4) for _ in range(count // 4) for kind in kinds)


def stage(b, name, is_float):
    """Registers of BS or BN; returns what it wants from memory."""
    if b.chance(.35):
        return 0
    config = b.flag(.3, 1) | b.flag(.4, 4) | b.flag(.2, 5) | b.flag(.6, 6) | b.flag(.2, 7) | \
        b.rng.choice((0, 1, 2, 2, 4)) << 16
    alu = not config & 2 and b.flag(.4, 8)
    mul = not config & 16 and b.flag(.3, 0)
    limit = fp32_bits(b.rng.randint(0, 100) / 4) if is_float else b.rng.randint(0, 30000)
    b.set(**{f'DPU_{name}_CFG': config | alu, f'DPU_{name}_ALU': alu_operand(b, is_float),
             f'DPU_{name}_MUL': (mul_operand(b, is_float) & 0xffff) << 16 |
             b.rng.randint(0, 9) << 8 | mul, f'DPU_{name}_RELUX': limit})
    return (ALU if alu else 0) | (MUL if mul else 0)


def stages(b, is_float, channels):
    bs, bn = stage(b, 'BS', is_float), stage(b, 'BN', is_float)
    if b.get('DPU_BS_OW_CFG') & 3 == 1:             # CPEND from memory
        bs |= CPEND
    if bs:
        b.set(RDMA_BRDMA_CFG=bs << 1, RDMA_BS_BASE=b.map(AT_B, vector(b, bs, is_float, channels)))
    if bn:
        b.set(RDMA_NRDMA_CFG=bn << 1, RDMA_BN_BASE=b.map(AT_N, vector(b, bn, is_float, channels)))


def out_cvt(b, out, is_float):
    narrows = out in (FP16, BF16)
    if is_float:
        exponent = b.rng.randint(0, 20) if out == FP16 and b.chance(.15) else 0
        narrows &= not b.chance(.05)                # else half of the fp32 pattern
        b.set(DPU_OUT_SCALE=1 | narrows << 16, DPU_OUT_SHIFT=exponent << 12)
        return
    b.set(DPU_OUT_OFFSET=b.rng.choice((0, b.rng.randint(-300, 300))),
          DPU_OUT_SCALE=b.rng.choice((1, b.rng.randint(1, 32767))) | narrows << 16,
          DPU_OUT_SHIFT=b.rng.choice((0, b.rng.randint(0, 30))) | b.flag(.3, 31) | b.flag(.3, 30) |
          (5 << 12 if b.chance(.2) else 0))


def register_operand(b, is_float, config):
    """EW_OP_VALUE; EDATA_SIZE 3, so that floats are fp32."""
    for i in range(8):
        b.set(**{f'DPU_EW_OP_VALUE_{i}': alu_operand(b, is_float)})
    b.set(DPU_EW_CFG=config | 3 << 22 | 1 << 8)


def operand_planes(b, kind, width, height, channels, combined):
    """Where ERDMA, or with COMB_USE both engines, find surfaces of the operand."""
    surfaces, plane = -(-channels // lanes_of(kind)) + 1, width * height
    stride, notch = plane + b.rng.choice((0, 0, 3)), 0
    if not combined and b.chance(.3):
        notch = b.rng.randint(1, 3)
        stride = height * (width + notch)
    at = b.map(AT_E, b.units(kind, surfaces * (stride + 2)))
    b.set(RDMA_EW_BASE=at, RDMA_EW_SURF_STRIDE=stride << 4,
          RDMA_HEIGHT=b.get('RDMA_HEIGHT') | notch << 16)
    if combined:
        b.set(RDMA_SRC_BASE=at, RDMA_EW_BASE=at + 16 * stride,
              RDMA_SURF_NOTCH=2 * stride - plane << 4, RDMA_EW_SURF_NOTCH=2 * stride - plane << 4,
              RDMA_FEATURE_MODE_CFG=b.get('RDMA_FEATURE_MODE_CFG') & ~0x10 | 5 << 8)


def operation(b, is_float, width, height, channels, conv):
    """An operation of EW on a register or on memory."""
    mul = b.flag(.3, 2)
    config = 0x80 | mul | b.rng.choice((0, 1, 2, 2, 4)) << 16 | b.flag(.6, 9) | b.flag(.2, 10) | \
        b.flag(.15, 5)
    b.set(DPU_EW_RELUX=fp32_bits(b.rng.randint(0, 50) / 2) if is_float else b.rng.randint(0, 9000),
          DPU_EW_OFFSET=b.rng.randint(-200, 200),
          DPU_EW_SCALE=b.rng.getrandbits(16) | b.rng.randint(0, 14) << 16 |
          (b.rng.randint(0, 8) << 22 if mul else 0))
    if b.chance(.25):
        register_operand(b, is_float, config)
        return
    size = b.rng.choice((2, 2, 3) if is_float else (0, 1, 1, 2, 3))
    if is_float:
        config |= 1 << 8 if mul and size == 2 else 0
    else:
        config |= b.flag(.3, 8) | b.flag(.5, 31) | b.flag(.3, 30)
    by_pixel = b.chance(.7)
    kind = {2: FP16, 3: FP32}[size] if is_float else BY_SIZE[size]
    b.set(DPU_EW_CFG=config | size << 22 | 1 << 28 | 1 << 6,
          RDMA_ERDMA_CFG=by_pixel << 30 | size << 2)
    operand_planes(b, kind, width, height, channels, conv and by_pixel and b.chance(.6))


def division(b):
    """fp16 by fp16, unwidened (C6, H5)."""
    b.set(DPU_BS_CFG=0x53, DPU_BN_CFG=0x53, DPU_EW_CFG=0x108303c0, RDMA_ERDMA_CFG=0x40000008,
          DPU_OUT_SCALE=1, DPU_OUT_SHIFT=0,
          RDMA_FEATURE_MODE_CFG=b.get('RDMA_FEATURE_MODE_CFG') & ~8)


def table_ranges(b):
    """Select, start and end of LE and LO: adjacent, or anywhere."""
    le, lo = b.rng.randint(0, 7), b.rng.randint(0, 7)
    if b.chance(.5):
        middle = b.rng.randint(-50, 50)
        return (le, middle - (512 << le), middle), (lo, middle, middle + (512 << lo))
    a, c = b.rng.randint(-3000, 3000), b.rng.randint(-3000, 3000)
    return (le, a, a + b.rng.randint(1, 600 << le)), (lo, c, c + (512 << lo))


def tables(b, is_float):
    """Two random tables and, for floats, a BN that makes indices of them."""
    access, data = TABLE_PORT
    for table in range(2):
        b.tables.append((access, 1 << 17 | table << 16))
        b.tables += [(data, b.rng.getrandbits(16)) for _ in range(513)]
    le, lo = table_ranges(b)
    b.set(DPU_EW_CFG=b.rng.choice((0x302, 0x300)), DPU_LUT_CFG=b.rng.choice(TABLE_CHOICES),
          DPU_LUT_INFO=lo[0] << 16 | le[0] << 8, DPU_LUT_LE_START=le[1], DPU_LUT_LE_END=le[2],
          DPU_LUT_LO_START=lo[1], DPU_LUT_LO_END=lo[2],
          DPU_LUT_LE_SLOPE_SCALE=b.rng.getrandbits(32), DPU_LUT_LE_SLOPE_SHIFT=b.rng.getrandbits(10),
          DPU_LUT_LO_SLOPE_SCALE=b.rng.getrandbits(32), DPU_LUT_LO_SLOPE_SHIFT=b.rng.getrandbits(10))
    for i in range(8):
        b.set(**{f'DPU_EW_OP_VALUE_{i}': 0})
    if is_float:
        b.set(DPU_BN_CFG=0x20040, DPU_BN_ALU=0x80000000, RDMA_NRDMA_CFG=0,
              DPU_BN_MUL=fp16_bits(b.rng.choice((8, 100, 333, 2596))) << 16,
              DPU_OUT_OFFSET=b.rng.randint(-10, 10),
              DPU_OUT_SHIFT=1 << 31 | b.rng.randint(0, 16) << 12)


def element_wise(b, is_float, width, height, channels, conv):
    """What EW does, if anything."""
    if b.chance(.35):
        operation(b, is_float, width, height, channels, conv)
    elif b.chance(.25):
        tables(b, is_float)


def precision(b, out, kind, is_float):
    """DATA_FORMAT, with shifts of negative products for integers."""
    shifts = 0
    if not is_float and b.chance(.5):
        shifts = b.rng.randint(0, 9) << 4 | b.rng.randint(0, 9) << 10 | b.rng.randint(0, 9) << 16
    b.set(DPU_DATA_FORMAT=out << 29 | kind << 26 | shifts | kind)


def main_input(b, kind, width, height, surfaces):
    notch, gap = b.rng.choice((0, 0, 3)), b.rng.choice((0, 0, 5))
    at = b.map(AT_X, b.units(kind, surfaces * (height * (width + notch) + gap)))
    b.set(RDMA_SRC_BASE=at, RDMA_SRC_DMA_CFG=notch << 19, RDMA_SURF_NOTCH=gap << 4,
          RDMA_FEATURE_MODE_CFG=0x7801 | kind << 15 | kind << 5 | (kind in (FP16, BF16)) << 3)


def flying(b):
    """A task of the DPU alone; returns its enable mask."""
    kind = b.rng.choice((FP16, FP16, FP16, FP32, INT8, INT16, INT32, BF16, INT4))
    is_float, lanes = kind in FLOATS, lanes_of(kind)
    width, height = b.rng.randint(1, 12), b.rng.randint(1, 5)
    channels = b.rng.choice((lanes, lanes, 2 * lanes, 3 * lanes, 5 * lanes, max(1, lanes - 3)))
    out = b.rng.choice((FP16, FP16, FP32, BF16) if is_float else
                       (INT8, INT16, INT32, FP32, FP16, INT4))
    surfaces = b.rng.choice((1, 1, 2, 4))
    b.set(**NEUTRAL)
    b.set(DPU_BS_OW_CFG=2)
    cube(b, width, height, channels, b.rng.choice((channels, b.rng.randint(1, channels))))
    precision(b, out, kind, is_float)
    output(b, surfaces * lanes_of(out), surfaces, width, height, channels)
    main_input(b, kind, width, height, -(-channels // lanes))
    stages(b, is_float, channels)
    out_cvt(b, out, is_float)
    if kind == out == FP16 and b.chance(.1):
        division(b)
        operand_planes(b, kind, width, height, channels, False)
    else:
        element_wise(b, is_float, width, height, channels, False)
    return 0x18
