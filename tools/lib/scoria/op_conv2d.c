// SPDX-License-Identifier: MIT
/* Convolution described as layers, and the plan object. */
#include <stdlib.h>

#include "check.h"
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

/* What does not depend on the way. */
static struct layer describe(const struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	const struct zero_points zp = conv2d_zero_points(o);
	struct layer layer = {
		.x = { o->w, plan->shape.ow, o->kw, o->stride_x, o->dilation_x, o->pad_left },
		.y = { o->h, plan->shape.oh, o->kh, o->stride_y, o->dilation_y, o->pad_top },
		.cores = o->groups > 1 ? 1 : plan->cores,
	};

	if (!conv2d_is_float(o))
		zero_points_describe(&layer, &zp);
	return layer;
}

/* The same sums, not finished: what has to be added up is not yet a result. */
static struct layer partial_of(const struct layer *layer)
{
	struct layer partial = *layer;

	format_init(&partial.fmt, layer->fmt.in,
		    layer->fmt.in == NPU_PRECISION_FP16 ? NPU_PRECISION_FP32 : NPU_PRECISION_INT32,
		    layer->fmt.depthwise);
	partial.unfinished = true;
	partial.bs = partial.bn = (struct stage){ 0 };
	partial.ew = (struct ew){ 0 };
	partial.out_offset = 0;
	partial.out_scale = 1;
	partial.out_shift = 0;
	return partial;
}

/* A lowered one is a product of as many rows as there are results of a channel. */
static int plan_layer(const struct scoria_conv2d_plan *plan, struct plan *tasks,
		      struct layer *layer, struct layer *partial)
{
	if (plan->way != CONV2D_LOWERED)
		return plan_create(tasks, layer, partial);
	return plan_rows(tasks, layer, partial, plan->groups,
			 (uint64_t)plan->shape.oh * plan->shape.ow);
}

/* Tasks for @layer, or for sums in parts where that is the only way or costs less. */
static int plan_sums(const struct scoria_conv2d_plan *plan, struct plan *tasks,
		     struct layer *layer)
{
	struct layer partial = partial_of(layer);
	int err = -EOPNOTSUPP;

	if (ending_needs_cpu(layer, &plan->ending))
		return plan_layer(plan, tasks, &partial, &partial);
	if (fusion_is_any(&plan->ending.fusion))
		err = plan_layer(plan, tasks, layer, NULL);
	return err == -EOPNOTSUPP ? plan_layer(plan, tasks, layer, &partial) : err;
}

static int plan_direct(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan);
	int err;

	format_init(&layer.fmt, precision(o->type), precision(o->out), false);
	plan->way = CONV2D_DIRECT;
	plan->groups = o->groups;
	plan->channels = plan->shape.ocg;
	layer.c = plan->shape.icg;
	layer.oc = plan->shape.ocg;
	layer.c_align = layer.fmt.in_unit;
	err = ending_describe(&layer, &plan->ending);
	return err ? err : plan_sums(plan, tasks, &layer);
}

/* The array's own mode: it gives no int32, and knows no operand of integers. */
static bool knows_depthwise(const struct scoria_conv2d_plan *plan, const struct layer *layer)
{
	if (conv2d_is_float(&plan->shape.o))
		return true;
	return !plan->ending.fusion.operand && !ending_needs_cpu(layer, &plan->ending);
}

static int plan_depthwise(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan);
	int err;

	if (knows_depthwise(plan, &layer) &&
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
	err = ending_describe(&layer, &plan->ending);
	if (err)
		return err;
	if (ending_needs_cpu(&layer, &plan->ending))
		layer = partial_of(&layer);
	return plan_create(tasks, &layer, NULL);
}

