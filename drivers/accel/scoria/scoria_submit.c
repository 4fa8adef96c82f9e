// SPDX-License-Identifier: GPL-2.0-only
/*
 * From jobs to the scheduler. Everything that can fail comes before the first
 * fence is armed; from there on others may wait for the jobs, and nothing
 * fails or allocates.
 */
#include "scoria_submit.h"

#include <linux/dma-fence-chain.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>

#include "scoria_compat.h"
#include "scoria_core.h"
#include "scoria_gem.h"
#include "scoria_job.h"
#include "scoria_queue.h"
#include "scoria_trace.h"

int scoria_submit_init(struct scoria_submit *submit, struct drm_file *file,
		       struct scoria_queue *queue, u32 max_jobs)
{
	*submit = (struct scoria_submit){ .client_id = file->client_id, .max_jobs = max_jobs };
	submit->jobs = kcalloc(max_jobs, sizeof(*submit->jobs), GFP_KERNEL_ACCOUNT);
	if (!submit->jobs)
		return -ENOMEM;
	submit->queue = scoria_queue_get(queue);
	return 0;
}

static void put_syncs(struct scoria_submit *submit)
{
	for (u32 i = 0; i < submit->n_waits; i++)
		dma_fence_put(submit->waits[i]);
	kfree(submit->waits);
	for (u32 i = 0; i < submit->n_signals; i++) {
		dma_fence_chain_free(submit->signals[i].chain);
		drm_syncobj_put(submit->signals[i].syncobj);
	}
	kfree(submit->signals);
}

void scoria_submit_fini(struct scoria_submit *submit)
{
	if (!submit->jobs)
		return;
	for (u32 i = 0; i < submit->n_jobs; i++)
		scoria_job_free(submit->jobs[i]);
	put_syncs(submit);
	kvfree(submit->objs);
	kvfree(submit->uses);
	kfree(submit->jobs);
	scoria_queue_put(submit->queue);
}

void scoria_submit_add(struct scoria_submit *submit, struct scoria_job *job)
{
	submit->jobs[submit->n_jobs++] = job;
}

static int compare_objs(const void *a, const void *b)
{
	const struct drm_gem_object *const *x = a, *const *y = b;

	/* there may be 256 * 65536 of them: sort() would have the CPU for long */
	cond_resched();
	return (*x)->resv < (*y)->resv ? -1 : (*x)->resv > (*y)->resv;
}

/* Every reservation object once, however many jobs use it. */
static void merge_objs(struct scoria_submit *submit, u32 n)
{
	sort(submit->objs, n, sizeof(*submit->objs), compare_objs, NULL);
	for (u32 i = 0; i < n; i++) {
		u32 last = submit->n_objs - 1;

		if (i && submit->objs[last]->resv == submit->objs[i]->resv) {
			submit->uses[last]++;
		} else {
			submit->objs[submit->n_objs] = submit->objs[i];
			submit->uses[submit->n_objs++] = 1;
		}
	}
}

static int collect_objs(struct scoria_submit *submit)
{
	struct drm_gem_object *obj;
	size_t max = 0;
	u32 n = 0;

	for (u32 i = 0; i < submit->n_jobs; i++)
		max += submit->jobs[i]->n_bos;
	if (!max)
		return 0;
	submit->objs = kvmalloc_array(max, sizeof(*submit->objs), GFP_KERNEL_ACCOUNT);
	submit->uses = kvmalloc_array(max, sizeof(*submit->uses), GFP_KERNEL_ACCOUNT);
	if (!submit->objs || !submit->uses)
		return -ENOMEM;
	for (u32 i = 0; i < submit->n_jobs; i++) {
		bool write;
		u32 at = 0;

		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		scoria_job_sort_bos(submit->jobs[i]);
		while ((obj = scoria_job_next_resv(submit->jobs[i], &at, &write)))
			submit->objs[n++] = obj;
	}
	merge_objs(submit, n);
	return 0;
}

/* Give the job to the scheduler of @core, which stays powered for it. */
static int init_job(struct scoria_submit *submit, struct scoria_job *job, struct scoria_core *core)
{
	struct scoria_queue *queue = submit->queue;
	struct device *power = scoria_core_power_get(core);

	if (IS_ERR(power))
		return PTR_ERR(power);
	atomic_inc(&core->load);
	job->power = power;
	job->core = core;
	job->queue = scoria_queue_get(queue);
	job->batch = queue->last_batch;
	return scoria_compat_sched_job_init(&job->base, &queue->entities[core->index],
					    submit->client_id);
}

static int init_jobs(struct scoria_submit *submit)
{
	struct scoria_core *core = scoria_queue_choose(submit->queue);
	int ret;

	if (IS_ERR(core))
		return PTR_ERR(core);
	submit->queue->last_batch++;
	for (u32 i = 0; i < submit->n_jobs; i++) {
		ret = init_job(submit, submit->jobs[i], core);
		if (ret)
			return ret;
		submit->n_inited++;
	}
	return 0;
}

/* Jobs of one submit need no order among each other but that of the queue. */
static int add_implicit(struct scoria_job *job)
{
	struct drm_gem_object *obj;
	bool write;
	u32 at = 0;

	while ((obj = scoria_job_next_resv(job, &at, &write))) {
		int ret = drm_sched_job_add_implicit_dependencies(&job->base, obj, write);

		if (ret)
			return ret;
	}
	return 0;
}

