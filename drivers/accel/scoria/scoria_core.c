// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core's clocks, resets, power and IOMMU; others reach them only through here.
 */
#include "scoria_core.h"

#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/iommu.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_devfreq.h"
#include "scoria_device.h"
#include "scoria_exec.h"
#include "scoria_irq.h"
#include "scoria_reset.h"
#include "scoria_sched.h"

#define NPU_VERSION_NUM_MASK	0xffff

/* A power cycle costs more than some jobs; power/autosuspend_delay_ms changes it. */
#define AUTOSUSPEND_MS		1000

/* 32 cycles of the slowest clock, with room; other drivers wait as long. */
#define RESET_HOLD_US		10

/* For the jobs that the hardware has when the system goes to sleep. */
#define DRAIN_MS		60000

const char * const scoria_core_names[SCORIA_MAX_CORES] = { "npu0", "npu1", "npu2" };

static void init_locked_state(struct scoria_core *core)
{
	spin_lock_init(&core->lock);
	scoria_runqueue_init(&core->staged);
	init_waitqueue_head(&core->drained);
	timer_setup(&core->watchdog, scoria_exec_watchdog, 0);
	INIT_WORK(&core->pump_work, scoria_exec_pump_work);
	INIT_WORK(&core->reset_work, scoria_reset_work);
}

/* By then no file is open and no job is left. */
static void core_fini(struct drm_device *drm, void *data)
{
	struct scoria_core *core = data;

	timer_shutdown_sync(&core->watchdog);
	scoria_sched_fini(core);
	destroy_workqueue(core->wq);
	put_device(core->dev);
}

int scoria_core_init(struct scoria_core *core, struct scoria_device *sdev, unsigned int index)
{
	int ret;

	core->sdev = sdev;
	core->index = index;
	strscpy(core->name, scoria_core_names[index]);
	init_locked_state(core);
	core->wq = alloc_ordered_workqueue("scoria-npu%u", WQ_MEM_RECLAIM | WQ_HIGHPRI, index);
	if (!core->wq)
		return -ENOMEM;
	ret = scoria_sched_init(core);
	if (ret) {
		destroy_workqueue(core->wq);
		return ret;
	}
	return drmm_add_action_or_reset(&sdev->drm, core_fini, core);
}

static int get_registers(struct scoria_core *core, struct platform_device *pdev)
{
	core->pc = devm_platform_ioremap_resource_byname(pdev, "pc");
	if (IS_ERR(core->pc))
		return dev_err_probe(&pdev->dev, PTR_ERR(core->pc), "no registers \"pc\"\n");
	core->cna = devm_platform_ioremap_resource_byname(pdev, "cna");
	if (IS_ERR(core->cna))
		return dev_err_probe(&pdev->dev, PTR_ERR(core->cna), "no registers \"cna\"\n");
	core->mac = devm_platform_ioremap_resource_byname(pdev, "core");
	if (IS_ERR(core->mac))
		return dev_err_probe(&pdev->dev, PTR_ERR(core->mac), "no registers \"core\"\n");
	return 0;
}

/* By name: without names, every clk_get() gives the first. */
static int get_clocks_and_resets(struct scoria_core *core, struct device *dev)
{
	static const char * const clocks[SCORIA_N_CLOCKS] = {
		[SCORIA_CLOCK_ACLK] = "aclk",
		[SCORIA_CLOCK_HCLK] = "hclk",
		[SCORIA_CLOCK_NPU] = "npu",
		[SCORIA_CLOCK_PCLK] = "pclk",
	};
	int ret;

	for (unsigned int i = 0; i < SCORIA_N_CLOCKS; i++)
		core->clks[i] = (struct clk_bulk_data){ .id = clocks[i] };
	ret = devm_clk_bulk_get(dev, SCORIA_N_CLOCKS, core->clks);
	if (ret)
		return dev_err_probe(dev, ret, "failed to get clocks\n");
	core->resets[0] = (struct reset_control_bulk_data){ .id = "srst_a" };
	core->resets[1] = (struct reset_control_bulk_data){ .id = "srst_h" };
	ret = devm_reset_control_bulk_get_exclusive(dev, SCORIA_N_RESETS, core->resets);
	if (ret)
		return dev_err_probe(dev, ret, "failed to get resets\n");
	return 0;
}

static void put_iommu(void *data)
{
	struct scoria_core *core = data;

	of_node_put(core->iommu_node);
	core->iommu_node = NULL;
	iommu_group_put(core->iommu_group);
	core->iommu_group = NULL;
}

static int get_iommu(struct scoria_core *core, struct device *dev)
{
	core->iommu_group = iommu_group_get(dev);
	if (!core->iommu_group)
		return dev_err_probe(dev, -ENODEV,
				     "no IOMMU: is CONFIG_ROCKCHIP_IOMMU on, and its node enabled?\n");
	core->iommu_node = of_parse_phandle(dev->of_node, "iommus", 0);
	return devm_add_action_or_reset(dev, put_iommu, core);
}

