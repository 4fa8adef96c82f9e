// SPDX-License-Identifier: MIT
/*
 * int16 to int64 by bytes: every x = 256 h + l + 128 with h and l in int8, so
 *
 *	sum a b = sum a' b' + 128 (sum a' + sum b') + 128^2 k,  x' = 256 h + l = x - 128
 *	sum a' b' = 2^16 sum ha hb + 2^8 (sum ha lb + sum la hb) + sum la lb
 *
 * One int8 product of [ha; la] and [hb, lb] has the four sums. The hardware's own
 * int16 sums saturate to int32, and reports about them contradict each other (K3).
 */
#include <stdlib.h>

#include "error.h"
#include "matmul.h"

/* Rows of A that are taken apart at a time: their bytes take about this much. */
#define BYTES_BUDGET (16ull << 20)

struct planes {
	struct scoria_matmul_opts o;
	size_t rows;
	struct scoria_matmul_plan *plan;
	int8_t *a;
	int32_t *c;
	int64_t *sums;
};

/* B, its bytes as they were packed last, and the sums of x - 128 of its columns. */
struct planes_weights {
	struct scoria_matmul_weights *packed;
	int8_t *bytes;
	int64_t sums[];
};

static void split(int16_t x, int8_t *high, int8_t *low)
{
	*high = x >> 8;
	*low = (x & 0xff) - 128;
}

static struct scoria_matmul_opts bytes_opts(const struct planes *planes)
{
	return (struct scoria_matmul_opts){
		.size = sizeof(struct scoria_matmul_opts),
		.type = SCORIA_INT8,
		.out = SCORIA_INT32,
		.b_layout = SCORIA_B_NK,
		.m = 2 * planes->rows,
		.k = planes->o.k,
		.n = 2 * planes->o.n,
	};
}

int planes_create(struct scoria_device *dev, const struct scoria_matmul_opts *o,
		  struct planes **out)
{
	struct planes *planes = calloc(1, sizeof(*planes));
	struct scoria_matmul_opts opts;
	int err = 0;

	if (!planes)
		return error_no_memory();
	planes->o = *o;
	planes->rows = BYTES_BUDGET / (2 * o->k + 8 * o->n);
	if (planes->rows > o->m)
		planes->rows = o->m;
	if (!planes->rows)
		planes->rows = 1;
	planes->a = calloc(planes->rows, 2 * o->k);
	planes->c = calloc(planes->rows, 4 * o->n * sizeof(*planes->c));
	planes->sums = calloc(planes->rows, sizeof(*planes->sums));
	if (!planes->a || !planes->c || !planes->sums)
		err = error_no_memory();
	opts = bytes_opts(planes);
	if (!err)
		err = scoria_matmul_plan_create(dev, &opts, &planes->plan);
	if (err) {
		planes_destroy(planes);
		return err;
	}
	*out = planes;
	return 0;
}

void planes_destroy(struct planes *planes)
{
	scoria_matmul_plan_destroy(planes->plan);
	free(planes->sums);
	free(planes->c);
	free(planes->a);
	free(planes);
}

int planes_info(const struct planes *planes, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .size = sizeof(all) };
	uint64_t runs = planes->o.batch * div_up(planes->o.m, planes->rows);

	scoria_matmul_plan_info(planes->plan, &all);
	all.tasks *= runs;
	all.jobs *= runs;
	all.runs *= runs;
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

/* The bytes of @k elements, @next apart, and the sum of x - 128. */
static int64_t split_row(const int16_t *from, size_t next, size_t k, int8_t *high, int8_t *low)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < k; i++) {
		split(from[i * next], &high[i], &low[i]);
		sum += from[i * next] - 128;
	}
	return sum;
}

int planes_weights_create(struct planes *planes, struct planes_weights **out)
{
	const struct scoria_matmul_opts *o = &planes->o;
	struct planes_weights *weights = calloc(1, sizeof(*weights) +
						o->n * sizeof(weights->sums[0]));
	int err = -ENOMEM;

	if (!weights)
		return error_no_memory();
	weights->bytes = calloc(2 * o->n, o->k);
	if (weights->bytes)
		err = matmul_weights_reserve(planes->plan, &weights->packed);
	else
		error_no_memory();
	if (err) {
		planes_weights_destroy(weights);
		return err;
	}
	*out = weights;
	return 0;
}

int planes_weights_pack(struct planes *planes, struct planes_weights *weights, const int16_t *b)
{
	const struct scoria_matmul_opts *o = &planes->o;
	bool kn = o->b_layout == SCORIA_B_KN;
	size_t j;

	for (j = 0; j < o->n; j++)
		weights->sums[j] = split_row(b + j * (kn ? 1 : o->ldb), kn ? o->ldb : 1, o->k,
					     weights->bytes + j * o->k,
					     weights->bytes + (o->n + j) * o->k);
	return scoria_matmul_weights_update(weights->packed, weights->bytes);
}

void planes_weights_destroy(struct planes_weights *weights)
{
	scoria_matmul_weights_destroy(weights->packed);
	free(weights->bytes);
	free(weights);
}

static void join_row(const struct planes *planes, const struct planes_weights *weights, size_t row,
		     int64_t *to)
{
	size_t n = planes->o.n, j;
	const int32_t *high = planes->c + row * 2 * n;
	const int32_t *low = planes->c + (planes->rows + row) * 2 * n;
	int64_t rest = 128 * planes->sums[row] + 128 * 128 * (int64_t)planes->o.k;

	for (j = 0; j < n; j++)
		to[j] = 65536ll * high[j] + 256ll * ((int64_t)high[n + j] + low[j]) + low[n + j] +
			128 * weights->sums[j] + rest;
}

static int run_rows(struct planes *planes, struct planes_weights *weights, const int16_t *a,
		    int64_t *c, size_t rows)
{
	const struct scoria_matmul_opts *o = &planes->o;
	size_t row;
	int err;

	for (row = 0; row < rows; row++)
		planes->sums[row] = split_row(a + row * o->lda, 1, o->k, planes->a + row * o->k,
					      planes->a + (planes->rows + row) * o->k);
	err = scoria_matmul_run(planes->plan, weights->packed, planes->a, planes->c);
	for (row = 0; row < rows && !err; row++)
		join_row(planes, weights, row, c + row * o->ldc);
	return err;
}

int planes_run(struct planes *planes, struct planes_weights *weights, const int16_t *a, int64_t *c)
{
	const struct scoria_matmul_opts *o = &planes->o;
	size_t row;
	int err = 0;

	for (row = 0; row < o->m && !err; row += planes->rows)
		err = run_rows(planes, weights, a + row * o->lda, c + row * o->ldc,
			       o->m - row < planes->rows ? o->m - row : planes->rows);
	return err;
}
