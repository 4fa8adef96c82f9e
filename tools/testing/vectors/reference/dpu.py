# SPDX-License-Identifier: MIT
"""The DPU: BS, BN, EW, tables, output converter and addresses (programming-model C, D5, F)."""

from .conv import Conv
from .numbers import BF16, BITS, FLOATS, FP16, TF32, alu, bf16_bits, fp16_bits, fp32, fp32_bits, \
    from_fp16, from_fp32, lanes_of, negative, saturate, shift_right, signed, to_integer
from .rdma import ALU, CPEND, MUL, Rdma, raw_input

NAN_OF_QUOTIENT = 0x7e00        # 0 / 0 in fp16; the model's choice
DIV, ADD = 3, 2


def clamp(x, relu, relux, limit, is_float):
    """RELU and RELUX (C5); a NaN counts as above the limit."""
    if relu and negative(x) and x == x:
        x = 0.0 if is_float else 0
    bound = from_fp32(limit) if is_float else signed(limit, 32)
    return bound if relux and not x <= bound else x


class Stage:
    """BS or BN: an ALU and a multiplier in either order, then a ReLU."""

    def __init__(self, task, rdma, name, engine, base, negative_lsb):
        self.task, self.rdma, self.engine, self.base = task, rdma, engine, base
        self.cfg = task.get(f'DPU_{name}_CFG')
        self.alu_value, self.mul_cfg = task.get(f'DPU_{name}_ALU'), task.get(f'DPU_{name}_MUL')
        self.limit = task.get(f'DPU_{name}_RELUX')
        self.negative_shift = task.bits('DPU_DATA_FORMAT', negative_lsb + 5, negative_lsb)
        self.parts = (self.multiply, self.add) if name == 'BN' else (self.add, self.multiply)

    def run(self, x, channel, is_float):
        if self.cfg & 1:
            return x
        for part in self.parts:
            x = part(x, channel, is_float)
        return clamp(x, not self.cfg >> 6 & 1, self.cfg >> 7 & 1, self.limit, is_float)

    def operand(self, want, channel):
        return self.rdma.vector(self.engine, self.base, want, channel)

    def add(self, x, channel, is_float):
        if self.cfg >> 1 & 1:
            return x
        bits = self.operand(ALU, channel) if self.cfg >> 8 & 1 else self.alu_value
        return alu(self.cfg >> 16 & 15, x, from_fp32(bits) if is_float else signed(bits, 32),
                   is_float)

    def multiply(self, x, channel, is_float):
        if self.cfg >> 4 & 1 or (self.cfg >> 5 & 1 and not negative(x)):     # bypass, PRELU
            return x
        bits = self.operand(MUL, channel) if self.mul_cfg & 1 else self.mul_cfg >> 16
        if is_float:
            return fp32(x * from_fp16(bits))
        shift = self.negative_shift if x < 0 else self.mul_cfg >> 8 & 63
        return saturate(shift_right(x * signed(bits, 16), shift), 32)


class Table:
    """LE or LO (C9)."""

    def __init__(self, task, name, lo):
        self.entries = [signed(bits, 16) for bits in task.tables[lo]]
        self.start = signed(task.get(f'DPU_LUT_{name}_START'), 32)
        self.end = signed(task.get(f'DPU_LUT_{name}_END'), 32)
        self.select = task.bits('DPU_LUT_INFO', 23 - 8 * (not lo), 16 - 8 * (not lo))
        self.scale = task.get(f'DPU_LUT_{name}_SLOPE_SCALE')
        self.shift = task.get(f'DPU_LUT_{name}_SLOPE_SHIFT')

    def side(self, i):
        """-1 below, 0 inside, 1 above."""
        return (i >= self.end and i > self.start) - (i <= self.start)

    def slope(self, distance, over):
        return distance * signed(self.scale >> 16 * over, 16) >> (self.shift >> 5 * over & 31)

    def look_up(self, i):
        side = self.side(i)
        if side:
            first = self.entries[512 if side > 0 else 0]
            return saturate(first + self.slope(i - (self.end if side > 0 else self.start), side > 0),
                            32)
        step, (k, rest) = 1 << self.select, divmod(i - self.start, 1 << self.select)
        if k >= 512:
            return self.entries[512]
        return (self.entries[k] * (step - rest) + self.entries[k + 1] * rest) >> self.select


class Tables:
    def __init__(self, task):
        self.pair = Table(task, 'LE', False), Table(task, 'LO', True)
        self.cfg = task.get('DPU_LUT_CFG')

    def look_up(self, i):
        le, lo = (table.side(i) for table in self.pair)
        if (le == 0) != (lo == 0):
            chosen = le != 0
        else:
            chosen = self.cfg >> {(-1, -1): 4, (1, 1): 5}.get((le, lo), 6) & 1
        return self.pair[chosen].look_up(i)


