/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic that must not depend on the host: rounding shifts and saturation
 * (programming-model C1), and what C leaves open about NaN and signed zeros.
 */
#ifndef NUMERIC_H
#define NUMERIC_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "fp16.h"
#include "switches.h"

struct npu_core;

/*
 * @x / 2^@shift, rounded to nearest; a tie goes up when the register's round
 * bit (@up) is set, else as the switch @ties, one of NPU_TIES_, says. |x| is
 * below 2^62.
 */
int64_t npu_shift(const struct npu_core *core, enum npu_switch ties, bool up, int64_t x,
		  unsigned int shift);

static inline int64_t npu_saturate(int64_t x, unsigned int bits)
{
	const int64_t top = (INT64_C(1) << (bits - 1)) - 1;

	return x > top ? top : x < -top - 1 ? -top - 1 : x;
}

/* @x, a whole number, as an integer of @bits bits, saturated; a NaN as 0 [?] */
static inline int64_t npu_saturate_double(double x, unsigned int bits)
{
	const double limit = (double)(INT64_C(1) << (bits - 1));

	if (x >= limit)
		return (INT64_C(1) << (bits - 1)) - 1;
	if (!(x >= -limit))
		return isnan(x) ? 0 : -(INT64_C(1) << (bits - 1));
	return (int64_t)x;
}

/*
 * A NaN that arithmetic makes is positive, whatever the host's would be:
 * allbilly's >= wants 0 inf to survive a RELU, which clears what is negative.
 */
static inline float npu_canonical(float f)
{
	return isnan(f) ? fp32_from_bits(0x7fc00000) : f;
}

/* IEEE maximumNumber: a number wins over NaN [?], +0 is above -0. */
static inline double npu_fmax(double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static inline double npu_fmin(double a, double b)
{
	return -npu_fmax(-a, -b);
}

#endif
