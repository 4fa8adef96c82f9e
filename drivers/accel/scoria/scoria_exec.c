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
#include "scoria_limits.h"
#include "scoria_program.h"
#include "scoria_queue.h"
#include "scoria_trace.h"

#define ALL_INTERRUPTS		NPU_PC_INTERRUPT_MASK_INT_MASK

/* All drivers set bit 14; the other two let the PC fetch ahead and count anew. */
#define TASK_CON_FLAGS		(NPU_PC_TASK_CON_UNKNOWN_14 | NPU_PC_TASK_CON_TASK_COUNT_CLEAR | \
				 NPU_PC_TASK_CON_TASK_PP_EN)

/* S_POINTER[29:28] get the number of the core in other drivers; the effect is unknown. */
#define POINTER_CORE_SHIFT	28

static unsigned int timeout_ms = 500;
module_param(timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "Time after which a kick of one task has hung, 1 to 60000 ms (default: 500)");

static bool one_task_per_kick;
module_param(one_task_per_kick, bool, 0644);
MODULE_PARM_DESC(one_task_per_kick,
		 "Start every task by itself instead of chaining them (default: false)");

u32 scoria_exec_timeout_ms(void)
{
	return clamp(READ_ONCE(timeout_ms), 1u, (u32)SCORIA_MAX_TIMEOUT_MS);
}

/* What is left of the present tick does not count. */
static unsigned long jiffies_in(u32 ms)
{
	return jiffies + 1 + msecs_to_jiffies(ms);
}

static unsigned long job_deadline(const struct scoria_job *job)
{
	if (job->timeout_ms)
		return job->deadline;
	return jiffies_in(scoria_exec_timeout_ms() +
			  (job->kick.n_tasks - 1) * SCORIA_TASK_TIMEOUT_MS);
}

/* One timer serves all kicks: it looks again later when it is early. */
static void set_deadline(struct scoria_core *core, unsigned long deadline)
{
	core->deadline = deadline;
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

static void prepare_kick(struct scoria_job *job)
{
	u32 max = job->unchained || READ_ONCE(one_task_per_kick) ? 1 : SCORIA_MAX_KICK_TASKS;
	u32 n = min(job->end_task - job->next_task, max);

	scoria_chain_kick(&job->program->chain[job->next_task], n, &job->kick);
	job->next_task += n;
}

/* Start the kick that was prepared. */
static void start_kick(struct scoria_core *core, struct scoria_job *job)
{
	const struct scoria_kick *kick = &job->kick;

	core->running = job;
	if (core->fresh)
		scoria_pc_write(core, NPU_PC_TASK_DMA_BASE_ADDR, 0);
	core->fresh = false;
	arm_pointers(core, kick->enable);
	scoria_pc_write(core, NPU_PC_BASE_ADDRESS, kick->iova);
	scoria_pc_write(core, NPU_PC_REGISTER_AMOUNTS, kick->amount);
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, kick->done | SCORIA_INT_ERRORS);
	scoria_pc_write(core, NPU_PC_TASK_CON, TASK_CON_FLAGS | kick->n_tasks);
	scoria_pc_write(core, NPU_PC_OPERATION_ENABLE, NPU_PC_OPERATION_ENABLE_OP_EN);
	core->stats.kicks++;
	trace_scoria_kick(core, job);
}

static struct scoria_job *job_of(struct list_head *link)
{
	return link ? container_of(link, struct scoria_job, link) : NULL;
}

static struct scoria_job *first_staged(const struct scoria_core *core)
{
	return job_of(scoria_runqueue_first(&core->staged));
}

static bool may_start(const struct scoria_core *core, const struct scoria_job *job)
{
	return job && !core->error && core->present && core->powered && job->as == core->as;
}

/* Its first kick has started: @job is staged no longer. */
static void note_start(struct scoria_core *core, struct scoria_job *job, ktime_t now)
{
	scoria_runqueue_take(&core->staged, &job->queue->share);
	job->start = now;
	job->deadline = jiffies_in(job->timeout_ms);
	set_deadline(core, job_deadline(job));
}

/* Start the first staged job if the core may; false if it could not. */
static bool start_staged(struct scoria_core *core, ktime_t now)
{
	struct scoria_job *job = first_staged(core);

	if (core->running || !may_start(core, job))
		return false;
	start_kick(core, job);
	note_start(core, job, now);
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
	return core->staged.n_jobs || as_is_stale(core);
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

/* Move to @rejected what the queue has staged and must not run any more. */
static void reject_staged(struct scoria_core *core, struct scoria_queue *queue,
			  struct list_head *rejected)
{
	struct scoria_job *job, *next;

	list_for_each_entry_safe(job, next, &queue->share.jobs, link) {
		if (!scoria_queue_rejects(queue, job))
			continue;
		scoria_runqueue_remove(&core->staged, &queue->share, &job->link);
		list_add_tail(&job->link, rejected);
	}
}

/* @job, which is staged no longer, ends with @error; what depends on it is not to run. */
static void fail_job(struct scoria_core *core, struct scoria_job *job, int error)
{
	struct scoria_queue *queue = job->queue;
	struct scoria_job *next;
	LIST_HEAD(rejected);

	scoria_queue_judge(queue, job, error);
	reject_staged(core, queue, &rejected);
	end_fence(job, error);
	list_for_each_entry_safe(job, next, &rejected, link) {
		list_del_init(&job->link);
		end_fence(job, -ECANCELED);
	}
}

/* @job has ended: its time counts for its queue and its file. */
static void account(struct scoria_core *core, struct scoria_job *job, ktime_t now, int error)
{
	u64 ns = ktime_to_ns(ktime_sub(now, job->start));

	scoria_runqueue_end(&core->staged, &job->queue->share, ns);
	core->stats.jobs++;
	core->stats.busy_ns += ns;
	atomic64_add(ns, &job->as->busy_ns[core->index]);
	trace_scoria_done(core, job, error);
}

/* Nothing could be started. */
static void idle(struct scoria_core *core)
{
	if (core->powered)
		scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, 0);
	if (needs_pump(core))
		scoria_exec_request_pump(core);
	else
		wake_up(&core->drained);
}