class Ew:
    """Table, then operation, then ReLU."""

    def __init__(self, task, rdma, raw):
        self.task, self.rdma, self.raw = task, rdma, raw
        self.cfg = task.get('DPU_EW_CFG')
        self.code, self.mul = self.cfg >> 16 & 15, bool(self.cfg >> 2 & 1)
        self.memory, self.size = bool(self.cfg >> 6 & 1), self.cfg >> 22 & 3
        self.prelu, self.converts = bool(self.cfg >> 5 & 1), not self.cfg >> 8 & 1
        self.tables = Tables(task)

    def run(self, x, channel, pixel, is_float):
        """The result, whether it is a float, whether it is a table's of float processing."""
        if self.cfg & 1:
            return x, is_float, False
        from_table = not self.cfg >> 7 & 1
        was_float, is_float = is_float, is_float and not from_table
        if from_table:
            x = self.tables.look_up(to_integer(x) if was_float else x)
        if not self.cfg >> 1 & 1:
            x = self.operate(x, self.stored(channel, pixel), is_float)
        x = clamp(x, not self.cfg >> 9 & 1, self.cfg >> 10 & 1, self.task.get('DPU_EW_RELUX'),
                  is_float)
        return x, is_float, from_table and was_float

    def stored(self, channel, pixel):
        if self.memory:
            return self.rdma.operand(channel, pixel)
        return self.task.get(f'DPU_EW_OP_VALUE_{channel % 8}')

    def operate(self, x, bits, is_float):
        if not is_float:
            return self.integer(x, bits)
        if self.raw and not self.mul and self.code == DIV:
            return fp16_bits(alu(DIV, from_fp16(x), from_fp16(bits), True), NAN_OF_QUOTIENT)
        e = self.float_operand(bits)
        if not self.mul:
            return alu(self.code, x, e, True)
        return x if self.prelu and not negative(x) else fp32(x * e)

    def float_operand(self, bits):
        """fp16 is widened for the adder by the converter, and is what the multiplier takes."""
        if self.size != 2:
            return from_fp32(bits)
        return from_fp16(bits) if self.mul or self.converts else from_fp32(bits & 0xffff)

    def integer(self, x, bits):
        if self.memory and self.size == 3 and not self.mul and self.code == ADD:
            return signed(fp32_bits(fp32(from_fp32(x) + from_fp32(bits))), 32)
        e = saturate(self.integer_operand(bits), 32)
        if not self.mul:
            return alu(self.code, x, e, False)
        if self.prelu and x >= 0:
            return x
        shift = self.task.bits('DPU_DATA_FORMAT', 25, 16) if x < 0 else \
            self.task.bits('DPU_EW_SCALE', 31, 22)
        return saturate(shift_right(x * e, shift, self.cfg >> 30 & 1), 32)

    def integer_operand(self, bits):
        """C6: the operand and its converter."""
        if not self.memory:
            return signed(bits, 32)
        e = signed(bits, 4 << self.size)
        if not self.converts:
            return e
        offset, scale = signed(self.task.get('DPU_EW_OFFSET'), 32), self.task.get('DPU_EW_SCALE')
        shift, up = scale >> 16 & 63, self.cfg >> 30 & 1
        if self.cfg >> 31:
            return shift_right((e + offset) * signed(scale, 16), shift, up)
        return shift_right(e * signed(scale, 16), shift, up) + offset


class OutCvt:
    """C7."""

    def __init__(self, task, out, float_processing, raw):
        self.out, self.float_processing, self.raw = out, float_processing, raw
        self.offset = signed(task.get('DPU_OUT_OFFSET'), 32)
        self.scale = signed(task.get('DPU_OUT_SCALE'), 16)
        self.narrows = task.bits('DPU_OUT_SCALE', 16, 16)
        self.shift = task.bits('DPU_OUT_SHIFT', 11, 0)
        self.minus_exp = task.bits('DPU_OUT_SHIFT', 19, 12)
        self.up = task.bits('DPU_OUT_SHIFT', 30, 30)
        self.add_first = task.bits('DPU_OUT_SHIFT', 31, 31)

    def bits(self, x, is_float, table):
        width = BITS[self.out]
        if self.out not in FLOATS:
            y = to_integer(x) if is_float else self.integer(x, table)
            return saturate(y, width) & ((1 << width) - 1)
        if self.raw and is_float:
            if not self.narrows:
                return x & ((1 << width) - 1)
            x = from_fp32(x)
        elif not is_float:
            x = fp32(saturate(self.integer(x, table), 32))
        return self.float_bits(x)

    def integer(self, x, table):
        if table:
            return x + self.offset
        if self.add_first and self.out not in FLOATS:
            return shift_right((x + self.offset) * self.scale, self.shift, self.up)
        return shift_right(x * self.scale, self.shift, self.up) + self.offset

    def float_bits(self, x):
        if self.out not in (FP16, BF16):
            return fp32_bits(x)
        if not self.narrows:
            return fp32_bits(x) & 0xffff
        if self.out == BF16:
            return bf16_bits(x)
        half = fp16_bits(x)
        exponent = (half >> 10) - (self.minus_exp if self.float_processing else 0) & 31
        return half & 0x83ff | exponent << 10


