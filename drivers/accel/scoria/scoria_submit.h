/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_SUBMIT_H
#define SCORIA_SUBMIT_H

#include <linux/types.h>

struct dma_fence;
struct dma_fence_chain;
struct drm_file;
struct drm_gem_object;
struct drm_syncobj;
struct scoria_core;
struct scoria_job;
struct scoria_queue;

/**
 * struct scoria_signal - a syncobj that the end of a submit signals
 * @syncobj: with a reference
 * @chain:   room for the point of a timeline, NULL when the syncobj is binary
 * @point:   the point
 */
struct scoria_signal {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct scoria_submit - what one ioctl gives to a queue, all or nothing
 */
struct scoria_submit {
	/** @queue: with a reference. */
	struct scoria_queue *queue;
	/** @client_id: of the file, for traces. */
	u64 client_id;

	/** @jobs: in order; owned until they are pushed. */
	struct scoria_job **jobs;
	/** @n_jobs: their number; @jobs has room for @max_jobs. */
	u32 n_jobs;
	/** @max_jobs: see there. */
	u32 max_jobs;
	/** @n_inited: jobs that the scheduler knows. */
	u32 n_inited;

	/** @waits: fences that the first job waits for, with references. */
	struct dma_fence **waits;
	/** @n_waits: their number. */
	u32 n_waits;
	/** @signals: what the last job signals. */
	struct scoria_signal *signals;
	/** @n_signals: their number. */
	u32 n_signals;

	/** @objs: one for each reservation object of the jobs, to be locked. */
	struct drm_gem_object **objs;
	/** @uses: how many jobs use each of @objs. */
	u32 *uses;
	/** @n_objs: their number. */
	u32 n_objs;
};

/**
 * scoria_submit_init() - prepare to submit jobs to a queue
 * @submit: the submit
 * @file: the open file
 * @queue: the queue, for which the submit takes a reference
 * @max_jobs: jobs that can be added
 *
 * Return: 0 or a negative errno.
 */
int scoria_submit_init(struct scoria_submit *submit, struct drm_file *file,
		       struct scoria_queue *queue, u32 max_jobs);

/**
 * scoria_submit_fini() - let go of what a submit holds
 * @submit: the submit
 *
 * Jobs that were not pushed are freed.
 */
void scoria_submit_fini(struct scoria_submit *submit);

/**
 * scoria_submit_add() - add a job
 * @submit: the submit
 * @job: the job, which belongs to the submit from here on
 */
void scoria_submit_add(struct scoria_submit *submit, struct scoria_job *job);

/**
 * scoria_submit_push() - queue the jobs
 * @submit: the submit
 *
 * Return: 0, -EIO when the queue is banned, -ENOENT when it was closed, -ENODEV when no
 * core is left, or another negative errno; no job is queued then.
 */
int scoria_submit_push(struct scoria_submit *submit);

#endif
