// SPDX-License-Identifier: MIT
/* A planned convolution carried out: image by image, group by group. */
#include "check.h"
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
	struct strided from = { .data = image, .repeat = 1, .flip = stored_flip(o->type) };
	bool by_output = plan->way == CONV2D_DEPTHWISE || plan->way == CONV2D_DIAGONAL;

	set_strides(o->layout, o->ic, o->h, o->w, &from.c, &from.h, &from.w);
	if (by_output)
		from.repeat = plan->shape.multiplier;
	from.first = group * (by_output ? plan->channels : plan->shape.icg);
	return from;
}

/* Results of a group in an array of the output's layout; @first is that of a lowered run. */
static struct destination group_output(const struct scoria_conv2d_plan *plan, const void *image,
				       uint32_t group, uint64_t first)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	struct destination to = { .flip = stored_flip(o->out) };
	size_t channel = (size_t)group * plan->channels, at;

	set_strides(o->layout, o->oc, plan->shape.oh, plan->shape.ow, &to.c, &to.h, &to.w);
	at = channel * to.c;
	if (plan->way == CONV2D_LOWERED) {
		/* pixels follow each other in both layouts */
		at += first * to.w;
		to.h = to.w;
	}
	to.data = (uint8_t *)image + at * scoria_type_size(o->out);
	return to;
}

/**
 * struct image - one of a batch
 * @input: @operand: @output: the caller's; @operand is NULL for none
 */
struct image {
	const uint8_t *input;
	const uint8_t *operand;
	uint8_t *output;
};

/**
 * struct rows - a run of the program
 * @first: output pixel that the first row of a lowered run is, else 0
 * @in: @out: rows of input and output
 */
struct rows {
	uint64_t first;
	uint32_t in;
	uint32_t out;
};

static void pack_group_operand(struct scoria_conv2d_plan *plan, const struct layer *layer,
			       const struct image *image, const struct rows *rows, uint32_t group)
{
	const struct destination like = group_output(plan, image->operand, group, rows->first);
	const struct strided from = { .data = like.data, .c = like.c, .h = like.h, .w = like.w,
				      .repeat = 1, .flip = like.flip };

	pack_operand(program_operand(&plan->program, group), layer, &from, rows->out);
}

static void pack_all(struct scoria_conv2d_plan *plan, const struct image *image,
		     const struct rows *rows)
{
	uint32_t group;

	for (group = 0; group < plan->groups; group++) {
		struct strided from = group_input(plan, image->input, group);
		struct plan one = conv2d_group_plan(plan, group);
		void *cube = program_input(&plan->program, group);

		if (plan->way == CONV2D_LOWERED)
			pack_windows(cube, &one.layer, &plan->window, &from, rows->first, rows->in);
		else
			pack_features(cube, &one.layer, &from, rows->in);
		if (plan->program.operand)
			pack_group_operand(plan, &one.layer, image, rows, group);
	}
}

/* What the CPU has to know of a group; its operand lies as the output does. */
static struct epilogue group_epilogue(const struct scoria_conv2d_plan *plan,
				      const struct operands *operands, const struct image *image,
				      uint32_t group, uint64_t first)
{
	struct epilogue epilogue = {
		.ending = &plan->ending,
		.bias = operands_bias(operands, group),
		.channel = (size_t)group * plan->channels,
	};

	if (image->operand && plan->ending.fusion.operand_place == PLACE_CPU)
		epilogue.operand = group_output(plan, image->operand, group, first).data;
	return epilogue;
}

static void unpack_all(struct scoria_conv2d_plan *plan, const struct operands *operands,
		       const struct image *image, const struct rows *rows)
{
	uint32_t group;

	for (group = 0; group < plan->groups; group++) {
		struct destination to = group_output(plan, image->output, group, rows->first);
		struct epilogue epilogue = group_epilogue(plan, operands, image, group,
							    rows->first);
		struct plan one = conv2d_group_plan(plan, group);

		unpack(&to, program_output(&plan->program, group), &one, &epilogue, rows->out);
	}
}

static int run_rows(struct scoria_conv2d_plan *plan, struct operands *operands,
		    const struct image *image, const struct rows *rows)
{
	int err;

	pack_all(plan, image, rows);
	err = program_run(&plan->program, operands);
	if (!err)
		unpack_all(plan, operands, image, rows);
	return err;
}

static int run_lowered(struct scoria_conv2d_plan *plan, struct operands *operands,
		       const struct image *image)
{
	uint64_t pixels = (uint64_t)plan->shape.oh * plan->shape.ow, first;
	uint32_t most = plan->program.plan.layer.y.out;
	int err = 0;

	for (first = 0; first < pixels && !err; first += most) {
		uint32_t n = pixels - first < most ? pixels - first : most;

		err = run_rows(plan, operands, image, &(struct rows){ first, n, n });
	}
	return err;
}

static int run_image(struct scoria_conv2d_plan *plan, struct operands *operands,
		     const struct image *image)
{
	if (plan->way == CONV2D_LOWERED)
		return run_lowered(plan, operands, image);
	return run_rows(plan, operands, image,
			&(struct rows){ 0, plan->shape.o.h, plan->shape.oh });
}

static int check_run(const struct scoria_conv2d_plan *plan,
		     const struct scoria_conv2d_weights *packed, const struct image *image)
{
	int err = CHECK_POINTERS("conv2d", POINTER(plan), POINTER(packed),
				 { "input", image->input }, { "output", image->output });

	if (err)
		return err;
	if (packed->operands.program != &plan->program)
		return error_set(EINVAL, "conv2d: the weights belong to another plan");
	return fusion_check_operand(&plan->ending, image->operand);
}

static void next_image(const struct scoria_conv2d_plan *plan, struct image *image)
{
	const struct scoria_conv2d_opts *o = &plan->shape.o;
	size_t out = o->oc * plan->shape.oh * plan->shape.ow * scoria_type_size(o->out);

	image->input += o->ic * o->h * o->w * scoria_type_size(o->type);
	if (image->operand)
		image->operand += out;
	image->output += out;
}

int scoria_conv2d_run_fused(struct scoria_conv2d_plan *plan, struct scoria_conv2d_weights *packed,
			    const void *input, const void *operand, void *output)
{
	struct image image = { input, operand, output };
	int err = check_run(plan, packed, &image);
	size_t i;

	for (i = 0; !err && i < plan->shape.o.batch; i++) {
		err = run_image(plan, &packed->operands, &image);
		next_image(plan, &image);
	}
	return err ? err : post_run_apart(&plan->post, operand, output);
}

int scoria_conv2d_run(struct scoria_conv2d_plan *plan, struct scoria_conv2d_weights *packed,
		      const void *input, void *output)
{
	return scoria_conv2d_run_fused(plan, packed, input, NULL, output);
}
