// SPDX-License-Identifier: MIT
/* Normalisation of rows from its definition, and how far from it norm.h lets results be. */
#include <math.h>

#include "composites.h"

#define RELATIVE	0x1p-8
#define SMALLEST	0x1p-22
#define DEFAULT_EPS	1e-5
#define FP16_OVERFLOW	65520.0

static double x_at(const struct scoria_norm_opts *o, const void *x, size_t row, size_t column)
{
	return compare_value(o->type, x, row * (o->ldx ? o->ldx : o->columns) + column);
}

static double mean_of(const struct scoria_norm_opts *o, const void *x, size_t row)
{
	double sum = 0;

	if (o->op == SCORIA_RMSNORM)
		return 0;
	for (size_t j = 0; j < o->columns; j++)
		sum += x_at(o, x, row, j);
	return sum / o->columns;
}

static double deviation(const struct scoria_norm_opts *o, const void *x, size_t row, double mean)
{
	double sum = 0;

	for (size_t j = 0; j < o->columns; j++) {
		double d = x_at(o, x, row, j) - mean;

		sum += d * d;
	}
	return sqrt(sum / o->columns + (o->eps == 0 ? DEFAULT_EPS : o->eps));
}

/* The product with gamma is an fp16 number before beta is added, which norm.h says. */
static double as_fp16(double x)
{
	return fabs(x) >= FP16_OVERFLOW * (1 + RELATIVE) ? copysign(INFINITY, x) : x;
}

static void compare_row(const struct scoria_norm_opts *o, size_t row, const void *x,
			const void *gamma, const void *beta, const void *y, struct compare *result)
{
	const double mean = mean_of(o, x, row), sigma = deviation(o, x, row, mean);
	const size_t ldy = o->ldy ? o->ldy : o->columns;

	for (size_t j = 0; j < o->columns; j++) {
		const double g = gamma ? compare_value(o->type, gamma, j) : 1;
		const double b = beta ? compare_value(o->type, beta, j) : 0;
		const double part = as_fp16((x_at(o, x, row, j) - mean) / sigma * g);

		result->tolerance = RELATIVE * (fabs(part) + fabs(b)) +
				    SMALLEST * (1 + fabs(g) * (1 + 1 / sigma));
		compare_add(result, y, row * ldy + j, part + b);
	}
}

void reference_norm(const struct scoria_norm_opts *o, const void *x, const void *gamma,
		    const void *beta, const void *y, struct compare *result)
{
	*result = (struct compare){ .type = o->type, .rule = COMPARE_WITHIN };
	for (size_t row = 0; row < o->rows; row++)
		compare_row(o, row, x, gamma, beta, y, result);
}
