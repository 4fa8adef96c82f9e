// SPDX-License-Identifier: MIT
/* Operations in a row, all in one submit. */
#include "sequence.h"

#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "fence.h"
#include "rk3588_npu.h"
#include "tensor.h"

int scoria_sequence_create(struct scoria_device *dev, struct scoria_sequence **out)
{
	int err = CHECK_POINTERS("sequence", { "dev", dev }, { "seq", out });
	struct scoria_sequence *seq;

	if (err)
		return err;
	seq = calloc(1, sizeof(*seq));
	if (!seq)
		return error_no_memory();
	seq->dev = dev;
	*out = seq;
	return 0;
}

static void destroy_item(struct sequence_item *item)
{
	post_destroy(&item->post);
	chain_destroy(&item->chain);
	scoria_buffer_destroy(item->buffer);
	free(item);
}

void scoria_sequence_destroy(struct scoria_sequence *seq)
{
	struct sequence_item *item, *next;

	if (!seq)
		return;
	for (item = seq->first; item; item = next) {
		next = item->next;
		destroy_item(item);
	}
	free(seq);
}

struct sequence_item *sequence_append(struct scoria_sequence *seq)
{
	struct sequence_item *item = calloc(1, sizeof(*item));

	if (!item) {
		error_no_memory();
		return NULL;
	}
	if (seq->last)
		seq->last->next = item;
	else
		seq->first = item;
	seq->last = item;
	return item;
}

void sequence_drop_last(struct scoria_sequence *seq)
{
	struct sequence_item *before = NULL, *item;

	for (item = seq->first; item != seq->last; item = item->next)
		before = item;
	destroy_item(item);
	if (before)
		before->next = NULL;
	else
		seq->first = NULL;
	seq->last = before;
}

/* A function whose result for the 0 in unused lanes is not finite would spoil the next sum. */
static int check_post(const struct ending *ending)
{
	const struct fusion *f = &ending->fusion;

	if (f->function && f->function_place == PLACE_PASS &&
	    (f->act.function == SCORIA_RECIPROCAL || f->act.function == SCORIA_RSQRT))
		return error_set(EOPNOTSUPP, "%s: tensors: %s of unused lanes is infinite",
				 ending->what, f->function->name);
	return 0;
}

/* What passes read in between lies as the output does. */
static int create_passes(struct sequence_item *item, struct scoria_device *dev,
			 const struct ending *ending, const struct scoria_tensor *operand,
			 struct scoria_tensor *output)
{
	int err;

	if (!post_is_needed(ending))
		return 0;
	err = scoria_buffer_create(dev, scoria_buffer_size(output->buffer), &item->buffer);
	if (err)
		return err;
	return post_create(&item->post, dev, ending, item->buffer,
			   operand ? operand->buffer : NULL, output->buffer);
}

int sequence_begin(struct scoria_sequence *seq, const struct program *program, uint64_t n,
		   const struct ending *ending, const struct scoria_tensor *operand,
		   struct scoria_tensor *output, struct sequence_contraction *contraction)
{
	struct chain_shape shape = program_shape(program);
	struct sequence_item *item;
	int err = check_post(ending);

	if (err)
		return err;
	item = sequence_append(seq);
	if (!item)
		return -ENOMEM;
	shape.tasks = n * program->plan.n_tiles;
	err = chain_create(&item->chain, seq->dev, &shape);
	if (!err)
		err = create_passes(item, seq->dev, ending, operand, output);
	if (err) {
		sequence_drop_last(seq);
		return err;
	}
	contraction->chain = &item->chain;
	contraction->results = scoria_buffer_address(item->buffer ? item->buffer : output->buffer);
	return 0;
}

static void emit_passes(const struct chain *chain, struct pass_task task, uint64_t units)
{
	uint64_t n, step = NPU_MAX_VECTOR * NPU_UNIT;

	for (n = 0; n < chain->tasks; n++, units -= task.units) {
		struct stream stream = chain_begin(chain, n);

		task.units = units < NPU_MAX_VECTOR ? units : NPU_MAX_VECTOR;
		emit_pass(&stream, &task);
		chain_end(chain, n, &stream);
		task.main += step;
		task.operand += step;
		task.to += step;
	}
}

