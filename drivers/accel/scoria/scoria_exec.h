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

/**
 * scoria_exec_stage() - give a job to a core
 * @core: the core
 * @job: the job
 *
 * It runs as soon as those before it are done. On the core's workqueue.
 *
 * Return: the job's fence with a reference, which is then all that the caller may
 * touch.
 */
struct dma_fence *scoria_exec_stage(struct scoria_core *core, struct scoria_job *job);

/**
 * scoria_exec_full() - ask whether a core has as many jobs of a queue as it may have
 * @core: the core
 * @queue: the queue
 *
 * On the core's workqueue.
 *
 * Return: the fence of the one that ends first, with a reference; NULL when there is
 * room.
 */
struct dma_fence *scoria_exec_full(struct scoria_core *core, struct scoria_queue *queue);

/**
 * scoria_exec_done() - blocks of the present kick are done
 * @core: the core
 * @status: their interrupt bits
 *
 * Starts what is next when these were all, and ends the job when that was its last kick.
 * Under the core's lock.
 */
void scoria_exec_done(struct scoria_core *core, u32 status);

/**
 * scoria_exec_fail() - the running job has failed
 * @core: the core
 * @error: negative errno of the job
 *
 * Turns off the line of the core and its IOMMU, and has the core reset. Does nothing
 * when none runs or one has failed already. Under the core's lock.
 */
void scoria_exec_fail(struct scoria_core *core, int error);

/**
 * scoria_exec_recover() - the core needs a reset, whether or not a job runs
 * @core: the core
 * @error: negative errno of the job if one does
 *
 * As scoria_exec_fail(); does nothing without power, when the reset comes by itself.
 */
void scoria_exec_recover(struct scoria_core *core, int error);

/**
 * scoria_exec_fail_job() - end the running job with an error
 * @core: the core
 * @error: negative errno of the job
 *
 * Those of its queue that must not run then end with it, and what is next starts. After
 * the core was reset, under its lock.
 */
void scoria_exec_fail_job(struct scoria_core *core, int error);

/**
 * scoria_exec_drop_staged() - end all jobs that have not started
 * @core: the core
 * @error: negative errno of the jobs
 *
 * Those of the queue that runs stay. Under the core's lock.
 */
void scoria_exec_drop_staged(struct scoria_core *core, int error);

/**
 * scoria_exec_quiesce() - take away the interrupts and stop the PC
 * @core: the core, powered
 *
 * Under the core's lock.
 */
void scoria_exec_quiesce(struct scoria_core *core);

/**
 * scoria_exec_pump() - start what can be started
 * @core: the core
 *
 * On the core's workqueue.
 */
void scoria_exec_pump(struct scoria_core *core);

/**
 * scoria_exec_pump_work() - scoria_exec_pump() as a work item
 * @work: pump_work of the core
 */
void scoria_exec_pump_work(struct work_struct *work);

/**
 * scoria_exec_request_pump() - have scoria_exec_pump() run on the core's workqueue
 * @core: the core
 */
void scoria_exec_request_pump(struct scoria_core *core);

/**
 * scoria_exec_watchdog() - look whether the running job has hung
 * @timer: watchdog of the core
 */
void scoria_exec_watchdog(struct timer_list *timer);

/**
 * scoria_exec_timeout_ms() - after how long a kick of one task has hung, when its job
 *   does not say
 *
 * Return: milliseconds.
 */
u32 scoria_exec_timeout_ms(void);

/**
 * scoria_exec_idle() - ask whether a core has nothing to do
 * @core: the core
 *
 * Return: whether nothing runs, nothing is staged and nothing is recovered from.
 */
bool scoria_exec_idle(struct scoria_core *core);

#endif
