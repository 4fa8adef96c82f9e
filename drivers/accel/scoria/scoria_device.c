// SPDX-License-Identifier: GPL-2.0-only
/*
 * What spans the cores: the DRM device, on a platform device of its own so that
 * no core is special and any of them may be missing, and the clock they share.
 *
 * The platform device stays while the module is loaded. The DRM device is there
 * while a core is bound, and longer while files are open, so that there can be
 * several of them.
 */
#include "scoria_device.h"

#include <linux/device.h>
#include <linux/kmemleak.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "scoria_compat.h"
#include "scoria_devfreq.h"
#include "scoria_drv.h"

/* Boards boot with the clock at 200 MHz. 600 MHz are good for 0.70 V, the least that they give. */
static unsigned int clock_mhz = 600;
module_param(clock_mhz, uint, 0644);
MODULE_PARM_DESC(clock_mhz,
		 "Clock while a core is powered, in MHz; 0 leaves it alone; without effect where operating points are scaled by load (default: 600)");

struct scoria_core *scoria_device_any_core(struct scoria_device *sdev)
{
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		if (READ_ONCE(sdev->cores[i].present))
			return &sdev->cores[i];
	return NULL;
}

/* Failing is no reason to stop: the NPU runs at whatever clock it has. */
static void set_rate(struct scoria_device *sdev, struct clk *clk, unsigned long rate)
{
	int ret = clk_set_rate(clk, rate);

	if (ret)
		drm_warn_once(&sdev->drm, "failed to set the clock to %lu Hz: %d\n", rate, ret);
}

/*
 * Binding a core sets the clock to what its node's assigned-clock-rates say, under
 * the cores that run.
 */
static void restore_rate(struct scoria_device *sdev, struct clk *clk)
{
	if (scoria_devfreq_restore(sdev, clk))
		return;
	if (clk_get_rate(clk) != sdev->clock.rate)
		set_rate(sdev, clk, sdev->clock.rate);
}

/*
 * Only between these two calls, because the firmware hangs when the clock is
 * set while the power domain is off; and for all cores together, because one
 * that parks it would slow down the others.
 */
void scoria_device_clock_get(struct scoria_device *sdev, struct clk *clk)
{
	unsigned long rate = READ_ONCE(clock_mhz) * 1000000ul;

	guard(mutex)(&sdev->clock.lock);
	if (sdev->clock.users++) {
		restore_rate(sdev, clk);
		return;
	}
	sdev->clock.parked = clk_get_rate(clk);
	if (scoria_devfreq_resume(sdev))
		return;
	if (rate)
		set_rate(sdev, clk, rate);
	WRITE_ONCE(sdev->clock.rate, clk_get_rate(clk));
}

void scoria_device_clock_put(struct scoria_device *sdev, struct clk *clk)
{
	guard(mutex)(&sdev->clock.lock);
	if (--sdev->clock.users || scoria_devfreq_suspend(sdev, sdev->clock.parked))
		return;
	if (sdev->clock.parked && sdev->clock.parked != clk_get_rate(clk))
		set_rate(sdev, clk, sdev->clock.parked);
}

static void free_cores(struct drm_device *drm, void *cores)
{
	if (SCORIA_FENCES_FORGET_SCHED)
		kfree(cores);
}

/* Apart from the device, because fences may need their schedulers longer. */
static int alloc_cores(struct scoria_device *sdev)
{
	sdev->cores = kcalloc(SCORIA_MAX_CORES, sizeof(*sdev->cores), GFP_KERNEL);
	if (!sdev->cores)
		return -ENOMEM;
	if (!SCORIA_FENCES_FORGET_SCHED)
		kmemleak_not_leak(sdev->cores);
	return drmm_add_action_or_reset(&sdev->drm, free_cores, sdev->cores);
}

static int device_init(struct scoria_device *sdev)
{
	int ret;

	sdev->cleanup_wq = scoria_cleanup_wq();
	ret = drmm_mutex_init(&sdev->drm, &sdev->clock.lock);
	if (!ret)
		ret = scoria_devfreq_init(sdev);
	if (!ret)
		ret = alloc_cores(sdev);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES && !ret; i++)
		ret = scoria_core_init(&sdev->cores[i], sdev, i);
	return ret;
}

static struct scoria_device *device_alloc(struct device *parent)
{
	struct scoria_device *sdev;
	int ret;

	sdev = devm_drm_dev_alloc(parent, &scoria_drm_driver, struct scoria_device, drm);
	if (IS_ERR(sdev))
		return sdev;
	ret = device_init(sdev);
	return ret ? ERR_PTR(ret) : sdev;
}

struct scoria_device *scoria_device_create(struct device *parent)
{
	void *group = devres_open_group(parent, NULL, GFP_KERNEL);
	struct scoria_device *sdev;

	if (!group)
		return ERR_PTR(-ENOMEM);
	sdev = device_alloc(parent);
	if (IS_ERR(sdev)) {
		devres_release_group(parent, group);
		return sdev;
	}
	devres_close_group(parent, group);
	sdev->devres_group = group;
	return sdev;
}

void scoria_device_destroy(struct scoria_device *sdev)
{
	devres_release_group(sdev->drm.dev, sdev->devres_group);
}
