// SPDX-License-Identifier: GPL-2.0-only
#include <linux/dma-fence-chain.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/drm_syncobj.h>
#include <drm/scoria_accel.h>

#include "scoria_drv.h"
#include "scoria_gem.h"
#include "scoria_job.h"
#include "scoria_limits.h"
#include "scoria_native.h"
#include "scoria_program.h"
#include "scoria_queue.h"
#include "scoria_submit.h"
#include "scoria_user.h"

/**
 * struct submission - an ioctl's view of a submit
 * @drm:    the device
 * @file:   who submits
 * @args:   what userspace wants, and is told
 * @submit: what it becomes
 */
struct submission {
	struct drm_device *drm;
	struct drm_file *file;
	struct drm_scoria_submit *args;
	struct scoria_submit submit;
};

static int add_bo(struct submission *sub, struct scoria_job *job, u32 i,
		  const struct drm_scoria_job_bo *bo)
{
	struct scoria_mapping *map;

	if (!bo->flags || bo->flags & ~(DRM_SCORIA_BO_READ | DRM_SCORIA_BO_WRITE)) {
		drm_dbg(sub->drm, "buffer %u: flags %#x\n", i, bo->flags);
		return -EINVAL;
	}
	map = scoria_mapping_lookup(sub->file, bo->handle);
	if (IS_ERR(map)) {
		drm_dbg(sub->drm, "buffer %u: no handle %u\n", i, bo->handle);
		return PTR_ERR(map);
	}
	scoria_job_add_bo(job, map, bo->flags & DRM_SCORIA_BO_WRITE);
	return 0;
}

static int add_bos(struct submission *sub, struct scoria_job *job,
		   const struct drm_scoria_job *args)
{
	struct drm_scoria_job_bo bo;
	int ret;

	if (args->bo_count && !scoria_is_stride(args->bo_stride, sizeof(bo))) {
		drm_dbg(sub->drm, "%u buffers of %u bytes\n", args->bo_count, args->bo_stride);
		return -EINVAL;
	}
	ret = scoria_job_reserve_bos(job, args->bo_count);
	for (u32 i = 0; i < args->bo_count && !ret; i++) {
		ret = scoria_copy_element(&bo, sizeof(bo), args->bos, i, args->bo_stride);
		if (!ret)
			ret = add_bo(sub, job, i, &bo);
	}
	return ret;
}

static int check_job(struct submission *sub, const struct drm_scoria_job *args,
		     const struct scoria_program *program)
{
	if (args->flags & ~DRM_SCORIA_JOB_UNCHAINED || args->reserved ||
	    args->timeout_ms > SCORIA_MAX_TIMEOUT_MS) {
		drm_dbg(sub->drm, "job: flags %#x, timeout %u ms\n", args->flags,
			args->timeout_ms);
		return -EINVAL;
	}
	if (args->first_task >= program->n_tasks ||
	    args->task_count > program->n_tasks - args->first_task) {
		drm_dbg(sub->drm, "job: %u tasks from %u of %u\n", args->task_count,
			args->first_task, program->n_tasks);
		return -EINVAL;
	}
	return 0;
}

static int make_job(struct submission *sub, const struct drm_scoria_job *args,
		    struct scoria_program *program)
{
	struct scoria_job *job;
	int ret = check_job(sub, args, program);
	u32 end;

	if (ret)
		return ret;
	end = args->task_count ? args->first_task + args->task_count : program->n_tasks;
	if (end > program->chain[args->first_task].limit) {
		drm_dbg(sub->drm, "job: task %u needs what a task before %u leaves\n",
			program->chain[args->first_task].limit, args->first_task);
		return -EINVAL;
	}
	job = scoria_job_create(sub->file->driver_priv, program, args->first_task, end);
	if (!job)
		return -ENOMEM;
	job->timeout_ms = args->timeout_ms;
	job->unchained = args->flags & DRM_SCORIA_JOB_UNCHAINED;
	scoria_submit_add(&sub->submit, job);
	return add_bos(sub, job, args);
}

static int add_job(struct submission *sub, u32 i)
{
	struct scoria_program *program;
	struct drm_scoria_job args;
	int ret = scoria_copy_element(&args, sizeof(args), sub->args->jobs, i,
				      sub->args->job_stride);

	if (ret)
		return ret;
	program = scoria_native_program_find(sub->file->driver_priv, args.program);
	if (!program) {
		drm_dbg(sub->drm, "job %u: no program %u\n", i, args.program);
		return -ENOENT;
	}
	ret = make_job(sub, &args, program);
	scoria_program_put(program);
	return ret;
}

