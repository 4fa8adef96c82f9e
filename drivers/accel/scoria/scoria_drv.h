/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DRV_H
#define SCORIA_DRV_H

#include <linux/types.h>

#include "scoria_ids.h"
#include "scoria_recent.h"

struct scoria_as;
struct scoria_device;
struct scoria_queue;
struct workqueue_struct;

extern const struct drm_driver scoria_drm_driver;

/**
 * struct scoria_file - an open file
 * @sdev:     the device
 * @as:       its address space
 * @queue:    the queue of the ioctls that name none, and number 0 of those that do
 * @programs: programs, with a reference
 * @queues:   queues, with a reference
 * @recent:   jobs of rocket's ioctls that may come again
 */
struct scoria_file {
	struct scoria_device *sdev;
	struct scoria_as *as;
	struct scoria_queue *queue;
	struct scoria_ids programs;
	struct scoria_ids queues;
	struct scoria_recent recent;
};

/**
 * scoria_cleanup_wq() - the workqueue of what frees jobs
 *
 * Return: the workqueue, which the module flushes before it goes.
 */
struct workqueue_struct *scoria_cleanup_wq(void);

/**
 * scoria_job_count_inc() - a job exists, and keeps the module
 */
void scoria_job_count_inc(void);

/**
 * scoria_job_count_dec() - a job is gone
 */
void scoria_job_count_dec(void);

#endif
