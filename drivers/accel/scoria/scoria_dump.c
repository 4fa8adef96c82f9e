// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text, with the command words in hexadecimal: `scoria decode` reads them, and a
 * report can be pasted.
 */
#include "scoria_dump.h"

#include <linux/devcoredump.h>
#include <linux/vmalloc.h>

#include <drm/drm_print.h>

#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_job.h"
#include "scoria_program.h"

#define DUMP_SIZE	SZ_256K

/* Blocks with S_STATUS and S_POINTER that the driver has mapped. */
static void dump_registers(struct drm_printer *p, struct scoria_core *core)
{
	static const struct {
		const char *name;
		u32 offset;
	} regs[] = {
		{ "BASE_ADDRESS", NPU_PC_BASE_ADDRESS },
		{ "REGISTER_AMOUNTS", NPU_PC_REGISTER_AMOUNTS },
		{ "INTERRUPT_RAW_STATUS", NPU_PC_INTERRUPT_RAW_STATUS },
		{ "TASK_CON", NPU_PC_TASK_CON },
		{ "TASK_STATUS", NPU_PC_TASK_STATUS },
	};

	guard(spinlock_irqsave)(&core->lock);
	if (!core->powered)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(regs); i++)
		drm_printf(p, "PC.%s %#010x\n", regs[i].name, scoria_pc_read(core, regs[i].offset));
}

static void dump_words(struct drm_printer *p, const struct scoria_program *program)
{
	const __le64 *words = program->cmd.words;

	for (size_t i = 0; i < program->used / sizeof(u64); i++)
		drm_printf(p, "%08zx: %016llx\n", program->cmd.iova + i * sizeof(u64),
			   le64_to_cpu(words[i]));
}

static void print_job(struct drm_printer *p, struct scoria_core *core, struct scoria_job *job)
{
	const struct scoria_kick *kick = &job->program->kicks[job->next_kick - 1];

	drm_printf(p, "scoria npu%u: error %d in kick %u of %u: %u tasks at %#x\n", core->index,
		   core->error, job->next_kick, job->program->n_kicks, kick->n_tasks, kick->iova);
	dump_registers(p, core);
	dump_words(p, job->program);
}

void scoria_dump_job(struct scoria_core *core, struct scoria_job *job)
{
	struct drm_print_iterator iter = { .remain = DUMP_SIZE - 1 };
	struct drm_printer p;

	/* others wait for this job: no allocation may wait for them */
	iter.data = __vmalloc(DUMP_SIZE, GFP_NOWAIT | __GFP_NOWARN | __GFP_ZERO);
	if (!iter.data)
		return;
	p = drm_coredump_printer(&iter);
	print_job(&p, core, job);
	dev_coredumpv(core->dev, iter.data, DUMP_SIZE - 1 - iter.remain, GFP_NOWAIT);
}
