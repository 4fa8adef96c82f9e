// SPDX-License-Identifier: MIT
/* Pooling: the plan and its run. */
#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "limits.h"
#include "pool.h"
#include "pool_average.h"
#include "pool_depthwise.h"
#include "rk3588_npu.h"

#define LANES		(NPU_UNIT / 2)
#define POOL_BLOCKS	(NPU_ENABLE_PPU | NPU_ENABLE_PPU_RDMA)

/* Channels are run in parts whose cubes are about as large as this. */
#define CUBE_BUDGET	(64ull << 20)

/* Averages that would need passes, each of which would round to fp16. */
static bool beyond_ppu(const struct scoria_pool_opts *o)
{
	return o->method == SCORIA_POOL_AVERAGE &&
	       (o->kh > NPU_MAX_POOL_KERNEL || o->kw > NPU_MAX_POOL_KERNEL);
}

static int create_lines(struct scoria_pool_plan *plan)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	bool clip = o->method == SCORIA_POOL_AVERAGE && !o->count_include_pad;

	plan->x.window = (struct axis){ o->w, plan->shape.ow, o->kw, o->stride_x, 1, o->pad_left };
	plan->y.window = (struct axis){ o->h, plan->shape.oh, o->kh, o->stride_y, 1, o->pad_top };
	plan->x.clip = plan->y.clip = clip;
	return pool_lines_create(&plan->x, &plan->y);
}

/* Units of the largest surface before and after all passes. */
static uint64_t largest_plane(const struct scoria_pool_plan *plan)
{
	uint64_t most = (uint64_t)plan->x.steps[0].in * plan->y.steps[0].in;
	uint32_t i;

	for (i = 0; i < plan->x.n_steps; i++) {
		uint64_t plane = (uint64_t)plan->x.steps[i].out * plan->y.steps[i].out;

		if (plane > most)
			most = plane;
	}
	return most;
}

static int create_cubes(struct scoria_device *dev, struct scoria_pool_plan *plan)
{
	uint64_t plane = largest_plane(plan) * NPU_UNIT;
	uint32_t units = CUBE_BUDGET / plane;
	int i, err = 0;

	if (plane > NPU_WINDOW)
		return error_set(ENOSPC, "pool: a plane of %llu bytes does not fit the NPU's 4 GiB",
				 (unsigned long long)plane);
	units = min_u32(units, NPU_MAX_POOL_SIZE / LANES);
	units = min_u32(units, div_up(plan->shape.o.c, LANES));
	if (!units)
		units = 1;
	plan->channels = units * LANES;
	for (i = 0; i < 2 && !err; i++)
		err = scoria_buffer_create(dev, units * plane, &plan->work[i]);
	return err;
}

static int create_chain(struct scoria_device *dev, struct scoria_pool_plan *plan)
{
	const struct chain_shape shape = {
		.tasks = pool_tasks(plan),
		.words = pool_words(),
		.blocks = POOL_BLOCKS,
		.independent = plan->x.n_steps == 1,
	};

	return chain_create(&plan->chain, dev, &shape);
}

static void emit_run(const struct scoria_pool_plan *plan)
{
	const struct pool_cubes cubes = {
		.chain = &plan->chain,
		.channels = plan->channels,
		.address = { scoria_buffer_address(plan->work[0]),
			     scoria_buffer_address(plan->work[1]) },
	};

	pool_emit(plan, &cubes);
}

static int plan_ppu(struct scoria_device *dev, struct scoria_pool_plan *plan)
{
	int err = create_lines(plan);

	if (!err)
		err = create_chain(dev, plan);
	if (!err)
		err = create_cubes(dev, plan);
	if (err)
		return err;
	emit_run(plan);
	return chain_sync(&plan->chain);
}

