/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_DEVICE_H
#define SCORIA_DEVICE_H

#include <linux/mutex.h>

#include <drm/drm_device.h>

#include "scoria_core.h"

struct scoria_devfreq;

/**
 * struct scoria_device - what spans the cores
 */
struct scoria_device {
	/** @drm: the DRM device. */
	struct drm_device drm;

	/** @cores: by number in the chip, bound or not; SCORIA_MAX_CORES. */
	struct scoria_core *cores;

	/** @devres_group: what scoria_device_destroy() releases. */
	void *devres_group;

	/** @cleanup_wq: where jobs are freed; belongs to the module. */
	struct workqueue_struct *cleanup_wq;

	/** @devfreq: sets the clock by load where it can; of scoria_devfreq.c. */
	struct scoria_devfreq *devfreq;

	/** @clock: the one clock that all cores run at. */
	struct {
		/** @clock.lock: covers all of it. */
		struct mutex lock;
		/** @clock.users: cores that are powered. */
		unsigned int users;
		/** @clock.parked: rate while none was, to go back to. */
		unsigned long parked;
		/** @clock.rate: what they run or ran at last; read without lock. */
		unsigned long rate;
	} clock;
};

/**
 * to_scoria_device() - the device behind a DRM device
 * @drm: the DRM device
 *
 * Return: the device.
 */
static inline struct scoria_device *to_scoria_device(struct drm_device *drm)
{
	return container_of(drm, struct scoria_device, drm);
}

/**
 * scoria_device_create() - make the DRM device, which is not yet registered
 * @parent: the device whose DMA addresses it uses
 *
 * Return: the device, or an ERR_PTR().
 */
struct scoria_device *scoria_device_create(struct device *parent);

/**
 * scoria_device_destroy() - drop the device once it is unplugged
 * @sdev: the device
 *
 * Open files keep what they need of it.
 */
void scoria_device_destroy(struct scoria_device *sdev);

/**
 * scoria_device_any_core() - find a core that is bound
 * @sdev: the device
 *
 * Only a hint: it can go at any time.
 *
 * Return: the core, NULL when none is bound.
 */
struct scoria_core *scoria_device_any_core(struct scoria_device *sdev);

/**
 * scoria_device_clock_get() - raise the clock that the cores share
 * @sdev: the device
 * @clk: the clock
 *
 * Called when a core has been powered, with its power domain on.
 */
void scoria_device_clock_get(struct scoria_device *sdev, struct clk *clk);

/**
 * scoria_device_clock_put() - a core no longer needs the clock that the cores share
 * @sdev: the device
 * @clk: the clock
 *
 * The last one parks it, with the power domain still on.
 */
void scoria_device_clock_put(struct scoria_device *sdev, struct clk *clk);

#endif
