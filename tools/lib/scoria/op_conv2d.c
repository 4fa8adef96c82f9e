// SPDX-License-Identifier: MIT
/* Convolution described as layers, and the plan object. */
#include <stdlib.h>

#include "conv2d.h"
#include "error.h"
#include "limits.h"
#include "rk3588_npu.h"

static unsigned int precision(enum scoria_type type)
{
	switch (type) {
	case SCORIA_FP16:
		return NPU_PRECISION_FP16;
	case SCORIA_FP32:
		return NPU_PRECISION_FP32;
	case SCORIA_INT32:
		return NPU_PRECISION_INT32;
	default:
		return NPU_PRECISION_INT8;
	}
}

/*
 * Zero points (programming-model C4): padding holds the input's, OW_OP takes the
 * weights' back from every product, and the rest is in the bias.
 */
static void describe_integers(struct layer *layer, const struct scoria_conv2d_opts *o)
{
	uint8_t pad = conv2d_stored(o->type, o->input_zp);

	layer->pad_value = pad << 8 | pad;	/* lanes take either byte (E4) */
	layer->ow_op = -conv2d_stored(o->type, o->weight_zp);
	layer->use_cpend = layer->ow_op != 0;
	layer->bias = o->bias || pad;
}

/* BN where channels differ or a limit is in output units, else the output converter. */
static void describe_requantisation(struct layer *layer, const struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;

	layer->out_offset = conv2d_stored(o->out, o->output_zp);
	if (o->scales || o->relu_max > 0) {
		layer->rescale = true;
		layer->rescale_shift = plan->requant->shift;
	} else {
		layer->out_scale = plan->requant->multiplier;
		layer->out_shift = plan->requant->shift;
	}
}

/* What does not depend on the way. */
static struct layer describe(const struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = {
		.x = { o->w, plan->shape.ow, o->kw, o->stride_x, o->dilation_x, o->pad_left },
		.y = { o->h, plan->shape.oh, o->kh, o->stride_y, o->dilation_y, o->pad_top },
		.bias = o->bias,
		.relu = o->relu,
		.relux = o->relu_max > 0,
		.relu_max = relu_pattern(conv2d_is_float(o), o->relu_max),
		.out_scale = 1,
	};

	if (!conv2d_is_float(o))
		describe_integers(&layer, o);
	if (plan->requant)
		describe_requantisation(&layer, plan);
	return layer;
}

/* The same sums, not finished: what has to be added up is not yet a result. */
static struct layer partial_of(const struct layer *layer)
{
	struct layer partial = *layer;

	format_init(&partial.fmt, layer->fmt.in,
		    layer->fmt.in == NPU_PRECISION_FP16 ? NPU_PRECISION_FP32 : NPU_PRECISION_INT32,
		    false);
	partial.unfinished = true;
	partial.bias = false;
	partial.relu = false;
	partial.rescale = false;
	partial.rescale_shift = 0;
	partial.out_offset = 0;
	partial.out_scale = 1;
	partial.out_shift = 0;
	return partial;
}

/* Channels whose scales have no shift in common. */
static bool cpu_finishes(const struct scoria_conv2d_plan *plan)
{
	return plan->requant && !plan->one_shift;
}

static int plan_direct(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan), partial;

	format_init(&layer.fmt, precision(o->type), precision(o->out), false);
	plan->way = CONV2D_DIRECT;
	plan->groups = o->groups;
	plan->channels = plan->shape.ocg;
	layer.c = plan->shape.icg;
	layer.oc = plan->shape.ocg;
	layer.c_align = layer.fmt.in_unit;
	partial = partial_of(&layer);
	return plan_create(tasks, cpu_finishes(plan) ? &partial : &layer, &partial);
}