static int add_waits(struct scoria_submit *submit)
{
	struct drm_sched_job *first = &submit->jobs[0]->base;

	for (u32 i = 0; i < submit->n_waits; i++) {
		/* takes the reference, even when it fails */
		int ret = drm_sched_job_add_dependency(first, dma_fence_get(submit->waits[i]));

		if (ret)
			return ret;
	}
	return 0;
}

static int prepare(struct scoria_submit *submit)
{
	int ret = add_waits(submit);

	for (u32 i = 0; i < submit->n_objs && !ret; i++)
		ret = dma_resv_reserve_fences(submit->objs[i]->resv, submit->uses[i]);
	for (u32 i = 0; i < submit->n_jobs && !ret; i++) {
		ret = add_implicit(submit->jobs[i]);
		cond_resched();
	}
	return ret;
}

/* Others may wait for the job from here on. */
static void publish(struct scoria_job *job)
{
	struct dma_fence *finished = &job->base.s_fence->finished;
	struct drm_gem_object *obj;
	bool write;
	u32 at = 0;

	while ((obj = scoria_job_next_resv(job, &at, &write)))
		dma_resv_add_fence(obj->resv, finished,
				   write ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	for (u32 i = 0; i < job->n_bos; i++) {
		struct scoria_bo *bo = job->bos[i].map->bo;

		if (!job->bos[i].write)
			continue;
		dma_fence_put(bo->last_write);
		bo->last_write = dma_fence_get(finished);
	}
}

static void push_job(struct scoria_submit *submit, struct scoria_job *job)
{
	drm_sched_job_arm(&job->base);
	/*
	 * Jobs of several queues on one core do not run in the order in which the
	 * scheduler hands them out, so that it is not enough to wait for that.
	 */
	set_bit(DRM_SCHED_FENCE_DONT_PIPELINE, &job->base.s_fence->finished.flags);
	publish(job);
	scoria_queue_note(submit->queue, job);
	trace_scoria_submit(job);
	drm_sched_entity_push_job(&job->base);
}

static void signal_syncs(struct scoria_submit *submit)
{
	struct dma_fence *last = submit->queue->last;

	for (u32 i = 0; i < submit->n_signals; i++) {
		struct scoria_signal *signal = &submit->signals[i];

		if (signal->chain)
			drm_syncobj_add_point(signal->syncobj, signal->chain, last,
					      signal->point);
		else
			drm_syncobj_replace_fence(signal->syncobj, last);
		signal->chain = NULL;
	}
}

static void unlock_resvs(struct scoria_submit *submit, u32 n)
{
	while (n--)
		dma_resv_unlock(submit->objs[n]->resv);
}

/* Lock what is not @locked already; -EDEADLK with none locked and @contended set. */
static int try_lock_resvs(struct scoria_submit *submit, struct ww_acquire_ctx *ctx,
			  struct dma_resv *locked, struct dma_resv **contended)
{
	bool seen = !locked;

	for (u32 i = 0; i < submit->n_objs; i++) {
		struct dma_resv *resv = submit->objs[i]->resv;

		if (resv == locked) {
			seen = true;
			continue;
		}
		if (!dma_resv_lock(resv, ctx))
			continue;
		unlock_resvs(submit, i);
		if (!seen)
			dma_resv_unlock(locked);
		*contended = resv;
		return -EDEADLK;
	}
	return 0;
}

/*
 * Signals do not interrupt this as they do drm_gem_lock_reservations(): a
 * call of rocket's that was restarted would queue its earlier jobs again.
 */
static void lock_resvs(struct scoria_submit *submit, struct ww_acquire_ctx *ctx)
{
	struct dma_resv *contended = NULL;

	ww_acquire_init(ctx, &reservation_ww_class);
	while (try_lock_resvs(submit, ctx, contended, &contended))
		dma_resv_lock_slow(contended, ctx);
	ww_acquire_done(ctx);
}

static int push_locked(struct scoria_submit *submit)
{
	struct ww_acquire_ctx ctx;
	int ret;

	lock_resvs(submit, &ctx);
	ret = prepare(submit);
	if (!ret) {
		for (u32 i = 0; i < submit->n_jobs; i++) {
			push_job(submit, submit->jobs[i]);
			cond_resched();
		}
		submit->n_jobs = 0;
		submit->n_inited = 0;
	}
	unlock_resvs(submit, submit->n_objs);
	ww_acquire_fini(&ctx);
	return ret;
}

static int push(struct scoria_submit *submit)
{
	struct scoria_queue *queue = submit->queue;
	int ret;

	guard(mutex)(&queue->lock);
	if (queue->closed)
		return -ENOENT;
	if (READ_ONCE(queue->banned))
		return -EIO;
	ret = init_jobs(submit);
	if (!ret)
		ret = push_locked(submit);
	if (!ret)
		signal_syncs(submit);
	for (u32 i = 0; i < submit->n_inited; i++)
		drm_sched_job_cleanup(&submit->jobs[i]->base);
	submit->n_inited = 0;
	return ret;
}

int scoria_submit_push(struct scoria_submit *submit)
{
	int ret = collect_objs(submit);

	return ret ? ret : push(submit);
}
