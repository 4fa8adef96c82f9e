// SPDX-License-Identifier: MIT
#include "pool_depthwise.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "limits.h"

/*
 * The reciprocal of the converter has 15 bits. Where there are ties it is the next one that
 * is too large, never one that is too small: they go away from zero, as TensorFlow Lite
 * rounds them, and nothing else is moved in windows of up to 64 elements.
 */
static double reciprocal(size_t taps)
{
	return (taps % 2 ? 1 : 1 + 0x1.01p-15) / (double)taps;
}

/* Kernels, and with them a bias for every channel. */
struct pool_depthwise {
	struct scoria_conv2d_plan *plan;
	struct scoria_conv2d_weights *ones;
};

/* One window of @kernel makes do with the stride that leaves no room for another. */
static size_t stride_of(size_t stride, size_t out, size_t padded, size_t kernel)
{
	return out > 1 ? stride : padded - kernel + 1;
}

static size_t stride_y(const struct pool_shape *shape)
{
	const struct scoria_pool_opts *o = &shape->o;

	return stride_of(o->stride_y, shape->oh, o->pad_top + o->h + o->pad_bottom, o->kh);
}

static size_t stride_x(const struct pool_shape *shape)
{
	const struct scoria_pool_opts *o = &shape->o;

	return stride_of(o->stride_x, shape->ow, o->pad_left + o->w + o->pad_right, o->kw);
}

static bool has_padding(const struct scoria_pool_opts *o)
{
	return o->pad_top || o->pad_bottom || o->pad_left || o->pad_right;
}

/* Many large windows cost less as the products of pool_average.c, which share their sums. */
static bool can_side(size_t kernel, size_t out, size_t stride, size_t before, size_t after)
{
	return kernel <= (out > 1 ? NPU_MAX_POOL_KERNEL : NPU_MAX_KERNEL) &&
	       stride <= NPU_MAX_STRIDE && before <= NPU_MAX_PAD && after <= NPU_MAX_PAD;
}

bool pool_depthwise_can(const struct pool_shape *shape)
{
	const struct scoria_pool_opts *o = &shape->o;

	return o->method == SCORIA_POOL_AVERAGE && scoria_type_size(o->type) == 1 &&
	       (o->count_include_pad || !has_padding(o)) &&
	       can_side(o->kh, shape->oh, stride_y(shape), o->pad_top, o->pad_bottom) &&
	       can_side(o->kw, shape->ow, stride_x(shape), o->pad_left, o->pad_right);
}

/*
 * The zero point is what padding counts as. It is taken off every element and comes back
 * as the bias, so that the mean itself is what is rounded.
 */
static struct scoria_conv2d_opts conv_of(const struct pool_shape *shape)
{
	const struct scoria_pool_opts *o = &shape->o;

	return (struct scoria_conv2d_opts){
		.size = sizeof(struct scoria_conv2d_opts),
		.type = o->type,
		.out = o->type,
		.layout = o->layout,
		.batch = o->batch,
		.ic = o->c,
		.oc = o->c,
		.groups = o->c,
		.h = o->h,
		.w = o->w,
		.kh = o->kh,
		.kw = o->kw,
		.stride_y = stride_y(shape),
		.stride_x = stride_x(shape),
		.pad_top = o->pad_top,
		.pad_bottom = o->pad_bottom,
		.pad_left = o->pad_left,
		.pad_right = o->pad_right,
		.bias = 1,
		.input_zp = o->pad_value,
		.scale = reciprocal(o->kh * o->kw),
	};
}

static int pack_ones(struct pool_depthwise *depthwise, const struct scoria_pool_opts *o)
{
	const size_t taps = o->kh * o->kw;
	uint8_t *ones = malloc(o->c * taps);
	int32_t *bias = malloc(o->c * sizeof(*bias));
	size_t i;
	int err;

	if (ones && bias) {
		memset(ones, 1, o->c * taps);
		for (i = 0; i < o->c; i++)
			bias[i] = o->pad_value * (int32_t)taps;
		err = scoria_conv2d_weights_create(depthwise->plan, ones, bias, &depthwise->ones);
	} else {
		err = error_no_memory();
	}
	free(bias);
	free(ones);
	return err;
}

int pool_depthwise_create(struct scoria_device *dev, const struct pool_shape *shape,
			  struct pool_depthwise **out)
{
	const struct scoria_conv2d_opts opts = conv_of(shape);
	struct pool_depthwise *depthwise = calloc(1, sizeof(*depthwise));
	int err;

	if (!depthwise)
		return error_no_memory();
	err = scoria_conv2d_plan_create(dev, &opts, &depthwise->plan);
	if (!err)
		err = pack_ones(depthwise, &shape->o);
	if (err) {
		pool_depthwise_destroy(depthwise);
		return err;
	}
	*out = depthwise;
	return 0;
}

void pool_depthwise_destroy(struct pool_depthwise *depthwise)
{
	if (!depthwise)
		return;
	scoria_conv2d_weights_destroy(depthwise->ones);
	scoria_conv2d_plan_destroy(depthwise->plan);
	free(depthwise);
}

int pool_depthwise_info(const struct pool_depthwise *depthwise, struct scoria_plan_info *info)
{
	return scoria_conv2d_plan_info(depthwise->plan, info);
}

int pool_depthwise_run(struct pool_depthwise *depthwise, const void *input, void *output)
{
	return scoria_conv2d_run(depthwise->plan, depthwise->ones, input, output);
}

int pool_depthwise_add(struct pool_depthwise *depthwise, struct scoria_sequence *seq,
		       const struct scoria_tensor *input, struct scoria_tensor *output)
{
	return scoria_sequence_add_conv2d(seq, depthwise->plan, depthwise->ones, input, NULL,
					  output);
}
