// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Recovery
 *
 * One order for all that can go wrong, on the core's ordered workqueue, so that
 * neither the scheduler nor a switch of address spaces is under way:
 *
 * 1. Whoever noticed has set &scoria_core.error, which keeps everybody from
 *    starting anything, and has turned off the interrupt line, which the IOMMU
 *    shares. Under the lock: interrupts of the PC off, PC stopped.
 * 2. synchronize_irq(): no handler is at it any more, nor that of the IOMMU.
 * 3. Reset of the core. Only afterwards the IOMMU may be touched: it waits for
 *    transfers of the core that would never end, and the reset takes its
 *    registers too. The lock of the address space keeps away those who map.
 * 4. The address space is attached anew, and the line turned on.
 * 5. Under the lock: the job ends with its error, the next one starts.
 *
 * It may be that no job has failed: a block that was not done when its job ended can
 * still use an address that is not mapped.
 *
 * Other cores take no part.
 */
#include "scoria_reset.h"

#include <linux/dma-fence.h>
#include <linux/interrupt.h>

#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_dump.h"
#include "scoria_exec.h"
#include "scoria_job.h"
#include "scoria_trace.h"

/* Step 1, with the job that failed, or NULL; false when there is nothing to recover from. */
static bool stop(struct scoria_core *core, struct scoria_job **job)
{
	guard(spinlock_irqsave)(&core->lock);
	if (!core->error)
		return false;
	core->stats.resets++;
	trace_scoria_reset(core, core->running, core->error);
	if (core->powered)
		scoria_exec_quiesce(core);
	*job = core->running;
	return true;
}

/* Step 5. */
static void resume(struct scoria_core *core)
{
	int error;

	guard(spinlock_irqsave)(&core->lock);
	error = core->error;
	core->error = 0;
	if (core->running)
		scoria_exec_fail_job(core, error);
	if (!core->present)
		scoria_exec_drop_staged(core, -ENODEV);
}

/* Steps 3 and 4. What fails here shows when the next job attaches. */
static void recover(struct scoria_core *core)
{
	struct scoria_as *as = core->as ? scoria_as_get(core->as) : NULL;
	int ret = scoria_core_attach(core, NULL);

	if (ret)
		dev_err(core->dev, "failed to reset: %d\n", ret);
	else if (as && READ_ONCE(core->present))
		scoria_core_attach(core, as);
	scoria_as_put(as);
}

/* Others wait for the job, which lockdep is told: nothing here may wait for memory. */
static struct scoria_dump *take_dump(struct scoria_core *core, const struct scoria_job *job)
{
	bool cookie = dma_fence_begin_signalling();
	struct scoria_dump *dump = scoria_dump_take(core, job);

	dma_fence_end_signalling(cookie);
	return dump;
}

void scoria_reset_work(struct work_struct *work)
{
	struct scoria_core *core = container_of(work, struct scoria_core, reset_work);
	struct scoria_dump *dump = NULL;
	struct scoria_job *job;

	if (!stop(core, &job))
		return;
	synchronize_irq(core->irq);
	if (job)
		dump = take_dump(core, job);
	recover(core);
	enable_irq(core->irq);
	resume(core);
	scoria_exec_pump(core);
	scoria_dump_publish(dump, core);
}

void scoria_reset_retire(struct scoria_core *core)
{
	scoped_guard(spinlock_irqsave, &core->lock) {
		core->present = false;
		scoria_exec_fail(core, -ENODEV);
		scoria_exec_drop_staged(core, -ENODEV);
	}
	flush_work(&core->reset_work);
	/* lets go of the address space, on the workqueue as always */
	scoria_exec_request_pump(core);
	flush_work(&core->pump_work);
}
