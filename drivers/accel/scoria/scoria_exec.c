// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Who may touch the core
 *
 * A core runs one job at a time; others are staged behind it. A kick starts the
 * PC on a chain of tasks and ends with one interrupt, whose handler starts the
 * next kick or the next staged job of the same address space at once. A job of
 * another address space waits for the core's workqueue, since the IOMMU can only
 * be switched where one may sleep.
 *
 *	          stage                   kick               interrupt
 *	queue ------------> staged ---------------> running ----------> ended
 *	                                               |
 *	                        hang, fault, unbind    v       reset
 *	                                             failed ----------> ended
 *
 * While a job is failed (&scoria_core.error is set) nothing is started and no
 * interrupt of the core is enabled; only the recovery, on the workqueue, leaves
 * that state. All of it happens under the core's lock.
 */
#include "scoria_exec.h"

#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>

#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_fence.h"
#include "scoria_job.h"
#include "scoria_program.h"
#include "scoria_trace.h"

#define ALL_INTERRUPTS		NPU_PC_INTERRUPT_MASK_INT_MASK

/* All drivers set bit 14; the other two let the PC fetch ahead and count anew. */
#define TASK_CON_FLAGS		(NPU_PC_TASK_CON_UNKNOWN_14 | NPU_PC_TASK_CON_TASK_COUNT_CLEAR | \
				 NPU_PC_TASK_CON_TASK_PP_EN)

/* S_POINTER[29:28] get the number of the core in other drivers; the effect is unknown. */
#define POINTER_CORE_SHIFT	28

/* For each task of a kick beyond the first, as chains may have thousands. */
#define TASK_TIMEOUT_MS		10

static unsigned int timeout_ms = 500;
module_param(timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "Time after which a kick of one task has hung, 1 to 60000 ms (default: 500)");

static unsigned long kick_timeout(const struct scoria_kick *kick)
{
	return msecs_to_jiffies(clamp(READ_ONCE(timeout_ms), 1u, 60000u) +
				(kick->n_tasks - 1) * TASK_TIMEOUT_MS);
}

/* One timer serves all kicks: it looks again later when it is early. */
static void set_deadline(struct scoria_core *core, unsigned long timeout)
{
	core->deadline = jiffies + timeout;
	if (!timer_pending(&core->watchdog) || time_before(core->deadline, core->watchdog.expires))
		mod_timer(&core->watchdog, core->deadline);
}

static void arm_pointers(struct scoria_core *core, u32 enable)
{
	u32 value = SCORIA_POINTER_VALUE | core->index << POINTER_CORE_SHIFT;

	/* PC_SEL lets the host reach the blocks' registers */
	scoria_pc_write(core, NPU_PC_BASE_ADDRESS, NPU_PC_BASE_ADDRESS_PC_SEL);
	if (enable & NPU_ENABLE_CNA)
		writel(value, core->cna + (NPU_CNA_S_POINTER & 0xfff));
	if (enable & NPU_ENABLE_CORE)
		writel(value, core->mac + (NPU_CORE_S_POINTER & 0xfff));
}

static void start_kick(struct scoria_core *core)
{
	struct scoria_job *job = core->running;
	const struct scoria_kick *kick = &job->program->kicks[job->next_kick++];

	if (core->fresh)
		scoria_pc_write(core, NPU_PC_TASK_DMA_BASE_ADDR, 0);
	core->fresh = false;
	arm_pointers(core, kick->enable);
	scoria_pc_write(core, NPU_PC_BASE_ADDRESS, kick->iova);
	scoria_pc_write(core, NPU_PC_REGISTER_AMOUNTS, kick->amount);
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, kick->done | SCORIA_INT_ERRORS);
	scoria_pc_write(core, NPU_PC_TASK_CON, TASK_CON_FLAGS | kick->n_tasks);
	scoria_pc_write(core, NPU_PC_OPERATION_ENABLE, NPU_PC_OPERATION_ENABLE_OP_EN);
	set_deadline(core, kick_timeout(kick));
	core->stats.kicks++;
	trace_scoria_kick(core, job, kick);
}

/* Start the first staged job if the core may; false if it could not. */
static bool start_staged(struct scoria_core *core)
{
	struct scoria_job *job = list_first_entry_or_null(&core->staged, struct scoria_job, link);

	if (!job || core->running || core->error || !core->powered || job->as != core->as)
		return false;
	list_del_init(&job->link);
	core->running = job;
	job->start = ktime_get();
	start_kick(core);
	return true;
}

/* The address space that is attached will not be used again. */
static bool as_is_stale(const struct scoria_core *core)
{
	return core->as && (READ_ONCE(core->as->closed) || !core->present);
}

/* What only the workqueue can do: switch to, or let go of, an address space. */
static bool needs_pump(const struct scoria_core *core)
{
	return !list_empty(&core->staged) || as_is_stale(core);
}

void scoria_exec_request_pump(struct scoria_core *core)
{
	queue_work(core->wq, &core->pump_work);
}

