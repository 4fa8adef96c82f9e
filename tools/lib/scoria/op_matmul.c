// SPDX-License-Identifier: MIT
/*
 * Matrix product: a 1x1 convolution over an image one pixel wide, with the rows
 * of A as its rows, k as channels and the columns of B as kernels (H1, H2).
 */
#include <scoria/matmul.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "error.h"
#include "info.h"
#include "limits.h"
#include "matmul.h"
#include "pack.h"
#include "rk3588_npu.h"

/* What the hardware takes, and what it gives: the result, and sums that can be added. */
static const struct path {
	uint8_t in;
	uint8_t sums;
} paths[] = {
	[SCORIA_FP16] = { NPU_PRECISION_FP16, NPU_PRECISION_FP32 },
	[SCORIA_BF16] = { NPU_PRECISION_BF16, NPU_PRECISION_FP32 },
	[SCORIA_TF32] = { NPU_PRECISION_TF32, NPU_PRECISION_FP32 },
	[SCORIA_INT8] = { NPU_PRECISION_INT8, NPU_PRECISION_INT32 },
	[SCORIA_UINT8] = { NPU_PRECISION_INT8, NPU_PRECISION_INT32 },
	[SCORIA_INT4] = { NPU_PRECISION_INT4, NPU_PRECISION_INT16 },
};

static unsigned int result(const struct scoria_matmul_opts *o)
{
	if (o->out == SCORIA_FP16)
		return NPU_PRECISION_FP16;
	return scoria_type_size(o->out) == 1 ? NPU_PRECISION_INT8 : paths[o->type].sums;
}

static struct layer describe(const struct scoria_matmul_plan *plan, unsigned int out)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	const struct zero_points zp = matmul_zero_points(o);
	struct layer layer = {
		.x = { 1, 1, 1, 1, 1, 0 },
		.y = { 1, 1, 1, 1, 1, 0 },
		.c = o->k,
		.oc = o->n,
		.cores = plan->cores,
		.c_most = o->type == SCORIA_INT4 ? NPU_MAX_INT4_CHANNELS : 0,
		.out_scale = 1,
	};

	format_init(&layer.fmt, paths[o->type].in, out, false);
	layer.c_align = layer.fmt.channels;
	if (matmul_has_zero_points(o))
		zero_points_describe(&layer, &zp);
	return layer;
}

/* Sums that the CPU scales, adds, and so on. */
static struct layer describe_sums(const struct scoria_matmul_plan *plan)
{
	struct layer layer = describe(plan, paths[plan->opts.type].sums);

	layer.unfinished = true;
	return layer;
}

/* int4 sums have 16 bits. */
static bool cpu_finishes(const struct scoria_matmul_plan *plan, const struct layer *layer)
{
	return plan->opts.type == SCORIA_INT4 || ending_needs_cpu(layer, &plan->ending);
}

/* Sums are kept together for what follows them in the task, where that is possible. */
static int plan_tasks(const struct scoria_matmul_plan *plan, struct layer *layer,
		      struct plan *tasks)
{
	struct layer partial = describe_sums(plan);
	int err = -EOPNOTSUPP;

	if (cpu_finishes(plan, layer))
		*layer = partial;
	else if (fusion_is_any(&plan->ending.fusion))
		err = plan_rows(tasks, layer, NULL, 1, plan->opts.m);
	return err == -EOPNOTSUPP ? plan_rows(tasks, layer, &partial, 1, plan->opts.m) : err;
}

/* What the CPU cannot do either is done in passes: over a product, or a row where gaps follow. */
static int finish_on_cpu(struct scoria_device *dev, struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	int err;

	ending_leave_to_cpu(&plan->ending);
	plan->post_rows = o->ldc == o->n ? o->m : 1;
	err = post_create_apart(&plan->post, dev, &plan->ending, plan->post_rows * o->n);
	if (err)
		program_destroy(&plan->program);
	return err;
}

static int plan_product(struct scoria_device *dev, struct scoria_matmul_plan *plan)
{
	struct layer layer = describe(plan, result(&plan->opts));
	struct plan tasks;
	int err = 0;

	layer.y.out = plan->opts.m;
	if (!cpu_finishes(plan, &layer))
		err = ending_describe(&layer, &plan->ending);
	if (!err)
		err = plan_tasks(plan, &layer, &tasks);
	if (err)
		return err;
	plan->rows = layer.y.in;
	if (!tasks.layer.unfinished)
		return program_create(&plan->program, dev, &tasks, 1, &plan->ending);
	err = program_create(&plan->program, dev, &tasks, 1, NULL);
	return err ? err : finish_on_cpu(dev, plan);
}

static int copy_bias(struct scoria_matmul_plan *plan)
{
	size_t bytes = plan->opts.n * sizeof(uint32_t);

	if (!plan->opts.bias)
		return 0;
	plan->bias = malloc(bytes);
	if (!plan->bias)
		return error_no_memory();
	memcpy(plan->bias, plan->opts.bias, bytes);
	return 0;
}

static int set_ending(struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;

	plan->ending = (struct ending){
		.what = "matmul",
		.out = o->out,
		.channels = o->n,
		.bias = plan->bias || matmul_has_zero_points(o),
		.alpha = o->alpha,
		.relu = o->relu,
		.relu_max = o->relu_max,
		.by_channel = o->scales,
		.zero_point = stored_zero_point(o->out, o->output_zp),
	};
	return fusion_create(&plan->ending, o->fuse);
}

