// SPDX-License-Identifier: MIT
/* A planned convolution carried out: image by image, group by group. */
#include "conv2d.h"
#include "error.h"

/* Strides of a batch x channels x h x w array. */
static void set_strides(enum scoria_layout layout, size_t channels, size_t h, size_t w, size_t *c,
			size_t *y, size_t *x)
{
	bool nhwc = layout == SCORIA_NHWC;

	*c = nhwc ? 1 : h * w;
	*y = nhwc ? w * channels : w;
	*x = nhwc ? channels : 1;
}

static struct strided group_input(const struct scoria_conv2d_plan *plan, const void *image,
				  uint32_t group)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct strided from = { .data = image, .repeat = 1, .flip = conv2d_flip(o->type) };
	bool by_output = plan->way == CONV2D_DEPTHWISE || plan->way == CONV2D_DIAGONAL;

	set_strides(o->layout, o->ic, o->h, o->w, &from.c, &from.h, &from.w);
	if (by_output)
		from.repeat = plan->shape.multiplier;
	from.first = group * (by_output ? plan->channels : plan->shape.icg);
	return from;
}

static struct destination group_output(const struct scoria_conv2d_plan *plan, void *image,
				       uint32_t group)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct destination to = { 0 };
	size_t first = (size_t)group * plan->channels;

	set_strides(o->layout, o->oc, plan->shape.oh, plan->shape.ow, &to.c, &to.h, &to.w);
	to.data = (uint8_t *)image + first * to.c * scoria_type_size(o->out);
	to.flip = conv2d_flip(o->out);
	return to;
}

static struct epilogue group_epilogue(const struct scoria_conv2d_plan *plan,
				      const struct operands *operands, uint32_t group)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;

	return (struct epilogue){
		.type = o->out,
		.alpha = 1,
		.bias = operands_bias(operands, group),
		.relu = o->relu,
		.relu_max = relu_limit(conv2d_is_float(o), o->relu_max),
		.requant = plan->requant ? plan->requant + group * plan->channels : NULL,
		.zero_point = o->output_zp,
	};
}

static void pack_all(struct scoria_conv2d_plan *plan, const void *image, uint64_t first,
		     uint32_t rows)
{
	uint32_t group;

	for (group = 0; group < plan->groups; group++) {
		struct strided from = group_input(plan, image, group);
		struct plan one = conv2d_group_plan(plan, group);
		void *cube = program_input(&plan->program, group);

		if (plan->way == CONV2D_LOWERED)
			pack_windows(cube, &one.layer, &plan->window, &from, first, rows);
		else
			pack_features(cube, &one.layer, &from, rows);
	}
}

/* @first is the output pixel that the first row of a lowered run is. */
static void unpack_all(struct scoria_conv2d_plan *plan, const struct operands *operands,
		       void *image, uint64_t first, uint32_t rows)
{
	uint32_t group;

	for (group = 0; group < plan->groups; group++) {
		struct destination to = group_output(plan, image, group);
		struct epilogue epilogue = group_epilogue(plan, operands, group);
		struct plan one = conv2d_group_plan(plan, group);

		if (plan->way == CONV2D_LOWERED) {
			/* pixels follow each other in both layouts */
			to.data = (uint8_t *)to.data +
				  first * to.w * scoria_type_size(plan->shape.o.out);
			to.h = to.w;
		}
		unpack(&to, program_output(&plan->program, group), &one, &epilogue, rows);
	}
}

static int run_rows(struct scoria_conv2d_plan *plan, struct operands *operands, const void *input,
		    void *output, uint64_t first, uint32_t in_rows, uint32_t out_rows)
{
	int err;

	pack_all(plan, input, first, in_rows);
	err = program_run(&plan->program, operands);
	if (!err)
		unpack_all(plan, operands, output, first, out_rows);
	return err;
}

static int run_lowered(struct scoria_conv2d_plan *plan, struct operands *operands,
		       const void *input, void *output)
{
	uint64_t pixels = (uint64_t)plan->shape.oh * plan->shape.ow, first;
	uint32_t most = plan->program.plan.layer.y.out;
	int err = 0;

	for (first = 0; first < pixels && !err; first += most) {
		uint32_t rows = pixels - first < most ? pixels - first : most;

		err = run_rows(plan, operands, input, output, first, rows, rows);
	}
	return err;
}

static int run_image(struct scoria_conv2d_plan *plan, struct operands *operands, const void *input,
		     void *output)
{
	if (plan->way == CONV2D_LOWERED)
		return run_lowered(plan, operands, input, output);
	return run_rows(plan, operands, input, output, 0, plan->shape.o.h, plan->shape.oh);
}

int scoria_conv2d_run(struct scoria_conv2d_plan *plan, struct scoria_conv2d_weights *packed,
		      const void *input, void *output)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	size_t in_bytes = o->ic * o->h * o->w * scoria_type_size(o->type);
	size_t out_bytes = o->oc * plan->shape.oh * plan->shape.ow * scoria_type_size(o->out);
	size_t image;
	int err = 0;

	if (packed->operands.program != &plan->program)
		return error_set(EINVAL, "conv2d: the weights belong to another plan");
	for (image = 0; image < o->batch && !err; image++)
		err = run_image(plan, &packed->operands, (const uint8_t *)input + image * in_bytes,
				(uint8_t *)output + image * out_bytes);
	return err;
}
