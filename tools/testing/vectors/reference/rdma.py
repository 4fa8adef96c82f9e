# SPDX-License-Identifier: MIT
"""DPU_RDMA: what the four read engines bring (programming-model C5, F2 to F4)."""

from .numbers import FLOATS, FP16, FP32, INT4, INT8, INT16, INT32, TF32, decode, lanes_of

BY_SIZE = (INT4, INT8, INT16, INT32)    # ERDMA_DATA_SIZE
ALU, CPEND, MUL = 1, 2, 4               # BRDMA_DATA_USE
USE_BYTES = {ALU: 4, CPEND: 2, MUL: 2}


class Surfaces:
    """Units of a cube: rows of @width and @notch, @pitch units from surface to surface."""

    def __init__(self, base, width, notch, pitch):
        self.base, self.width, self.notch, self.pitch = base, width, notch, pitch

    def address(self, surface, pixel):
        y, x = divmod(pixel, self.width)
        return self.base + 16 * (surface * self.pitch + y * (self.width + self.notch) + x)


class Rdma:
    def __init__(self, task):
        self.task = task
        self.width = task.bits('RDMA_WIDTH', 12, 0) + 1
        self.height = task.bits('RDMA_HEIGHT', 12, 0) + 1
        self.combined = task.bits('RDMA_FEATURE_MODE_CFG', 8, 8) and \
            not task.bits('DPU_FEATURE_MODE_CFG', 0, 0)

    def read_of(self, notch):
        """Units from the first to the last of a surface, which none of the notches follows."""
        return self.height * self.width + (self.height - 1) * notch

    def main_surfaces(self):
        notch = self.task.bits('RDMA_SRC_DMA_CFG', 31, 19)
        pitch = self.read_of(notch) + self.task.bits('RDMA_SURF_NOTCH', 31, 4)
        return Surfaces(self.task.get('RDMA_SRC_BASE'), self.width, notch, pitch)

    def operand_surfaces(self):
        notch = self.task.bits('RDMA_HEIGHT', 28, 16)
        pitch = self.task.bits('RDMA_EW_SURF_STRIDE', 31, 4)
        if self.combined:
            pitch = self.read_of(notch) + self.task.bits('RDMA_EW_SURF_NOTCH', 31, 4)
        return Surfaces(self.task.get('RDMA_EW_BASE'), self.width, notch, pitch)

    def element(self, kind, surfaces, surface, pixel, lane):
        return self.task.memory.element(kind, surfaces.address(surface, pixel), lane)

    def main(self, kind, is_float, raw, channel, pixel):
        """MRDMA's element as a number, as its bits when @raw."""
        surface, lane = divmod(channel, lanes_of(kind))
        bits = self.element(kind, self.main_surfaces(), surface, pixel, lane)
        if raw:
            return bits
        x = decode(FP32 if kind == TF32 else kind, bits)
        return float(x) if is_float and kind not in FLOATS else x

    def operand(self, channel, pixel):
        """ERDMA's element, as bits; with COMB_USE the engines take turns (F3)."""
        kind = BY_SIZE[self.task.bits('RDMA_ERDMA_CFG', 3, 2)]
        if not self.task.bits('RDMA_ERDMA_CFG', 31, 30):
            return self.task.memory.element(kind, self.task.get('RDMA_EW_BASE'), channel)
        surface, lane = divmod(channel, lanes_of(kind))
        if not self.combined:
            return self.element(kind, self.operand_surfaces(), surface, pixel, lane)
        surfaces = self.operand_surfaces() if surface % 2 else self.main_surfaces()
        return self.element(kind, surfaces, surface // 2, pixel, lane)

    def vector(self, which, base, want, channel):
        """Operand of a channel: a dense array, or fours of every kind that is read."""
        use = self.task.bits(which, 4, 1)
        kinds = [kind for kind in (ALU, CPEND, MUL) if use & kind]
        size, at = USE_BYTES[want], self.task.get(base)
        if len(kinds) == 1:
            return self.task.memory.read(at + channel * size, size)
        at += channel // 4 * sum(4 * USE_BYTES[kind] for kind in kinds)
        at += sum(4 * USE_BYTES[kind] for kind in kinds if kind < want)
        return self.task.memory.read(at + channel % 4 * size, size)


def raw_input(task):
    """16-bit floats that MRDMA passes unwidened (C6)."""
    fmt = task.get('DPU_DATA_FORMAT')
    return bool(task.bits('DPU_FEATURE_MODE_CFG', 0, 0)) and fmt & 7 in FLOATS and \
        lanes_of(fmt >> 26 & 7) == lanes_of(FP16) and \
        not task.bits('RDMA_FEATURE_MODE_CFG', 3, 3)
