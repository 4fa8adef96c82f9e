// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the DRM scheduler asks of the driver. It decides what jobs wait for;
 * whose turn it is on the core belongs to scoria_runqueue.c, and what happens
 * there to scoria_exec.c.
 */
#include "scoria_sched.h"

#include "scoria_compat.h"
#include "scoria_core.h"
#include "scoria_device.h"
#include "scoria_exec.h"
#include "scoria_fence.h"
#include "scoria_job.h"
#include "scoria_queue.h"

static bool is_rejected(const struct scoria_job *job)
{
	guard(spinlock_irqsave)(&job->core->lock);
	return scoria_queue_rejects(job->queue, job);
}

static struct dma_fence *prepare_job(struct drm_sched_job *base, struct drm_sched_entity *entity)
{
	struct scoria_job *job = to_scoria_job(base);

	return is_rejected(job) ? NULL : scoria_exec_full(job->core, job->queue);
}

static struct dma_fence *run_job(struct drm_sched_job *base)
{
	struct scoria_job *job = to_scoria_job(base);
	struct scoria_core *core = job->core;

	if (base->s_fence->finished.error)
		return ERR_PTR(base->s_fence->finished.error);
	if (is_rejected(job))
		return ERR_PTR(-ECANCELED);
	scoria_fence_start(job->fence, core, job->queue);
	job->started = true;
	return scoria_exec_stage(core, job);
}

/*
 * Never called: the scheduler has one timeout for all jobs, counted from when a
 * job was given to it. The core's watchdog counts from the kick, and recovers
 * without stopping the scheduler.
 */
static enum drm_gpu_sched_stat timedout_job(struct drm_sched_job *base)
{
	return SCORIA_SCHED_STAT_RESET;
}

static void free_job(struct drm_sched_job *base)
{
	drm_sched_job_cleanup(base);
	scoria_job_free(to_scoria_job(base));
}

static const struct drm_sched_backend_ops scoria_sched_ops = {
	.prepare_job = prepare_job,
	.run_job = run_job,
	.timedout_job = timedout_job,
	.free_job = free_job,
};

/*
 * A scheduler frees jobs in the order in which it gave them to the core, while a job that
 * the core has waits as long as there are some of higher priority. So each priority has a
 * scheduler: nobody's jobs that have ended, and what they keep, wait for one that may never
 * run.
 */
int scoria_sched_init(struct scoria_core *core)
{
	const struct drm_sched_init_args args = {
		.ops = &scoria_sched_ops,
		.submit_wq = core->wq,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		/* what limits is SCORIA_QUEUE_DEPTH, for each queue by itself */
		.credit_limit = INT_MAX,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = core->name,
		.dev = core->sdev->drm.dev,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < SCORIA_N_PRIORITIES; i++) {
		ret = drm_sched_init(&core->sched[i], &args);
		if (ret)
			break;
	}
	if (i == SCORIA_N_PRIORITIES)
		return 0;
	while (i--)
		drm_sched_fini(&core->sched[i]);
	return ret;
}

void scoria_sched_fini(struct scoria_core *core)
{
	for (unsigned int i = 0; i < SCORIA_N_PRIORITIES; i++)
		drm_sched_fini(&core->sched[i]);
}

void scoria_sched_stop(struct scoria_core *core)
{
	for (unsigned int i = 0; i < SCORIA_N_PRIORITIES; i++)
		drm_sched_wqueue_stop(&core->sched[i]);
}

void scoria_sched_start(struct scoria_core *core)
{
	for (unsigned int i = 0; i < SCORIA_N_PRIORITIES; i++)
		drm_sched_wqueue_start(&core->sched[i]);
}
