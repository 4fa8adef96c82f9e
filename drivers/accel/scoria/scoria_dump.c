// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text, with the command words in hexadecimal: `scoria decode` reads them, and a
 * report can be pasted.
 */
#include "scoria_dump.h"

#include <linux/devcoredump.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_job.h"
#include "scoria_program.h"

/**
 * struct scoria_dump - text about a job that failed
 */
struct scoria_dump {
	/** @publish: gives the text to userspace. */
	struct work_struct publish;
	/** @dev: the core's device, with a reference. */
	struct device *dev;
	/** @size: bytes of @text in use. */
	size_t size;
	/** @text: cut off where it gets too long. */
	char text[SZ_64K - SZ_256];
};

static_assert(sizeof(struct scoria_dump) <= SZ_64K);

/* Bytes of a line of words, and the 0 that printing it wants room for. */
#define WORD_LINE	(8 + 2 + 16 + 1 + 1)

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

/*
 * Of the kick that failed, as many as there is room for: of a line that does not fit,
 * the printer makes a copy, for which it waits for memory. And there may be millions.
 */
static void dump_words(struct drm_printer *p, const struct scoria_job *job)
{
	const struct drm_print_iterator *iter = p->arg;
	const struct scoria_program *program = job->program;
	const struct scoria_link *last = &program->chain[job->next_task - 1];
	size_t end = (last->iova - program->cmd.iova) / sizeof(u64) +
		     scoria_segment_words(last->amount);

	for (size_t i = (job->kick.iova - program->cmd.iova) / sizeof(u64);
	     i < end && iter->remain >= WORD_LINE; i++)
		drm_printf(p, "%08zx: %016llx\n", program->cmd.iova + i * sizeof(u64),
			   le64_to_cpu(program->cmd.words[i]));
}

static void print_job(struct drm_printer *p, struct scoria_core *core,
		      const struct scoria_job *job)
{
	drm_printf(p, "scoria npu%u: error %d in the %u tasks before %u of %u, at %#x\n",
		   core->index, core->error, job->kick.n_tasks, job->next_task, job->end_task,
		   job->kick.iova);
	dump_registers(p, core);
	dump_words(p, job);
}

struct scoria_dump *scoria_dump_take(struct scoria_core *core, const struct scoria_job *job)
{
	/* others wait for this job: no allocation may wait for them */
	struct scoria_dump *dump = kmalloc(sizeof(*dump), GFP_NOWAIT | __GFP_NOWARN);
	struct drm_print_iterator iter = { .remain = sizeof(dump->text) };
	struct drm_printer p;

	if (!dump)
		return NULL;
	iter.data = dump->text;
	p = drm_coredump_printer(&iter);
	print_job(&p, core, job);
	dump->size = sizeof(dump->text) - iter.remain;
	return dump;
}

static void publish(struct work_struct *work)
{
	struct scoria_dump *dump = container_of(work, struct scoria_dump, publish);
	/* freed by the core of devcoredump, so that it does not hold the module */
	void *text = vmalloc(dump->size);

	if (text) {
		memcpy(text, dump->text, dump->size);
		dev_coredumpv(dump->dev, text, dump->size, GFP_KERNEL);
	}
	put_device(dump->dev);
	kfree(dump);
}

/* Not here and now: it waits for memory, which may wait for jobs of this core. */
void scoria_dump_publish(struct scoria_dump *dump, struct scoria_core *core)
{
	if (!dump)
		return;
	dump->dev = scoria_core_get_device(core);
	INIT_WORK(&dump->publish, publish);
	queue_work(core->sdev->cleanup_wq, &dump->publish);
}