static void end_fence(struct scoria_job *job, int error)
{
	struct dma_fence *fence = dma_fence_get(job->fence);

	job->ended = true;
	atomic_dec(&job->core->load);
	if (error)
		dma_fence_set_error(fence, error);
	/* the job can be freed from here on */
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

void scoria_exec_end_job(struct scoria_core *core, int error)
{
	struct scoria_job *job = core->running;

	lockdep_assert_held(&core->lock);
	core->running = NULL;
	core->stats.jobs++;
	atomic64_add(ktime_to_ns(ktime_sub(ktime_get(), job->start)),
		     &job->as->busy_ns[core->index]);
	if (!start_staged(core)) {
		if (core->powered)
			scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, 0);
		if (needs_pump(core))
			scoria_exec_request_pump(core);
		else if (list_empty(&core->staged))
			wake_up(&core->drained);
	}
	trace_scoria_done(core, job, error);
	end_fence(job, error);
}

void scoria_exec_kick_done(struct scoria_core *core)
{
	lockdep_assert_held(&core->lock);
	scoria_pc_write(core, NPU_PC_OPERATION_ENABLE, 0);
	scoria_pc_write(core, NPU_PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
	if (core->running->next_kick < core->running->program->n_kicks)
		start_kick(core);
	else
		scoria_exec_end_job(core, 0);
}

void scoria_exec_quiesce(struct scoria_core *core)
{
	lockdep_assert_held(&core->lock);
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, 0);
	scoria_pc_write(core, NPU_PC_OPERATION_ENABLE, 0);
	scoria_pc_write(core, NPU_PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
}

void scoria_exec_fail(struct scoria_core *core, int error)
{
	lockdep_assert_held(&core->lock);
	if (!core->running || core->error)
		return;
	core->error = error;
	/* the IOMMU reports a fault again and again until the reset */
	disable_irq_nosync(core->irq);
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, 0);
	queue_work(core->wq, &core->reset_work);
}

void scoria_exec_drop_staged(struct scoria_core *core, int error)
{
	struct scoria_job *job, *next;

	lockdep_assert_held(&core->lock);
	list_for_each_entry_safe(job, next, &core->staged, link) {
		list_del_init(&job->link);
		end_fence(job, error);
	}
	wake_up(&core->drained);
}

struct dma_fence *scoria_exec_stage(struct scoria_core *core, struct scoria_job *job)
{
	struct dma_fence *fence = dma_fence_get(job->fence);

	scoped_guard(spinlock_irqsave, &core->lock) {
		list_add_tail(&job->link, &core->staged);
		if (!core->present)
			scoria_exec_drop_staged(core, -ENODEV);
	}
	scoria_exec_pump(core);
	return fence;
}

/*
 * Start the first staged job, or say with which address space that could be
 * done. NULL: there is nothing to do, or the interrupt handler will do it.
 */
static struct scoria_as *try_start(struct scoria_core *core, bool *detach)
{
	struct scoria_job *job;

	guard(spinlock_irqsave)(&core->lock);
	*detach = false;
	if (core->running || core->error || start_staged(core))
		return NULL;
	job = list_first_entry_or_null(&core->staged, struct scoria_job, link);
	if (job)
		return job->as;
	*detach = as_is_stale(core);
	wake_up(&core->drained);
	return NULL;
}

static void drop_first(struct scoria_core *core, int error)
{
	struct scoria_job *job;

	guard(spinlock_irqsave)(&core->lock);
	job = list_first_entry_or_null(&core->staged, struct scoria_job, link);
	if (!job)
		return;
	list_del_init(&job->link);
	end_fence(job, error);
}

/*
 * While nothing runs, only this workqueue takes jobs from the staged ones, so
 * that the first stays the first while the IOMMU is switched.
 */
void scoria_exec_pump(struct scoria_core *core)
{
	struct scoria_as *as;
	bool detach;

	while ((as = try_start(core, &detach))) {
		int ret = as == core->as ? -ENODEV : scoria_core_attach(core, as);

		if (ret)
			drop_first(core, ret);
	}
	if (detach)
		scoria_core_attach(core, NULL);
}

void scoria_exec_pump_work(struct work_struct *work)
{
	scoria_exec_pump(container_of(work, struct scoria_core, pump_work));
}

bool scoria_exec_idle(struct scoria_core *core)
{
	guard(spinlock_irqsave)(&core->lock);
	return !core->running && list_empty(&core->staged);
}

/* The kick is done although no interrupt said so. */
static bool has_ended(struct scoria_core *core)
{
	const struct scoria_job *job = core->running;
	u32 status = scoria_pc_read(core, NPU_PC_INTERRUPT_STATUS);

	return status & job->program->kicks[job->next_kick - 1].done &&
	       !(status & SCORIA_INT_ERRORS);
}

static void report_hang(struct scoria_core *core)
{
	const struct scoria_job *job = core->running;

	dev_err_ratelimited(core->dev,
			    "job hung in kick %u of %u: raw %#x, tasks %#x\n",
			    job->next_kick, job->program->n_kicks,
			    scoria_pc_read(core, NPU_PC_INTERRUPT_RAW_STATUS),
			    scoria_pc_read(core, NPU_PC_TASK_STATUS));
}

void scoria_exec_watchdog(struct timer_list *timer)
{
	struct scoria_core *core = container_of(timer, struct scoria_core, watchdog);

	guard(spinlock_irqsave)(&core->lock);
	if (!core->running || core->error || !core->powered)
		return;
	if (time_before(jiffies, core->deadline)) {
		mod_timer(&core->watchdog, core->deadline);
	} else if (has_ended(core)) {
		core->stats.lost++;
		scoria_exec_kick_done(core);
	} else {
		report_hang(core);
		scoria_exec_fail(core, -EIO);
	}
}
