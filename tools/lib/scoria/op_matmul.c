// SPDX-License-Identifier: MIT
/*
 * Matrix product: a 1x1 convolution over an image one pixel wide, with the rows
 * of A as its rows, k as channels and the columns of B as kernels (H1, H2).
 */
#include <scoria/matmul.h>

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fp16.h"
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
	[SCORIA_INT4] = { NPU_PRECISION_INT4, NPU_PRECISION_INT16 },
};

static unsigned int result(const struct scoria_matmul_opts *o)
{
	if (o->out == SCORIA_FP16)
		return NPU_PRECISION_FP16;
	return o->out == SCORIA_INT8 ? NPU_PRECISION_INT8 : paths[o->type].sums;
}

static struct layer describe(const struct scoria_matmul_plan *plan, unsigned int out)
{
	const struct scoria_matmul_opts *o = &plan->opts;
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
	return layer;
}

/* Sums that the CPU scales, adds, and so on. */
static struct layer describe_sums(const struct scoria_matmul_plan *plan)
{
	struct layer layer = describe(plan, paths[plan->opts.type].sums);

	layer.unfinished = true;
	return layer;
}

/*
 * int4 sums have 16 bits; columns may have no shift in common; and the hardware's
 * factors are fp16, so that another alpha is left to the CPU.
 */
static bool cpu_finishes(const struct scoria_matmul_plan *plan)
{
	return plan->opts.type == SCORIA_INT4 || (plan->requant && !plan->ending.one_shift) ||
	       (double)fp16_to_fp32(fp32_to_fp16(plan->opts.alpha)) != plan->opts.alpha;
}

static int check_fusion(const struct scoria_matmul_plan *plan)
{
	if (fusion_is_any(&plan->ending.fusion) && cpu_finishes(plan))
		return error_set(EOPNOTSUPP, "matmul: alpha = %g is no fp16 number, so that the CPU multiplies: nothing can be fused",
				 plan->opts.alpha);
	return ending_check(&plan->ending);
}

/* Parts are for the CPU to add, unless something follows that it does not do. */
static int plan_tasks(struct scoria_matmul_plan *plan, struct layer *layer, struct plan *tasks)
{
	struct layer partial = describe_sums(plan);
	bool whole = fusion_is_any(&plan->ending.fusion);
	int err;

	if (cpu_finishes(plan))
		*layer = partial;
	err = plan_rows(tasks, layer, whole ? NULL : &partial, 1, plan->opts.m);
	if (err == -EOPNOTSUPP && whole)
		return error_set(EOPNOTSUPP, "matmul: k = %zu: the CPU has to add parts of these sums, and nothing can be fused behind them",
				 plan->opts.k);
	return err;
}

static int plan_product(struct scoria_device *dev, struct scoria_matmul_plan *plan)
{
	struct layer layer = describe(plan, result(&plan->opts));
	struct plan tasks;
	int err = check_fusion(plan);

	if (!err && !cpu_finishes(plan))
		err = ending_describe(&layer, &plan->ending);
	if (!err)
		err = plan_tasks(plan, &layer, &tasks);
	if (err)
		return err;
	plan->rows = layer.y.in;
	return program_create(&plan->program, dev, &tasks, 1, &plan->ending);
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
		.bias = plan->bias,
		.alpha = o->alpha,
		.relu = o->relu,
		.relu_max = o->relu_max,
		.by_channel = o->scales,
		.zero_point = o->output_zp,
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
	if (!err && o->out == SCORIA_INT8) {
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
	struct scoria_matmul_plan *plan = calloc(1, sizeof(*plan));
	int err;

	if (!plan)
		return error_no_memory();
	plan->cores = dev->cores;
	err = matmul_check(&plan->opts, opts);
	if (!err)
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
	free_plan(plan);
}

int scoria_matmul_plan_info(const struct scoria_matmul_plan *plan, struct scoria_plan_info *info)
{
	const struct scoria_matmul_opts *o = &plan->opts;

	if (plan->planes)
		return planes_info(plan->planes, info);
	return program_info(&plan->program, o->batch * div_up(o->m, plan->rows), false, info);
}

static int pack_matrix(struct scoria_matmul_plan *plan, struct operands *operands, const void *b)
{
	const struct scoria_matmul_opts *o = &plan->opts;
	bool kn = o->b_layout == SCORIA_B_KN;
	const struct weights from = {
		.data = b,
		.o = kn ? 1 : o->ldb,
		.c = kn ? o->ldb : 1,
	};
	uint16_t *scales = operands_scales(operands, 0);
	size_t i;

	pack_weights(operands_weights(operands, 0), &plan->program.plan, &from);
	if (plan->bias)
		memcpy(operands_bias(operands, 0), plan->bias, o->n * sizeof(uint32_t));
	for (i = 0; i < o->n; i++)
		scales[i] = ending_multiplier(&plan->ending, i);
	return operands_sync(operands);
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
	struct scoria_matmul_plan *plan = weights->plan;
	const size_t matrix = plan->opts.stride_b * scoria_type_size(plan->opts.type);
	int err = 0;
	size_t i;

	if (!b)
		return error_set(EINVAL, "matmul: b is NULL");
	for (i = 0; i < weights->n && !err; i++)
		err = pack_operand_of(plan, &weights->b[i], (const uint8_t *)b + i * matrix);
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
	struct scoria_matmul_weights *weights;
	int err = matmul_weights_reserve(plan, &weights);

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
