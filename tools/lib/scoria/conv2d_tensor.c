// SPDX-License-Identifier: MIT
/* A convolution from tensor to tensor. */
#include "check.h"
#include "conv2d.h"
#include "error.h"
#include "sequence.h"
#include "tensor.h"

struct operation {
	struct scoria_conv2d_plan *plan;
	struct scoria_conv2d_weights *weights;
	const struct scoria_tensor *input;
	const struct scoria_tensor *operand;
	struct scoria_tensor *output;
};

static int check_way(const struct scoria_conv2d_plan *plan)
{
	const struct layer *layer = &plan->program.plan.layer;

	if (plan->way == CONV2D_LOWERED)
		return error_set(EOPNOTSUPP, "conv2d: tensors: the CPU gathers the windows of this kernel, stride, padding or dilation");
	if (plan->shape.multiplier > 1)
		return error_set(EOPNOTSUPP, "conv2d: tensors: this depthwise convolution needs its channels repeated");
	if (layer->unfinished)
		return error_set(EOPNOTSUPP, "conv2d: tensors: the CPU finishes these sums");
	if (plan->way == CONV2D_DIRECT && plan->groups > 1 &&
	    (plan->shape.icg % layer->fmt.in_unit || plan->shape.ocg % layer->fmt.group))
		return error_set(EOPNOTSUPP, "conv2d: tensors: groups of %u to %u channels, where the layout wants multiples of %u and %u",
				 plan->shape.icg, plan->shape.ocg, layer->fmt.in_unit,
				 layer->fmt.group);
	return 0;
}

static int check_tensors(const struct operation *op)
{
	const struct scoria_conv2d_opts *o = &op->plan->shape.o;
	const struct scoria_tensor_opts in = { .type = o->type, .batch = o->batch, .c = o->ic,
					       .h = o->h, .w = o->w };
	const struct scoria_tensor_opts out = { .type = o->out, .batch = o->batch, .c = o->oc,
						.h = op->plan->shape.oh, .w = op->plan->shape.ow };
	int err = tensor_check(op->input, "conv2d", "input", &in);

	if (!err)
		err = tensor_check(op->output, "conv2d", "output", &out);
	if (!err)
		err = fusion_check_operand(&op->plan->ending, op->operand);
	if (!err && op->operand)
		err = tensor_check(op->operand, "conv2d", "operand", &out);
	if (!err && (op->output == op->input || op->output == op->operand))
		err = error_set(EINVAL, "conv2d: the output is one of the inputs");
	return err;
}

/* @results: where the contraction itself writes, as the output lies */
static struct areas areas_of(const struct operation *op, uint32_t results, uint64_t image,
			     uint32_t group)
{
	struct areas areas = program_operands(&op->plan->program, &op->weights->operands, group);
	const uint32_t oc = group * op->plan->channels;
	const uint32_t ic = op->plan->way == CONV2D_DIAGONAL ? oc : group * op->plan->shape.icg;
	uint32_t place;

	place = tensor_address(op->output, image, oc) - scoria_buffer_address(op->output->buffer);
	areas.in = tensor_address(op->input, image, ic);
	areas.operand = op->operand ? tensor_address(op->operand, image, oc) : 0;
	areas.out = results + place;
	return areas;
}

static int emit_images(const struct operation *op, struct chain *chain, uint32_t results)
{
	uint64_t task = 0, image;
	uint32_t group;

	for (image = 0; image < op->plan->shape.o.batch; image++)
		for (group = 0; group < op->plan->groups; group++) {
			struct areas areas = areas_of(op, results, image, group);

			program_emit(&op->plan->program, chain, &areas, &task);
		}
	return chain_sync(chain);
}

int scoria_sequence_add_conv2d(struct scoria_sequence *seq, struct scoria_conv2d_plan *plan,
			       struct scoria_conv2d_weights *weights,
			       const struct scoria_tensor *input,
			       const struct scoria_tensor *operand, struct scoria_tensor *output)
{
	const struct operation op = { plan, weights, input, operand, output };
	struct sequence_contraction contraction;
	int err = CHECK_POINTERS("conv2d", POINTER(seq), POINTER(plan), POINTER(weights));

	if (!err)
		err = check_way(plan);
	if (!err && weights->operands.program != &plan->program)
		err = error_set(EINVAL, "conv2d: the weights belong to another plan");
	if (!err)
		err = check_tensors(&op);
	if (!err)
		err = sequence_begin(seq, &plan->program, plan->shape.o.batch * plan->groups,
				     &plan->ending, operand, output, &contraction);
	if (!err)
		err = emit_images(&op, contraction.chain, contraction.results);
	return err;
}
