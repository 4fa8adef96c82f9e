# SPDX-License-Identifier: MIT
"""Random pooling, of memory and of what the DPU sends."""

from .builder import AT_POOLED, AT_X
from .numbers import BITS, FLOATS, FP16, FP32, INT8, INT16, fp16_bits, fp32_bits, lanes_of
from .random_conv import conv
from .random_dpu import flying

ELEMENT_SIZE = {8: 1, 16: 2, 32: 3}     # IN_PRECISION of PPU_RDMA
EN_PPU = 0x20
TO_PPU, TO_BOTH = 1 << 1, 3 << 1


def reciprocals(kind, method, sizes):
    """2^16 / k, for floats as fp16, where k = 1 would be infinite."""
    if method:
        return 0, 0
    if kind in FLOATS:
        return [fp16_bits(65536 / max(2, size)) for size in sizes]
    return [(65536 + size // 2) // size for size in sizes]


def pad_value(b, kind, method):
    if kind == FP16:
        return (fp16_bits(.5), 0xfc00, 0x7c00)[method]
    return fp32_bits(-1.5) if kind in FLOATS else b.rng.getrandbits(BITS[kind])


def windows(b, kind, width, height, channels):
    """Everything but where the input comes from."""
    most = 16 if b.chance(.15) else 5
    sizes = b.rng.randint(1, most), b.rng.randint(1, most)
    strides = b.rng.choice((1, 2, 3, b.rng.randint(1, 16))), b.rng.choice((1, 2, b.rng.randint(1, 16)))
    pads = [b.rng.randint(0, min(7, size - 1)) for size in (sizes + sizes)]   # left top right bottom
    out = [max(0, size + pads[i] + pads[2 + i] - sizes[i]) // strides[i] + 1
           for i, size in enumerate((width, height))]
    method, notch = b.rng.randint(0, 2), b.rng.choice((0, 0, 3))
    across, down = reciprocals(kind, method, sizes)
    surface = out[1] * (out[0] + notch)
    b.set(PPU_S_POINTER=0xe, PPU_IN_WIDTH=width - 1, PPU_IN_HEIGHT=height - 1,
          PPU_IN_CHANNEL=channels - 1, PPU_OUT_WIDTH=out[0] - 1, PPU_OUT_HEIGHT=out[1] - 1,
          PPU_OUT_CHANNEL=channels - 1, PPU_OPERATION_MODE=method | notch << 16,
          PPU_KERNEL=sizes[0] - 1 | sizes[1] - 1 << 8 | strides[0] - 1 << 16 | strides[1] - 1 << 20,
          PPU_RECIP_W=across, PPU_RECIP_H=down, PPU_PAD_VALUE_1=pad_value(b, kind, method),
          PPU_PAD=pads[0] | pads[1] << 4 | pads[2] << 8 | pads[3] << 12, PPU_PAD_VALUE_2=0,
          PPU_DST_BASE=b.output(AT_POOLED, 16 * surface * -(-channels // lanes_of(kind))),
          PPU_DST_SURF_STRIDE=surface << 4, PPU_DATA_FORMAT=surface << 4 | kind, PPU_MISC=3)


def pool(b):
    """PPU_RDMA to PPU; returns the enable mask."""
    kind = b.rng.choice((FP16, FP16, FP16, INT8, INT16, FP32))
    width, height, lanes = b.rng.randint(1, 17), b.rng.randint(1, 17), lanes_of(kind)
    channels = b.rng.choice((lanes, 2 * lanes, 3 * lanes, max(1, lanes - 2)))
    windows(b, kind, width, height, channels)
    line = width + b.rng.choice((0, 0, 2))
    surface = line * height + b.rng.choice((0, 3))
    b.set(PPU_OPERATION_MODE=b.get('PPU_OPERATION_MODE') | 0x10, PPU_RDMA_S_POINTER=0xe,
          PPU_RDMA_WIDTH=width - 1, PPU_RDMA_HEIGHT=height - 1, PPU_RDMA_CHANNEL=channels - 1,
          PPU_RDMA_SRC_BASE=b.map(AT_X, b.units(kind, -(-channels // lanes) * surface)),
          PPU_RDMA_LINE_STRIDE=line << 4, PPU_RDMA_SURF_STRIDE=surface << 4,
          PPU_RDMA_DATA_FORMAT=ELEMENT_SIZE[BITS[kind]])
    return 0x60


def pooled(b):
    """A convolution or a flying task that feeds the PPU, and memory or not."""
    mask = b.rng.choice((conv, flying))(b)
    kind = b.get('DPU_DATA_FORMAT') >> 29
    if kind not in (FP16, INT8, INT16, FP32):
        return mask
    windows(b, kind, b.get('DPU_WIDTH') + 1, b.get('DPU_HEIGHT') + 1,
            (b.get('DPU_CHANNEL') & 0x1fff) + 1)
    b.set(DPU_FEATURE_MODE_CFG=b.get('DPU_FEATURE_MODE_CFG') & ~6 | b.rng.choice((TO_PPU, TO_BOTH)))
    return mask | EN_PPU
