// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts of a core: that of its PC, and that of its IOMMU, which shares the
 * line and has a driver of its own.
 */
#include "scoria_irq.h"

#include <linux/iommu.h>
#include <linux/string_choices.h>

#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_exec.h"
#include "scoria_job.h"
#include "scoria_trace.h"

static void handle_status(struct scoria_core *core, u32 status)
{
	core->stats.irqs++;
	trace_scoria_irq(core, status);
	if (status & SCORIA_INT_ERRORS) {
		dev_err_ratelimited(core->dev, "DMA %s error, interrupt status %#x\n",
				    str_write_read(status & NPU_INT_DMA_WRITE_ERROR), status);
		scoria_exec_fail(core, -EFAULT);
	} else {
		scoria_exec_done(core, status);
	}
}

/*
 * The mask is 0 unless a kick runs, so that only then the line can be ours. What
 * is masked is asked for and not the raw status: the mask holds for the last
 * task of a chain, and an interrupt of the IOMMU can come before that.
 */
irqreturn_t scoria_irq_handler(int irq, void *data)
{
	struct scoria_core *core = data;
	const struct scoria_job *job;
	u32 status;

	/* interrupts are off here, also where handlers are threads */
	guard(spinlock)(&core->lock);
	job = core->running;
	if (!core->powered || !job || core->error)
		return IRQ_NONE;
	status = scoria_pc_read(core, NPU_PC_INTERRUPT_STATUS);
	/* a bus that does not answer reads as ones */
	if (status == ~0u)
		return IRQ_NONE;
	status &= job->kick.done | SCORIA_INT_ERRORS;
	if (!status)
		return IRQ_NONE;
	handle_status(core, status);
	return IRQ_HANDLED;
}

/*
 * A block can be at work after the job, when another has ended that. Its fault, too, is
 * reported until a reset, again and again, by a handler that nobody would stop.
 */
static void fault_on_core(struct scoria_core *core, struct scoria_as *as, unsigned long iova,
			  int flags)
{
	guard(spinlock_irqsave)(&core->lock);
	if (core->as != as || core->error || !core->present)
		return;
	dev_err_ratelimited(core->dev, "%s %s address %#lx, which is not mapped so\n",
			    core->running ? "job" : "what is left of a job",
			    flags == IOMMU_FAULT_WRITE ? "writes" : "reads", iova);
	scoria_exec_recover(core, -EFAULT);
}

int scoria_irq_iommu_fault(struct iommu_domain *domain, struct device *iommu,
			   unsigned long iova, int flags, void *data)
{
	struct scoria_as *as = data;

	atomic_inc(&as->faults);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++) {
		struct scoria_core *core = &as->sdev->cores[i];

		if (READ_ONCE(core->present) && core->iommu_node == iommu->of_node)
			fault_on_core(core, as, iova, flags);
	}
	return 0;
}
