// SPDX-License-Identifier: MIT
/* Softmax from its definition, and how far from it softmax.h lets results be. */
#include <math.h>

#include "composites.h"

/* Of y, of y for every unit of the exponent, and of the smallest numbers. */
#define RELATIVE	0x1p-8
#define EXPONENT	0x1p-11
#define SMALLEST	0x1p-22

/* Of log softmax. */
#define LOG_TOLERANCE	0x1p-9

#define STEPS		256

/* Of a row: the largest x, and the sum of exponentials below it. */
struct row {
	double largest;
	double sum;
};

static double scale_of(const struct scoria_softmax_opts *o)
{
	return o->scale == 0 ? 1 : o->scale;
}

static double x_at(const struct scoria_softmax_opts *o, const void *x, size_t row, size_t column)
{
	return compare_value(o->type, x, row * (o->ldx ? o->ldx : o->columns) + column);
}

static struct row measure(const struct scoria_softmax_opts *o, const void *x, size_t row)
{
	struct row r = { -INFINITY, 0 };
	size_t j;

	for (j = 0; j < o->columns; j++)
		r.largest = fmax(r.largest, x_at(o, x, row, j));
	for (j = 0; j < o->columns; j++)
		r.sum += exp(scale_of(o) * (x_at(o, x, row, j) - r.largest));
	return r;
}

static double expected(const struct scoria_softmax_opts *o, const struct row *r, double x,
		       struct compare *result)
{
	const double below = scale_of(o) * (x - r->largest), share = exp(below) / r->sum;
	/* what is infinitely far below has no share to be off by */
	const double wide = isinf(below) ? 0 : EXPONENT * fabs(below);
	const double tolerance = (RELATIVE + wide) * share + SMALLEST;

	if (o->log) {
		result->tolerance = LOG_TOLERANCE * (1 + fabs(below - log(r->sum)));
		return below - log(r->sum);
	}
	result->tolerance = tolerance;
	if (o->type == SCORIA_FP16)
		return share;
	result->tolerance = 0.5 + STEPS * tolerance;
	return fmin(share * STEPS, STEPS - 1) - (o->type == SCORIA_INT8 ? STEPS / 2 : 0);
}

void reference_softmax(const struct scoria_softmax_opts *o, const void *x, const void *y,
		       struct compare *result)
{
	size_t ldy = o->ldy ? o->ldy : o->columns, i, j;

	*result = (struct compare){ .type = o->type, .rule = COMPARE_WITHIN };
	for (i = 0; i < o->rows; i++) {
		struct row r = measure(o, x, i);

		for (j = 0; j < o->columns; j++)
			compare_add(result, y, i * ldy + j,
				    expected(o, &r, x_at(o, x, i, j), result));
	}
}
