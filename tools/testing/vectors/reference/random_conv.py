# SPDX-License-Identifier: MIT
"""Random convolutions: small enough for a sum at a time, odd in every other way."""

from .builder import AT_W, AT_X
from .conv import GROUP_KERNELS
from .numbers import BF16, BITS, FLOATS, FP16, FP32, INT4, INT8, INT16, INT32, TF32, bf16_bits, \
    fp16_bits, fp32_bits, lanes_of
from .random_dpu import NEUTRAL, cube, element_wise, out_cvt, output, precision, stages

MOST_PRODUCTS = 60000
BANK, BANKS, ENTRY = 32768, 12, 64


class Shape:
    """Sizes of a convolution; @pixel: channels of an interleaved first layer, or 0."""

    def __init__(self, rng):
        self.kind = rng.choice((INT8, INT8, INT8, FP16, FP16, INT4, INT16, BF16, TF32))
        self.depthwise = rng.random() < .3
        self.lanes = lanes_of(self.kind)
        self.pixel = rng.randint(1, 4) if rng.random() < .12 and not self.depthwise and \
            self.kind in (INT8, FP16, INT16) else 0
        self.width, self.height = rng.randint(1, 10), rng.randint(1, 10)
        self.kernel = (rng.randint(1, 4), rng.randint(1, 4)) if rng.random() < .9 else \
            (rng.randint(1, 31), rng.randint(1, 6))
        self.stride = rng.choice((1, 1, 2, 3, 7)), rng.choice((1, 1, 2, 3, 7))
        self.dilation = rng.choice((1, 1, 1, 2, 5)), rng.choice((1, 1, 1, 3))
        self.pad = tuple(rng.randint(0, min(15, size)) for size in self.kernel)
        self.out = tuple(max(1, (size + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1)
                         for size, pad, kernel, dilation, stride in
                         zip((self.width, self.height), self.pad, self.kernel, self.dilation,
                             self.stride))
        self.choose_channels(rng)

    def choose_channels(self, rng):
        work = self.out[0] * self.out[1] * self.kernel[0] * self.kernel[1]
        units = min(rng.choice((1, 2, 3, 4)), max(1, 20000 // (work * self.lanes)))
        self.channels = self.lanes * (1 if self.pixel else units)
        size = GROUP_KERNELS.get(self.kind, 16)
        self.group = size * (1 + self.depthwise)
        self.kernels = self.channels if self.depthwise else \
            min(rng.choice((1, 2, 3, 7, 16, 17, 32, 33, 48, 65)),
                max(1, MOST_PRODUCTS // (work * self.channels)))
        self.out_channels = -(-self.kernels // size) * size
        if rng.random() < .2:
            self.out_channels -= rng.randint(0, size - 1)

    def taps(self):
        return self.kernel[0] * self.kernel[1]


def cbuf(b, s):
    """E3; a first layer has its own rule (D7)."""
    units = s.channels // s.lanes
    rest = units % 4
    entries = units // 4 * s.width + (s.width if rest == 3 else -(-rest * s.width // 4))
    banks = -(-s.height * entries * ENTRY // BANK)
    if s.pixel:
        entries = s.width * s.height
        banks = -(-entries * 4 * BITS[s.kind] // 8 // BANK)
    banks = max(1, min(BANKS - 1, banks + b.rng.choice((0, 0, 1, 3))))
    b.set(CNA_CBUF_CON0=banks | (BANKS - banks) << 4, CNA_CBUF_CON1=entries)


def converter(b, s):
    if s.kind in FLOATS or b.chance(.6):
        b.set(CNA_CVT_CON0=0x0b, CNA_CVT_CON5=0,
              **{f'CNA_CVT_CON{i}': 0x10000 for i in range(1, 5)})
        return
    shifts = [b.rng.randint(0, 15) for _ in range(4)]
    b.set(CNA_CVT_CON0=sum(shift << 4 + 6 * i for i, shift in enumerate(shifts)) |
          b.rng.randint(0, 7) << 1, CNA_CVT_CON5=b.rng.choice((0xffffffff, b.rng.getrandbits(32))),
          **{f'CNA_CVT_CON{i}': b.rng.getrandbits(16) << 16 | b.rng.randint(-200, 200) & 0xffff
             for i in range(1, 5)})


def pixels(b, s):
    line = s.width + b.rng.choice((0, 0, 3, 16))
    data = b.elements(s.kind, (s.height * line + 8) * s.pixel)
    return b.map(AT_X, data), line, line * (s.height - 1)


def ungrouped(b, s):
    """Every row LINE_STRIDE units on; channel units may follow each other (D6)."""
    units, line = s.channels // s.lanes, s.width + b.rng.choice((0, 0, 1, 5))
    surface = line * (s.height + b.rng.choice((0, 0, 2))) - s.width
    if s.width == 1 and b.chance(.3):
        line, surface = units, 0
    size = (s.height - 1) * line + (units - 1) * (s.width + surface) + s.width
    return b.map(AT_X, b.units(s.kind, size + 4)), line, surface


def grouped(b, s):
    """Rows from @top on of a taller tensor, in fours."""
    units, top = s.channels // s.lanes, b.rng.choice((0, 0, 1, 2, 5))
    line = 4 * s.width
    surface = s.width * (s.height + top + b.rng.choice((0, 0, 1, 3)) - 4)
    if not top and s.height <= 4 and b.chance(.3):
        line += b.rng.randint(1, 20)
    size = -(-s.height // 4) * line + (top + 8) * s.width + (units - 1) * (4 * s.width + surface)
    at = b.map(AT_X, b.units(s.kind, size + 4))
    return at + 16 * s.width * top, line, surface & 0x0fffffff


def features(b, s):
    config = s.kind << 4 | s.kind << 7 | (3 if s.depthwise else 0)
    if s.pixel:
        config |= 1 << 30 | 1 << 29 | (7 + s.pixel) << 12
        at, line, surface = pixels(b, s)
    elif b.chance(.3):
        config |= 1 << 29
        at, line, surface = ungrouped(b, s)
    else:
        at, line, surface = grouped(b, s)
    b.set(CNA_CONV_CON1=config, CNA_FEATURE_DATA_ADDR=at, CNA_DMA_CON1=line, CNA_DMA_CON2=surface,
          CNA_DATA_SIZE0=s.width << 16 | s.height, CNA_FC_DATA_SIZE0=s.width << 16 | s.height,
          CNA_DATA_SIZE1=(s.pixel or s.channels) - 1 << 16 | s.channels,
          CNA_FC_DATA_SIZE1=s.channels, CNA_DMA_CON0=0x000f000f)


def weights(b, s):
    kernel = -(-s.taps() * s.channels * BITS[s.kind] // 8)
    kernels = 1 if s.depthwise else s.kernels
    b.set(CNA_WEIGHT_SIZE0=kernel * kernels, CNA_WEIGHT_SIZE1=kernel,
          CNA_WEIGHT_SIZE2=s.kernel[0] << 24 | s.kernel[1] << 16 | kernels,
          CNA_DCOMP_ADDR0=b.map(AT_W, b.units(s.kind, -(-kernel * kernels // 16))),
          CNA_DCOMP_CTRL=0, CNA_DCOMP_REGNUM=0)


def pad_value(b, s):
    x = b.rng.randint(-20, 20) / 4
    bits = {FP16: fp16_bits(x), BF16: bf16_bits(x), TF32: fp32_bits(x)}
    return bits.get(s.kind, b.rng.getrandbits(16))


def geometry(b, s):
    width, height = s.out
    b.set(CNA_CONV_CON2=s.kernel[1] + s.stride[1] + 1 << 4,
          CNA_CONV_CON3=s.dilation[0] - 1 << 16 | s.dilation[1] - 1 << 21 | s.stride[1] << 3 |
          s.stride[0], CNA_DATA_SIZE2=width, CNA_DATA_SIZE3=width * height,
          CNA_PAD_CON0=s.pad[0] << 4 | s.pad[1], CNA_PAD_CON1=pad_value(b, s), CNA_FC_CON0=0,
          CNA_FC_CON1=0, CNA_FC_CON2=0,
          CORE_MISC_CFG=s.kind << 8 | s.depthwise << 1 | b.chance(.7), CORE_UNKNOWN_3030=0,
          CORE_DATAOUT_SIZE_0=height - 1 << 16 | width - 1, CORE_DATAOUT_SIZE_1=s.out_channels - 1,
          CORE_CLIP_TRUNCATE=0 if s.kind in FLOATS else b.rng.choice((0, 0, 0, 1, 5, 0x43)))


def out_type(b, s):
    """Types that leave in at most eight surfaces (D5)."""
    if s.kind == TF32:
        return FP32
    if s.kind in FLOATS:
        return b.rng.choice((FP16, FP32, BF16 if s.kind == BF16 else FP32))
    choices = (INT8, INT16, INT32, FP32, FP16) if s.kind != INT4 else (INT8, INT16, INT4, FP16)
    return b.rng.choice([out for out in choices if s.group * BITS[out] <= 8 * 128])


def conv(b):
    """A convolution with whatever the DPU may do behind it; returns its enable mask."""
    s = Shape(b.rng)
    is_float, out = s.kind in FLOATS, out_type(b, s)
    width, height = s.out
    dpu_kind = FP32 if s.kind == TF32 else s.kind
    b.set(**NEUTRAL)
    features(b, s)
    weights(b, s)
    cbuf(b, s)
    converter(b, s)
    geometry(b, s)
    cube(b, width, height, s.out_channels, b.rng.choice((min(s.kernels, s.out_channels),
                                                         b.rng.randint(1, s.out_channels))))
    precision(b, out, dpu_kind, is_float)
    b.set(DPU_FEATURE_MODE_CFG=0x1e4 | (0x18 if s.depthwise else 0),
          DPU_BS_OW_CFG=2 if is_float else b.rng.choice((0, 0, 1, 2)),
          DPU_OW_OP=b.rng.choice((b.rng.getrandbits(16), b.rng.randint(0, 255))),
          RDMA_FEATURE_MODE_CFG=0x7810 | (6 if s.depthwise else 0) | dpu_kind << 15 | dpu_kind << 5)
    if not b.get('CORE_MISC_CFG') & 1:
        b.set(DPU_BS_OW_CFG=b.get('DPU_BS_OW_CFG') & 2)
    surfaces = s.group * BITS[out] // 128
    output(b, s.group, b.rng.randint(1, 8) if b.chance(.1) else surfaces, width, height,
           s.out_channels)
    stages(b, is_float, s.out_channels)
    out_cvt(b, out, is_float)
    element_wise(b, is_float, width, height, s.out_channels, True)
    return 0x1d
