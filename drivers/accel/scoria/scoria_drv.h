/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DRV_H
#define SCORIA_DRV_H

#include <linux/types.h>

#include "scoria_ids.h"

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
 */
struct scoria_file {
	struct scoria_device *sdev;
	struct scoria_as *as;
	struct scoria_queue *queue;
	struct scoria_ids programs;
	struct scoria_ids queues;
};

/* Jobs keep the module; work that frees them runs on its own queue. */
struct workqueue_struct *scoria_cleanup_wq(void);
void scoria_job_count_inc(void);
void scoria_job_count_dec(void);

#endif
