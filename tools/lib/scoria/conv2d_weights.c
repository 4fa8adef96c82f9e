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
		.flip = stored_flip(o->type),
		.diagonal = plan->way == CONV2D_DIAGONAL,
		.fill = stored_zero_point(o->type, o->weight_zp),
	};

	if (plan->way == CONV2D_LOWERED)
		from.c = 1;
	return from;
}

static int fold_bias(const struct scoria_conv2d_plan *plan, const uint8_t *data, int32_t bias,
		     uint32_t channel, int32_t *folded)
{
	const struct zero_points zp = conv2d_zero_points(&plan->shape.o);
	const size_t n = kernel_elements(plan);
	struct kernel_sums sums = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		kernel_sums_add(&sums, &zp, data[channel * n + i]);
	return zero_points_fold("conv2d", &zp, &sums, bias, channel, folded);
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
