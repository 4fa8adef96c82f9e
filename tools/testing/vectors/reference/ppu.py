# SPDX-License-Identifier: MIT
"""PPU and PPU_RDMA (programming-model G)."""

from .numbers import BITS, FLOATS, FP16, decode, fp16_bits, fp32, fp32_bits, from_fp16, lanes_of, \
    larger, saturate, shift_right, smaller

AVERAGE, MAX = 0, 1
NAN = 0x7e00        # of an fp16 window; the model's choice


class Ppu:
    """@cube: what the DPU sends, (surface, pixel) to unit, in rows of @cube_width; or None."""

    def __init__(self, task, cube=None, cube_width=0):
        self.task, self.cube, self.cube_width = task, cube, cube_width
        self.kind = task.bits('PPU_DATA_FORMAT', 2, 0)
        self.is_float = self.kind in FLOATS
        self.lanes = lanes_of(self.kind)
        self.width = task.bits('PPU_IN_WIDTH', 12, 0) + 1
        self.height = task.bits('PPU_IN_HEIGHT', 12, 0) + 1
        self.channels = task.bits('PPU_IN_CHANNEL', 12, 0) + 1
        self.method = task.bits('PPU_OPERATION_MODE', 1, 0)

    def at(self, channel, y, x):
        if not (0 <= y < self.height and 0 <= x < self.width):
            bits = self.task.get('PPU_PAD_VALUE_1') & ((1 << BITS[self.kind]) - 1)
        elif self.cube is None:
            bits = self.read(channel, y, x)
        else:
            unit = self.cube[channel // self.lanes, y * self.cube_width + x]
            bits = int.from_bytes(unit, 'little') >> channel % self.lanes * BITS[self.kind] & \
                ((1 << BITS[self.kind]) - 1)
        return decode(self.kind, bits)

    def read(self, channel, y, x):
        address = self.task.get('PPU_RDMA_SRC_BASE') + 16 * x + \
            channel // self.lanes * (self.task.get('PPU_RDMA_SURF_STRIDE') & ~15) + \
            y * (self.task.get('PPU_RDMA_LINE_STRIDE') & ~15)
        return self.task.memory.element(self.kind, address, channel % self.lanes)

    def window(self, channel, oy, ox):
        bits = self.task.bits
        top = oy * (bits('PPU_KERNEL', 23, 20) + 1) - bits('PPU_PAD', 6, 4)
        left = ox * (bits('PPU_KERNEL', 19, 16) + 1) - bits('PPU_PAD', 2, 0)
        return [self.at(channel, top + y, left + x) for y in range(bits('PPU_KERNEL', 11, 8) + 1)
                for x in range(bits('PPU_KERNEL', 3, 0) + 1)]

    def pool(self, values):
        if self.method == AVERAGE:
            return self.average(values)
        choose = {True: (smaller, larger), False: (min, max)}[self.is_float][self.method == MAX]
        result = values[0]
        for value in values[1:]:
            result = choose(result, value)
        return result

    def average(self, values):
        across, down = (self.task.bits(name, 16, 0) for name in ('PPU_RECIP_W', 'PPU_RECIP_H'))
        if not self.is_float:
            return shift_right(shift_right(sum(values) * across, 16) * down, 16)
        total = values[0]
        for value in values[1:]:
            total = fp32(total + value)
        return total * from_fp16(across) * from_fp16(down) * 2.0 ** -32

    def bits(self, x):
        if self.kind == FP16:
            return fp16_bits(fp32(x), NAN)
        if self.is_float:
            return fp32_bits(x)
        return saturate(x, BITS[self.kind]) & ((1 << BITS[self.kind]) - 1)

    def unit(self, surface, oy, ox):
        bits, first = 0, surface * self.lanes
        for lane in range(min(self.lanes, self.channels - first)):
            bits |= self.bits(self.pool(self.window(first + lane, oy, ox))) << \
                lane * BITS[self.kind]
        return bits.to_bytes(16, 'little')

    def run(self):
        bits = self.task.bits
        width = bits('PPU_OUT_WIDTH', 12, 0) + 1
        pitch = width + bits('PPU_OPERATION_MODE', 28, 16)
        for surface in range(-(-self.channels // self.lanes)):
            for oy in range(bits('PPU_OUT_HEIGHT', 12, 0) + 1):
                for ox in range(width):
                    unit = surface * bits('PPU_DST_SURF_STRIDE', 31, 4) + oy * pitch + ox
                    self.task.memory.write((self.task.get('PPU_DST_BASE') & ~15) + 16 * unit,
                                           self.unit(surface, oy, ox))
