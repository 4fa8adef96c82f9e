// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_program.h"

#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "rk3588_npu.h"
#include "scoria_as.h"

static bool one_task_per_kick;
module_param(one_task_per_kick, bool, 0644);
MODULE_PARM_DESC(one_task_per_kick,
		 "Start every task by itself instead of chaining them (default: false)");

static int program_alloc(struct scoria_program *program)
{
	u32 n_kicks = DIV_ROUND_UP(program->max_tasks, program->kick_tasks);

	program->kicks = kvcalloc(n_kicks, sizeof(*program->kicks), GFP_KERNEL_ACCOUNT);
	if (!program->kicks)
		return -ENOMEM;
	return scoria_ring_alloc(program->as, &program->cmd, program->size);
}

struct scoria_program *scoria_program_create(struct scoria_as *as, u32 max_tasks, size_t size)
{
	struct scoria_program *program = kzalloc(sizeof(*program), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!program)
		return ERR_PTR(-ENOMEM);
	program->as = scoria_as_get(as);
	program->max_tasks = max_tasks;
	program->size = size;
	program->kick_tasks = READ_ONCE(one_task_per_kick) ? 1 : SCORIA_MAX_KICK_TASKS;
	scoria_check_init(&program->check, as);
	ret = program_alloc(program);
	if (ret) {
		scoria_program_free(program);
		return ERR_PTR(ret);
	}
	return program;
}

void scoria_program_free(struct scoria_program *program)
{
	if (!program)
		return;
	scoria_ring_free(program->as, &program->cmd);
	scoria_check_fini(&program->check);
	kvfree(program->kicks);
	scoria_as_put(program->as);
	kfree(program);
}

static void chain_segment(struct scoria_program *program, u32 iova, u32 n, u32 enable)
{
	struct scoria_kick *kick;

	if (program->n_tasks++ % program->kick_tasks) {
		scoria_segment_link(program->last, program->last_words, iova, n);
		kick = &program->kicks[program->n_kicks - 1];
	} else {
		kick = &program->kicks[program->n_kicks++];
		kick->iova = iova;
		kick->amount = scoria_segment_amount(n);
	}
	kick->n_tasks++;
	kick->enable |= enable;
	kick->done = scoria_segment_done(enable);
}

int scoria_program_add(struct scoria_program *program, const u64 *words, u32 n_words)
{
	__le64 *segment = program->cmd.words + program->used / sizeof(u64);
	struct scoria_task task;
	u64 more = 0;
	bool depends;
	u32 n;
	int ret;

	if (WARN_ON_ONCE(program->n_tasks == program->max_tasks ||
			 scoria_segment_bound(n_words) > program->size - program->used))
		return -EINVAL;
	ret = scoria_check_task(&program->check, words, n_words, &task);
	if (ret)
		return ret;
	if (task.enable & NPU_ENABLE_CNA)
		more = scoria_reuse_next(&program->reuse, words, task.n_body, &depends);
	n = scoria_segment_emit(segment, words, &task, more);
	chain_segment(program, program->cmd.iova + program->used, n, task.enable);
	program->last = segment;
	program->last_words = n;
	program->used += ALIGN(n * sizeof(u64), SCORIA_SEGMENT_ALIGN);
	return 0;
}

void scoria_program_seal(struct scoria_program *program)
{
	scoria_ring_flush(&program->cmd, program->used);
}
