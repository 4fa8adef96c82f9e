/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_CORE_H
#define SCORIA_CORE_H

#include <linux/clk.h>
#include <linux/io.h>
#include <linux/reset.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "rk3588_npu.h"
#include "scoria_runqueue.h"

struct platform_device;
struct scoria_as;
struct scoria_device;
struct scoria_job;

#define SCORIA_MAX_CORES	3

/* VERSION + VERSION_NUM[15:0] of every RK3588 ("FIRE"). */
#define SCORIA_NPU_VERSION	0x46495245

/*
 * S_POINTER with both pointers in ping-pong. Bit 0 is ignored then. The fields
 * lie alike in all blocks.
 */
#define SCORIA_POINTER_VALUE	(NPU_CNA_S_POINTER_POINTER_PP_MODE | \
				 NPU_CNA_S_POINTER_EXECUTER_PP_EN | \
				 NPU_CNA_S_POINTER_POINTER_PP_EN)

enum scoria_clock_id {
	SCORIA_CLOCK_ACLK,
	SCORIA_CLOCK_HCLK,
	SCORIA_CLOCK_NPU,
	SCORIA_CLOCK_PCLK,
	SCORIA_N_CLOCKS
};

#define SCORIA_N_RESETS		2

/**
 * struct scoria_core_stats - counted since the core was first bound
 * @jobs:   jobs that ended, whatever their result
 * @kicks:  starts of the PC
 * @irqs:   interrupts that ended a kick
 * @lost:   kicks that had ended although no interrupt came
 * @resets: recoveries
 * @busy_ns: time of jobs that ended
 */
struct scoria_core_stats {
	u64 jobs;
	u64 kicks;
	u64 irqs;
	u64 lost;
	u64 resets;
	u64 busy_ns;
};

/**
 * struct scoria_core - one NPU core
 *
 * The struct lives as long as the DRM device. What belongs to the bound
 * hardware is valid while @present.
 *
 * What may sleep and touches the core runs on @wq, which is ordered: staging
 * by the scheduler, switching address spaces, reset. Nothing else attaches or
 * detaches an address space.
 */
struct scoria_core {
	/** @sdev: the device that spans the cores. */
	struct scoria_device *sdev;
	/** @dev: hardware that was bound last; holds a reference. */
	struct device *dev;
	/** @index: number of the core in the chip. */
	unsigned int index;
	/** @name: of the schedulers, which may outlive the module. */
	char name[8];

	/** @pc: registers of the PC. */
	void __iomem *pc;
	/** @cna: registers of the CNA. */
	void __iomem *cna;
	/** @mac: registers of the block named CORE. */
	void __iomem *mac;
	/** @clks: by enum scoria_clock_id. */
	struct clk_bulk_data clks[SCORIA_N_CLOCKS];
	/** @resets: those of the AXI and AHB sides. */
	struct reset_control_bulk_data resets[SCORIA_N_RESETS];
	/** @irq: line shared with the IOMMU. */
	int irq;
	/** @iommu_group: group of @dev. */
	struct iommu_group *iommu_group;
	/** @iommu_node: the IOMMU's node, which fault reports name. */
	struct device_node *iommu_node;

	/** @wq: ordered; see above. */
	struct workqueue_struct *wq;
	/** @sched: by priority, they feed jobs of all queues into @staged. */
	struct drm_gpu_scheduler sched[SCORIA_N_PRIORITIES];
	/** @pump_work: starts the next job where the interrupt handler cannot. */
	struct work_struct pump_work;
	/** @reset_work: recovers from @error. */
	struct work_struct reset_work;
	/** @watchdog: looks at @deadline. */
	struct timer_list watchdog;
	/** @load: jobs given to the core that have not ended. */
	atomic_t load;
	/** @used: jobs may have run since the last reset; only on @wq. */
	bool used;