static int plan_way(struct scoria_device *dev, struct scoria_pool_plan *plan)
{
	if (pool_depthwise_can(&plan->shape))
		return pool_depthwise_create(dev, &plan->shape, &plan->depthwise);
	if (beyond_ppu(&plan->shape.o))
		return pool_average_create(dev, &plan->shape, &plan->average);
	return plan_ppu(dev, plan);
}

int scoria_pool_plan_create(struct scoria_device *dev, const struct scoria_pool_opts *opts,
			    struct scoria_pool_plan **out)
{
	int err = CHECK_POINTERS("pool", { "dev", dev }, { "plan", out });
	struct scoria_pool_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = pool_check(&plan->shape, opts);
	if (!err)
		err = plan_way(dev, plan);
	if (err) {
		scoria_pool_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_pool_plan_destroy(struct scoria_pool_plan *plan)
{
	if (!plan)
		return;
	pool_depthwise_destroy(plan->depthwise);
	pool_average_destroy(plan->average);
	chain_destroy(&plan->chain);
	scoria_buffer_destroy(plan->work[1]);
	scoria_buffer_destroy(plan->work[0]);
	pool_line_destroy(&plan->y);
	pool_line_destroy(&plan->x);
	free(plan);
}

static uint64_t n_runs(const struct scoria_pool_plan *plan)
{
	return plan->shape.o.batch * div_up(plan->shape.o.c, plan->channels);
}

int scoria_pool_plan_info(const struct scoria_pool_plan *plan, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .splits = 1 };
	int err = CHECK_POINTERS("pool", POINTER(plan));

	if (err)
		return err;
	if (plan->depthwise)
		return pool_depthwise_info(plan->depthwise, info);
	if (plan->average)
		return pool_average_info(plan->average, info);
	all.runs = n_runs(plan);
	all.tasks = plan->chain.tasks * all.runs;
	all.jobs = plan->chain.n_jobs * all.runs;
	all.input_bytes = scoria_buffer_size(plan->work[0]);
	all.output_bytes = scoria_buffer_size(plan->work[1]);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

static int run_channels(struct scoria_pool_plan *plan, const void *input, void *output,
			uint32_t first)
{
	struct scoria_buffer *out = plan->work[plan->x.n_steps % 2];
	int err;

	pool_pack(plan, input, first);
	err = scoria_buffer_sync(plan->work[0], 0, scoria_buffer_size(plan->work[0]),
				 SCORIA_SYNC_TO_DEVICE);
	if (!err)
		err = chain_run(&plan->chain);
	if (!err)
		err = scoria_buffer_sync(out, 0, scoria_buffer_size(out), SCORIA_SYNC_FROM_DEVICE);
	if (!err)
		pool_unpack(plan, output, first);
	return err;
}

static int run_images(struct scoria_pool_plan *plan, const uint8_t *input, uint8_t *output)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	size_t in_bytes = o->c * o->h * o->w * scoria_type_size(o->type);
	size_t out_bytes = o->c * plan->shape.oh * plan->shape.ow * scoria_type_size(o->type);
	size_t image, first;
	int err = 0;

	for (image = 0; image < o->batch && !err; image++)
		for (first = 0; first < o->c && !err; first += plan->channels)
			err = run_channels(plan, input + image * in_bytes,
					   output + image * out_bytes, first);
	return err;
}

int scoria_pool_run(struct scoria_pool_plan *plan, const void *input, void *output)
{
	int err = CHECK_POINTERS("pool", POINTER(plan), POINTER(input), POINTER(output));

	if (err)
		return err;
	if (plan->depthwise)
		return pool_depthwise_run(plan->depthwise, input, output);
	if (plan->average)
		return pool_average_run(plan->average, input, output);
	return run_images(plan, input, output);
}

int scoria_pool(struct scoria_device *dev, const struct scoria_pool_opts *opts, const void *input,
		void *output)
{
	struct scoria_pool_plan *plan = NULL;
	int err = scoria_pool_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_pool_run(plan, input, output);
	scoria_pool_plan_destroy(plan);
	return err;
}
