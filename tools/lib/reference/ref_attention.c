// SPDX-License-Identifier: MIT
/* Attention from its definition, and how far from it attention.h lets results be. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "composites.h"

#define SHARES		0x1p-8
#define SCORES		0x1p-10
#define SMALLEST	0x1p-22
#define FP32_TERM	0x1p-24
#define FP16		0x1p-10

/* From here on a score rounds to infinity, which is said of it. */
#define FP16_OVERFLOW	65520.0

/* The options without defaults, the arrays, and the row in work. */
struct attention {
	struct scoria_attention_opts o;
	const void *q;
	const void *k;
	const void *v;
	const void *mask;
	double *scores;
	double largest;
	double sum;
	double reach;
};

static void set_defaults(struct scoria_attention_opts *o)
{
	if (!o->batch)
		o->batch = 1;
	if (!o->heads)
		o->heads = 1;
	if (!o->kv_heads)
		o->kv_heads = o->heads;
	if (!o->value_dim)
		o->value_dim = o->dim;
	if (o->scale == 0)
		o->scale = 1 / sqrt(o->dim);
}

static double fp16_at(const void *data, size_t i)
{
	return compare_value(SCORIA_FP16, data, i);
}

static double mask_at(const struct attention *a, size_t row, size_t key)
{
	const size_t query = row % a->o.queries;

	if (a->o.causal && key + a->o.queries > query + a->o.keys)
		return -INFINITY;
	if (!a->mask)
		return 0;
	return fp16_at(a->mask, (a->o.mask == SCORIA_MASK_FULL ? row : query) * a->o.keys + key);
}

static double as_fp16(double x)
{
	return fabs(x) >= FP16_OVERFLOW ? copysign(INFINITY, x) : x;
}

/* Score of @key, and how far fp32 sums may be off. */
static double score(const struct attention *a, size_t row, size_t kv, size_t key, double *magnitude)
{
	double sum = 0;

	for (size_t d = 0; d < a->o.dim; d++) {
		double term = fp16_at(a->q, row * a->o.dim + d) *
			      fp16_at(a->k, (kv * a->o.keys + key) * a->o.dim + d);

		sum += term;
		*magnitude += fabs(term);
	}
	*magnitude *= a->o.scale * FP32_TERM * a->o.dim;
	return as_fp16(as_fp16(a->o.scale * sum) + mask_at(a, row, key));
}

/* @reach: what the errors of scores are relative to. */
static void measure(struct attention *a, size_t row, size_t kv)
{
	a->largest = -INFINITY;
	a->sum = 0;
	a->reach = 0;
	for (size_t j = 0; j < a->o.keys; j++) {
		double error = 0, s = score(a, row, kv, j, &error);

		a->scores[j] = s;
		a->largest = fmax(a->largest, s);
		if (isfinite(s))
			a->reach = fmax(a->reach, fabs(s - mask_at(a, row, j)) + fabs(s) +
					error / SCORES);
	}
	for (size_t j = 0; j < a->o.keys; j++)
		a->sum += exp(a->scores[j] - a->largest);
}

/* A probability so small may be 0 on the NPU, and what it weighs be infinite. */
static bool is_nothing_times_infinity(double p, double v)
{
	return p <= SMALLEST && isinf(v);
}

static void compare_row(struct attention *a, size_t row, const void *out, struct compare *result)
{
	const size_t head = row / a->o.queries, group = a->o.heads / a->o.kv_heads;
	const size_t kv = head / group, n = a->o.value_dim;

	measure(a, row, kv);
	for (size_t i = 0; i < n; i++) {
		double sum = 0, weighed = 0, all = 0;
		bool may_be_nan = false;

		for (size_t j = 0; j < a->o.keys; j++) {
			double p = exp(a->scores[j] - a->largest) / a->sum;
			double v = fp16_at(a->v, (kv * a->o.keys + j) * n + i);

			sum += p * v;
			weighed += p * fabs(v);
			all += fabs(v);
			may_be_nan |= is_nothing_times_infinity(p, v);
		}
		if (may_be_nan && isnan(fp16_at(out, row * n + i)))
			sum = NAN;
		result->tolerance = (SHARES + SCORES * a->reach + FP32_TERM * a->o.keys) * weighed +
				    SMALLEST * all + FP16 * fabs(sum) + 0x1p-25;
		compare_add(result, out, row * n + i, sum);
	}
}

int reference_attention(const struct scoria_attention_opts *opts, const void *q, const void *k,
			const void *v, const void *mask, const void *out, struct compare *result)
{
	struct attention a = { .o = *opts, .q = q, .k = k, .v = v, .mask = mask };

	set_defaults(&a.o);
	a.scores = calloc(a.o.keys, sizeof(*a.scores));
	if (!a.scores)
		return -ENOMEM;
	*result = (struct compare){ .type = a.o.type, .rule = COMPARE_WITHIN };
	for (size_t row = 0; row < a.o.batch * a.o.heads * a.o.queries; row++)
		compare_row(&a, row, out, result);
	free(a.scores);
	return 0;
}
