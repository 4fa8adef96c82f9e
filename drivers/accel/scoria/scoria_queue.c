// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_queue.h"

#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_print.h>

#include "scoria_device.h"
#include "scoria_job.h"

static int init_entities(struct scoria_queue *queue)
{
	static const enum drm_sched_priority priorities[SCORIA_N_PRIORITIES] = {
		[SCORIA_PRIORITY_HIGH] = DRM_SCHED_PRIORITY_HIGH,
		[SCORIA_PRIORITY_NORMAL] = DRM_SCHED_PRIORITY_NORMAL,
		[SCORIA_PRIORITY_LOW] = DRM_SCHED_PRIORITY_LOW,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < SCORIA_MAX_CORES; i++) {
		struct scoria_core *core = &queue->sdev->cores[i];
		struct drm_gpu_scheduler *sched = &core->sched[queue->args.priority];

		ret = drm_sched_entity_init(&queue->entities[i], priorities[queue->args.priority],
					    &sched, 1, NULL);
		if (ret)
			break;
	}
	if (i == SCORIA_MAX_CORES)
		return 0;
	while (i--)
		drm_sched_entity_destroy(&queue->entities[i]);
	return ret;
}

struct scoria_queue *scoria_queue_create(struct scoria_device *sdev,
					 const struct scoria_queue_args *args)
{
	struct scoria_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!queue)
		return ERR_PTR(-ENOMEM);
	kref_init(&queue->ref);
	queue->sdev = sdev;
	queue->args = *args;
	queue->fence_context = dma_fence_context_alloc(1);
	scoria_share_init(&queue->share, args->priority);
	ret = init_entities(queue);
	if (ret) {
		kfree(queue);
		return ERR_PTR(ret);
	}
	mutex_init(&queue->lock);
	return queue;
}

struct scoria_queue *scoria_queue_get(struct scoria_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

static void queue_release(struct kref *ref)
{
	struct scoria_queue *queue = container_of(ref, struct scoria_queue, ref);

	dma_fence_put(queue->last);
	mutex_destroy(&queue->lock);
	kfree(queue);
}

void scoria_queue_put(struct scoria_queue *queue)
{
	kref_put(&queue->ref, queue_release);
}

static void close_queue(struct scoria_queue *queue)
{
	guard(mutex)(&queue->lock);
	queue->closed = true;
}

/* An entity that is to go, on the workqueue of its core. */
struct entity_fini {
	struct work_struct work;
	struct drm_sched_entity *entity;
};

static void fini_work(struct work_struct *work)
{
	drm_sched_entity_fini(container_of(work, struct entity_fini, work)->entity);
}

/*
 * Not while the scheduler takes a job from the entity: it would put the entity back
 * among those that are ready after it was removed, and find it there when it has been
 * freed (drm_sched_entity_pop_job() of 6.12 to 7.3 does not ask whether the entity was
 * stopped). Jobs are taken on the workqueue, which runs one item at a time.
 */
static void fini_entity(struct scoria_core *core, struct drm_sched_entity *entity)
{
	struct entity_fini fini = { .entity = entity };

	INIT_WORK_ONSTACK(&fini.work, fini_work);
	queue_work(core->wq, &fini.work);
	flush_work(&fini.work);
	destroy_work_on_stack(&fini.work);
}

void scoria_queue_drop(struct scoria_queue *queue)
{
	close_queue(queue);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		fini_entity(&queue->sdev->cores[i], &queue->entities[i]);
}

long scoria_queue_flush(struct scoria_queue *queue, long timeout)
{
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		timeout = drm_sched_entity_flush(&queue->entities[i], timeout);
	return timeout;
}

static bool may_run_on(const struct scoria_queue *queue, const struct scoria_core *core)
{
	return queue->args.core_mask & BIT(core->index) && READ_ONCE(core->present);
}

/* The one that was used last, if it has no more to do than others. */
static struct scoria_core *least_loaded(struct scoria_queue *queue)
{
	struct scoria_core *best = queue->core;

	if (best && !may_run_on(queue, best))
		best = NULL;
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++) {
		struct scoria_core *core = &queue->sdev->cores[i];

		if (may_run_on(queue, core) &&
		    (!best || atomic_read(&core->load) < atomic_read(&best->load)))
			best = core;
	}
	return best;
}

struct scoria_core *scoria_queue_choose(struct scoria_queue *queue)
{
	struct scoria_core *core;

	lockdep_assert_held(&queue->lock);
	if (queue->last && !dma_fence_is_signaled(queue->last)) {
		if (may_run_on(queue, queue->core))
			return queue->core;
		/* the core has gone, and its jobs are about to */
		dma_fence_wait(queue->last, false);
	}
	core = least_loaded(queue);
	return core ? : ERR_PTR(-ENODEV);
}

void scoria_queue_note(struct scoria_queue *queue, struct scoria_job *job)
{
	lockdep_assert_held(&queue->lock);
	dma_fence_put(queue->last);
	queue->last = dma_fence_get(&job->base.s_fence->finished);
	queue->core = job->core;
}

bool scoria_queue_rejects(const struct scoria_queue *queue, const struct scoria_job *job)
{
	lockdep_assert_held(&job->core->lock);
	return queue->banned || queue->failed_batch == job->batch;
}

void scoria_queue_judge(struct scoria_queue *queue, const struct scoria_job *job, int error)
{
	lockdep_assert_held(&job->core->lock);
	if (!error) {
		queue->failures = 0;
		return;
	}
	queue->failed_batch = job->batch;
	if (error != -EIO && error != -EFAULT)
		return;
	if (++queue->failures >= SCORIA_BAN_THRESHOLD && queue->args.bannable)
		WRITE_ONCE(queue->banned, true);
}
