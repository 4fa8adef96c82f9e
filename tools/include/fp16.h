/* SPDX-License-Identifier: MIT */
/*
 * IEEE binary16 and bfloat16 to and from binary32 by bits, round to nearest
 * even, subnormals kept: the same result on every compiler and machine.
 */
#ifndef FP16_H
#define FP16_H

#include <stdint.h>
#include <string.h>

static inline uint32_t fp32_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline float fp32_from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static inline int fp16_is_finite(uint16_t h)
{
	return (h & 0x7c00) != 0x7c00;
}

static inline float fp16_to_fp32(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t rest = h & 0x7fff;
	float magnitude;

	if (rest >= 0x7c00)		/* inf and NaN keep their payload */
		return fp32_from_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
	/* 2^112 moves the exponent bias from 15 to 127, subnormals included */
	magnitude = fp32_from_bits(rest << 13) * 0x1p112f;
	return fp32_from_bits(sign | fp32_bits(magnitude));
}

static inline uint16_t fp32_to_fp16(float f)
{
	uint32_t u = fp32_bits(f);
	uint16_t sign = u >> 16 & 0x8000;
	uint32_t rest = u & 0x7fffffff;

	if (rest > 0x7f800000)		/* NaN stays one, quiet */
		return sign | 0x7e00 | (rest >> 13 & 0x1ff);
	if (rest >= 0x477ff000)		/* 65520 and up round to infinity */
		return sign | 0x7c00;
	if (rest < 0x38800000) {	/* below 2^-14: the adder rounds at 2^-24 */
		float shifted = fp32_from_bits(rest) + 0.5f;

		return sign | (uint16_t)(fp32_bits(shifted) - 0x3f000000);
	}
	rest += 0xfff + (rest >> 13 & 1);
	return sign | (uint16_t)((rest - 0x38000000) >> 13);
}

static inline float bf16_to_fp32(uint16_t h)
{
	return fp32_from_bits((uint32_t)h << 16);
}

static inline uint16_t fp32_to_bf16(float f)
{
	uint32_t u = fp32_bits(f);

	if ((u & 0x7fffffff) > 0x7f800000)
		return u >> 16 | 0x40;
	return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

#endif
