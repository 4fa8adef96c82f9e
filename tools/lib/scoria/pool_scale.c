// SPDX-License-Identifier: MIT
/* The divisor of an average as the PPU takes it (programming-model G). */
#include <math.h>

#include "fp16.h"
#include "limits.h"
#include "pool.h"

#define LARGEST_FP16 0x7bff

/*
 * The PPU multiplies a sum by two fp16 factors and 2^-32. 65536 / k rounded to
 * fp16 is wrong by up to 2^-12 for each direction, and for k = 1 it overflows.
 * But only the product matters, and it can be had to 2^-16 by taking one
 * factor somewhat off and the other to match. It stays near 65536 / k, so that an
 * intermediate result, if silicon rounds one to fp16, does not overflow.
 */
#define NEIGHBOURS 128

static double value_of(uint16_t pattern)
{
	return (double)fp16_to_fp32(pattern);
}

static uint16_t nearest(double value)
{
	uint16_t pattern = fp32_to_fp16((float)value);

	return pattern > LARGEST_FP16 ? LARGEST_FP16 : pattern;
}

struct pool_reciprocal pool_reciprocal(uint32_t kw, uint32_t kh)
{
	const double product = 0x1p32 / ((double)kw * kh);
	struct pool_reciprocal best = { 0 };
	double least = INFINITY;
	int i;

	for (i = -NEIGHBOURS; i <= NEIGHBOURS; i++) {
		int x = nearest(0x1p16 / kw) + i;
		struct pool_reciprocal pair = { .x = x };
		double error;

		if (x > LARGEST_FP16)
			break;
		pair.y = nearest(product / value_of(pair.x));
		error = fabs(value_of(pair.x) * value_of(pair.y) - product);
		if (error < least) {
			least = error;
			best = pair;
		}
	}
	return best;
}
