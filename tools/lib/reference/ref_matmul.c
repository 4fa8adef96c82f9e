// SPDX-License-Identifier: MIT
/* Matrix product by blocks of columns that stay in the cache. */
#include "reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fp16.h"
#include "fusion.h"
#include "sums.h"

/* Columns of a block: 8192 rows of them in double are 4 MiB. */
#define BLOCK 64u

/* One product of a batch at a time: @a and @b are its matrices. */
struct product {
	struct scoria_matmul_opts o;
	struct following then;
	const uint8_t *a;
	const uint8_t *b;
	const void *c;
	void *block;		/* k rows of BLOCK columns of B */
};

/* Elements from a row of B to the next, and from a column to the next. */
static size_t b_row(const struct product *p)
{
	return p->o.b_layout == SCORIA_B_KN ? p->o.ldb : 1;
}

static size_t b_column(const struct product *p)
{
	return p->o.b_layout == SCORIA_B_KN ? 1 : p->o.ldb;
}

/* Sums of int16 products need more than 32 bits, and a double holds them exactly. */
static bool in_doubles(const struct product *p)
{
	return p->o.type != SCORIA_INT8 && p->o.type != SCORIA_UINT8 && p->o.type != SCORIA_INT4;
}

static void load_fp16(struct product *p, size_t first, size_t n)
{
	const uint16_t *b = (const uint16_t *)p->b + first * b_column(p);
	size_t next_row = b_row(p), next = b_column(p), row, j;
	double *block = p->block;

	for (row = 0; row < p->o.k; row++)
		for (j = 0; j < n; j++)
			block[row * BLOCK + j] = fp16_to_fp32(b[row * next_row + j * next]);
}

static void load_int8(struct product *p, size_t first, size_t n)
{
	const int8_t *b = (const int8_t *)p->b + first * b_column(p);
	size_t next_row = b_row(p), next = b_column(p), row, j;
	int32_t *block = p->block;

	for (row = 0; row < p->o.k; row++)
		for (j = 0; j < n; j++)
			block[row * BLOCK + j] = b[row * next_row + j * next] - p->o.b_zp;
}

static void load_others(struct product *p, size_t first, size_t n)
{
	size_t row, j;

	for (row = 0; row < p->o.k; row++)
		for (j = 0; j < n; j++) {
			double value = compare_value(p->o.type, p->b, row * b_row(p) +
						     (first + j) * b_column(p));

			if (in_doubles(p))
				((double *)p->block)[row * BLOCK + j] = value;
			else
				((int32_t *)p->block)[row * BLOCK + j] = value - p->o.b_zp;
		}
}

static void load_block(struct product *p, size_t first, size_t n)
{
	if (p->o.type == SCORIA_FP16)
		load_fp16(p, first, n);
	else if (p->o.type == SCORIA_INT8)
		load_int8(p, first, n);
	else
		load_others(p, first, n);
}

static void row_doubles(const struct product *p, size_t row, double *sums)
{
	const double *block = p->block;
	size_t i;

	memset(sums, 0, BLOCK * sizeof(*sums));
	for (i = 0; i < p->o.k; i++)
		sums_double(sums, block + i * BLOCK,
			    compare_value(p->o.type, p->a, row * p->o.lda + i), BLOCK);
}

/* int32 holds SUMS_INT32_TERMS products, a double all sums that fit int32. */
static void row_integers(const struct product *p, size_t row, double *sums)
{
	const int32_t *block = p->block;
	int32_t part[BLOCK];
	size_t from, i, j;

	memset(sums, 0, BLOCK * sizeof(*sums));
	for (from = 0; from < p->o.k; from += SUMS_INT32_TERMS) {
		memset(part, 0, sizeof(part));
		for (i = from; i < p->o.k && i < from + SUMS_INT32_TERMS; i++)
			sums_int32(part, block + i * BLOCK,
				   compare_value(p->o.type, p->a, row * p->o.lda + i) - p->o.a_zp,
				   BLOCK);
		for (j = 0; j < BLOCK; j++)
			sums[j] += part[j];
	}
}

static bool is_float(const struct product *p)
{
	return p->o.out == SCORIA_FP16 || p->o.out == SCORIA_FP32;
}

static double bias_of(const struct product *p, size_t column)
{
	if (!p->o.bias)
		return 0;
	return is_float(p) ? ((const float *)p->o.bias)[column] :
			     ((const int32_t *)p->o.bias)[column];
}

