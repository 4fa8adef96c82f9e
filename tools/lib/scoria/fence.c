// SPDX-License-Identifier: MIT
/*
 * A device that can start jobs and be asked later does that; for the others a thread
 * runs them and waits.
 */
#include "fence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "error.h"

#define SECOND 1000000000ll

/**
 * struct scoria_fence - see sequence.h
 * @run:   of a device that starts jobs, NULL once it was waited for
 * @jobs: @n: of one that does not, which @thread runs
 * @lock: @ended: for @done, which the thread sets
 * @done:  @err and @message are final
 */
struct scoria_fence {
	struct scoria_device *dev;
	struct device_run *run;
	struct npu_job *jobs;
	size_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
	int err;
	char message[256];
};

/* Messages are per thread, so they go along. */
static void finish(struct scoria_fence *fence, int err)
{
	pthread_mutex_lock(&fence->lock);
	fence->err = err;
	if (err)
		snprintf(fence->message, sizeof(fence->message), "%s", scoria_error());
	fence->done = true;
	pthread_cond_signal(&fence->ended);
	pthread_mutex_unlock(&fence->lock);
}

static void *run_jobs(void *ctx)
{
	struct scoria_fence *fence = ctx;

	finish(fence, device_submit(fence->dev, fence->jobs, fence->n));
	return NULL;
}

static int start_thread(struct scoria_fence *fence, const struct npu_job *jobs, size_t n)
{
	fence->jobs = malloc(n * sizeof(*jobs));
	if (!fence->jobs)
		return error_no_memory();
	memcpy(fence->jobs, jobs, n * sizeof(*jobs));
	fence->n = n;
	if (!pthread_create(&fence->thread, NULL, run_jobs, fence))
		return 0;
	return error_set(ENOMEM, "fence: no thread to run the jobs");
}

static void init_waiting(struct scoria_fence *fence)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&fence->ended, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&fence->lock, NULL);
}

static void forget(struct scoria_fence *fence)
{
	pthread_mutex_destroy(&fence->lock);
	pthread_cond_destroy(&fence->ended);
	free(fence->jobs);
	free(fence);
}

int fence_create(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
		 struct scoria_fence **out)
{
	struct scoria_fence *fence = calloc(1, sizeof(*fence));
	int err;

	if (!fence)
		return error_no_memory();
	fence->dev = dev;
	init_waiting(fence);
	if (dev->ops->start)
		err = device_start(dev, jobs, n, &fence->run);
	else
		err = start_thread(fence, jobs, n);
	if (err) {
		forget(fence);
		return err;
	}
	*out = fence;
	return 0;
}

/* The point of CLOCK_MONOTONIC in @timeout_ns, as far away as it goes for a negative one. */
static int64_t deadline_in(int64_t timeout_ns)
{
	struct timespec now;
	int64_t deadline;

	clock_gettime(CLOCK_MONOTONIC, &now);
	deadline = now.tv_sec * SECOND + now.tv_nsec;
	if (timeout_ns < 0 || timeout_ns > INT64_MAX - deadline)
		return INT64_MAX;
	return deadline + timeout_ns;
}

/* False when the thread has not ended by then. */
static bool wait_for_thread(struct scoria_fence *fence, int64_t deadline)
{
	const struct timespec until = { .tv_sec = deadline / SECOND, .tv_nsec = deadline % SECOND };
	bool done;
	int err = 0;

	pthread_mutex_lock(&fence->lock);
	while (!fence->done && !err) {
		if (deadline == INT64_MAX)
			err = pthread_cond_wait(&fence->ended, &fence->lock);
		else
			err = pthread_cond_timedwait(&fence->ended, &fence->lock, &until);
	}
	done = fence->done;
	pthread_mutex_unlock(&fence->lock);
	return done;
}

static bool wait_for_run(struct scoria_fence *fence, int64_t deadline)
{
	int err;

	if (!fence->run)
		return true;
	err = device_wait(fence->dev, fence->run, deadline);
	if (err == -EBUSY)
		return false;
	fence->run = NULL;
	finish(fence, err);
	return true;
}

int scoria_fence_wait(struct scoria_fence *fence, int64_t timeout_ns)
{
	const int64_t deadline = deadline_in(timeout_ns);
	int err = CHECK_POINTERS("fence", POINTER(fence));
	bool done;

	if (err)
		return err;
	done = fence->jobs ? wait_for_thread(fence, deadline) : wait_for_run(fence, deadline);
	if (!done)
		return error_set(EBUSY, "fence: jobs still run");
	return fence->err ? error_set(-fence->err, "%s", fence->message) : 0;
}

void scoria_fence_destroy(struct scoria_fence *fence)
{
	if (!fence)
		return;
	scoria_fence_wait(fence, -1);
	if (fence->jobs)
		pthread_join(fence->thread, NULL);
	forget(fence);
}
