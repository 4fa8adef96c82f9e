// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_job.h"

#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_device.h"
#include "scoria_drv.h"
#include "scoria_fence.h"
#include "scoria_gem.h"
#include "scoria_program.h"
#include "scoria_queue.h"
#include "scoria_trace.h"

static struct drm_gem_object *job_obj(const struct scoria_job *job, u32 i)
{
	return &job->bos[i].map->bo->base.base;
}

/*
 * Freeing a buffer takes reservation locks, under which others may wait for
 * fences: not for the workqueue on which jobs are run.
 */
static void job_cleanup(struct work_struct *work)
{
	struct scoria_job *job = container_of(work, struct scoria_job, cleanup);
	struct scoria_device *sdev = job->sdev;

	for (u32 i = 0; i < job->n_bos; i++)
		scoria_mapping_put(job->bos[i].map);
	kvfree(job->bos);
	scoria_program_free(job->program);
	if (job->started)
		dma_fence_put(job->fence);
	else
		scoria_fence_free(job->fence);
	if (job->core && !job->ended)
		atomic_dec(&job->core->load);
	if (job->power)
		scoria_core_power_put(job->power);
	scoria_as_put(job->as);
	kfree(job);
	drm_dev_put(&sdev->drm);
	scoria_job_count_dec();
}

struct scoria_job *scoria_job_create(struct scoria_file *file)
{
	struct scoria_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->fence = scoria_fence_alloc();
	if (!job->fence) {
		kfree(job);
		return NULL;
	}
	INIT_WORK(&job->cleanup, job_cleanup);
	INIT_LIST_HEAD(&job->link);
	drm_dev_get(&file->sdev->drm);
	scoria_job_count_inc();
	job->sdev = file->sdev;
	job->as = scoria_as_get(file->as);
	return job;
}

void scoria_job_free(struct scoria_job *job)
{
	queue_work(job->sdev->cleanup_wq, &job->cleanup);
}

static int add_handles(struct scoria_job *job, struct drm_file *file, const u32 *handles, u32 n,
		       bool write)
{
	for (u32 i = 0; i < n; i++) {
		struct scoria_mapping *map = scoria_mapping_lookup(file, handles[i]);

		if (IS_ERR(map)) {
			drm_dbg(&job->sdev->drm, "%s handle %u: unknown (%u)\n",
				write ? "output" : "input", i, handles[i]);
			return PTR_ERR(map);
		}
		job->bos[job->n_bos].map = map;
		job->bos[job->n_bos++].write = write;
	}
	return 0;
}

int scoria_job_add_bos(struct scoria_job *job, struct drm_file *file, u64 handles, u32 n,
		       bool write)
{
	struct scoria_job_bo *bos;
	u32 *copy;
	int ret;

	if (!n)
		return 0;
	if (n > SCORIA_MAX_JOB_BOS)
		return -EINVAL;
	bos = kvcalloc(job->n_bos + n, sizeof(*bos), GFP_KERNEL_ACCOUNT);
	if (!bos)
		return -ENOMEM;
	if (job->n_bos)
		memcpy(bos, job->bos, job->n_bos * sizeof(*bos));
	kvfree(job->bos);
	job->bos = bos;

	copy = vmemdup_array_user(u64_to_user_ptr(handles), n, sizeof(*copy));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	ret = add_handles(job, file, copy, n, write);
	kvfree(copy);
	return ret;
}

static int compare_resv(const void *a, const void *b)
{
	const struct scoria_job_bo *x = a, *y = b;
	const struct dma_resv *r = x->map->bo->base.base.resv;
	const struct dma_resv *s = y->map->bo->base.base.resv;

	return r < s ? -1 : r > s;
}

/*
 * The objects to lock: one for each reservation object, since a buffer may be
 * listed as input and as output, and buffers of one exporter may share theirs.
 * What is written by one of its buffers is marked so in all. Returns the number.
 */
static u32 collect_resvs(struct scoria_job *job, struct drm_gem_object **objs)
{
	u32 n = 0;

	sort(job->bos, job->n_bos, sizeof(*job->bos), compare_resv, NULL);
	for (u32 i = 0; i < job->n_bos; i++)
		if (!n || objs[n - 1]->resv != job_obj(job, i)->resv)
			objs[n++] = job_obj(job, i);
	return n;
}

/* Whether the job writes a buffer of this reservation object; @i is the first such. */
static bool resv_written(const struct scoria_job *job, u32 *i)
{
	const struct dma_resv *resv = job_obj(job, *i)->resv;
	bool write = false;

	for (; *i < job->n_bos && job_obj(job, *i)->resv == resv; ++*i)
		write |= job->bos[*i].write;
	return write;
}

static int add_dependencies(struct scoria_job *job, struct drm_gem_object **objs, u32 n)
{
	u32 at = 0;

	for (u32 i = 0; i < n; i++) {
		int ret = dma_resv_reserve_fences(objs[i]->resv, 1);

		if (!ret)
			ret = drm_sched_job_add_implicit_dependencies(&job->base, objs[i],
								      resv_written(job, &at));
		if (ret)
			return ret;
	}
	return 0;
}

/* Nothing fails any more: others may wait for the job from here on. */
static void publish(struct scoria_job *job, struct drm_gem_object **objs, u32 n)
{
	struct dma_fence *finished = &job->base.s_fence->finished;
	u32 at = 0;

	for (u32 i = 0; i < n; i++)
		dma_resv_add_fence(objs[i]->resv, finished,
				   resv_written(job, &at) ? DMA_RESV_USAGE_WRITE :
							    DMA_RESV_USAGE_READ);
	for (u32 i = 0; i < job->n_bos; i++) {
		struct scoria_bo *bo = job->bos[i].map->bo;

		if (!job->bos[i].write)
			continue;
		dma_fence_put(bo->last_write);
		bo->last_write = dma_fence_get(finished);
	}
}

static int push_locked(struct scoria_job *job, struct scoria_queue *queue,
		       struct drm_gem_object **objs, u32 n)
{
	struct ww_acquire_ctx ctx;
	int ret = drm_gem_lock_reservations(objs, n, &ctx);

	if (ret)
		return ret;
	ret = add_dependencies(job, objs, n);
	if (!ret) {
		drm_sched_job_arm(&job->base);
		publish(job, objs, n);
		scoria_queue_note(queue, job);
		trace_scoria_submit(job);
		drm_sched_entity_push_job(&job->base);
	}
	drm_gem_unlock_reservations(objs, n, &ctx);
	return ret;
}

static int push(struct scoria_job *job, struct scoria_queue *queue, u64 client_id,
		struct drm_gem_object **objs)
{
	int ret;

	guard(mutex)(&queue->lock);
	ret = scoria_queue_prepare(queue, job, client_id);
	if (ret)
		return ret;
	ret = push_locked(job, queue, objs, collect_resvs(job, objs));
	if (ret)
		drm_sched_job_cleanup(&job->base);
	return ret;
}

int scoria_job_push(struct scoria_job *job, struct scoria_queue *queue, u64 client_id)
{
	struct drm_gem_object **objs;
	int ret;

	objs = kvcalloc(max(job->n_bos, 1u), sizeof(*objs), GFP_KERNEL_ACCOUNT);
	if (!objs)
		return -ENOMEM;
	ret = push(job, queue, client_id, objs);
	kvfree(objs);
	return ret;
}