static int get_irq(struct scoria_core *core, struct platform_device *pdev)
{
	core->irq = platform_get_irq(pdev, 0);
	if (core->irq < 0)
		return core->irq;
	return devm_request_irq(&pdev->dev, core->irq, scoria_irq_handler, IRQF_SHARED,
				dev_name(&pdev->dev), core);
}

/* A core that is broken or fused off does not give its version. */
static int check_version(struct scoria_core *core)
{
	u32 version;

	scoped_guard(spinlock_irqsave, &core->lock) {
		version = scoria_pc_read(core, NPU_PC_VERSION) +
			  (scoria_pc_read(core, NPU_PC_VERSION_NUM) & NPU_VERSION_NUM_MASK);
		scoria_exec_quiesce(core);
	}
	if (version != SCORIA_NPU_VERSION) {
		dev_err(core->dev, "core %u is left out: its version reads %#x, not %#x\n",
			core->index, version, SCORIA_NPU_VERSION);
		return -ENODEV;
	}
	return 0;
}

/* While the power domain is on, which it no longer is when devres releases. */
static void power_off(struct scoria_core *core, struct device *dev)
{
	pm_runtime_dont_use_autosuspend(dev);
	pm_runtime_disable(dev);
	if (!pm_runtime_status_suspended(dev)) {
		scoria_core_runtime_suspend(dev);
		pm_runtime_set_suspended(dev);
	}
	dev_set_drvdata(dev, NULL);
}

