# SPDX-License-Identifier: MIT
"""Types and arithmetic of the NPU (programming-model A2, C1, C3)."""

import ctypes
import math
import struct

INT8, INT16, FP16, BF16, INT32, FP32, INT4, TF32 = range(8)
BITS = {INT8: 8, INT16: 16, FP16: 16, BF16: 16, INT32: 32, FP32: 32, INT4: 4, TF32: 32}
FLOATS = (FP16, BF16, FP32, TF32)
UNIT_BITS = 128
NAN_FP16 = 0x7c01       # what OUT_CVT makes of a NaN (C7)
NAN_FP32 = 0x7fc00000


def lanes_of(kind):
    """Elements in a unit: C2 of NC1HWC2."""
    return UNIT_BITS // BITS[kind]


def signed(bits, width):
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> (width - 1) else bits


def saturate(x, width):
    top = (1 << (width - 1)) - 1
    return max(-top - 1, min(top, x))


def shift_right(x, shift, up=0):
    """@x / 2^@shift to nearest; ties to even, or up."""
    if not shift:
        return x
    floor, rest, half = x >> shift, x & ((1 << shift) - 1), 1 << (shift - 1)
    return floor + (rest > half or (rest == half and bool(up or floor & 1)))


def to_integer(x):
    """A float as int32: nearest even, saturated, a NaN as 0."""
    if math.isnan(x):
        return 0
    return saturate(round(x), 32) if abs(x) < 1e12 else saturate(int(math.copysign(1e12, x)), 32)


def fp32(x):
    """@x rounded to fp32."""
    return ctypes.c_float(x).value


def fp32_bits(x):
    return NAN_FP32 if math.isnan(x) else struct.unpack('<I', struct.pack('<f', fp32(x)))[0]


def from_fp32(bits):
    return struct.unpack('<f', struct.pack('<I', bits & 0xffffffff))[0]


def from_fp16(bits):
    return struct.unpack('<e', struct.pack('<H', bits & 0xffff))[0]


def fp16_bits(x, nan=NAN_FP16):
    if math.isnan(x):
        return nan
    try:
        return struct.unpack('<H', struct.pack('<e', x))[0]
    except OverflowError:
        return 0xfc00 if x < 0 else 0x7c00


def bf16_bits(x):
    bits = fp32_bits(x)
    return bits >> 16 if math.isnan(x) else (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def decode(kind, bits):
    """The number that the bits of an element stand for."""
    if kind == FP16:
        return from_fp16(bits)
    if kind == BF16:
        return from_fp32(bits << 16)
    if kind == FP32:
        return from_fp32(bits)
    if kind == TF32:                    # the low 13 bits are cut
        return from_fp32(bits & ~0x1fff)
    return signed(bits, BITS[kind])


def negative(x):
    """The sign bit, of integers and floats."""
    return math.copysign(1, x) < 0


def quotient(a, b):
    """IEEE a / b."""
    if b:
        return fp32(a / b)
    if not a or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def larger(a, b):
    """maximumNumber: a number beats a NaN, +0 is above -0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b:
        return b if negative(a) else a
    return max(a, b)


def smaller(a, b):
    return -larger(-a, -b)


def alu(code, x, a, is_float):
    """Codes of the ALUs of BS, BN and EW (C5)."""
    if code in (0, 1):
        if is_float:
            return (larger, smaller)[code](x, a)
        return (max, min)[code](x, a)
    if code == 3:
        return quotient(x, a)
    result = {2: lambda: x + a, 4: lambda: x - a, 5: lambda: abs(x), 6: lambda: -x}[code]()
    return fp32(result) if is_float else saturate(result, 32)
