// SPDX-License-Identifier: MIT
#include "row_squares.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "layer.h"
#include "product.h"

/* Columns that the MAC array computes at a time in any case. */
#define GROUP	16u

/*
 * Multiplications in the time that a job takes to start: about 35 us (programming-model
 * J) of 450 a cycle at 1 GHz. A block takes as long, so that neither counts much.
 */
#define WORTH_A_JOB 15750000.0

#define MAX_BLOCK 256u

/**
 * struct row_squares - see row_squares.h
 * @block:    rows of a product
 * @weights:  of a run, packed; NULL before the first
 * @products: of every row of a block with every other one
 */
struct row_squares {
	size_t m;
	size_t block;
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *weights;
	float *products;
};

static size_t block_of(size_t m, size_t k)
{
	size_t best = align_up((size_t)sqrt(WORTH_A_JOB / k) + 1, GROUP);

	best = best < MAX_BLOCK ? best : MAX_BLOCK;
	return best < align_up(m, GROUP) ? best : align_up(m, GROUP);
}

size_t row_squares_rows(size_t m, size_t k)
{
	return align_up(m, block_of(m, k));
}

int row_squares_create(struct scoria_device *dev, size_t m, size_t k, struct row_squares **out)
{
	struct row_squares *squares = calloc(1, sizeof(*squares));
	const size_t block = block_of(m, k);
	const struct scoria_matmul_opts opts = {
		.size = sizeof(opts),
		.type = SCORIA_FP16,
		.out = SCORIA_FP32,
		.b_layout = SCORIA_B_NK,
		.m = block,
		.k = k,
		.n = block,
		.batch = div_up(m, block),
	};
	int err;

	if (!squares)
		return error_no_memory();
	squares->m = m;
	squares->block = block;
	squares->products = calloc(opts.batch, block * block * sizeof(*squares->products));
	err = squares->products ? scoria_matmul_plan_create(dev, &opts, &squares->plan) :
				  error_no_memory();
	if (err) {
		row_squares_destroy(squares);
		return err;
	}
	*out = squares;
	return 0;
}

void row_squares_destroy(struct row_squares *squares)
{
	if (!squares)
		return;
	scoria_matmul_weights_destroy(squares->weights);
	scoria_matmul_plan_destroy(squares->plan);
	free(squares->products);
	free(squares);
}

int row_squares_run(struct row_squares *squares, const uint16_t *x, double *out)
{
	int err = product_run(squares->plan, &squares->weights, x, x, squares->products);
	size_t i;

	for (i = 0; i < squares->m && !err; i++)
		out[i] = squares->products[i * squares->block + i % squares->block];
	return err;
}

int row_squares_info(const struct row_squares *squares, struct scoria_plan_info *info)
{
	return scoria_matmul_plan_info(squares->plan, info);
}
