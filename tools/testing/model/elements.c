// SPDX-License-Identifier: MIT
/* The element types of the NPU (programming-model A2, C3, D2). */
#include "conv.h"
#include "fp16.h"

unsigned int precision_bits(unsigned int precision)
{
	switch (precision) {
	case NPU_PRECISION_INT4:
		return 4;
	case NPU_PRECISION_INT8:
		return 8;
	case NPU_PRECISION_INT16:
	case NPU_PRECISION_FP16:
	case NPU_PRECISION_BF16:
		return 16;
	}
	return 32;
}

bool precision_is_float(unsigned int precision)
{
	return precision == NPU_PRECISION_FP16 || precision == NPU_PRECISION_BF16 ||
	       precision == NPU_PRECISION_FP32 || precision == NPU_PRECISION_TF32;
}

static uint32_t load16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t load32(const uint8_t *p)
{
	return load16(p) | load16(p + 2) << 16;
}

uint32_t unit_get(const uint8_t *unit, unsigned int bits, unsigned int lane)
{
	switch (bits) {
	case 4:
		return unit[lane / 2] >> 4 * (lane % 2) & 15;
	case 8:
		return unit[lane];
	case 16:
		return load16(unit + 2 * lane);
	}
	return load32(unit + 4 * lane);
}

void unit_put(uint8_t *unit, unsigned int bits, unsigned int lane, uint32_t value)
{
	if (bits == 4) {
		unit[lane / 2] |= (value & 15) << 4 * (lane % 2);
		return;
	}
	for (unsigned int i = 0; i < bits / 8; i++)
		unit[lane * (bits / 8) + i] = (uint8_t)(value >> 8 * i);
}

/* Element 2j is the low nibble of byte j [HW]. */
static void decode_int4(const uint8_t *src, size_t first, size_t n, double *dst)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t nibble = unit_get(src, 4, (unsigned int)(first + i));

		dst[i] = (int)(nibble ^ 8) - 8;
	}
}

static void decode_fp16(const uint8_t *src, size_t n, double *dst)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (double)fp16_to_fp32((uint16_t)load16(src + 2 * i));
}

/* tf32: the low 13 mantissa bits are cut, not rounded [HW]. */
#define TF32_MASK 0xffffe000u

static void decode_32(const uint8_t *src, size_t n, uint32_t mask, double *dst)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (double)fp32_from_bits(load32(src + 4 * i) & mask);
}

/* Elements @first to @first + @n of the array at @src. */
void elements_decode(unsigned int precision, const uint8_t *src, size_t first,
		     size_t n, double *dst)
{
	const uint8_t *from = src + first * precision_bits(precision) / 8;

	switch (precision) {
	case NPU_PRECISION_INT4:
		decode_int4(src, first, n, dst);
		break;
	case NPU_PRECISION_INT8:
		for (size_t i = 0; i < n; i++)
			dst[i] = (int8_t)from[i];
		break;
	case NPU_PRECISION_INT16:
		for (size_t i = 0; i < n; i++)
			dst[i] = (int16_t)load16(from + 2 * i);
		break;
	case NPU_PRECISION_FP16:
		decode_fp16(from, n, dst);
		break;
	case NPU_PRECISION_BF16:
		for (size_t i = 0; i < n; i++)
			dst[i] = (double)bf16_to_fp32((uint16_t)load16(from + 2 * i));
		break;
	case NPU_PRECISION_INT32:
		for (size_t i = 0; i < n; i++)
			dst[i] = (int32_t)load32(from + 4 * i);
		break;
	case NPU_PRECISION_FP32:
		decode_32(from, n, ~0u, dst);
		break;
	case NPU_PRECISION_TF32:
		decode_32(from, n, TF32_MASK, dst);
		break;
	}
}