class Dpu:
    def __init__(self, task):
        self.task, self.rdma, self.raw = task, Rdma(task), raw_input(task)
        fmt = task.get('DPU_DATA_FORMAT')
        self.out, self.input, self.is_float = fmt >> 29, fmt >> 26 & 7, fmt & 7 in FLOATS
        self.conv = None if task.bits('DPU_FEATURE_MODE_CFG', 0, 0) else Conv(task)
        self.bs = Stage(task, self.rdma, 'BS', 'RDMA_BRDMA_CFG', 'RDMA_BS_BASE', 4)
        self.bn = Stage(task, self.rdma, 'BN', 'RDMA_NRDMA_CFG', 'RDMA_BN_BASE', 10)
        self.ew = Ew(task, self.rdma, self.raw)
        self.out_cvt = OutCvt(task, self.out, self.is_float, self.raw)
        self.channels = task.bits('DPU_CHANNEL', 12, 0) + 1
        self.width = task.bits('DPU_WIDTH', 12, 0) + 1
        self.height = task.bits('DPU_HEIGHT', 12, 0) + 1
        self.surfaces = task.bits('DPU_BS_OW_CFG', 7, 5) + 1
        self.lanes = lanes_of(self.out)
        self.group = self.conv.group if self.conv else self.surfaces * self.lanes

    def source(self, channel, pixel):
        """x1 of C5: the main input with CPEND."""
        if not self.conv:
            return self.rdma.main(self.input, self.is_float, self.raw, channel, pixel)
        x, features = self.conv.value(channel, pixel)
        if self.is_float or self.task.bits('DPU_BS_OW_CFG', 1, 1):
            return x
        factor = self.task.get('DPU_OW_OP')
        if self.task.bits('DPU_BS_OW_CFG', 0, 0) and self.conv.sums:
            factor = self.rdma.vector('RDMA_BRDMA_CFG', 'RDMA_BS_BASE', CPEND, channel)
        return saturate(x + signed(factor, 16) * features, 32)

    def element(self, channel, pixel):
        """The bits of an output element; channels beyond the real ones are OFFSET_PEND."""
        if channel > self.task.bits('DPU_CHANNEL', 28, 16):
            return self.task.bits('DPU_OFFSET_PEND', 15, 0) & ((1 << BITS[self.out]) - 1)
        x = self.source(channel, pixel)
        x = self.bs.run(x, channel, self.is_float)
        x = self.bn.run(x, channel, self.is_float)
        return self.out_cvt.bits(*self.ew.run(x, channel, pixel, self.is_float))

    def unit(self, group, surface, pixel):
        """A unit of a group; a group of int16 kernels has no more than half of an int4 one."""
        first = group * self.group + surface * self.lanes
        end = min(self.channels, (group + 1) * self.group)
        bits = 0
        for lane in range(max(0, min(self.lanes, end - first))):
            bits |= self.element(first + lane, pixel) << lane * BITS[self.out]
        return bits.to_bytes(16, 'little')

    def units_of(self, group, channels):
        """Surfaces that @channels of the cube have in @group."""
        return max(0, -(-min(self.group, channels - group * self.group) // self.lanes))

    def run(self):
        """Write what goes to memory; returns the cube for the PPU by surface and pixel."""
        mode, cube = self.task.bits('DPU_FEATURE_MODE_CFG', 2, 1), {}
        for group in range(-(-self.channels // self.group)):
            for pixel in range(self.width * self.height):
                units = [self.unit(group, s, pixel)
                         for s in range(self.units_of(group, self.channels))]
                for s, unit in enumerate(units):
                    cube[group * self.group // self.lanes + s, pixel] = unit
                if mode & 2 and self.out != TF32:
                    self.write(group, pixel, units)
        return cube if mode & 1 else None

    def write(self, group, pixel, units):
        """D5: the surfaces of a group leave together, pixel by pixel."""
        bits = self.task.bits
        width = bits('DPU_WDMA_SIZE_1', 12, 0) + 1
        y, x = divmod(pixel, width)
        channels = min(self.channels, bits('DPU_WDMA_SIZE_0', 12, 0) + 1)
        if y > bits('DPU_WDMA_SIZE_1', 28, 16):
            return
        first = group * bits('DPU_SURFACE_ADD', 31, 4) + \
            y * (width + bits('DPU_NOTCH', 12, 0)) + x
        base = self.task.get('DPU_DST_BASE') & ~15
        for s in range(min(self.surfaces, self.units_of(group, channels))):
            unit = first + s * bits('DPU_DST_SURF_STRIDE', 31, 4)
            self.task.memory.write(base + 16 * unit, units[s])