static int plan_matmul(struct scoria_device *dev, struct scoria_matmul_plan *plan)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	int err;

	if (o->type == SCORIA_INT16)
		return planes_create(dev, o, &plan->planes);
	err = copy_bias(plan);
	if (!err)
		err = set_ending(plan);
	if (!err && scoria_type_size(o->out) == 1) {
		const struct requant_scales scales = matmul_scales(o);

		plan->requant = requant_create(&scales, &plan->ending.one_shift);
		plan->ending.requant = plan->requant;
		err = plan->requant ? 0 : error_no_memory();
	}
	return err ? err : plan_product(dev, plan);
}

static void free_plan(struct scoria_matmul_plan *plan)
{
	fusion_destroy(&plan->ending.fusion);
	free(plan->requant);
	free(plan->bias);
	free(plan);
}

int scoria_matmul_plan_create(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
			      struct scoria_matmul_plan **out)
{
	int err = CHECK_POINTERS("matmul", { "dev", dev }, { "plan", out });
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_opts o;

	if (!err)
		err = matmul_check(&o, opts);
	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	plan->opts = o;
	plan->cores = dev->cores;
	err = plan_matmul(dev, plan);
	if (err) {
		free_plan(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_matmul_plan_destroy(struct scoria_matmul_plan *plan)
{
	if (!plan)
		return;
	if (plan->planes)
		planes_destroy(plan->planes);
	else
		program_destroy(&plan->program);
	post_destroy(&plan->post);
	free_plan(plan);
}

int scoria_matmul_plan_info(const struct scoria_matmul_plan *plan, struct scoria_plan_info *info)
{
	struct scoria_plan_info all, passes = { 0 };
	const struct scoria_matmul_opts *o;
	int err = CHECK_POINTERS("matmul", POINTER(plan));

	if (err)
		return err;
	if (plan->planes)
		return planes_info(plan->planes, info);
	o = &plan->opts;
	all = program_costs(&plan->program, o->batch * div_up(o->m, plan->rows));
	post_add_costs(&plan->post, &passes);
	if (plan->post.n)
		info_add(&all, &passes, o->batch * o->m / plan->post_rows);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

static int pack_matrix(struct scoria_matmul_plan *plan, struct operands *operands, const void *b)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	bool kn = o->b_layout == SCORIA_B_KN;
	const struct weights from = {
		.data = b,
		.o = kn ? 1 : o->ldb,
		.c = kn ? o->ldb : 1,
		.flip = stored_flip(o->type),
		.fill = stored_zero_point(o->type, o->b_zp),
	};
	uint16_t *scales = operands_scales(operands, 0);
	size_t i;
	int err;

	pack_weights(operands_weights(operands, 0), &plan->program.plan, &from);
	for (i = 0; i < o->n; i++)
		scales[i] = ending_multiplier(&plan->ending, i);
	err = matmul_bias(plan, b, operands_bias(operands, 0));
	return err ? err : operands_sync(operands);
}

static int create_operand(struct scoria_matmul_plan *plan, struct matmul_operand *operand)
{
	if (plan->planes)
		return planes_weights_create(plan->planes, &operand->planes);
	return operands_create(&operand->operands, &plan->program);
}

static int pack_operand_of(struct scoria_matmul_plan *plan, struct matmul_operand *operand,
			   const void *b)
{
	if (plan->planes)
		return planes_weights_pack(plan->planes, operand->planes, b);
	return pack_matrix(plan, &operand->operands, b);
}

int scoria_matmul_weights_update(struct scoria_matmul_weights *weights, const void *b)
{
	int err = CHECK_POINTERS("matmul", POINTER(weights), POINTER(b));
	const struct scoria_matmul_opts *o;
	size_t i;

	for (i = 0; !err && i < weights->n; i++) {
		o = &weights->plan->opts;
		err = pack_operand_of(weights->plan, &weights->b[i], (const uint8_t *)b +
				      i * o->stride_b * scoria_type_size(o->type));
	}
	return err;
}

int matmul_weights_reserve(struct scoria_matmul_plan *plan, struct scoria_matmul_weights **out)
{
	size_t n = plan->opts.b_shared ? 1 : plan->opts.batch;
	struct scoria_matmul_weights *weights = calloc(1, sizeof(*weights) +
						       n * sizeof(weights->b[0]));
	int err = 0;

	if (!weights)
		return error_no_memory();
	weights->plan = plan;
	while (weights->n < n && !err) {
		err = create_operand(plan, &weights->b[weights->n]);
		if (!err)
			weights->n++;
	}
	if (err) {
		scoria_matmul_weights_destroy(weights);
		return err;
	}
	*out = weights;
	return 0;
}

int scoria_matmul_weights_create(struct scoria_matmul_plan *plan, const void *b,
				 struct scoria_matmul_weights **out)
{
	int err = CHECK_POINTERS("matmul", POINTER(plan), POINTER(b), { "weights", out });
	struct scoria_matmul_weights *weights;

	if (!err)
		err = matmul_weights_reserve(plan, &weights);
	if (err)
		return err;
	err = scoria_matmul_weights_update(weights, b);
	if (err) {
		scoria_matmul_weights_destroy(weights);
		return err;
	}
	*out = weights;
	return 0;
}

void scoria_matmul_weights_destroy(struct scoria_matmul_weights *weights)
{
	size_t i;

	if (!weights)
		return;
	for (i = 0; i < weights->n; i++)
		if (weights->plan->planes)
			planes_weights_destroy(weights->b[i].planes);
		else
			operands_destroy(&weights->b[i].operands);
	free(weights);
}
