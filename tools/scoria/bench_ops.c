// SPDX-License-Identifier: MIT
#include "bench_ops.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/reference/random.h"
#include "../lib/reference/reference.h"
#include "../lib/reference/vectors.h"

static int measure_work(const struct work *work, struct scoria_device *dev, unsigned int repeats,
			struct bench_result *result)
{
	struct timing loops = { 0 };
	const int err = npu_measure(dev, work, repeats, &result->times);

	if (err)
		return err;
	loop_measure(work, 1, &loops);
	result->operations = 2 * work_macs(work);
	result->right = work_agrees(work, work->a8);
	return 0;
}

static int measure_product(const struct bench_op *op, struct scoria_device *dev,
			   unsigned int repeats, struct bench_result *result)
{
	struct work work;
	int err = work_create(&work, &op->shape, op->type) ? 0 : -ENOMEM;

	if (!err)
		err = measure_work(&work, dev, repeats, result);
	work_free(&work);
	return err;
}

/**
 * struct arrays - an operation with its arrays
 * @add: @pool: the plan of one of them
 */
struct arrays {
	struct scoria_eltwise_plan *add;
	struct scoria_pool_plan *pool;
	uint16_t *a;
	uint16_t *b;
	uint16_t *out;
};

static int arrays_create(struct arrays *arrays, size_t n, size_t n_out)
{
	struct random random = { .state = 1 };

	arrays->a = calloc(n, sizeof(*arrays->a));
	arrays->b = calloc(n, sizeof(*arrays->b));
	arrays->out = calloc(n_out, sizeof(*arrays->out));
	if (!arrays->a || !arrays->b || !arrays->out)
		return -ENOMEM;
	random_fill(&random, SCORIA_FP16, arrays->a, n);
	random_fill(&random, SCORIA_FP16, arrays->b, n);
	return 0;
}

static void arrays_free(struct arrays *arrays)
{
	scoria_eltwise_plan_destroy(arrays->add);
	scoria_pool_plan_destroy(arrays->pool);
	free(arrays->a);
	free(arrays->b);
	free(arrays->out);
}

static int run_add(void *ctx)
{
	const struct arrays *arrays = ctx;

	return scoria_eltwise_run(arrays->add, arrays->a, arrays->b, NULL, arrays->out);
}

static int measure_add(const struct bench_op *op, struct scoria_device *dev, unsigned int repeats,
		       struct bench_result *result)
{
	const struct scoria_eltwise_opts opts = { .size = sizeof(opts), .op = SCORIA_ADD,
						  .type = op->type, .n = op->n };
	struct compare compare = { 0 };
	struct arrays arrays = { 0 };
	int err = arrays_create(&arrays, op->n, op->n);

	if (!err)
		err = scoria_eltwise_plan_create(dev, &opts, &arrays.add);
	if (!err)
		err = npu_time(dev, run_add, &arrays, repeats, &result->times);
	if (!err) {
		result->times.info.size = sizeof(result->times.info);
		scoria_eltwise_plan_info(arrays.add, &result->times.info);
		result->operations = op->n;
		reference_eltwise(&opts, arrays.a, arrays.b, NULL, arrays.out, &compare);
		result->right = compare_passed(&compare);
	}
	arrays_free(&arrays);
	return err;
}

static int run_pool(void *ctx)
{
	const struct arrays *arrays = ctx;

	return scoria_pool_run(arrays->pool, arrays->a, arrays->out);
}

/* Windows of 2 x 2, side by side. */
static int measure_pool(const struct bench_op *op, struct scoria_device *dev, unsigned int repeats,
			struct bench_result *result)
{
	const struct scoria_pool_opts opts = { .size = sizeof(opts), .type = op->type,
					       .method = SCORIA_POOL_MAX, .batch = 1, .c = op->n,
					       .h = op->side, .w = op->side, .kh = 2, .kw = 2 };
	const size_t n = op->n * op->side * op->side;
	struct compare compare = { 0 };
	struct arrays arrays = { 0 };
	int err = arrays_create(&arrays, n, n / 4);

	if (!err)
		err = scoria_pool_plan_create(dev, &opts, &arrays.pool);
	if (!err)
		err = npu_time(dev, run_pool, &arrays, repeats, &result->times);
	if (!err) {
		result->times.info.size = sizeof(result->times.info);
		scoria_pool_plan_info(arrays.pool, &result->times.info);
		result->operations = n;
		err = reference_pool(&opts, arrays.a, arrays.out, &compare);
		result->right = compare_passed(&compare);
	}
	arrays_free(&arrays);
	return err;
}

#define CONV_3X3 { .ic = 64, .oc = 64, .size = 56, .kernel = 3, .stride = 1, .pad = 1, .groups = 1 }
#define CONV_1X1 { .ic = 256, .oc = 64, .size = 28, .kernel = 1, .stride = 1, .groups = 1 }
#define MATMUL { .m = 256, .k = 512, .n = 512 }
#define ROW { .m = 1, .k = 2048, .n = 2048 }

const struct bench_op bench_ops[] = {
	{ "matmul 256x512x512", SCORIA_INT8, measure_product, .shape = MATMUL },
	{ "matmul 256x512x512", SCORIA_FP16, measure_product, .shape = MATMUL },
	{ "matmul 1x2048x2048", SCORIA_INT8, measure_product, .shape = ROW },
	{ "conv 64x56x56 -> 64, 3x3", SCORIA_INT8, measure_product, .shape = CONV_3X3 },
	{ "conv 64x56x56 -> 64, 3x3", SCORIA_FP16, measure_product, .shape = CONV_3X3 },
	{ "conv 256x28x28 -> 64, 1x1", SCORIA_INT8, measure_product, .shape = CONV_1X1 },
	{ "add of 262144", SCORIA_FP16, measure_add, .n = 262144 },
	{ "max pool 64x56x56, 2x2", SCORIA_FP16, measure_pool, .n = 64, .side = 56 },
};

const size_t n_bench_ops = sizeof(bench_ops) / sizeof(bench_ops[0]);

const struct bench_op bench_latency = {
	"matmul 4x32x16", SCORIA_INT8, measure_product, .shape = { .m = 4, .k = 32, .n = 16 },
};
