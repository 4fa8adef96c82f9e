// SPDX-License-Identifier: GPL-2.0-only
/*
 * What spans the cores: the DRM device, on a platform device of its own so that
 * no core is special and any of them may be missing, and the clock they share.
 */
#include "scoria_device.h"

#include <linux/dma-mapping.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "scoria_drv.h"

/* Boards boot with the clock at 200 MHz. 600 MHz are good for 0.70 V, the least that they give. */
static unsigned int clock_mhz = 600;
module_param(clock_mhz, uint, 0644);
MODULE_PARM_DESC(clock_mhz,
		 "Clock while a core is powered, in MHz; 0 leaves it alone (default: 600)");

struct platform_device *scoria_device_create(void)
{
	const struct platform_device_info info = {
		.name = "scoria-device",
		.id = PLATFORM_DEVID_NONE,
		.dma_mask = DMA_BIT_MASK(40),
	};

	return platform_device_register_full(&info);
}

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
 * Only between these two calls, because the firmware hangs when the clock is
 * set while the power domain is off; and for all cores together, because one
 * that parks it would slow down the others.
 */
void scoria_device_clock_get(struct scoria_device *sdev, struct clk *clk)
{
	unsigned long rate = READ_ONCE(clock_mhz) * 1000000ul;

	guard(mutex)(&sdev->clock.lock);
	if (sdev->clock.users++)
		return;
	sdev->clock.parked = clk_get_rate(clk);
	if (rate)
		set_rate(sdev, clk, rate);
}

void scoria_device_clock_put(struct scoria_device *sdev, struct clk *clk)
{
	guard(mutex)(&sdev->clock.lock);
	if (--sdev->clock.users)
		return;
	if (sdev->clock.parked && sdev->clock.parked != clk_get_rate(clk))
		set_rate(sdev, clk, sdev->clock.parked);
}

static int device_init(struct scoria_device *sdev)
{
	int ret;

	sdev->cleanup_wq = scoria_cleanup_wq();
	ret = drmm_mutex_init(&sdev->drm, &sdev->clock.lock);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES && !ret; i++)
		ret = scoria_core_init(&sdev->cores[i], sdev, i);
	return ret;
}

static int scoria_device_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct scoria_device *sdev;
	int ret;

	sdev = devm_drm_dev_alloc(dev, &scoria_drm_driver, struct scoria_device, drm);
	if (IS_ERR(sdev))
		return PTR_ERR(sdev);
	dma_set_max_seg_size(dev, UINT_MAX);
	ret = device_init(sdev);
	if (ret)
		return ret;
	platform_set_drvdata(pdev, sdev);
	return 0;
}

struct platform_driver scoria_device_driver = {
	.probe = scoria_device_probe,
	.driver = {
		.name = "scoria-device",
		/* comes and goes with the cores */
		.suppress_bind_attrs = true,
	},
};
