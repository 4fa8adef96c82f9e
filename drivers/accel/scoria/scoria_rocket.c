// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of the in-tree rocket driver, on objects of ours. Streams lie in
 * buffers that userspace can write at any time, so they are copied first and
 * only the copy is looked at. A job that was copied and checked before is compared
 * with that copy instead.
 */
#include "scoria_rocket.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/drm_utils.h>
#include <drm/scoria_accel.h>

#include "scoria_as.h"
#include "scoria_drv.h"
#include "scoria_gem.h"
#include "scoria_job.h"
#include "scoria_limits.h"
#include "scoria_program.h"
#include "scoria_recent.h"
#include "scoria_submit.h"
#include "scoria_user.h"

static_assert(sizeof(struct drm_scoria_rocket_create_bo) == 24);
static_assert(sizeof(struct drm_scoria_rocket_prep_bo) == 16);
static_assert(sizeof(struct drm_scoria_rocket_fini_bo) == 8);
static_assert(sizeof(struct drm_scoria_rocket_submit) == 24);
static_assert(sizeof(struct drm_scoria_rocket_job) == 48);
static_assert(sizeof(struct drm_scoria_rocket_task) == 8);

int scoria_rocket_create_bo(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_rocket_create_bo *args = data;
	struct scoria_bo_info info;
	int ret = scoria_bo_create_handle(drm, file, args->size, &info);

	if (ret)
		return ret;
	args->handle = info.handle;
	args->dma_address = info.address;
	args->offset = info.offset;
	return 0;
}

/*
 * Through the mapping, because a handle can be guessed before CREATE_BO has
 * returned it; only once it is mapped the buffer has pages.
 */
static struct scoria_mapping *lookup(struct drm_file *file, u32 handle, u32 reserved)
{
	return reserved ? ERR_PTR(-EINVAL) : scoria_mapping_lookup(file, handle);
}

int scoria_rocket_prep_bo(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_rocket_prep_bo *args = data;
	struct scoria_mapping *map = lookup(file, args->handle, args->reserved);
	int ret;

	if (IS_ERR(map))
		return PTR_ERR(map);
	ret = scoria_bo_wait(map->bo, true, drm_timeout_abs_to_jiffies(args->timeout_ns));
	if (!ret)
		ret = scoria_bo_begin_cpu(map->bo);
	if (!ret)
		ret = scoria_bo_error(map->bo);
	scoria_mapping_put(map);
	return ret;
}

int scoria_rocket_fini_bo(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_rocket_fini_bo *args = data;
	struct scoria_mapping *map = lookup(file, args->handle, args->reserved);
	int ret;

	if (IS_ERR(map))
		return PTR_ERR(map);
	ret = scoria_bo_end_cpu(map->bo);
	scoria_mapping_put(map);
	return ret;
}

/**
 * struct submission - what one job of a submit is made from
 * @drm:      the device
 * @file:     who submits
 * @index:    number of the job in the array
 * @args:     the job as userspace gave it
 * @source:   its tasks and their commands: of all when they will be remembered, else
 *            of the one that is looked at
 * @remember: which of the two
 * @program:  what they become
 */
struct submission {
	struct drm_device *drm;
	struct drm_file *file;
	u32 index;
	struct drm_scoria_rocket_job args;
	struct scoria_source source;
	bool remember;
	struct scoria_program *program;
};

/**
 * struct extent - how long the commands of a job are
 * @longest: words of the longest task
 * @total:   words of all tasks
 * @size:    bytes of their segments, at most
 */
struct extent {
	u32 longest;
	u64 total;
	size_t size;
};

static int check_task(struct submission *sub, const struct drm_scoria_rocket_task *task)
{
	if (!task->regcmd_count || task->regcmd_count > SCORIA_MAX_TASK_WORDS) {
		drm_dbg(sub->drm, "job %u: regcmd_count %u\n", sub->index, task->regcmd_count);
		return -EINVAL;
	}
	if (task->regcmd % sizeof(u64)) {
		drm_dbg(sub->drm, "job %u: regcmd %#x\n", sub->index, task->regcmd);
		return -EINVAL;
	}
	return 0;
}

