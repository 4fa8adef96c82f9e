/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_FENCE_H
#define SCORIA_FENCE_H

#include <linux/dma-fence.h>

struct scoria_core;
struct scoria_queue;

/*
 * Fences are allocated with the job and start with it, because nothing may
 * allocate once others wait for the job.
 */
struct dma_fence *scoria_fence_alloc(void);
void scoria_fence_start(struct dma_fence *fence, const struct scoria_core *core,
			struct scoria_queue *queue);

/* For one that was never started; afterwards dma_fence_put(). */
void scoria_fence_free(struct dma_fence *fence);

#endif
