/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_EXEC_H
#define SCORIA_EXEC_H

#include <linux/types.h>

struct dma_fence;
struct scoria_core;
struct scoria_job;
struct scoria_queue;
struct timer_list;
struct work_struct;

/* For each task of a kick beyond the first, as chains may have thousands. */
#define SCORIA_TASK_TIMEOUT_MS	10

/* Bits of INTERRUPT_STATUS that end a job with -EFAULT. */
#define SCORIA_INT_ERRORS	(NPU_INT_DMA_READ_ERROR | NPU_INT_DMA_WRITE_ERROR)

/*
 * Give a job to the core, and run it as soon as those before it are done.
 * Returns a reference on its fence, which is then all that the caller may touch.
 * On the core's workqueue.
 */
struct dma_fence *scoria_exec_stage(struct scoria_core *core, struct scoria_job *job);

/*
 * When the core has as many jobs of the queue as it may have: the fence of the
 * one that ends first, with a reference. NULL otherwise. On the core's workqueue.
 */
struct dma_fence *scoria_exec_full(struct scoria_core *core, struct scoria_queue *queue);

/*
 * The present kick has ended: start what is next, and end the job when that was
 * its last. Under the core's lock.
 */
void scoria_exec_kick_done(struct scoria_core *core);

/*
 * The running job has failed: turn off the line of the core and its IOMMU, and
 * have the core reset. Does nothing when none runs or one has failed already.
 * Under the lock.
 */
void scoria_exec_fail(struct scoria_core *core, int error);

/*
 * End the running job with an error, and with it those of its queue that must
 * not run then, and start what is next. After the core was reset, under the lock.
 */
void scoria_exec_fail_job(struct scoria_core *core, int error);

/* End all jobs that have not started, but for those of the queue that runs. Under the lock. */
void scoria_exec_drop_staged(struct scoria_core *core, int error);

/* Take away the interrupts and stop the PC. Under the lock, powered. */
void scoria_exec_quiesce(struct scoria_core *core);

/* Start what can be started. On the core's workqueue. */
void scoria_exec_pump(struct scoria_core *core);
void scoria_exec_pump_work(struct work_struct *work);
void scoria_exec_request_pump(struct scoria_core *core);

void scoria_exec_watchdog(struct timer_list *timer);

/* After how long a kick of one task has hung, when its job does not say. */
u32 scoria_exec_timeout_ms(void);

/* Whether nothing runs and nothing is staged. */
bool scoria_exec_idle(struct scoria_core *core);

#endif