	/**
	 * @lock: covers all below and every register of the core. Taken by the
	 * interrupt handlers of the core and of its IOMMU (scoria_irq.c), the
	 * watchdog, staging and pumping (scoria_exec.c), the recovery
	 * (scoria_reset.c), power transitions and probe (scoria_core.c) and
	 * debugfs. Fences are signalled under it, so that they signal in order;
	 * nothing that waits for them may take it.
	 */
	spinlock_t lock;
	/** @present: hardware is bound and answers. */
	bool present;
	/** @powered: clocked, powered and not in reset: registers may be touched. */
	bool powered;
	/** @fresh: registers have their reset values. */
	bool fresh;
	/** @as: address space attached to the IOMMU, with a reference, or NULL. */
	struct scoria_as *as;
	/** @running: job that the hardware runs, or NULL. */
	struct scoria_job *running;
	/** @staged: jobs that the hardware runs next, in whose turn. */
	struct scoria_runqueue staged;
	/** @error: what ended @running, or came after it; not 0 until the core has been reset. */
	int error;
	/** @deadline: in jiffies, when the present kick has hung. */
	unsigned long deadline;
	/** @stats: for debugfs. */
	struct scoria_core_stats stats;

	/** @drained: woken when nothing runs and nothing is staged. */
	wait_queue_head_t drained;
};

/* For schedulers, fences and messages, by number. */
extern const char * const scoria_core_names[SCORIA_MAX_CORES];

/**
 * scoria_pc_read() - read a register of the PC
 * @core: the core, powered
 * @offset: of the register in the core's window
 *
 * Return: its value.
 */
static inline u32 scoria_pc_read(const struct scoria_core *core, u32 offset)
{
	return readl(core->pc + offset);
}

/**
 * scoria_pc_write() - write a register of the PC
 * @core: the core, powered
 * @offset: of the register in the core's window
 * @value: what to write
 */
static inline void scoria_pc_write(struct scoria_core *core, u32 offset, u32 value)
{
	writel(value, core->pc + offset);
}

/**
 * scoria_core_init() - set up a core before there is hardware for it
 * @core: the core
 * @sdev: the device
 * @index: number of the core
 *
 * Return: 0 or a negative errno.
 */
int scoria_core_init(struct scoria_core *core, struct scoria_device *sdev, unsigned int index);

/**
 * scoria_core_probe() - bind a core to its hardware
 * @core: the core
 * @pdev: the platform device of the core
 *
 * Return: 0 or a negative errno, -EPROBE_DEFER among them.
 */
int scoria_core_probe(struct scoria_core *core, struct platform_device *pdev);

/**
 * scoria_core_remove() - the hardware of a core goes away
 * @core: the core
 *
 * Every job that the core has ends with -ENODEV.
 */
void scoria_core_remove(struct scoria_core *core);

/**
 * scoria_core_get_device() - the device that is or was bound
 * @core: the core
 *
 * Return: the device with a reference; NULL if none ever was.
 */
struct device *scoria_core_get_device(struct scoria_core *core);

/**
 * scoria_core_power_get() - power a core for as long as a job needs it
 * @core: the core
 *
 * May sleep.
 *
 * Return: the device, for scoria_core_power_put() at the end, since another may have
 * been bound by then; ERR_PTR(-ENODEV) when the core was unbound, or another error of
 * runtime PM.
 */
struct device *scoria_core_power_get(struct scoria_core *core);

/**
 * scoria_core_power_put() - let go of the power of a core
 * @dev: what scoria_core_power_get() returned
 */
void scoria_core_power_put(struct device *dev);

/**
 * scoria_core_attach() - choose what the IOMMU of a core translates with
 * @core: the core
 * @as: the address space, NULL to detach
 *
 * Nothing that was left by the former one reaches the jobs of the next: a core that was
 * used is reset. Only on the core's workqueue.
 *
 * Return: 0 or a negative errno; nothing is attached then.
 */
int scoria_core_attach(struct scoria_core *core, struct scoria_as *as);

/**
 * scoria_core_runtime_suspend() - turn a core off, for runtime PM
 * @dev: the bound device
 *
 * Return: 0, or -EBUSY while a job runs.
 */
int scoria_core_runtime_suspend(struct device *dev);

/**
 * scoria_core_runtime_resume() - turn a core on, for runtime PM
 * @dev: the bound device
 *
 * Return: 0 or a negative errno.
 */
int scoria_core_runtime_resume(struct device *dev);

/**
 * scoria_core_suspend() - drain a core for system sleep
 * @dev: the bound device
 *
 * Return: 0, or -EBUSY when its jobs do not end, which stops the sleep.
 */
int scoria_core_suspend(struct device *dev);

/**
 * scoria_core_resume() - let a core go on after system sleep
 * @dev: the bound device
 *
 * Return: 0 or a negative errno.
 */
int scoria_core_resume(struct device *dev);

#endif
