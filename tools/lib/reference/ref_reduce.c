// SPDX-License-Identifier: MIT
/* Sums over the last axis by their definition. */
#include <math.h>

#include "reference.h"

/* @sum and @magnitude are those of the row in work so far. */
struct reduction {
	struct scoria_reduce_opts o;
	const void *x;
	double sum;
	double magnitude;
};

static double divisor(const struct reduction *r)
{
	return r->o.op == SCORIA_REDUCE_MEAN ? r->o.columns : 1;
}

/* Asked for in the order of the results. */
static double magnitude(void *ctx, size_t index)
{
	const struct reduction *r = ctx;

	(void)index;
	return r->magnitude / divisor(r);
}

static void compare_row(struct reduction *r, size_t row, const void *y, struct compare *result)
{
	size_t i;

	r->sum = 0;
	r->magnitude = 0;
	for (i = 0; i < r->o.columns; i++) {
		double x = compare_value(r->o.type, r->x, row * r->o.ldx + i);

		r->sum += x;
		r->magnitude += fabs(x);
		if (r->o.op == SCORIA_REDUCE_CUMSUM)
			compare_add(result, y, row * r->o.ldy + i, r->sum);
	}
	if (r->o.op != SCORIA_REDUCE_CUMSUM)
		compare_add(result, y, row, r->sum / divisor(r));
}

void reference_reduce(const struct scoria_reduce_opts *opts, const void *x, const void *y,
		      struct compare *result)
{
	struct reduction r = { .o = *opts, .x = x };
	size_t row;

	if (!r.o.ldx)
		r.o.ldx = r.o.columns;
	if (!r.o.ldy)
		r.o.ldy = r.o.columns;
	*result = (struct compare){ .type = r.o.out, .terms = r.o.columns, .magnitude = magnitude,
				    .ctx = &r };
	for (row = 0; row < r.o.rows; row++)
		compare_row(&r, row, y, result);
	result->ctx = NULL;
}
