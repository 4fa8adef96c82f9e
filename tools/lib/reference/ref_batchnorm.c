// SPDX-License-Identifier: MIT
/* Batch normalisation from its definition, and how far from it batchnorm.h lets results be. */
#include <math.h>

#include "composites.h"

#define DEFAULT_EPS	1e-5

#define RELATIVE	0x1p-10
#define CANCELLED	0x1p-22
#define SMALLEST	0x1p-24

static double value_at(const float *values, size_t i, double otherwise)
{
	return values ? (double)values[i] : otherwise;
}

/* NaN becomes something that a ReLU can give, or stays: it is not said what. */
static double relu(const struct scoria_batchnorm_opts *o, double y, double got)
{
	if (!o->relu)
		return y;
	if (isnan(y))
		return got;
	y = y < 0 ? 0 : y;
	return o->relu_max > 0 ? fmin(y, o->relu_max) : y;
}

static void compare_one(const struct scoria_batchnorm_opts *o, size_t i, size_t c, const void *x,
			const void *y, struct compare *result)
{
	const double eps = o->eps == 0 ? DEFAULT_EPS : o->eps, in = compare_value(o->type, x, i);
	const double mean = value_at(o->mean, c, 0), beta = value_at(o->beta, c, 0);
	const double factor = value_at(o->gamma, c, 1) / sqrt(value_at(o->var, c, 1) + eps);
	const double part = (in - mean) * factor, reach = fabs(in) + fabs(mean);

	result->tolerance = RELATIVE * (fabs(part + beta) + fabs(part)) +
			    CANCELLED * reach * fabs(factor) + SMALLEST * (1 + reach);
	if (isnan(part))
		result->tolerance = 0;
	compare_add(result, y, i, relu(o, part + beta, compare_value(o->type, y, i)));
}

void reference_batchnorm(const struct scoria_batchnorm_opts *o, const void *x, const void *y,
			 struct compare *result)
{
	const size_t plane = o->layout == SCORIA_NCHW ? o->h * o->w : 1;
	const size_t n = o->batch * o->c * o->h * o->w;

	*result = (struct compare){ .type = o->type, .rule = COMPARE_WITHIN };
	for (size_t i = 0; i < n; i++)
		compare_one(o, i, i / plane % o->c, x, y, result);
}
