// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_program.h"

#include <linux/mm.h>
#include <linux/slab.h>

#include "rk3588_npu.h"
#include "scoria_as.h"

static int program_alloc(struct scoria_program *program)
{
	program->chain = kvcalloc(program->max_tasks + 1, sizeof(*program->chain),
				  GFP_KERNEL_ACCOUNT);
	if (!program->chain)
		return -ENOMEM;
	return scoria_ring_alloc(program->as, &program->cmd, program->size);
}

struct scoria_program *scoria_program_create(struct scoria_as *as, u32 max_tasks, size_t size)
{
	struct scoria_program *program = kzalloc(sizeof(*program), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!program)
		return ERR_PTR(-ENOMEM);
	kref_init(&program->ref);
	program->as = scoria_as_get(as);
	program->max_tasks = max_tasks;
	program->size = size;
	scoria_check_init(&program->check, as);
	ret = program_alloc(program);
	if (ret) {
		scoria_program_put(program);
		return ERR_PTR(ret);
	}
	return program;
}

struct scoria_program *scoria_program_get(struct scoria_program *program)
{
	kref_get(&program->ref);
	return program;
}

static void program_release(struct kref *ref)
{
	struct scoria_program *program = container_of(ref, struct scoria_program, ref);

	scoria_ring_free(program->as, &program->cmd);
	scoria_check_fini(&program->check);
	kvfree(program->chain);
	scoria_as_put(program->as);
	kfree(program);
}

void scoria_program_put(struct scoria_program *program)
{
	if (program)
		kref_put(&program->ref, program_release);
}

static __le64 *segment_at(struct scoria_program *program, size_t offset)
{
	return program->cmd.words + offset / sizeof(u64);
}

/*
 * Every segment links to the next one, whichever of them will be started first:
 * TASK_NUMBER is what ends a chain, and the link behind its end is harmless
 * (programming-model B4, seen on boards).
 */
static void chain_segment(struct scoria_program *program, u32 n_words, u32 enable)
{
	u32 iova = program->cmd.iova + program->used;
	struct scoria_link *link = &program->chain[program->n_tasks++];

	if (program->n_tasks > 1) {
		u32 last = scoria_segment_words(link[-1].amount);

		scoria_segment_link(segment_at(program, link[-1].iova - program->cmd.iova), last,
				    iova, n_words);
	}
	scoria_link_init(link, iova, n_words, enable);
	program->used += ALIGN(n_words * sizeof(u64), SCORIA_SEGMENT_ALIGN);
}

int scoria_program_add(struct scoria_program *program, const u64 *words, u32 n_words)
{
	struct scoria_task task;
	u64 more = 0;
	u32 needs = 0;
	u32 n;
	int ret;

	if (WARN_ON_ONCE(program->n_tasks == program->max_tasks ||
			 scoria_segment_bound(n_words) > program->size - program->used))
		return -EINVAL;
	ret = scoria_check_task(&program->check, words, n_words, &task);
	if (ret)
		return ret;
	if (task.enable & NPU_ENABLE_CNA)
		more = scoria_reuse_next(&program->reuse, &task, words, &needs);
	n = scoria_segment_emit(segment_at(program, program->used), words, &task, more);
	chain_segment(program, n, task.enable);
	scoria_chain_need(program->chain, program->n_tasks - 1, needs);
	return 0;
}

void scoria_program_seal(struct scoria_program *program)
{
	scoria_ring_flush(&program->cmd, program->used);
}