int sequence_add_pass(struct scoria_sequence *seq, const struct pass *pass, uint64_t units,
		      uint32_t main, uint32_t operand, uint32_t to)
{
	const struct chain_shape shape = {
		.tasks = div_up(units, NPU_MAX_VECTOR),
		.words = pass_words(),
		.blocks = NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA,
		.independent = true,
	};
	struct sequence_item *item = sequence_append(seq);
	int err;

	if (!item)
		return -ENOMEM;
	err = chain_create(&item->chain, seq->dev, &shape);
	if (err) {
		sequence_drop_last(seq);
		return err;
	}
	emit_passes(&item->chain,
		    (struct pass_task){ .pass = pass, .main = main, .operand = operand, .to = to },
		    units);
	return chain_sync(&item->chain);
}

/* The chains of an item, in order; returns how many. */
static size_t item_chains(struct sequence_item *item, struct chain **chains)
{
	chains[0] = &item->chain;
	return 1 + post_chains(&item->post, chains + 1);
}

static size_t count_items(const struct scoria_sequence *seq)
{
	const struct sequence_item *item;
	size_t n = 0;

	for (item = seq->first; item; item = item->next)
		n++;
	return n;
}

/* All chains in new memory; NULL without. */
static struct chain **collect(const struct scoria_sequence *seq, size_t *n)
{
	struct chain **chains = calloc(count_items(seq) * (1 + POST_MAX_CHAINS) + 1,
				       sizeof(*chains));
	struct sequence_item *item;

	*n = 0;
	for (item = seq->first; item && chains; item = item->next)
		*n += item_chains(item, chains + *n);
	return chains;
}

/* All jobs in new memory; NULL without, or when there are none, with the message set. */
static struct npu_job *all_jobs(const struct scoria_sequence *seq, size_t *n_jobs)
{
	struct npu_job *jobs = NULL;
	struct chain **chains;
	size_t n;

	if (!seq->first) {
		error_set(EINVAL, "sequence: there is nothing in it");
		return NULL;
	}
	chains = collect(seq, &n);
	if (chains)
		jobs = chains_jobs(chains, n, n_jobs);
	free(chains);
	if (!jobs)
		error_no_memory();
	return jobs;
}

int scoria_sequence_run(struct scoria_sequence *seq)
{
	int err = CHECK_POINTERS("sequence", POINTER(seq));
	struct npu_job *jobs;
	size_t n;

	if (err)
		return err;
	jobs = all_jobs(seq, &n);
	if (!jobs)
		return seq->first ? -ENOMEM : -EINVAL;
	err = device_submit(seq->dev, jobs, n);
	free(jobs);
	return err;
}

int scoria_sequence_run_async(struct scoria_sequence *seq, struct scoria_fence **fence)
{
	int err = CHECK_POINTERS("sequence", POINTER(seq), POINTER(fence));
	struct npu_job *jobs;
	size_t n;

	if (err)
		return err;
	jobs = all_jobs(seq, &n);
	if (!jobs)
		return seq->first ? -ENOMEM : -EINVAL;
	err = fence_create(seq->dev, jobs, n, fence);
	free(jobs);
	return err;
}

int scoria_sequence_info(const struct scoria_sequence *seq, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .runs = 1, .splits = 1 };
	int err = CHECK_POINTERS("sequence", POINTER(seq));
	const struct sequence_item *item;

	if (err)
		return err;
	for (item = seq->first; item; item = item->next) {
		all.tasks += item->chain.tasks;
		all.jobs += item->chain.n_jobs;
		post_add_costs(&item->post, &all);
		if (item->buffer)
			all.output_bytes += scoria_buffer_size(item->buffer);
	}
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}
