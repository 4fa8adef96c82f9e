/* SPDX-License-Identifier: MIT */
/* What `scoria bench` measures. */
#ifndef SCORIA_BENCH_OPS_H
#define SCORIA_BENCH_OPS_H

#include "../bench/bench.h"

/**
 * struct bench_result - how an operation went
 * @times:   of the runs; its info is filled, too
 * @operations: arithmetic ones in a run, by what the operation is defined to be: two for
 *           each product of a sum, one for each element otherwise
 * @right:   the results are those of the CPU
 */
struct bench_result {
	struct npu_times times;
	double operations;
	bool right;
};

/**
 * struct bench_op - an operation to measure
 * @name:    with its sizes
 * @type:    of its inputs
 * @measure: fill the result, which is zero; 0 or a negative errno, see scoria_error()
 * @shape:   of a product or convolution
 * @n:       elements, or channels of images of @side x @side
 */
struct bench_op {
	const char *name;
	enum scoria_type type;
	int (*measure)(const struct bench_op *op, struct scoria_device *dev, unsigned int repeats,
		       struct bench_result *result);
	struct shape shape;
	size_t n;
	size_t side;
};

extern const struct bench_op bench_ops[];
extern const size_t n_bench_ops;

/* The smallest product, whose time is what it takes to get to the NPU and back. */
extern const struct bench_op bench_latency;

#endif