static int add_jobs(struct submission *sub)
{
	struct drm_scoria_submit *args = sub->args;

	for (u32 i = 0; i < args->job_count; i++) {
		int ret;

		args->refused_job = i;
		ret = add_job(sub, i);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	args->refused_job = args->job_count;
	return 0;
}

static int copy_sync(struct submission *sub, u64 array, u32 i, struct drm_scoria_sync *sync)
{
	int ret = scoria_copy_element(sync, sizeof(*sync), array, i, sub->args->sync_stride);

	if (!ret && sync->flags) {
		drm_dbg(sub->drm, "syncobj %u: flags %#x\n", i, sync->flags);
		return -EINVAL;
	}
	return ret;
}

static int add_waits(struct submission *sub)
{
	const struct drm_scoria_submit *args = sub->args;
	struct scoria_submit *submit = &sub->submit;
	struct drm_scoria_sync sync;
	int ret = 0;

	if (!args->in_sync_count)
		return 0;
	submit->waits = kcalloc(args->in_sync_count, sizeof(*submit->waits), GFP_KERNEL_ACCOUNT);
	if (!submit->waits)
		return -ENOMEM;
	for (u32 i = 0; i < args->in_sync_count && !ret; i++) {
		ret = copy_sync(sub, args->in_syncs, i, &sync);
		if (ret)
			return ret;
		ret = drm_syncobj_find_fence(sub->file, sync.handle, sync.point, 0,
					     &submit->waits[i]);
		if (ret)
			drm_dbg(sub->drm, "in syncobj %u: handle %u, point %llu: %d\n", i,
				sync.handle, sync.point, ret);
		else
			submit->n_waits++;
	}
	return ret;
}

/* A timeline whose points go back could never again tell how far it is. */
static bool is_beyond(const struct scoria_submit *submit, struct drm_syncobj *syncobj, u64 point)
{
	struct dma_fence *last = drm_syncobj_fence_get(syncobj);
	struct dma_fence_chain *chain = last ? to_dma_fence_chain(last) : NULL;
	bool beyond = !chain || point > chain->base.seqno;

	dma_fence_put(last);
	for (u32 i = 0; i < submit->n_signals; i++)
		if (submit->signals[i].syncobj == syncobj && submit->signals[i].point >= point)
			return false;
	return beyond;
}

static int init_signal(struct submission *sub, struct scoria_signal *signal,
		       const struct drm_scoria_sync *sync)
{
	struct drm_syncobj *syncobj = drm_syncobj_find(sub->file, sync->handle);

	if (!syncobj)
		return -ENOENT;
	signal->syncobj = syncobj;
	signal->point = sync->point;
	if (!sync->point)
		return 0;
	if (!is_beyond(&sub->submit, syncobj, sync->point))
		return -EINVAL;
	signal->chain = dma_fence_chain_alloc();
	return signal->chain ? 0 : -ENOMEM;
}

static int add_signals(struct submission *sub)
{
	const struct drm_scoria_submit *args = sub->args;
	struct scoria_submit *submit = &sub->submit;
	struct drm_scoria_sync sync;
	int ret = 0;

	if (!args->out_sync_count)
		return 0;
	submit->signals = kcalloc(args->out_sync_count, sizeof(*submit->signals),
				  GFP_KERNEL_ACCOUNT);
	if (!submit->signals)
		return -ENOMEM;
	for (u32 i = 0; i < args->out_sync_count && !ret; i++) {
		struct scoria_signal *signal = &submit->signals[i];

		ret = copy_sync(sub, args->out_syncs, i, &sync);
		if (ret)
			return ret;
		ret = init_signal(sub, signal, &sync);
		if (ret)
			drm_dbg(sub->drm, "out syncobj %u: handle %u, point %llu: %d\n", i,
				sync.handle, sync.point, ret);
		submit->n_signals += !!signal->syncobj;
	}
	return ret;
}

static int check_args(struct drm_device *drm, const struct drm_scoria_submit *args)
{
	bool syncs = args->in_sync_count || args->out_sync_count;

	if (!args->flags && args->job_count && args->job_count <= SCORIA_MAX_SUBMIT_JOBS &&
	    scoria_is_stride(args->job_stride, sizeof(struct drm_scoria_job)) &&
	    args->in_sync_count <= SCORIA_MAX_SUBMIT_SYNCS &&
	    args->out_sync_count <= SCORIA_MAX_SUBMIT_SYNCS &&
	    (!syncs || scoria_is_stride(args->sync_stride, sizeof(struct drm_scoria_sync))))
		return 0;
	drm_dbg(drm, "flags %#x, %u jobs of %u bytes, %u and %u syncobjs of %u\n", args->flags,
		args->job_count, args->job_stride, args->in_sync_count, args->out_sync_count,
		args->sync_stride);
	return -EINVAL;
}

static int fill(struct submission *sub)
{
	int ret = add_jobs(sub);

	if (!ret)
		ret = add_waits(sub);
	if (!ret)
		ret = add_signals(sub);
	return ret;
}

int scoria_native_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_submit *args = data;
	struct submission sub = { .drm = drm, .file = file, .args = args };
	struct scoria_queue *queue;
	int ret;

	args->refused_job = args->job_count;
	ret = check_args(drm, args);
	if (ret)
		return ret;
	queue = scoria_native_queue_find(file->driver_priv, args->queue);
	if (!queue) {
		drm_dbg(drm, "no queue %u\n", args->queue);
		return -ENOENT;
	}
	ret = scoria_submit_init(&sub.submit, file, queue, args->job_count);
	if (!ret)
		ret = fill(&sub);
	if (!ret)
		ret = scoria_submit_push(&sub.submit);
	scoria_submit_fini(&sub.submit);
	scoria_queue_put(queue);
	return ret;
}
