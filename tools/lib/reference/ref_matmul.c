// SPDX-License-Identifier: MIT
/* Matrix product by blocks of columns that stay in the cache. */
#include "reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fp16.h"
#include "sums.h"

/* Columns of a block: 8192 rows of them in double are 4 MiB. */
#define BLOCK 64u

struct product {
	struct scoria_matmul_opts o;
	const void *a;
	const void *b;
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

static void load_doubles(struct product *p, size_t first, size_t n)
{
	const uint16_t *b = (const uint16_t *)p->b + first * b_column(p);
	size_t next_row = b_row(p), next = b_column(p), row, j;
	double *block = p->block;

	for (row = 0; row < p->o.k; row++)
		for (j = 0; j < n; j++)
			block[row * BLOCK + j] = fp16_to_fp32(b[row * next_row + j * next]);
}

static void load_integers(struct product *p, size_t first, size_t n)
{
	const int8_t *b = (const int8_t *)p->b + first * b_column(p);
	size_t next_row = b_row(p), next = b_column(p), row, j;
	int32_t *block = p->block;

	for (row = 0; row < p->o.k; row++)
		for (j = 0; j < n; j++)
			block[row * BLOCK + j] = b[row * next_row + j * next];
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
	const int8_t *a = (const int8_t *)p->a + row * p->o.lda;
	const int32_t *block = p->block;
	int32_t part[BLOCK];
	size_t from, i, j;

	memset(sums, 0, BLOCK * sizeof(*sums));
	for (from = 0; from < p->o.k; from += SUMS_INT32_TERMS) {
		memset(part, 0, sizeof(part));
		for (i = from; i < p->o.k && i < from + SUMS_INT32_TERMS; i++)
			sums_int32(part, block + i * BLOCK, a[i], BLOCK);
		for (j = 0; j < BLOCK; j++)
			sums[j] += part[j];
	}
}

static double magnitude(void *ctx, size_t index)
{
	const struct product *p = ctx;
	size_t row = index / p->o.ldc, column = index % p->o.ldc, i;
	double sum = 0;

	for (i = 0; i < p->o.k; i++)
		sum += fabs(compare_value(p->o.type, p->a, row * p->o.lda + i) *
			    compare_value(p->o.type, p->b, i * b_row(p) + column * b_column(p)));
	return sum;
}

static void compare_block(struct product *p, const void *c, size_t first, size_t n,
			  struct compare *result)
{
	double sums[BLOCK];
	size_t row, j;

	if (p->o.type == SCORIA_FP16)
		load_doubles(p, first, n);
	else
		load_integers(p, first, n);
	for (row = 0; row < p->o.m; row++) {
		if (p->o.type == SCORIA_FP16)
			row_doubles(p, row, sums);
		else
			row_integers(p, row, sums);
		for (j = 0; j < n; j++)
			compare_add(result, c, row * p->o.ldc + first + j, sums[j]);
	}
}

static void default_strides(struct scoria_matmul_opts *o)
{
	if (!o->lda)
		o->lda = o->k;
	if (!o->ldb)
		o->ldb = o->b_layout == SCORIA_B_KN ? o->n : o->k;
	if (!o->ldc)
		o->ldc = o->n;
}

int reference_matmul(const struct scoria_matmul_opts *opts, const void *a, const void *b,
		     const void *c, struct compare *result)
{
	struct product p = { .o = *opts, .a = a, .b = b };
	size_t first;

	default_strides(&p.o);
	p.block = calloc(p.o.k, BLOCK * sizeof(double));
	if (!p.block)
		return -ENOMEM;
	*result = (struct compare){ .type = p.o.out, .terms = p.o.k, .magnitude = magnitude,
				    .ctx = &p };
	for (first = 0; first < p.o.n; first += BLOCK)
		compare_block(&p, c, first, p.o.n - first < BLOCK ? p.o.n - first : BLOCK, result);
	result->ctx = NULL;
	free(p.block);
	return 0;
}
