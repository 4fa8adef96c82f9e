/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_QUEUE_H
#define SCORIA_QUEUE_H

#include <linux/mutex.h>

#include <drm/gpu_scheduler.h>

#include "scoria_core.h"

struct scoria_job;

/**
 * struct scoria_queue - jobs that start in the order of submission
 *
 * A queue moves to another core only when all its jobs have ended.
 */
struct scoria_queue {
	/** @sdev: the device. */
	struct scoria_device *sdev;
	/** @lock: covers all below; held from the choice of a core to the push. */
	struct mutex lock;
	/** @entities: one for the scheduler of each core. */
	struct drm_sched_entity entities[SCORIA_MAX_CORES];
	/** @core: where the last job went, or NULL. */
	struct scoria_core *core;
	/** @last: finished fence of the last job, or NULL. */
	struct dma_fence *last;
};

struct scoria_queue *scoria_queue_create(struct scoria_device *sdev,
					 enum drm_sched_priority priority);

/* Waits for what has been queued, or drops it when the process was killed. */
void scoria_queue_destroy(struct scoria_queue *queue);

/*
 * Choose a core, power it for the job, and make the job known to the scheduler.
 * -ENODEV when no core is left.
 */
int scoria_queue_prepare(struct scoria_queue *queue, struct scoria_job *job, u64 client_id);

/* The job, which has been armed, is now the queue's last. */
void scoria_queue_note(struct scoria_queue *queue, struct scoria_job *job);

#endif
