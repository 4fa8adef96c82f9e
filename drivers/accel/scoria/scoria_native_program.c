// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/scoria_accel.h>

#include "scoria_drv.h"
#include "scoria_limits.h"
#include "scoria_native.h"
#include "scoria_program.h"
#include "scoria_user.h"

/**
 * struct creation - a program on its way
 * @drm:     the device
 * @args:    what userspace wants, and is told
 * @tasks:   the tasks as userspace gave them
 * @words:   room for the commands of the longest
 * @program: what they become
 */
struct creation {
	struct drm_device *drm;
	struct drm_scoria_program_create *args;
	struct drm_scoria_task *tasks;
	u64 *words;
	struct scoria_program *program;
};

static int copy_tasks(struct creation *creation, size_t *bytes, u32 *n_words)
{
	struct drm_scoria_program_create *args = creation->args;

	*bytes = 0;
	*n_words = 0;
	for (u32 i = 0; i < args->task_count; i++) {
		struct drm_scoria_task *task = &creation->tasks[i];
		int ret = scoria_copy_element(task, sizeof(*task), args->tasks, i,
					      args->task_stride);

		args->refused_task = i;
		if (ret)
			return ret;
		if (!task->word_count || task->word_count > SCORIA_MAX_TASK_WORDS ||
		    task->flags) {
			drm_dbg(creation->drm, "task %u: %u words, flags %#x\n", i,
				task->word_count, task->flags);
			return -EINVAL;
		}
		*n_words = max(*n_words, task->word_count);
		*bytes += scoria_segment_bound(task->word_count);
	}
	return 0;
}

static void explain(struct creation *creation)
{
	const struct scoria_refusal *refusal = &creation->program->check.refusal;
	struct drm_scoria_program_create *args = creation->args;

	args->refused_word = refusal->verdict.word;
	args->reason = refusal->verdict.reason;
	args->refused_value = refusal->value;
	drm_dbg(creation->drm, "task %u word %u: %s (%#x)\n", args->refused_task,
		args->refused_word, scoria_reason_text(refusal->verdict.reason),
		args->refused_value);
}

static int add_task(struct creation *creation, const struct drm_scoria_task *task)
{
	int ret;

	if (copy_from_user(creation->words, u64_to_user_ptr(task->words),
			   task->word_count * sizeof(u64)))
		return -EFAULT;
	ret = scoria_program_add(creation->program, creation->words, task->word_count);
	if (ret == -EINVAL)
		explain(creation);
	return ret;
}

static int add_tasks(struct creation *creation)
{
	struct drm_scoria_program_create *args = creation->args;

	for (u32 i = 0; i < args->task_count; i++) {
		int ret;

		args->refused_task = i;
		ret = add_task(creation, &creation->tasks[i]);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	scoria_program_seal(creation->program);
	args->refused_task = 0;
	return 0;
}

static int make_program(struct creation *creation, struct scoria_as *as)
{
	const struct drm_scoria_program_create *args = creation->args;
	size_t bytes;
	u32 n_words;
	int ret;

	creation->tasks = kvcalloc(args->task_count, sizeof(*creation->tasks),
				   GFP_KERNEL_ACCOUNT);
	if (!creation->tasks)
		return -ENOMEM;
	ret = copy_tasks(creation, &bytes, &n_words);
	if (ret)
		return ret;
	creation->words = kvmalloc_array(n_words, sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!creation->words)
		return -ENOMEM;
	creation->program = scoria_program_create(as, args->task_count, bytes);
	if (IS_ERR(creation->program)) {
		ret = PTR_ERR(creation->program);
		creation->program = NULL;
		return ret;
	}
	return add_tasks(creation);
}

static int check_args(struct drm_device *drm, const struct drm_scoria_program_create *args)
{
	if (!args->flags && args->task_count && args->task_count <= SCORIA_MAX_TASKS &&
	    scoria_is_stride(args->task_stride, sizeof(struct drm_scoria_task)))
		return 0;
	drm_dbg(drm, "flags %#x, %u tasks of %u bytes\n", args->flags, args->task_count,
		args->task_stride);
	return -EINVAL;
}

int scoria_native_program_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_program_create *args = data;
	struct creation creation = { .drm = drm, .args = args };
	struct scoria_file *sfile = file->driver_priv;
	int ret;

	args->program = 0;
	args->refused_task = 0;
	args->refused_word = 0;
	args->reason = DRM_SCORIA_REASON_NONE;
	args->refused_value = 0;
	ret = check_args(drm, args);
	if (!ret)
		ret = make_program(&creation, sfile->as);
	if (!ret)
		ret = scoria_ids_add(&sfile->programs, creation.program, &args->program);
	if (ret)
		scoria_program_put(creation.program);
	kvfree(creation.words);
	kvfree(creation.tasks);
	return ret;
}

int scoria_native_program_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_scoria_program_destroy *args = data;
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_program *program;

	if (args->reserved)
		return -EINVAL;
	program = scoria_ids_remove(&sfile->programs, args->program);
	if (!program) {
		drm_dbg(drm, "no program %u\n", args->program);
		return -ENOENT;
	}
	scoria_program_put(program);
	return 0;
}

struct scoria_program *scoria_native_program_find(struct scoria_file *sfile, u32 id)
{
	struct scoria_program *program;

	xa_lock(&sfile->programs.objects);
	program = xa_load(&sfile->programs.objects, id);
	if (program)
		scoria_program_get(program);
	xa_unlock(&sfile->programs.objects);
	return program;
}
