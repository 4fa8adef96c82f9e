// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_job.h"

#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_drv.h>

#include "scoria_as.h"
#include "scoria_device.h"
#include "scoria_drv.h"
#include "scoria_fence.h"
#include "scoria_gem.h"
#include "scoria_limits.h"
#include "scoria_program.h"
#include "scoria_queue.h"

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
	scoria_program_put(job->program);
	if (job->started)
		dma_fence_put(job->fence);
	else
		scoria_fence_free(job->fence);
	if (job->core && !job->ended)
		atomic_dec(&job->core->load);
	if (job->power)
		scoria_core_power_put(job->power);
	if (job->queue)
		scoria_queue_put(job->queue);
	scoria_as_put(job->as);
	kfree(job);
	drm_dev_put(&sdev->drm);
	scoria_job_count_dec();
}

struct scoria_job *scoria_job_create(struct scoria_file *file, struct scoria_program *program,
				     u32 first, u32 end)
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
	job->program = scoria_program_get(program);
	job->n_tasks = end - first;
	job->next_task = first;
	job->end_task = end;
	return job;
}

void scoria_job_free(struct scoria_job *job)
{
	queue_work(job->sdev->cleanup_wq, &job->cleanup);
}

int scoria_job_reserve_bos(struct scoria_job *job, u32 n)
{
	struct scoria_job_bo *bos;

	if (n > SCORIA_MAX_JOB_BOS)
		return -EINVAL;
	if (!n)
		return 0;
	bos = kvcalloc(job->n_bos + n, sizeof(*bos), GFP_KERNEL_ACCOUNT);
	if (!bos)
		return -ENOMEM;
	if (job->n_bos)
		memcpy(bos, job->bos, job->n_bos * sizeof(*bos));
	kvfree(job->bos);
	job->bos = bos;
	return 0;
}

void scoria_job_add_bo(struct scoria_job *job, struct scoria_mapping *map, bool write)
{
	job->bos[job->n_bos].map = map;
	job->bos[job->n_bos++].write = write;
}

static int compare_resv(const void *a, const void *b)
{
	const struct scoria_job_bo *x = a, *y = b;
	const struct dma_resv *r = x->map->bo->base.base.resv;
	const struct dma_resv *s = y->map->bo->base.base.resv;

	return r < s ? -1 : r > s;
}

void scoria_job_sort_bos(struct scoria_job *job)
{
	sort(job->bos, job->n_bos, sizeof(*job->bos), compare_resv, NULL);
}

/* A buffer may be listed several times, and those of one exporter may share their object. */
struct drm_gem_object *scoria_job_next_resv(const struct scoria_job *job, u32 *at, bool *write)
{
	struct drm_gem_object *obj;

	if (*at == job->n_bos)
		return NULL;
	obj = job_obj(job, *at);
	for (*write = false; *at < job->n_bos && job_obj(job, *at)->resv == obj->resv; ++*at)
		*write |= job->bos[*at].write;
	return obj;
}
