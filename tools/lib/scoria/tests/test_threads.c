// SPDX-License-Identifier: MIT
/* R11: threads with devices of their own, and threads that share one. */
#include <pthread.h>

#include "../../../testing/model/tests/tap.h"
#include "random_op.h"
#include "shape.h"

#define THREADS 4
#define SHAPES 24

struct worker {
	struct scoria_device *dev;
	uint64_t seed;
	struct shape_verdict verdict;
	unsigned int done;
};

/* The message of a refusal is the thread's own. */
static bool own_message(struct worker *worker)
{
	const struct scoria_conv2d_opts bad = { .size = sizeof(bad),
						.type = SCORIA_FP16,
						.out = SCORIA_FP16,
						.batch = 1,
						.ic = 1,
						.oc = 1,
						.h = 1,
						.w = 1,
						.kh = 1000 + worker->seed,
						.kw = 1 };
	char words[32];
	size_t oh, ow;

	snprintf(words, sizeof(words), "window of %d ", (int)(1000 + worker->seed));
	return scoria_conv2d_output(&bad, &oh, &ow) && strstr(scoria_error(), words);
}

static void *work(void *ctx)
{
	struct worker *worker = ctx;
	struct random random = { worker->seed };

	worker->verdict.right = true;
	while (worker->done < SHAPES && worker->verdict.right && own_message(worker)) {
		worker->verdict = random_op(worker->dev, &random);
		worker->done += worker->verdict.right;
	}
	return NULL;
}

static void run_workers(struct scoria_device *shared)
{
	struct worker workers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		workers[i].dev = shared ? shared : shape_device();
		workers[i].seed = 100 + i;
		ASSERT(!pthread_create(&threads[i], NULL, work, &workers[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_RIGHT(workers[i].verdict);
		EXPECT_EQ(SHAPES, workers[i].done);
		if (!shared)
			scoria_device_close(workers[i].dev);
	}
}

TEST(threads_with_devices_of_their_own)
{
	run_workers(NULL);
}

TEST(threads_that_share_a_device)
{
	struct scoria_device *dev = shape_device();

	run_workers(dev);
	scoria_device_close(dev);
}

TEST_MAIN()