static void power_on(struct scoria_core *core, struct device *dev)
{
	dev_set_drvdata(dev, core);
	pm_runtime_set_autosuspend_delay(dev, AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_enable(dev);
}

static void put_drm(void *data)
{
	drm_dev_put(data);
}

/*
 * What devres gives back for the hardware lies in the core, which must still be
 * there when that happens, after scoria_core_remove().
 */
static int keep_core(struct scoria_core *core, struct device *dev)
{
	drm_dev_get(&core->sdev->drm);
	return devm_add_action_or_reset(dev, put_drm, &core->sdev->drm);
}

static int get_resources(struct scoria_core *core, struct platform_device *pdev)
{
	int ret = keep_core(core, &pdev->dev);

	if (!ret)
		ret = get_registers(core, pdev);
	if (!ret)
		ret = get_clocks_and_resets(core, &pdev->dev);
	if (!ret)
		ret = get_iommu(core, &pdev->dev);
	if (!ret)
		ret = get_irq(core, pdev);
	return ret;
}

static int bring_up(struct scoria_core *core, struct device *dev)
{
	int ret = pm_runtime_resume_and_get(dev);

	if (ret)
		return dev_err_probe(dev, ret, "failed to power up\n");
	ret = check_version(core);
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
	return ret;
}

static void set_dev(struct scoria_core *core, struct device *dev)
{
	struct device *old;

	scoped_guard(spinlock_irqsave, &core->lock) {
		old = core->dev;
		core->dev = get_device(dev);
	}
	put_device(old);
}

int scoria_core_probe(struct scoria_core *core, struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	int ret;

	set_dev(core, dev);
	ret = get_resources(core, pdev);
	if (ret)
		return ret;
	core->used = true;
	power_on(core, dev);
	ret = bring_up(core, dev);
	if (!ret)
		ret = scoria_devfreq_add(core);
	if (ret) {
		power_off(core, dev);
		return ret;
	}
	guard(spinlock_irqsave)(&core->lock);
	core->present = true;
	return 0;
}

void scoria_core_remove(struct scoria_core *core)
{
	scoria_devfreq_remove(core);
	scoria_reset_retire(core);
	power_off(core, core->dev);
}

struct device *scoria_core_get_device(struct scoria_core *core)
{
	guard(spinlock_irqsave)(&core->lock);
	return get_device(core->dev);
}

struct device *scoria_core_power_get(struct scoria_core *core)
{
	struct device *dev = scoria_core_get_device(core);
	int ret = pm_runtime_resume_and_get(dev);

	if (!ret)
		return dev;
	put_device(dev);
	/* disabled: the driver was unbound meanwhile */
	return ERR_PTR(ret == -EACCES ? -ENODEV : ret);
}

void scoria_core_power_put(struct device *dev)
{
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
	put_device(dev);
}

/*
 * The registers of the IOMMU are lost with the core's. In reset they must not be touched,
 * as without power; debugfs may come at any time. When this fails it stays so.
 */
static int reset_core(struct scoria_core *core)
{
	int ret;

	scoped_guard(spinlock_irqsave, &core->lock)
		core->powered = false;
	ret = reset_control_bulk_assert(SCORIA_N_RESETS, core->resets);
	if (ret)
		return ret;
	udelay(RESET_HOLD_US);
	ret = reset_control_bulk_deassert(SCORIA_N_RESETS, core->resets);
	if (ret)
		return ret;
	core->used = false;
	guard(spinlock_irqsave)(&core->lock);
	core->powered = true;
	core->fresh = true;
	return 0;
}

static void set_as(struct scoria_core *core, struct scoria_as *as)
{
	guard(spinlock_irqsave)(&core->lock);
	core->as = as;
}

/* Not while runtime PM turns the core off, and its IOMMU, whose registers are in reset too. */
static int reset_if_powered(struct scoria_core *core)
{
	struct device *dev = scoria_core_get_device(core);
	int ret = 0;

	if (pm_runtime_get_if_active(dev) > 0) {
		ret = reset_core(core);
		pm_runtime_put_autosuspend(dev);
	}
	put_device(dev);
	return ret;
}

/*
 * The reset comes first: a block can still be at work though its job has ended,
 * when another block has ended it or has hung, and what it wrote while the IOMMU
 * changes tables would go to any memory. The lock keeps away those who map or
 * unmap buffers, which makes the IOMMU forget addresses.
 */
static int reset_and_detach(struct scoria_core *core, struct scoria_as *as)
{
	int ret = 0;

	if (as)
		mutex_lock(&as->lock);
	if (core->used)
		ret = reset_if_powered(core);
	if (as) {
		set_as(core, NULL);
		iommu_detach_group(as->domain, core->iommu_group);
		mutex_unlock(&as->lock);
	}
	return ret;
}

/*
 * Registers and tables keep their values from job to job, and some jobs wedge
 * the next one. None of that may pass from one file to another, so a core that
 * was used is reset between them; without power, when it is powered again. The
 * handler of the IOMMU, which shares the line, must neither find the registers
 * in reset nor be reporting a fault to an address space that goes.
 *
 * Fences wait for this, but dma_fence_begin_signalling() cannot say so: the IOMMU core
 * allocates under the mutex of a group when its device comes, and lockdep does not see
 * that this is never the group of a core that runs.
 */
static int vacate(struct scoria_core *core)
{
	struct scoria_as *as = core->as;
	int ret;

	if (!as && !core->used)
		return 0;
	disable_irq(core->irq);
	ret = reset_and_detach(core, as);
	enable_irq(core->irq);
	scoria_as_put(as);
	return ret;
}

int scoria_core_attach(struct scoria_core *core, struct scoria_as *as)
{
	int ret = vacate(core);

	if (!as)
		return ret;
	if (!ret)
		ret = iommu_attach_group(as->domain, core->iommu_group);
	if (ret) {
		dev_err_ratelimited(core->dev, "failed to attach an address space: %d\n", ret);
		return ret;
	}
	core->used = true;
	set_as(core, scoria_as_get(as));
	return 0;
}

int scoria_core_runtime_resume(struct device *dev)
{
	struct scoria_core *core = dev_get_drvdata(dev);
	int ret = clk_bulk_prepare_enable(SCORIA_N_CLOCKS, core->clks);

	if (ret) {
		dev_err(dev, "failed to enable clocks: %d\n", ret);
		return ret;
	}
	scoria_device_clock_get(core->sdev, core->clks[SCORIA_CLOCK_NPU].clk);
	guard(spinlock_irqsave)(&core->lock);
	core->powered = true;
	core->fresh = true;
	return 0;
}

int scoria_core_runtime_suspend(struct device *dev)
{
	struct scoria_core *core = dev_get_drvdata(dev);

	scoped_guard(spinlock_irqsave, &core->lock) {
		if (core->running)
			return -EBUSY;
		core->powered = false;
	}
	scoria_device_clock_put(core->sdev, core->clks[SCORIA_CLOCK_NPU].clk);
	clk_bulk_disable_unprepare(SCORIA_N_CLOCKS, core->clks);
	return 0;
}

/* Jobs that have left their queues end, those in the queues wait for the resume. */
int scoria_core_suspend(struct device *dev)
{
	struct scoria_core *core = dev_get_drvdata(dev);
	int ret;

	scoria_sched_stop(core);
	if (!wait_event_timeout(core->drained, scoria_exec_idle(core),
				msecs_to_jiffies(DRAIN_MS))) {
		scoria_sched_start(core);
		return -EBUSY;
	}
	/* it may be letting go of an address space: of an IOMMU that is still on */
	flush_work(&core->pump_work);
	ret = pm_runtime_force_suspend(dev);
	if (ret)
		scoria_sched_start(core);
	return ret;
}

int scoria_core_resume(struct device *dev)
{
	struct scoria_core *core = dev_get_drvdata(dev);
	int ret = pm_runtime_force_resume(dev);

	scoria_sched_start(core);
	return ret;
}
