// SPDX-License-Identifier: MIT
#include "prefix_sums.h"

#include <scoria/matmul.h>

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fp16.h"
#include "layer.h"

#define FP16_ONE	0x3c00

/*
 * Columns of a block. A product does this many multiplications for every sum, and
 * the CPU one addition for every sum but those of the first block.
 */
#define BLOCK		256u

/* Rows are copied and multiplied until they take about this much. */
#define COPY_BUDGET	(4ull << 20)

/**
 * struct prefix_sums - see prefix_sums.h
 * @o:      what is added up
 * @block: @blocks: columns of a block, and blocks of a row
 * @rows:   of x in one product
 * @copy:   the blocks of these rows, one a row, the last of each filled up with zeros
 * @result: the running sums of each, float or int32_t
 *
 * What is not finite is 0 in @copy, because 0 times it would reach the sums in front of
 * it; store_row() adds it.
 */
struct prefix_sums {
	struct scoria_reduce_opts o;
	size_t block;
	size_t blocks;
	size_t rows;
	uint8_t *copy;
	void *result;
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *ones;
};

static int create_triangle(struct prefix_sums *sums)
{
	size_t size = scoria_type_size(sums->o.type), n = sums->block, i, j;
	uint8_t *ones = calloc(n, n * size);
	int err;

	if (!ones)
		return error_no_memory();
	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			if (size == 1)
				ones[i * n + j] = 1;
			else
				((uint16_t *)ones)[i * n + j] = FP16_ONE;
	err = scoria_matmul_weights_create(sums->plan, ones, &sums->ones);
	free(ones);
	return err;
}

static int create_product(struct scoria_device *dev, struct prefix_sums *sums)
{
	const struct scoria_matmul_opts opts = {
		.size = sizeof(opts),
		.type = sums->o.type,
		.out = sums->o.type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.m = sums->rows * sums->blocks,
		.k = sums->block,
		.n = sums->block,
	};
	int err;

	sums->copy = calloc(opts.m, sums->block * scoria_type_size(sums->o.type));
	sums->result = calloc(opts.m, sums->block * sizeof(float));
	if (!sums->copy || !sums->result)
		return error_no_memory();
	err = scoria_matmul_plan_create(dev, &opts, &sums->plan);
	return err ? err : create_triangle(sums);
}

int prefix_sums_create(struct scoria_device *dev, const struct scoria_reduce_opts *o,
		       struct prefix_sums **out)
{
	struct prefix_sums *sums = calloc(1, sizeof(*sums));
	int err;

	if (!sums)
		return error_no_memory();
	sums->o = *o;
	sums->block = o->columns < BLOCK ? o->columns : BLOCK;
	sums->blocks = div_up(o->columns, sums->block);
	sums->rows = COPY_BUDGET / (sums->blocks * sums->block * sizeof(float));
	if (sums->rows > o->rows)
		sums->rows = o->rows;
	if (!sums->rows)
		sums->rows = 1;
	err = create_product(dev, sums);
	if (err) {
		prefix_sums_destroy(sums);
		return err;
	}
	*out = sums;
	return 0;
}

void prefix_sums_destroy(struct prefix_sums *sums)
{
	if (!sums)
		return;
	scoria_matmul_weights_destroy(sums->ones);
	scoria_matmul_plan_destroy(sums->plan);
	free(sums->result);
	free(sums->copy);
	free(sums);
}

static double result_at(const struct prefix_sums *sums, size_t index)
{
	if (sums->o.type == SCORIA_FP16)
		return (double)((const float *)sums->result)[index];
	return ((const int32_t *)sums->result)[index];
}

/* What element @i of row @x, which its sum left out, adds to it. */
static double special_at(const struct prefix_sums *sums, const void *x, size_t i)
{
	const uint16_t value = sums->o.type == SCORIA_FP16 ? ((const uint16_t *)x)[i] : 0;

	return fp16_is_finite(value) ? 0 : (double)fp16_to_fp32(value);
}

/* Row @row of the piece, from @x; a double adds int32 exactly. */
static void store_row(const struct prefix_sums *sums, size_t row, const void *x, void *y, size_t at)
{
	size_t first = row * sums->blocks * sums->block, i;
	double before = 0, special = 0;

	for (i = 0; i < sums->o.columns; i++) {
		if (i && i % sums->block == 0)
			before += result_at(sums, first + i - 1);
		special += special_at(sums, x, i);
		reduce_store(sums->o.out, y, at + i, before + result_at(sums, first + i) + special);
	}
}

static void copy_row(const struct prefix_sums *sums, void *to, const void *x)
{
	size_t i;

	memcpy(to, x, sums->o.columns * scoria_type_size(sums->o.type));
	for (i = 0; i < sums->o.columns && sums->o.type == SCORIA_FP16; i++)
		if (!fp16_is_finite(((uint16_t *)to)[i]))
			((uint16_t *)to)[i] = 0;
}

static int run_rows(struct prefix_sums *sums, const void *x, void *y, size_t first, size_t n)
{
	const struct scoria_reduce_opts *o = &sums->o;
	const size_t size = scoria_type_size(o->type), row = o->ldx * size;
	const size_t pitch = sums->blocks * sums->block * size;
	const uint8_t *from = (const uint8_t *)x + first * row;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		copy_row(sums, sums->copy + i * pitch, from + i * row);
	err = scoria_matmul_run(sums->plan, sums->ones, sums->copy, sums->result);
	for (i = 0; i < n && !err; i++)
		store_row(sums, i, from + i * row, y, (first + i) * o->ldy);
	return err;
}

int prefix_sums_run(struct prefix_sums *sums, const void *x, void *y)
{
	size_t rows = sums->o.rows, first;
	int err = 0;

	for (first = 0; first < rows && !err; first += sums->rows)
		err = run_rows(sums, x, y, first,
			       rows - first < sums->rows ? rows - first : sums->rows);
	return err;
}

int prefix_sums_info(const struct prefix_sums *sums, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .size = sizeof(all) };
	uint64_t runs = div_up(sums->o.rows, sums->rows);

	scoria_matmul_plan_info(sums->plan, &all);
	all.tasks *= runs;
	all.jobs *= runs;
	all.runs *= runs;
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}
