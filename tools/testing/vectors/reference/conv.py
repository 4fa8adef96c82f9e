# SPDX-License-Identifier: MIT
"""CNA and CORE: the sums of a convolution (programming-model C2 to C4, D, E)."""

from functools import lru_cache

from .numbers import BITS, FLOATS, INT4, INT8, TF32, decode, fp32, lanes_of, saturate, shift_right, \
    signed

BYPASS = 1              # of CVT_CON0
DEPTHWISE = 3
GROUP_KERNELS = {INT4: 64, INT8: 32}
STRIDE_UNITS = 1 << 28


class Features:
    """X of E4: the input, converted, and what stands around it."""

    def __init__(self, task, kind, depthwise):
        self.task, self.kind, self.depthwise = task, kind, depthwise
        self.lanes = lanes_of(kind)
        self.row = task.bits('CNA_DATA_SIZE0', 26, 16)
        self.width = min(self.row, task.bits('CNA_FC_DATA_SIZE0', 29, 16) or self.row)
        self.height = task.bits('CNA_DATA_SIZE0', 10, 0)
        self.pixel = max(0, task.bits('CNA_CONV_CON1', 15, 12) - 7)    # ARGB_IN: channels
        self.at = lru_cache(None)(self.at)

    def at(self, channel, y, x):
        if not (0 <= y < self.height and 0 <= x < self.width):
            return self.padding(channel)
        return self.convert(channel, self.stored(channel, y, x))

    def stored(self, channel, y, x):
        base, line = self.task.get('CNA_FEATURE_DATA_ADDR'), self.task.bits('CNA_DMA_CON1', 27, 0)
        if self.pixel:                                                  # D7
            if channel >= self.pixel:
                return 0
            return self.task.memory.element(self.kind, base, (y * line + x) * self.pixel + channel)
        unit = self.unit(channel // self.lanes, y, x, line)             # E2
        return self.task.memory.element(self.kind, base + 16 * unit, channel % self.lanes)

    def unit(self, surface, y, x, line):
        rows = 1 if self.task.bits('CNA_CONV_CON1', 29, 29) else 4      # GROUP_LINE_OFF
        pitch = self.row * rows + self.task.bits('CNA_DMA_CON2', 27, 0)
        return (y // rows * line + y % rows * self.row + x + surface * pitch) % STRIDE_UNITS

    def padding(self, channel):
        bits = self.task.get('CNA_PAD_CON1')
        if self.kind == INT8:                                           # E4: which byte
            high = channel % 2 and not (self.depthwise and channel % 64 >= 32)
            bits >>= 8 * high
        return decode(self.kind, bits & ((1 << BITS[self.kind]) - 1))

    def convert(self, channel, bits):
        """C2."""
        control, task = self.task.get('CNA_CVT_CON0'), self.task
        enabled = task.get('CNA_CVT_CON5') >> channel % self.lanes & 1
        x = decode(self.kind, bits)
        if control & BYPASS or not enabled or self.kind in FLOATS:
            return x
        if not control >> 3 & 1:
            x = bits
        operand = task.get(f'CNA_CVT_CON{1 + channel % 4}')         # by channel modulo 4
        scale, offset = signed(operand >> 16, 16), signed(operand, 16)
        shift, up = control >> (4 + 6 * (channel % 4)) & 63, control >> 2 & 1
        if control >> 1 & 1:
            return saturate(shift_right((x + offset) * scale, shift, up), BITS[self.kind])
        return saturate(shift_right(x * scale, shift, up) + offset, BITS[self.kind])


class Weights:
    """Wt of E4, in the order of D2 or D3."""

    def __init__(self, task, kind, depthwise, group):
        self.task, self.kind, self.depthwise, self.group = task, kind, depthwise, group
        self.channels = task.bits('CNA_DATA_SIZE1', 15, 0)
        self.width = task.bits('CNA_WEIGHT_SIZE2', 28, 24)
        self.height = task.bits('CNA_WEIGHT_SIZE2', 20, 16)
        self.taps = self.width * self.height
        self.kernels = self.channels if depthwise else task.bits('CNA_WEIGHT_SIZE2', 13, 0)
        self.at = lru_cache(None)(self.at)

    def at(self, kernel, channel, tap):
        index = self.depthwise_index(channel, tap) if self.depthwise else \
            self.direct_index(kernel, channel, tap)
        base = self.task.get('CNA_DCOMP_ADDR0') & ~15
        return decode(self.kind, self.task.memory.element(self.kind, base, index))

    def depthwise_index(self, channel, tap):
        first = channel // self.group * self.group
        return first * self.taps + tap * min(self.group, self.channels - first) + channel - first

    def direct_index(self, kernel, channel, tap):
        size = 16 if self.kind == TF32 else 32
        k0, c0 = kernel // self.group * self.group, channel // size * size
        kernels = min(self.group, self.kernels - k0)
        channels = min(size, self.channels - c0)
        return k0 * self.taps * self.channels + c0 * self.taps * kernels + \
            (tap * kernels + kernel - k0) * channels + channel - c0


class Conv:
    """What CORE hands to the DPU: accumulators and, with QD_EN, sums of features."""

    def __init__(self, task):
        self.task = task
        self.kind = task.bits('CNA_CONV_CON1', 9, 7)
        self.depthwise = task.bits('CNA_CONV_CON1', 3, 0) == DEPTHWISE
        self.group = GROUP_KERNELS.get(self.kind, 16) * (1 + self.depthwise)
        self.features = Features(task, self.kind, self.depthwise)
        self.weights = Weights(task, self.kind, self.depthwise, self.group)
        self.sums = bool(task.bits('CORE_MISC_CFG', 0, 0)) and self.kind not in FLOATS
        self.sum_of = lru_cache(None)(self.sum_of)

    def position(self, pixel, tap):
        """Row and column that a tap of an output pixel meets (E4)."""
        bits, width = self.task.bits, self.task.bits('CNA_DATA_SIZE2', 10, 0)
        y = pixel // width * bits('CNA_CONV_CON3', 5, 3) + \
            tap // self.weights.width * (1 + bits('CNA_CONV_CON3', 25, 21))
        x = pixel % width * bits('CNA_CONV_CON3', 2, 0) + \
            tap % self.weights.width * (1 + bits('CNA_CONV_CON3', 20, 16))
        return y - bits('CNA_PAD_CON0', 3, 0), x - bits('CNA_PAD_CON0', 7, 4)

    def channels(self, kernel):
        return (kernel,) if self.depthwise else range(self.weights.channels)

    def accumulate(self, kernel, pixel):
        if kernel >= self.weights.kernels:
            return 0
        return sum(self.features.at(c, *self.position(pixel, tap)) * self.weights.at(kernel, c, tap)
                   for tap in range(self.weights.taps) for c in self.channels(kernel))

    def sum_of(self, kernel, pixel):
        """S of C4; @kernel only matters to a depthwise convolution."""
        return sum(self.features.at(c, *self.position(pixel, tap))
                   for tap in range(self.weights.taps) for c in self.channels(kernel))

    def clip(self, x, width):
        """CLIP_TRUNCATE (C3)."""
        shift = self.task.bits('CORE_CLIP_TRUNCATE', 4, 0)
        return saturate(shift_right(x, shift, self.task.bits('CORE_CLIP_TRUNCATE', 6, 6)), width)

    def value(self, kernel, pixel):
        """Accumulator and S of an output element."""
        total = self.accumulate(kernel, pixel)
        if self.kind in FLOATS:
            return fp32(total), 0
        features = 0
        if self.sums and kernel < self.summed_kernels():
            features = self.sum_of(kernel if self.depthwise else 0, pixel)
        return self.clip(total, 16 if self.kind == INT4 else 32), self.clip(features, 32)

    def summed_kernels(self):
        """All of a group have the sum, even those that do not exist; the model's choice."""
        if self.depthwise:
            return self.weights.kernels
        return -(-self.weights.kernels // self.group) * self.group
