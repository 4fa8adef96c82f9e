// SPDX-License-Identifier: MIT
/* The library with a device. Plans and packed weights are made once, as in use. */
#include "bench.h"

/**
 * struct op - one of the two operations, planned
 */
struct op {
	const struct work *work;
	struct scoria_conv2d_plan *conv2d;
	struct scoria_conv2d_weights *conv2d_weights;
	struct scoria_matmul_plan *matmul;
	struct scoria_matmul_weights *matmul_weights;
};

static int op_create(struct op *op, struct scoria_device *dev)
{
	const struct scoria_conv2d_opts conv2d = work_conv2d(op->work);
	const struct scoria_matmul_opts matmul = work_matmul(op->work);
	int err;

	if (op->work->shape->kernel) {
		err = scoria_conv2d_plan_create(dev, &conv2d, &op->conv2d);
		return err ? err : scoria_conv2d_weights_create(op->conv2d, op->work->weights, NULL,
								&op->conv2d_weights);
	}
	err = scoria_matmul_plan_create(dev, &matmul, &op->matmul);
	return err ? err : scoria_matmul_weights_create(op->matmul, op->work->weights,
							&op->matmul_weights);
}

static int op_run(void *ctx)
{
	const struct op *op = ctx;
	const struct work *work = op->work;

	if (op->conv2d)
		return scoria_conv2d_run(op->conv2d, op->conv2d_weights, work->input, work->output);
	return scoria_matmul_run(op->matmul, op->matmul_weights, work->input, work->output);
}

static void op_destroy(struct op *op)
{
	scoria_conv2d_weights_destroy(op->conv2d_weights);
	scoria_conv2d_plan_destroy(op->conv2d);
	scoria_matmul_weights_destroy(op->matmul_weights);
	scoria_matmul_plan_destroy(op->matmul);
}

static void op_info(const struct op *op, struct scoria_plan_info *info)
{
	info->size = sizeof(*info);
	if (op->conv2d)
		scoria_conv2d_plan_info(op->conv2d, info);
	else
		scoria_matmul_plan_info(op->matmul, info);
}

static int run_timed(struct scoria_device *dev, int (*run)(void *ctx), void *ctx,
		     struct npu_times *times)
{
	struct scoria_device_stats before = { .size = sizeof(before) };
	struct scoria_device_stats after = { .size = sizeof(after) };
	double start;
	int err;

	scoria_device_stats(dev, &before);
	start = timing_now();
	err = run(ctx);
	timing_add(&times->op, timing_now() - start);
	scoria_device_stats(dev, &after);
	timing_add(&times->job, (after.job_ns - before.job_ns) * 1e-9);
	times->tasks = after.tasks - before.tasks;
	times->cycles = after.cycles - before.cycles;
	return err;
}

int npu_time(struct scoria_device *dev, int (*run)(void *ctx), void *ctx, unsigned int repeats,
	     struct npu_times *times)
{
	int err = run(ctx);

	*times = (struct npu_times){ 0 };
	for (; !err && repeats; repeats--)
		err = run_timed(dev, run, ctx, times);
	return err;
}

int npu_measure(struct scoria_device *dev, const struct work *work, unsigned int repeats,
		struct npu_times *times)
{
	struct op op = { .work = work };
	int err = op_create(&op, dev);

	if (!err)
		err = npu_time(dev, op_run, &op, repeats, times);
	if (!err)
		op_info(&op, &times->info);
	op_destroy(&op);
	return err;
}
