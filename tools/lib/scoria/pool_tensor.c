// SPDX-License-Identifier: MIT
/* Pooling from tensor to tensor. */
#include "check.h"
#include "error.h"
#include "limits.h"
#include "pool.h"
#include "pool_depthwise.h"
#include "rk3588_npu.h"
#include "sequence.h"
#include "tensor.h"

/* The CPU packs the padding of a line whose first step does not have it. */
static bool packs_padding(const struct pool_line *line)
{
	return line->gathered || line->steps[0].pad != line->window.pad ||
	       line->steps[0].in != line->window.in;
}

static bool is_bytes(const struct scoria_pool_plan *plan)
{
	return scoria_type_size(plan->shape.o.type) == 1;
}

static int check_way(const struct scoria_pool_plan *plan)
{
	if (is_bytes(plan) && plan->shape.o.method == SCORIA_POOL_AVERAGE)
		return error_set(EOPNOTSUPP, "pool: tensors: averages of %s whose windows count differently, or are large, are for the CPU to finish",
				 scoria_type_name(plan->shape.o.type));
	if (is_bytes(plan) && choose(CHOICE_BYTE_POOLS))
		return error_set(EOPNOTSUPP, "pool: tensors: %s is pooled as fp16, which the CPU makes of it",
				 scoria_type_name(plan->shape.o.type));
	if (plan->average)
		return error_set(EOPNOTSUPP, "pool: tensors: averages of more than %u rows or columns are contractions",
				 NPU_MAX_POOL_KERNEL);
	if (plan->x.n_steps > 1 || packs_padding(&plan->x) || packs_padding(&plan->y))
		return error_set(EOPNOTSUPP, "pool: tensors: the CPU gathers the windows of this kernel, stride or padding");
	return 0;
}

static int check_tensors(const struct scoria_pool_plan *plan, const struct scoria_tensor *input,
			 const struct scoria_tensor *output)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	const struct scoria_tensor_opts in = { .type = o->type, .batch = o->batch, .c = o->c,
					       .h = o->h, .w = o->w };
	const struct scoria_tensor_opts out = { .type = o->type, .batch = o->batch, .c = o->c,
						.h = plan->shape.oh, .w = plan->shape.ow };
	int err = tensor_check(input, "pool", "input", &in);

	if (!err)
		err = tensor_check(output, "pool", "output", &out);
	if (!err && input == output)
		err = error_set(EINVAL, "pool: the output is the input");
	return err;
}

static uint32_t channels_of(const struct scoria_tensor *tensor)
{
	return tensor->surfaces * tensor->lanes;
}

/* Ranges of channels whose number the PPU's registers hold, image by image. */
static int emit_all(struct scoria_pool_plan *plan, struct chain *chain,
		    const struct scoria_tensor *input, const struct scoria_tensor *output)
{
	struct pool_cubes cubes = { .chain = chain, .bytes = is_bytes(plan) };
	uint64_t image, task = 0;
	uint32_t first;

	for (image = 0; image < plan->shape.o.batch; image++)
		for (first = 0; first < channels_of(input); first += cubes.channels) {
			cubes.channels = min_u32(channels_of(input) - first, NPU_MAX_POOL_SIZE);
			cubes.address[0] = tensor_address(input, image, first);
			cubes.address[1] = tensor_address(output, image, first);
			cubes.first_task = task;
			task += pool_emit(plan, &cubes);
		}
	return chain_sync(chain);
}

int scoria_sequence_add_pool(struct scoria_sequence *seq, struct scoria_pool_plan *plan,
			     const struct scoria_tensor *input, struct scoria_tensor *output)
{
	struct chain_shape shape = { .words = pool_words(), .independent = true,
				     .blocks = NPU_ENABLE_PPU | NPU_ENABLE_PPU_RDMA };
	struct sequence_item *item;
	int err = CHECK_POINTERS("pool", POINTER(seq), POINTER(plan), POINTER(input),
				 POINTER(output));

	if (!err && !plan->depthwise)
		err = check_way(plan);
	if (!err)
		err = check_tensors(plan, input, output);
	if (err)
		return err;
	if (plan->depthwise)
		return pool_depthwise_add(plan->depthwise, seq, input, output);
	shape.tasks = plan->shape.o.batch * pool_tasks(plan) *
		      div_up(channels_of(input), NPU_MAX_POOL_SIZE);
	item = sequence_append(seq);
	if (!item)
		return -ENOMEM;
	err = chain_create(&item->chain, seq->dev, &shape);
	if (err) {
		sequence_drop_last(seq);
		return err;
	}
	return emit_all(plan, &item->chain, input, output);
}