/* The CPU gathers the windows, so only a matrix product is left. */
static int plan_lowered(struct scoria_conv2d_plan *plan, struct plan *tasks)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct layer layer = describe(plan);
	int err;

	format_init(&layer.fmt, precision(o->type), precision(o->out), false);
	plan->way = CONV2D_LOWERED;
	plan->groups = o->groups;
	plan->channels = plan->shape.ocg;
	plan->window = (struct window){ layer.x, layer.y, o->input_zp };
	layer.x = layer.y = (struct axis){ 1, 1, 1, 1, 1, 0 };
	layer.c = plan->shape.icg * o->kh * o->kw;
	layer.oc = plan->shape.ocg;
	layer.c_align = NPU_CHANNEL_GROUP;
	err = ending_describe(&layer, &plan->ending);
	return err ? err : plan_sums(plan, tasks, &layer);
}

/* What the CPU cannot do either is done in passes over all results. */
static int finish_on_cpu(struct scoria_device *dev, struct scoria_conv2d_plan *plan)
{
	const struct conv2d_shape *s = &plan->shape;
	int err;

	ending_leave_to_cpu(&plan->ending);
	err = post_create_apart(&plan->post, dev, &plan->ending,
				(uint64_t)s->o.batch * s->o.oc * s->oh * s->ow);
	if (err)
		program_destroy(&plan->program);
	return err;
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
	if (!tasks.layer.unfinished)
		return program_create(&plan->program, dev, &tasks, plan->groups, &plan->ending);
	err = program_create(&plan->program, dev, &tasks, plan->groups, NULL);
	return err ? err : finish_on_cpu(dev, plan);
}

static int set_requant(struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	const struct requant_scales scales = conv2d_scales(o);

	if (!conv2d_is_requantised(o))
		return 0;
	plan->requant = requant_create(&scales, &plan->ending.one_shift);
	plan->ending.requant = plan->requant;
	return plan->requant ? 0 : error_no_memory();
}

static int set_ending(struct scoria_conv2d_plan *plan)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	int err;

	plan->ending = (struct ending){
		.what = "conv2d",
		.out = o->out,
		.channels = o->oc,
		.bias = o->bias || (!conv2d_is_float(o) && stored_zero_point(o->type, o->input_zp)),
		.alpha = 1,
		.relu = o->relu,
		.relu_max = o->relu_max,
		.by_channel = o->scales,
		.zero_point = stored_zero_point(o->out, o->output_zp),
	};
	err = fusion_create(&plan->ending, o->fuse);
	return err ? err : set_requant(plan);
}

static void free_plan(struct scoria_conv2d_plan *plan)
{
	fusion_destroy(&plan->ending.fusion);
	free(plan->requant);
	free(plan);
}

int scoria_conv2d_plan_create(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
			      struct scoria_conv2d_plan **out)
{
	int err = CHECK_POINTERS("conv2d", { "dev", dev }, { "plan", out });
	struct scoria_conv2d_plan *plan;
	struct conv2d_shape shape;

	if (!err)
		err = conv2d_check(&shape, opts);
	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	plan->shape = shape;
	plan->cores = dev->cores;
	err = set_ending(plan);
	if (!err)
		err = plan_conv2d(dev, plan);
	if (err) {
		free_plan(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_conv2d_plan_destroy(struct scoria_conv2d_plan *plan)
{
	if (!plan)
		return;
	post_destroy(&plan->post);
	program_destroy(&plan->program);
	free_plan(plan);
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
	int err = CHECK_POINTERS("conv2d", POINTER(plan));
	struct scoria_plan_info all;

	if (err)
		return err;
	all = program_costs(&plan->program, n_runs(plan));
	all.lowered = plan->way == CONV2D_LOWERED;
	post_add_costs(&plan->post, &all);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

int scoria_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
		  const void *input, const void *weights, const void *bias, void *output)
{
	struct scoria_conv2d_weights *packed = NULL;
	struct scoria_conv2d_plan *plan = NULL;
	int err = CHECK_POINTERS("conv2d", POINTER(input), POINTER(weights), POINTER(output));

	if (!err)
		err = scoria_conv2d_plan_create(dev, opts, &plan);
	if (!err)
		err = scoria_conv2d_weights_create(plan, weights, bias, &packed);
	if (!err)
		err = scoria_conv2d_run(plan, packed, input, output);
	scoria_conv2d_weights_destroy(packed);
	scoria_conv2d_plan_destroy(plan);
	return err;
}
