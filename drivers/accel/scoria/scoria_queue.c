// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_queue.h"

#include <linux/slab.h>

#include "scoria_compat.h"
#include "scoria_device.h"
#include "scoria_job.h"

struct scoria_queue *scoria_queue_create(struct scoria_device *sdev,
					 enum drm_sched_priority priority)
{
	struct scoria_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int ret;

	if (!queue)
		return ERR_PTR(-ENOMEM);
	queue->sdev = sdev;
	mutex_init(&queue->lock);
	for (i = 0; i < SCORIA_MAX_CORES; i++) {
		struct drm_gpu_scheduler *sched = &sdev->cores[i].sched;

		ret = drm_sched_entity_init(&queue->entities[i], priority, &sched, 1, NULL);
		if (ret)
			goto err_entities;
	}
	return queue;

err_entities:
	while (i--)
		drm_sched_entity_destroy(&queue->entities[i]);
	mutex_destroy(&queue->lock);
	kfree(queue);
	return ERR_PTR(ret);
}

void scoria_queue_destroy(struct scoria_queue *queue)
{
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		drm_sched_entity_destroy(&queue->entities[i]);
	dma_fence_put(queue->last);
	mutex_destroy(&queue->lock);
	kfree(queue);
}

static bool is_present(const struct scoria_core *core)
{
	return READ_ONCE(core->present);
}

/* The one that was used last, if it has no more to do than others. */
static struct scoria_core *least_loaded(struct scoria_device *sdev, struct scoria_core *last)
{
	struct scoria_core *best = last && is_present(last) ? last : NULL;

	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++) {
		struct scoria_core *core = &sdev->cores[i];

		if (is_present(core) &&
		    (!best || atomic_read(&core->load) < atomic_read(&best->load)))
			best = core;
	}
	return best;
}

static struct scoria_core *choose_core(struct scoria_queue *queue)
{
	if (queue->last && !dma_fence_is_signaled(queue->last) && is_present(queue->core))
		return queue->core;
	return least_loaded(queue->sdev, queue->core);
}

int scoria_queue_prepare(struct scoria_queue *queue, struct scoria_job *job, u64 client_id)
{
	struct scoria_core *core;
	struct device *power;

	lockdep_assert_held(&queue->lock);
	core = choose_core(queue);
	if (!core)
		return -ENODEV;
	power = scoria_core_power_get(core);
	if (IS_ERR(power))
		return PTR_ERR(power);
	atomic_inc(&core->load);
	job->power = power;
	job->core = core;
	return scoria_compat_sched_job_init(&job->base, &queue->entities[core->index], client_id);
}

void scoria_queue_note(struct scoria_queue *queue, struct scoria_job *job)
{
	lockdep_assert_held(&queue->lock);
	dma_fence_put(queue->last);
	queue->last = dma_fence_get(&job->base.s_fence->finished);
	queue->core = job->core;
}