static int plan_depthwise(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan);

	if (!cpu_finishes(plan) &&
	    format_init(&layer.fmt, precision(o->type), precision(o->out), true)) {
		plan->way = CONV2D_DEPTHWISE;
		plan->groups = 1;
		plan->channels = o->oc;
		layer.c_align = layer.fmt.group;
	} else {
		/* int8 to int32 would need 16 surfaces a group (D5) */
		format_init(&layer.fmt, precision(o->type), precision(o->out), false);
		plan->way = CONV2D_DIAGONAL;
		plan->channels = layer.fmt.group;
		plan->groups = div_up(o->oc, plan->channels);
		layer.c_align = NPU_CHANNEL_GROUP;
	}
	layer.c = layer.oc = min_u32(plan->channels, o->oc);
	if (cpu_finishes(plan))
		layer = partial_of(&layer);
	return plan_create(tasks, &layer, NULL);
}

/* The CPU gathers the windows, so only a matrix product is left. */
static int plan_lowered(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan), partial;

	format_init(&layer.fmt, precision(o->type), precision(o->out), false);
	plan->way = CONV2D_LOWERED;
	plan->groups = o->groups;
	plan->channels = plan->shape.ocg;
	plan->window = (struct window){ layer.x, layer.y, o->input_zp };
	layer.x = layer.y = (struct axis){ 1, 1, 1, 1, 1, 0 };
	layer.c = plan->shape.icg * o->kh * o->kw;
	layer.oc = plan->shape.ocg;
	layer.c_align = NPU_CHANNEL_GROUP;
	partial = partial_of(&layer);
	return plan_rows(tasks, cpu_finishes(plan) ? &partial : &layer, &partial, plan->groups,
			 (uint64_t)plan->shape.oh * plan->shape.ow);
}

static int plan_conv2d(struct scoria_device *dev, struct scoria_conv2d_plan *plan)
{
	struct plan tasks;
	int err;

	if (plan->shape.multiplier)
		err = plan_depthwise(plan, &tasks);
	else
		err = plan_direct(plan, &tasks);
	if (err == -EOPNOTSUPP)
		err = plan_lowered(plan, &tasks);
	if (err)
		return err;
	return program_create(&plan->program, dev, &tasks, plan->groups);
}

static int set_requant(struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;

	if (!conv2d_is_requantised(o))
		return 0;
	plan->requant = requant_create(o->scale, o->scales, o->oc, &plan->one_shift);
	return plan->requant ? 0 : error_no_memory();
}

int scoria_conv2d_plan_create(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
			      struct scoria_conv2d_plan **out)
{
	struct scoria_conv2d_plan *plan = calloc(1, sizeof(*plan));
	int err;

	if (!plan)
		return error_no_memory();
	err = conv2d_check(&plan->shape, opts);
	if (!err)
		err = set_requant(plan);
	if (!err)
		err = plan_conv2d(dev, plan);
	if (err) {
		free(plan->requant);
		free(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_conv2d_plan_destroy(struct scoria_conv2d_plan *plan)
{
	if (!plan)
		return;
	program_destroy(&plan->program);
	free(plan->requant);
	free(plan);
}

static uint64_t n_runs(const struct scoria_conv2d_plan *plan)
{
	uint64_t pixels = (uint64_t)plan->shape.oh * plan->shape.ow;

	if (plan->way != CONV2D_LOWERED)
		return plan->shape.o.batch;
	return plan->shape.o.batch * div_up(pixels, plan->program.plan.layer.y.out);
}

int scoria_conv2d_plan_info(const struct scoria_conv2d_plan *plan, struct scoria_plan_info *info)
{
	return program_info(&plan->program, n_runs(plan), plan->way == CONV2D_LOWERED, info);
}

int scoria_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
		  const void *input, const void *weights, const void *bias, void *output)
{
	struct scoria_conv2d_weights *packed = NULL;
	struct scoria_conv2d_plan *plan = NULL;
	int err;

	err = scoria_conv2d_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_conv2d_weights_create(plan, weights, bias, &packed);
	if (!err)
		err = scoria_conv2d_run(plan, packed, input, output);
	scoria_conv2d_weights_destroy(packed);
	scoria_conv2d_plan_destroy(plan);
	return err;
}
