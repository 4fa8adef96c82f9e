// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_fence.h"

#include <linux/slab.h>

#include "scoria_compat.h"
#include "scoria_core.h"
#include "scoria_queue.h"

/**
 * struct scoria_fence - signalled when the hardware is done with a job
 */
struct scoria_fence {
	/** @base: the fence. */
	struct dma_fence base;
	/** @lock: that of @base, here because fences outlive cores. */
	spinlock_t lock;
	/** @index: number of the core. */
	unsigned int index;
	/** @signalled: lets go of the module. */
	struct dma_fence_cb signalled;
	/** @stub: fence of the kernel, as long as @base has not signalled. */
	struct dma_fence *stub;
};

static const char *get_driver_name(struct dma_fence *fence)
{
	return "scoria";
}

static const char *get_timeline_name(struct dma_fence *fence)
{
	return scoria_core_names[container_of(fence, struct scoria_fence, base)->index];
}

static const struct dma_fence_ops scoria_fence_ops = {
	.get_driver_name = get_driver_name,
	.get_timeline_name = get_timeline_name,
};

/* Others may keep the fence until the module has gone: the scheduler's fence does. */
static void detach(struct dma_fence *base, struct dma_fence_cb *cb)
{
	struct scoria_fence *fence = container_of(base, struct scoria_fence, base);

	scoria_compat_fence_detach(base, fence->stub);
	dma_fence_put(fence->stub);
}

struct dma_fence *scoria_fence_alloc(void)
{
	struct scoria_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	return fence ? &fence->base : NULL;
}

/* Queues are what has an order: a core may take jobs of several in any. */
void scoria_fence_start(struct dma_fence *base, const struct scoria_core *core,
			struct scoria_queue *queue)
{
	struct scoria_fence *fence = container_of(base, struct scoria_fence, base);

	fence->index = core->index;
	spin_lock_init(&fence->lock);
	dma_fence_init(base, &scoria_fence_ops, &fence->lock, queue->fence_context,
		       ++queue->fence_seqno);
	fence->stub = dma_fence_get_stub();
	dma_fence_add_callback(base, &fence->signalled, detach);
}

void scoria_fence_free(struct dma_fence *base)
{
	if (base)
		kfree(container_of(base, struct scoria_fence, base));
}