/* The staged job that can follow the running one at once, or NULL. */
static struct scoria_job *next_job(const struct scoria_core *core)
{
	const struct scoria_job *job = core->running;
	const struct scoria_share *share = &job->queue->share;
	struct scoria_job *next;
	u64 ns = 0;

	/* asking for the time takes as long as all else here */
	if (scoria_runqueue_is_open(&core->staged, share))
		ns = ktime_to_ns(ktime_sub(ktime_get(), job->start));
	next = job_of(scoria_runqueue_next(&core->staged, share, ns));
	return may_start(core, next) ? next : NULL;
}

/*
 * In the interrupt handler: the NPU idles until the next kick, so that comes before
 * all that it does not need. What the job leaves to its queue is done before its
 * fence signals.
 */
static void finish_job(struct scoria_core *core)
{
	struct scoria_job *job = core->running;
	struct scoria_job *next = next_job(core);
	ktime_t now;

	core->running = NULL;
	if (next)
		start_kick(core, next);
	now = ktime_get();
	account(core, job, now, 0);
	if (next)
		note_start(core, next, now);
	else
		idle(core);
	scoria_queue_judge(job->queue, job, 0);
	end_fence(job, 0);
}

void scoria_exec_fail_job(struct scoria_core *core, int error)
{
	struct scoria_job *job = core->running;
	ktime_t now = ktime_get();

	lockdep_assert_held(&core->lock);
	core->running = NULL;
	account(core, job, now, error);
	fail_job(core, job, error);
	if (!start_staged(core, now))
		idle(core);
}

static void kick_done(struct scoria_core *core)
{
	struct scoria_job *job = core->running;

	scoria_pc_write(core, NPU_PC_OPERATION_ENABLE, 0);
	scoria_pc_write(core, NPU_PC_INTERRUPT_CLEAR, ALL_INTERRUPTS);
	if (job->next_task < job->end_task) {
		prepare_kick(job);
		start_kick(core, job);
		set_deadline(core, job_deadline(job));
	} else {
		finish_job(core);
	}
}

void scoria_exec_done(struct scoria_core *core, u32 status)
{
	struct scoria_kick *kick = &core->running->kick;
	const u32 left = scoria_segment_left(kick->done, status);

	lockdep_assert_held(&core->lock);
	if (!left) {
		kick_done(core);
		return;
	}
	kick->done = left;
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, left | SCORIA_INT_ERRORS);
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
	if (core->running)
		scoria_exec_recover(core, error);
}

void scoria_exec_recover(struct scoria_core *core, int error)
{
	lockdep_assert_held(&core->lock);
	if (core->error || !core->powered)
		return;
	core->error = error;
	/* the IOMMU reports a fault again and again until the reset */
	disable_irq_nosync(core->irq);
	scoria_pc_write(core, NPU_PC_INTERRUPT_MASK, 0);
	queue_work(core->wq, &core->reset_work);
}

void scoria_exec_drop_staged(struct scoria_core *core, int error)
{
	struct scoria_job *job;

	lockdep_assert_held(&core->lock);
	while ((job = first_staged(core))) {
		scoria_runqueue_remove(&core->staged, &job->queue->share, &job->link);
		end_fence(job, error);
	}
	wake_up(&core->drained);
}

struct dma_fence *scoria_exec_full(struct scoria_core *core, struct scoria_queue *queue)
{
	struct scoria_job *oldest;

	guard(spinlock_irqsave)(&core->lock);
	if (queue->share.n_jobs < SCORIA_QUEUE_DEPTH)
		return NULL;
	oldest = queue->share.running ? core->running :
		 list_first_entry(&queue->share.jobs, struct scoria_job, link);
	return dma_fence_get(oldest->fence);
}

struct dma_fence *scoria_exec_stage(struct scoria_core *core, struct scoria_job *job)
{
	struct dma_fence *fence = dma_fence_get(job->fence);

	prepare_kick(job);
	scoped_guard(spinlock_irqsave, &core->lock) {
		scoria_runqueue_add(&core->staged, &job->queue->share, &job->link);
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
	if (core->running || core->error || start_staged(core, ktime_get()))
		return NULL;
	job = first_staged(core);
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
	job = first_staged(core);
	if (!job)
		return;
	scoria_runqueue_remove(&core->staged, &job->queue->share, &job->link);
	fail_job(core, job, error);
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
	return !core->running && !core->staged.n_jobs && !core->error;
}

/* The kick is done although no interrupt said so. */
static bool has_ended(struct scoria_core *core)
{
	u32 status = scoria_pc_read(core, NPU_PC_INTERRUPT_STATUS);

	return !scoria_segment_left(core->running->kick.done, status) &&
	       !(status & SCORIA_INT_ERRORS);
}

static void report_hang(struct scoria_core *core)
{
	const struct scoria_job *job = core->running;

	dev_err_ratelimited(core->dev,
			    "job hung in the %u tasks before %u of %u: raw %#x, tasks %#x\n",
			    job->kick.n_tasks, job->next_task, job->end_task,
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
		scoria_exec_done(core, core->running->kick.done);
	} else {
		report_hang(core);
		scoria_exec_fail(core, -EIO);
	}
}
