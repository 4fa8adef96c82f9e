// SPDX-License-Identifier: MIT
/*
 * Softmax in TensorFlow Lite's fixed point. A number with n integer bits is an int32
 * that counts 2^(n - 31).
 */
#include <math.h>

#include "compare.h"
#include "tflite.h"

#define DIFF_BITS	5	/* integer bits of x - max, scaled */
#define SUM_BITS	12	/* and of the sum of exponentials */

#define ONE		INT32_MAX
#define QUARTER		(1 << (31 - DIFF_BITS - 2))

/* A product of numbers with m and n integer bits has m + n. */
static int32_t times(int32_t a, int32_t b)
{
	return tflite_high_product(a, b);
}

/* @x 2^@bits, saturated. */
static int32_t scale_up(int32_t x, int bits)
{
	const int64_t y = (int64_t)x * (1ll << bits);

	return (int32_t)(y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : y);
}

/* exp of @a in [-1/4, 0), both without integer bits: four terms of its series at -1/8. */
static int32_t exp_of_quarter(int32_t a)
{
	const int32_t exp_eighth = 1895147668, third = 715827883;
	const int32_t x = a + (1 << 28), x2 = times(x, x), x3 = times(x2, x), x4 = times(x2, x2);
	const int32_t rest = tflite_shift(times(tflite_shift(x4, 2) + x3, third) + x2, 1);

	return exp_eighth + times(exp_eighth, x + rest);
}

/* exp of @a, which has DIFF_BITS and is not above 0: a product over the bits of a. */
static int32_t exp_of(int32_t a)
{
	static const int32_t factors[] = { 1672461947, 1302514674, 790015084, 290630308,
					   39332535, 720401, 242 };
	const int32_t rest = (a & (QUARTER - 1)) - QUARTER;
	int32_t result = exp_of_quarter(scale_up(rest, DIFF_BITS)), i;

	for (i = 0; i < 7; i++)
		if ((rest - a) & (QUARTER << i))
			result = times(result, factors[i]);
	return a ? result : ONE;
}

/* 1 / (1 + @a) for @a in [0, 1), without integer bits: three steps of Newton's. */
static int32_t reciprocal(int32_t a)
{
	const int32_t forty_eight_17th = 1515870810, minus_thirty_two_17th = -1010580540;
	const int64_t sum = (int64_t)a + ONE;
	const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
	int32_t x = forty_eight_17th + times(half, minus_thirty_two_17th);

	for (int i = 0; i < 3; i++)
		x += scale_up(times(x, (1 << 29) - times(half, x)), 2);
	return scale_up(x, 1);
}

/* Of a row: what x - max is multiplied by, and the reciprocal of the sum. */
struct row {
	struct tflite_multiplier scale;
	int32_t farthest;
	int32_t largest;
	int32_t share;
	int bits;
};

static int32_t exp_at(const struct row *row, int32_t x)
{
	const int32_t diff = x - row->largest;

	return exp_of(tflite_high_product(diff * (1 << row->scale.shift), row->scale.multiplier));
}

static void measure(struct row *row, const struct scoria_softmax_opts *o, const void *x,
		    size_t first)
{
	int32_t sum = 0, one;
	size_t j;

	row->largest = INT32_MIN;
	for (j = 0; j < o->columns; j++) {
		const int32_t value = (int32_t)compare_value(o->type, x, first + j);

		row->largest = value > row->largest ? value : row->largest;
	}
	for (j = 0; j < o->columns; j++) {
		const int32_t value = (int32_t)compare_value(o->type, x, first + j);

		if (value - row->largest >= row->farthest)
			sum += tflite_shift(exp_at(row, value), SUM_BITS);
	}
	one = __builtin_clz((uint32_t)sum);
	row->bits = SUM_BITS - one;
	row->share = reciprocal((int32_t)(((uint32_t)sum << one) - (1u << 31)));
}

static int32_t share_of(const struct row *row, const struct scoria_softmax_opts *o, int32_t x)
{
	const int32_t least = o->type == SCORIA_UINT8 ? 0 : INT8_MIN;
	int32_t y;

	/* a sum of 512 and more leaves no share of half a step, and no shift for it */
	if (x - row->largest < row->farthest || row->bits + 31 - 8 > 31)
		return least;
	y = tflite_shift(times(row->share, exp_at(row, x)), row->bits + 31 - 8) + least;
	return y > least + UINT8_MAX ? least + UINT8_MAX : y;
}

/* The scale leaves DIFF_BITS, and what is so far below that it would not fit is 0. */
void tflite_softmax(const struct scoria_softmax_opts *o, const void *x, void *y)
{
	const double most = ldexp(1, 31) - 1, scale = o->scale == 0 ? 1 : o->scale;
	struct row row = {
		.scale = tflite_quantize_multiplier(fmin(ldexp(scale, 31 - DIFF_BITS), most)),
	};
	const size_t ldx = o->ldx ? o->ldx : o->columns, ldy = o->ldy ? o->ldy : o->columns;
	size_t i, j;

	row.farthest = -(int32_t)floor(((1 << DIFF_BITS) - 1) *
				       ldexp(1, 31 - DIFF_BITS - row.scale.shift));
	for (i = 0; i < o->rows; i++) {
		measure(&row, o, x, i * ldx);
		for (j = 0; j < o->columns; j++)
			((uint8_t *)y)[i * ldy + j] = (uint8_t)share_of(&row, o,
				(int32_t)compare_value(o->type, x, i * ldx + j));
	}
}