static int copy_tasks(struct submission *sub, struct extent *extent)
{
	const struct drm_scoria_rocket_job *args = &sub->args;
	int ret = 0;

	for (u32 i = 0; i < args->task_count && !ret; i++) {
		struct drm_scoria_rocket_task *task = &sub->source.tasks[i];

		ret = scoria_copy_element(task, sizeof(*task), args->tasks, i,
					  args->task_struct_size);
		if (ret)
			return ret;
		ret = check_task(sub, task);
		extent->longest = max(extent->longest, task->regcmd_count);
		extent->total += task->regcmd_count;
		/* 65536 tasks of 1 MiB and more do not overflow 64 bits */
		extent->size += scoria_segment_bound(task->regcmd_count);
	}
	return ret;
}

static void explain(struct submission *sub, u32 task, const struct scoria_refusal *refusal)
{
	drm_dbg(sub->drm, "job %u task %u word %u: %s (%#x)\n", sub->index, task,
		refusal->verdict.word, scoria_reason_text(refusal->verdict.reason),
		refusal->value);
}

/* Into @words, which are ours: nobody changes them any more. */
static int copy_words(struct submission *sub, const struct drm_scoria_rocket_task *task,
		      struct scoria_mapping **map, u64 *words)
{
	struct scoria_file *sfile = sub->file->driver_priv;
	size_t size = task->regcmd_count * sizeof(*words);
	int ret;

	if (!scoria_as_find_near(sfile->as, task->regcmd, size, map)) {
		drm_dbg(sub->drm, "job %u: no buffer holds the commands at %#x\n", sub->index,
			task->regcmd);
		return -EINVAL;
	}
	ret = scoria_bo_read((*map)->bo, task->regcmd - (*map)->node.start, words, size);
	for (u32 i = 0; i < task->regcmd_count; i++)
		le64_to_cpus(&words[i]);
	return ret;
}

static int add_task(struct submission *sub, u32 i, struct scoria_mapping **map, u64 *words)
{
	const struct drm_scoria_rocket_task *task = &sub->source.tasks[i];
	int ret = copy_words(sub, task, map, words);

	if (ret)
		return ret;
	ret = scoria_program_add(sub->program, words, task->regcmd_count);
	if (ret == -EINVAL)
		explain(sub, i, &sub->program->check.refusal);
	return ret;
}

static int add_tasks(struct submission *sub)
{
	struct scoria_mapping *map = NULL;
	u64 *words = sub->source.words;
	int ret = 0;

	for (u32 i = 0; i < sub->source.n_tasks && !ret; i++) {
		ret = add_task(sub, i, &map, words);
		if (sub->remember)
			words += sub->source.tasks[i].regcmd_count;
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		cond_resched();
	}
	scoria_mapping_put(map);
	if (!ret)
		scoria_program_seal(sub->program);
	return ret;
}

static int check_program(struct submission *sub, const struct extent *extent)
{
	struct scoria_file *sfile = sub->file->driver_priv;
	struct scoria_program *program;
	int ret;

	sub->remember = scoria_recent_takes(extent->size);
	sub->source.words = kvmalloc_array(sub->remember ? extent->total : extent->longest,
					   sizeof(*sub->source.words), GFP_KERNEL_ACCOUNT);
	if (!sub->source.words)
		return -ENOMEM;
	program = scoria_program_create(sfile->as, sub->source.n_tasks, extent->size);
	if (IS_ERR(program))
		return PTR_ERR(program);
	sub->program = program;
	ret = add_tasks(sub);
	if (!ret && sub->remember)
		scoria_recent_add(&sfile->recent, &sub->source, program);
	return ret;
}

static int make_program(struct submission *sub)
{
	struct scoria_file *sfile = sub->file->driver_priv;
	struct scoria_source *source = &sub->source;
	struct extent extent = { };
	int ret;

	source->n_tasks = sub->args.task_count;
	source->tasks = kvcalloc(source->n_tasks, sizeof(*source->tasks), GFP_KERNEL_ACCOUNT);
	if (!source->tasks)
		return -ENOMEM;
	ret = copy_tasks(sub, &extent);
	if (ret)
		return ret;
	sub->program = scoria_recent_find(&sfile->recent, sfile->as, source);
	return sub->program ? 0 : check_program(sub, &extent);
}

