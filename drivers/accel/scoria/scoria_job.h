/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_JOB_H
#define SCORIA_JOB_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "scoria_segment.h"

struct dma_resv;
struct scoria_as;
struct scoria_core;
struct scoria_file;
struct scoria_mapping;
struct scoria_program;
struct scoria_queue;

/**
 * struct scoria_job_bo - a buffer that a job was given
 * @map:   the buffer, with a reference
 * @write: the job writes it
 */
struct scoria_job_bo {
	struct scoria_mapping *map;
	bool write;
};

/**
 * struct scoria_job - tasks of a program on their way through a queue
 *
 * Owned by the submitting ioctl until scoria_submit_push(), afterwards by the
 * scheduler, which ends with scoria_job_free(). Everything that may fail is
 * done before.
 */
struct scoria_job {
	/** @base: for the scheduler. */
	struct drm_sched_job base;
	/** @sdev: the device, with a reference on its DRM device. */
	struct scoria_device *sdev;
	/** @as: address space, with a reference. */
	struct scoria_as *as;
	/** @queue: with a reference; NULL before the job is pushed. */
	struct scoria_queue *queue;
	/** @batch: number in the queue of the submit that it belongs to. */
	u64 batch;

	/** @program: what runs, with a reference. */
	struct scoria_program *program;
	/** @n_tasks: how many tasks of it. */
	u32 n_tasks;
	/** @next_task: first task behind @kick. */
	u32 next_task;
	/** @end_task: the one behind the last. */
	u32 end_task;
	/** @timeout_ms: for all of them; 0 when each kick has its own. */
	u32 timeout_ms;
	/** @unchained: each task is a kick. */
	bool unchained;

	/** @bos: buffers that the job reads or writes, by reservation object. */
	struct scoria_job_bo *bos;
	/** @n_bos: their number. */
	u32 n_bos;

	/** @core: where it runs; NULL before it is chosen. */
	struct scoria_core *core;
	/** @power: device of @core, powered for the job. */
	struct device *power;
	/** @fence: signalled when the hardware is done. */
	struct dma_fence *fence;
	/** @started: the scheduler has run the job, and @fence was started. */
	bool started;

	/** @ended: the core is done with it. */
	bool ended;

	/** @link: in &scoria_share.jobs. */
	struct list_head link;
	/** @kick: the present or last one; of a staged job, the first. */
	struct scoria_kick kick;
	/** @start: when the first was. */
	ktime_t start;
	/** @deadline: in jiffies, when the job has hung, if it has @timeout_ms. */
	unsigned long deadline;

	/** @cleanup: frees the job. */
	struct work_struct cleanup;
};

/**
 * to_scoria_job() - the job behind one of the scheduler
 * @base: the scheduler's
 *
 * Return: the job.
 */
static inline struct scoria_job *to_scoria_job(struct drm_sched_job *base)
{
	return container_of(base, struct scoria_job, base);
}

/**
 * scoria_job_create() - make a job of some tasks of a program
 * @file: the open file
 * @program: the program
 * @first: the first task
 * @end: the task behind the last one
 *
 * Return: the job, which holds a reference on the program; NULL when there is no
 * memory.
 */
struct scoria_job *scoria_job_create(struct scoria_file *file, struct scoria_program *program,
				     u32 first, u32 end);

/**
 * scoria_job_reserve_bos() - make room for buffers
 * @job: the job
 * @n: how many more
 *
 * Return: 0, -EINVAL when that is too many, or -ENOMEM.
 */
int scoria_job_reserve_bos(struct scoria_job *job, u32 n);

/**
 * scoria_job_add_bo() - give a job a buffer
 * @job: the job
 * @map: the buffer's mapping; the caller's reference goes with it
 * @write: whether the job writes it
 *
 * There must be room.
 */
void scoria_job_add_bo(struct scoria_job *job, struct scoria_mapping *map, bool write);

/**
 * scoria_job_sort_bos() - sort the buffers of a job by reservation object
 * @job: the job
 *
 * No buffer is added afterwards.
 */
void scoria_job_sort_bos(struct scoria_job *job);

/**
 * scoria_job_next_resv() - walk the reservation objects of a job
 * @job: the job
 * @at: moved to the next
 * @write: set if any buffer that shares the reservation object is written
 *
 * Return: the object of a buffer of the one at *@at, NULL at the end.
 */
struct drm_gem_object *scoria_job_next_resv(const struct scoria_job *job, u32 *at, bool *write);

/**
 * scoria_job_free() - free a job
 * @job: the job
 *
 * From the scheduler or when the job was not pushed; may be atomic.
 */
void scoria_job_free(struct scoria_job *job);

#endif
