/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_FENCE_H
#define SCORIA_FENCE_H

#include <linux/dma-fence.h>

struct scoria_core;
struct scoria_queue;

/**
 * scoria_fence_alloc() - allocate the fence of a job
 *
 * It starts with the job, because nothing may allocate once others wait for the job.
 *
 * Return: the fence, NULL when there is no memory.
 */
struct dma_fence *scoria_fence_alloc(void);

/**
 * scoria_fence_start() - make a fence one that others can wait for
 * @fence: the fence
 * @core: the core that the job goes to
 * @queue: the queue that the job is in
 */
void scoria_fence_start(struct dma_fence *fence, const struct scoria_core *core,
			struct scoria_queue *queue);

/**
 * scoria_fence_free() - free a fence that was never started
 * @fence: the fence
 *
 * For one that was, dma_fence_put() does.
 */
void scoria_fence_free(struct dma_fence *fence);

#endif
