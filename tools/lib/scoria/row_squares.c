// SPDX-License-Identifier: MIT
#include "row_squares.h"

#include <scoria/matmul.h>

#include <stdlib.h>

#include "error.h"
#include "layer.h"

#define BLOCK ROW_SQUARES_BLOCK

/**
 * struct row_squares - see row_squares.h
 * @products: of every row of a block with every other one
 */
struct row_squares {
	size_t m;
	struct scoria_matmul_plan *plan;
	float *products;
};

int row_squares_create(struct scoria_device *dev, size_t m, size_t k, struct row_squares **out)
{
	struct row_squares *squares = calloc(1, sizeof(*squares));
	const struct scoria_matmul_opts opts = {
		.size = sizeof(opts),
		.type = SCORIA_FP16,
		.out = SCORIA_FP32,
		.b_layout = SCORIA_B_NK,
		.m = BLOCK,
		.k = k,
		.n = BLOCK,
		.batch = div_up(m, BLOCK),
	};
	int err;

	if (!squares)
		return error_no_memory();
	squares->m = m;
	squares->products = calloc(opts.batch, BLOCK * BLOCK * sizeof(*squares->products));
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
	scoria_matmul_plan_destroy(squares->plan);
	free(squares->products);
	free(squares);
}

int row_squares_run(struct row_squares *squares, const uint16_t *x, double *out)
{
	struct scoria_matmul_weights *weights = NULL;
	int err = scoria_matmul_weights_create(squares->plan, x, &weights);
	size_t i;

	if (!err)
		err = scoria_matmul_run(squares->plan, weights, x, squares->products);
	for (i = 0; i < squares->m && !err; i++)
		out[i] = squares->products[i * BLOCK + i % BLOCK];
	scoria_matmul_weights_destroy(weights);
	return err;
}

int row_squares_info(const struct row_squares *squares, struct scoria_plan_info *info)
{
	return scoria_matmul_plan_info(squares->plan, info);
}
