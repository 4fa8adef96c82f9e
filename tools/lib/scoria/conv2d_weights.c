// SPDX-License-Identifier: MIT
/* Weights and bias of a convolution in the NPU's layout. */
#include <stdlib.h>

#include "check.h"
#include "conv2d.h"
#include "error.h"

struct plan conv2d_group_plan(const struct scoria_conv2d_plan *plan, uint32_t group)
{
	struct plan one = plan->program.plan;

	one.layer.oc = conv2d_channels(plan, group);
	if (plan->way == CONV2D_DIAGONAL)
		one.layer.c = one.layer.oc;
	return one;
}

/* Elements of one output channel's weights. */
static size_t kernel_elements(const struct scoria_conv2d_plan *plan)
{
	return (size_t)plan->shape.icg * plan->shape.o.kh * plan->shape.o.kw;
}

static struct weights group_weights(const struct scoria_conv2d_plan *plan, const void *data,
				    uint32_t group)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	size_t first = (size_t)group * plan->channels * kernel_elements(plan);
	struct weights from = {
		.data = (const uint8_t *)data + first * scoria_type_size(o->type),
		.o = kernel_elements(plan),
		.c = o->kh * o->kw,
		.y = o->kw,
		.x = 1,
		.flip = conv2d_flip(o->type),
		.diagonal = plan->way == CONV2D_DIAGONAL,
		.fill = conv2d_stored(o->type, o->weight_zp),
	};

	if (plan->way == CONV2D_LOWERED)
		from.c = 1;
	return from;
}

/* Sums of w - weight_zp and of its magnitude over one output channel. */
struct kernel_sums {
	int64_t plain;
	int64_t magnitude;
};

static struct kernel_sums sum_kernel(const struct scoria_conv2d_plan *plan, const uint8_t *data)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct kernel_sums sums = { 0 };
	size_t n = kernel_elements(plan), i;

	for (i = 0; i < n; i++) {
		int32_t raw = o->type == SCORIA_UINT8 ? data[i] : (int8_t)data[i];
		int32_t w = raw - o->weight_zp;

		sums.plain += w;
		sums.magnitude += w < 0 ? -w : w;
	}
	return sums;
}

/*
 * bias' = bias - input_zp * sum(w - weight_zp), zero points as stored (C4). The
 * hardware adds it to sums of at most 128 * sum|w - weight_zp|; neither that nor
 * the result may leave int32.
 */
static int fold_bias(const struct scoria_conv2d_plan *plan, const uint8_t *data, int32_t bias,
		     uint32_t channel, int32_t *folded)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct kernel_sums sums = sum_kernel(plan, data + channel * kernel_elements(plan));
	int64_t value = bias - conv2d_stored(o->type, o->input_zp) * sums.plain;
	int64_t most = (value < 0 ? -value : value) + 128 * sums.magnitude;

	if (most > INT32_MAX)
		return error_set(EOVERFLOW, "conv2d: output channel %u can reach %lld with these weights and bias, int32 ends at 2^31 - 1",
				 channel, (long long)most);
	*folded = value;
	return 0;
}

static int put_bias(const struct scoria_conv2d_plan *plan, const void *weights, const void *bias,
		    uint32_t channel, void *to)
{
	if (!conv2d_is_float(&plan->shape.o))
		return fold_bias(plan, weights, bias ? ((const int32_t *)bias)[channel] : 0,
				 channel, to);
	*(float *)to = bias ? ((const float *)bias)[channel] : 0;
	return 0;
}

static int pack_group(const struct scoria_conv2d_plan *plan, struct operands *operands,
		      const void *weights, const void *bias, uint32_t group)
{
	struct weights from = group_weights(plan, weights, group);
	struct plan one = conv2d_group_plan(plan, group);
	uint32_t *vector = operands_bias(operands, group), i;
	uint16_t *scales = operands_scales(operands, group);
	int err = 0;

	pack_weights(operands_weights(operands, group), &one, &from);
	for (i = 0; i < one.layer.oc && !err; i++)
		err = put_bias(plan, weights, bias, group * plan->channels + i, &vector[i]);
	for (i = 0; i < one.layer.oc; i++)
		scales[i] = ending_multiplier(&plan->ending, group * plan->channels + i);
	return err;
}

static int pack_groups(const struct scoria_conv2d_plan *plan, struct operands *operands,
		       const void *weights, const void *bias)
{
	uint32_t group;
	int err = 0;

	for (group = 0; group < plan->groups && !err; group++)
		err = pack_group(plan, operands, weights, bias, group);
	if (!err)
		err = operands_sync(operands);
	return err;
}

int scoria_conv2d_weights_create(struct scoria_conv2d_plan *plan, const void *weights,
				 const void *bias, struct scoria_conv2d_weights **out)
{
	int err = CHECK_POINTERS("conv2d", POINTER(plan), POINTER(weights), { "packed", out });
	struct scoria_conv2d_weights *packed;

	if (err)
		return err;
	if (!bias != !plan->shape.o.bias)
		return error_set(EINVAL, "conv2d: bias is %s, but the plan has %s",
				 bias ? "given" : "NULL", bias ? "none" : "one");
	packed = calloc(1, sizeof(*packed));
	if (!packed)
		return error_no_memory();
	err = operands_create(&packed->operands, &plan->program);
	if (err) {
		free(packed);
		return err;
	}
	err = pack_groups(plan, &packed->operands, weights, bias);
	if (err) {
		scoria_conv2d_weights_destroy(packed);
		return err;
	}
	*out = packed;
	return 0;
}

void scoria_conv2d_weights_destroy(struct scoria_conv2d_weights *packed)
{
	if (!packed)
		return;
	operands_destroy(&packed->operands);
	free(packed);
}