static double magnitude(void *ctx, size_t index)
{
	const struct product *p = ctx;
	size_t in_matrix = index % p->o.stride_c;
	size_t row = in_matrix / p->o.ldc, column = in_matrix % p->o.ldc, i;
	double sum = 0;

	for (i = 0; i < p->o.k; i++)
		sum += fabs(compare_value(p->o.type, p->a, row * p->o.lda + i) *
			    compare_value(p->o.type, p->b, i * b_row(p) + column * b_column(p)));
	return sum * fabs(p->o.alpha * following_factor(&p->then, column)) +
	       fabs(bias_of(p, column));
}

static double finish_float(struct product *p, double sum, size_t column, size_t index,
			   struct compare *result)
{
	double x = sum * p->o.alpha * following_factor(&p->then, column) + bias_of(p, column);
	const struct rounded sums = { p->then.fuse ? compare_value(p->o.out, p->c, index) : 0,
				      result->terms, magnitude, p };
	double tolerance;

	if (!p->then.fuse)
		return following_float(&p->then, column, index, x, 0, &tolerance);
	return following_rounded(&p->then, column, index, x, &sums, &result->tolerance);
}

/* matmul.h and conv2d.h: sums of integers with their bias saturate to int32. */
static double finish(struct product *p, double sum, size_t column, size_t index,
		     struct compare *result)
{
	double value = sum + bias_of(p, column);

	if (is_float(p))
		return finish_float(p, sum, column, index, result);
	if (p->o.out == SCORIA_INT32 || p->then.requant)
		value = fmin(fmax(value, INT32_MIN), INT32_MAX);
	return following_integer(&p->then, column, index, value);
}

static void compare_block(struct product *p, size_t at, size_t first, size_t n,
			  struct compare *result)
{
	double sums[BLOCK];
	size_t row, j;

	load_block(p, first, n);
	for (row = 0; row < p->o.m; row++) {
		if (in_doubles(p))
			row_doubles(p, row, sums);
		else
			row_integers(p, row, sums);
		for (j = 0; j < n; j++) {
			size_t index = at + row * p->o.ldc + first + j;

			compare_add(result, p->c, index,
				    finish(p, sums[j], first + j, index, result));
		}
	}
}

static void default_to(size_t *value, size_t otherwise)
{
	if (!*value)
		*value = otherwise;
}

static void fill_defaults(struct scoria_matmul_opts *o)
{
	bool kn = o->b_layout == SCORIA_B_KN;

	default_to(&o->lda, o->k);
	default_to(&o->ldb, kn ? o->n : o->k);
	default_to(&o->ldc, o->n);
	default_to(&o->batch, 1);
	default_to(&o->stride_a, o->m * o->lda);
	default_to(&o->stride_b, (kn ? o->k : o->n) * o->ldb);
	default_to(&o->stride_c, o->m * o->ldc);
	if (o->alpha == 0)
		o->alpha = 1;
}

int reference_matmul_fused(const struct scoria_matmul_opts *opts,
			   const struct scoria_requant *requant, const void *a, const void *b,
			   const void *operand, const void *c, struct compare *result)
{
	struct product p = { .o = *opts, .c = c, .then = FOLLOWING(opts, requant, operand) };
	size_t size = scoria_type_size(opts->type), first, i;

	fill_defaults(&p.o);
	p.block = calloc(p.o.k, BLOCK * sizeof(double));
	if (!p.block)
		return -ENOMEM;
	/* one rounding more for each, alpha and bias */
	*result = (struct compare){ .type = p.o.out, .magnitude = magnitude, .ctx = &p,
				    .terms = p.o.k + (p.o.alpha != 1) + (p.o.bias != NULL) };
	if (opts->fuse && is_float(&p)) {
		result->rule = COMPARE_WITHIN;
		result->magnitude = NULL;
		result->terms += opts->fuse->factors != NULL;
	}
	for (i = 0; i < p.o.batch; i++) {
		p.a = (const uint8_t *)a + i * p.o.stride_a * size;
		p.b = (const uint8_t *)b + (p.o.b_shared ? 0 : i * p.o.stride_b * size);
		for (first = 0; first < p.o.n; first += BLOCK)
			compare_block(&p, i * p.o.stride_c, first,
				      p.o.n - first < BLOCK ? p.o.n - first : BLOCK, result);
	}
	result->ctx = NULL;
	free(p.block);
	return 0;
}

int reference_matmul(const struct scoria_matmul_opts *opts, const struct scoria_requant *requant,
		     const void *a, const void *b, const void *c, struct compare *result)
{
	return reference_matmul_fused(opts, requant, a, b, NULL, c, result);
}