static int add_handles(struct submission *sub, struct scoria_job *job, const u32 *handles, u32 n,
		       bool write)
{
	for (u32 i = 0; i < n; i++) {
		struct scoria_mapping *map = scoria_mapping_lookup(sub->file, handles[i]);

		if (IS_ERR(map)) {
			drm_dbg(sub->drm, "job %u: %s handle %u is unknown (%u)\n", sub->index,
				write ? "output" : "input", i, handles[i]);
			return PTR_ERR(map);
		}
		scoria_job_add_bo(job, map, write);
	}
	return 0;
}

static int add_bos(struct submission *sub, struct scoria_job *job, u64 handles, u32 n, bool write)
{
	int ret = scoria_job_reserve_bos(job, n);
	u32 *copy;

	if (ret || !n)
		return ret;
	copy = vmemdup_array_user(u64_to_user_ptr(handles), n, sizeof(*copy));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	ret = add_handles(sub, job, copy, n, write);
	kvfree(copy);
	return ret;
}

static int add_job(struct submission *sub, struct scoria_submit *submit)
{
	const struct drm_scoria_rocket_job *args = &sub->args;
	struct scoria_job *job;
	int ret;

	job = scoria_job_create(sub->file->driver_priv, sub->program, 0, sub->program->n_tasks);
	if (!job)
		return -ENOMEM;
	scoria_submit_add(submit, job);
	ret = add_bos(sub, job, args->in_bo_handles, args->in_bo_handle_count, false);
	if (ret)
		return ret;
	return add_bos(sub, job, args->out_bo_handles, args->out_bo_handle_count, true);
}

static int push_job(struct submission *sub, struct scoria_file *sfile)
{
	struct scoria_submit submit;
	int ret = scoria_submit_init(&submit, sub->file, sfile->queue, 1);

	if (ret)
		return ret;
	ret = add_job(sub, &submit);
	if (!ret)
		ret = scoria_submit_push(&submit);
	scoria_submit_fini(&submit);
	return ret;
}

static int check_job(struct submission *sub)
{
	const struct drm_scoria_rocket_job *args = &sub->args;

	if (args->flags & ~DRM_SCORIA_ROCKET_JOB_BATCHED || args->reserved ||
	    !args->task_count || args->task_count > SCORIA_MAX_TASKS ||
	    args->task_struct_size < sizeof(struct drm_scoria_rocket_task)) {
		drm_dbg(sub->drm, "job %u: flags %#x, %u tasks of %u bytes\n", sub->index,
			args->flags, args->task_count, args->task_struct_size);
		return -EINVAL;
	}
	return 0;
}

static int submit_job(struct drm_device *drm, struct drm_file *file,
		      const struct drm_scoria_rocket_submit *args, u32 index)
{
	struct submission sub = { .drm = drm, .file = file, .index = index };
	struct scoria_file *sfile = file->driver_priv;
	int ret;

	ret = scoria_copy_element(&sub.args, sizeof(sub.args), args->jobs, index,
				  args->job_struct_size);
	if (!ret)
		ret = check_job(&sub);
	if (!ret)
		ret = make_program(&sub);
	if (!ret)
		ret = push_job(&sub, sfile);
	scoria_program_put(sub.program);
	kvfree(sub.source.words);
	kvfree(sub.source.tasks);
	return ret;
}

int scoria_rocket_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_scoria_rocket_submit *args = data;
	int ret = 0;

	if (args->reserved)
		return -EINVAL;
	if (!args->job_count)
		return 0;
	if (args->job_struct_size < DRM_SCORIA_ROCKET_JOB_SIZE_1_0) {
		drm_dbg(drm, "job_struct_size %u\n", args->job_struct_size);
		return -EINVAL;
	}
	for (u32 i = 0; i < args->job_count && !ret; i++) {
		ret = submit_job(drm, file, args, i);
		if (ret)
			drm_dbg(drm, "job %u of %u refused: %d\n", i, args->job_count, ret);
		/* there may be 2^32 of them, of which none waits for anything */
		else if (fatal_signal_pending(current))
			ret = -EINTR;
		cond_resched();
	}
	return ret;
}
