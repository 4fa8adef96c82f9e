/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_JOB_H
#define SCORIA_JOB_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

struct drm_file;
struct scoria_as;
struct scoria_core;
struct scoria_file;
struct scoria_mapping;
struct scoria_program;
struct scoria_queue;

/* More handles than this in one list are a mistake. */
#define SCORIA_MAX_JOB_BOS	65536

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
 * struct scoria_job - a program on its way through a queue
 *
 * Owned by the submitting ioctl until scoria_job_push(), afterwards by the
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
	/** @program: what runs; of the job. */
	struct scoria_program *program;

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

	/** @link: in &scoria_core.staged. */
	struct list_head link;
	/** @next_kick: first kick that has not been started. */
	u32 next_kick;
	/** @start: when the first was. */
	ktime_t start;

	/** @cleanup: frees the job. */
	struct work_struct cleanup;
};

static inline struct scoria_job *to_scoria_job(struct drm_sched_job *base)
{
	return container_of(base, struct scoria_job, base);
}

struct scoria_job *scoria_job_create(struct scoria_file *file);

/* Add the buffers of an array of handles in userspace. */
int scoria_job_add_bos(struct scoria_job *job, struct drm_file *file, u64 handles, u32 n,
		       bool write);

/* Queue the job, which is gone for the caller if this returns 0. */
int scoria_job_push(struct scoria_job *job, struct scoria_queue *queue, u64 client_id);

/* From the scheduler or when scoria_job_push() was not reached; may be atomic. */
void scoria_job_free(struct scoria_job *job);

#endif
