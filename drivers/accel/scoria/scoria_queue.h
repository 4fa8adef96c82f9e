/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_QUEUE_H
#define SCORIA_QUEUE_H

#include <linux/kref.h>
#include <linux/mutex.h>

#include <drm/gpu_scheduler.h>

#include "scoria_core.h"
#include "scoria_runqueue.h"

struct scoria_job;

/* Jobs of a queue that a core has at most; the others wait in the DRM scheduler. */
#define SCORIA_QUEUE_DEPTH	4

/* Jobs in a row that end in a reset of the core, for the queue to be banned. */
#define SCORIA_BAN_THRESHOLD	3

#define SCORIA_ALL_CORES	(BIT(SCORIA_MAX_CORES) - 1)

/**
 * struct scoria_queue_args - what a queue is to be
 * @priority:  before which others its jobs run
 * @core_mask: cores that they may run on
 * @bannable:  whether its jobs may fail only so often
 */
struct scoria_queue_args {
	enum scoria_priority priority;
	u32 core_mask;
	bool bannable;
};

/**
 * struct scoria_queue - jobs that start and end in the order of submission
 *
 * A queue moves to another core only when all its jobs have ended.
 */
struct scoria_queue {
	/** @ref: one by the file, one by each job. */
	struct kref ref;
	/** @sdev: the device. */
	struct scoria_device *sdev;
	/** @args: what it was made to be. */
	struct scoria_queue_args args;
	/** @fence_context: of the fences of its jobs. */
	u64 fence_context;

	/** @lock: covers what follows; held from the choice of a core to the push. */
	struct mutex lock;
	/** @closed: no job is taken any more. */
	bool closed;
	/** @entities: one for the scheduler of each core. */
	struct drm_sched_entity entities[SCORIA_MAX_CORES];
	/** @core: where the last job went, or NULL. */
	struct scoria_core *core;
	/** @last: finished fence of the last job, or NULL. */
	struct dma_fence *last;
	/** @last_batch: number of the last submit. */
	u64 last_batch;

	/**
	 * @share: what follows belongs to the core that has jobs of the queue,
	 * under its lock.
	 */
	struct scoria_share share;
	/** @fence_seqno: number of the fence started last. */
	u32 fence_seqno;
	/** @failures: jobs in a row that ended in a reset. */
	unsigned int failures;
	/** @failed_batch: submit of which a job failed last. */
	u64 failed_batch;
	/** @banned: runs nothing any more; read without lock. */
	bool banned;
};

/**
 * scoria_queue_create() - make a queue
 * @sdev: the device
 * @args: what it is to be
 *
 * Return: the queue with a reference, or an ERR_PTR().
 */
struct scoria_queue *scoria_queue_create(struct scoria_device *sdev,
					 const struct scoria_queue_args *args);

/**
 * scoria_queue_get() - take a reference
 * @queue: the queue
 *
 * Return: @queue.
 */
struct scoria_queue *scoria_queue_get(struct scoria_queue *queue);

/**
 * scoria_queue_put() - give a reference back
 * @queue: the queue
 *
 * The last one frees the queue, which may sleep.
 */
void scoria_queue_put(struct scoria_queue *queue);

/**
 * scoria_queue_drop() - a queue takes no more jobs
 * @queue: the queue
 *
 * Those that no core has are dropped: they end with -ESRCH. May sleep; not on the workqueue
 * of a core.
 */
void scoria_queue_drop(struct scoria_queue *queue);

/**
 * scoria_queue_flush() - wait until cores have all jobs of a queue
 * @queue: the queue
 * @timeout: jiffies to wait at most if the process exits
 *
 * Return: what is left of @timeout.
 */
long scoria_queue_flush(struct scoria_queue *queue, long timeout);

/**
 * scoria_queue_choose() - choose a core for the next jobs
 * @queue: the queue
 *
 * May wait for the jobs of a core that goes. Under the queue's lock.
 *
 * Return: the core, or ERR_PTR(-ENODEV) when none is left.
 */
struct scoria_core *scoria_queue_choose(struct scoria_queue *queue);

/**
 * scoria_queue_note() - a job is the last of its queue now
 * @queue: the queue
 * @job: the job, which has been armed
 *
 * Under the queue's lock.
 */
void scoria_queue_note(struct scoria_queue *queue, struct scoria_job *job);

/**
 * scoria_queue_rejects() - ask whether a job must not run, as those before it have
 *   failed
 * @queue: the queue
 * @job: the job
 *
 * Under the core's lock.
 *
 * Return: whether it must not.
 */
bool scoria_queue_rejects(const struct scoria_queue *queue, const struct scoria_job *job);

/**
 * scoria_queue_judge() - a job has ended
 * @queue: the queue
 * @job: the job
 * @error: its negative errno, or 0
 *
 * Under the core's lock.
 */
void scoria_queue_judge(struct scoria_queue *queue, const struct scoria_job *job, int error);

#endif
