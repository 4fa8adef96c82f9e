// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three queues of two files run jobs while interrupts get lost, come late or
 * have no cause, memory fails and kicks do nothing, all at random. Every job must
 * end, right or with an error that fits, and afterwards everything works.
 *
 * usage: native_stress [SECONDS [SEED]], by the guest's clock (default: 10, 1)
 */
#include <pthread.h>
#include <stdatomic.h>

#include "native_test.h"

#define N_WORKERS	3
#define N_FLIGHT	8	/* jobs of a worker at a time */
#define MAX_JOBS	3	/* of a submit */
#define TIMEOUT_MS	40

/* Thread by thread, so that a run repeats as far as the threads do. */
struct random {
	uint64_t state;
};

static uint32_t draw(struct random *random, uint32_t n)
{
	random->state = random->state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random->state >> 33) % n;
}

/* A matmul with a buffer of its own for the result. */
struct slot {
	struct matmul matmul;
	int program;
	bool busy;
};

struct worker {
	struct random random;
	int fd;
	int queue;
	struct slot slots[N_FLIGHT];
	unsigned long jobs, right, errors, bans;
	const char *problem;
	int number;
};

static volatile uint32_t *board;
static atomic_bool stop;

static bool fail(struct worker *worker, const char *problem, int number)
{
	if (!worker->problem) {
		worker->problem = problem;
		worker->number = number;
	}
	return false;
}

/* -ESRCH: what a banned queue had in the scheduler when it was destroyed. */
static bool is_expected(int error)
{
	return error == -EIO || error == -EFAULT || error == -ECANCELED || error == -ESRCH;
}

static bool finish(struct worker *worker, struct slot *slot)
{
	int ret;

	if (!slot->busy)
		return true;
	slot->busy = false;
	ret = bo_wait_until(worker->fd, slot->matmul.region[JOB_OUTPUT].handle,
			    draw(&worker->random, 2), now_ns() + 30 * NS_PER_S);
	if (ret) {
		worker->errors++;
		return is_expected(ret) || fail(worker, "a job ended with", ret);
	}
	ret = bo_sync(worker->fd, &slot->matmul.region[JOB_OUTPUT],
		      DRM_SCORIA_BO_SYNC_FROM_DEVICE);
	if (ret)
		return fail(worker, "BO_SYNC", ret);
	worker->right++;
	return matmul_is_right(&slot->matmul) || fail(worker, "a result is wrong", 0);
}

/* Of cores that there are, or all. */
static uint32_t draw_mask(struct worker *worker)
{
	uint32_t mask = draw(&worker->random, 8);

	return mask & core_mask(worker->fd) ? mask : 0;
}

static bool new_queue(struct worker *worker)
{
	worker->bans++;
	if (queue_destroy(worker->fd, worker->queue))
		return fail(worker, "QUEUE_DESTROY", 0);
	worker->queue = queue_create(worker->fd, 0, draw_mask(worker));
	return worker->queue > 0 || fail(worker, "QUEUE_CREATE", worker->queue);
}

/* Up to MAX_JOBS jobs in one submit, each of the slots from @first on. */
static bool start(struct worker *worker, unsigned int first, unsigned int n)
{
	struct drm_scoria_job jobs[MAX_JOBS];
	struct run runs[MAX_JOBS];
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		struct slot *slot = &worker->slots[(first + i) % N_FLIGHT];

		if (!finish(worker, slot))
			return false;
		if (matmul_reset(worker->fd, &slot->matmul))
			return fail(worker, "BO_SYNC", 0);
		run_prepare(&runs[i], worker->queue, slot->program, &slot->matmul);
		jobs[i] = runs[i].job;
		jobs[i].timeout_ms = TIMEOUT_MS;
		jobs[i].first_task = draw(&worker->random, 4);
	}
	runs[0].submit.jobs = (uintptr_t)jobs;
	runs[0].submit.job_count = n;
	ret = run_submit(worker->fd, &runs[0]);
	if (ret == -EIO)
		return new_queue(worker);
	if (ret)
		return fail(worker, "SUBMIT", ret);
	for (unsigned int i = 0; i < n; i++)
		worker->slots[(first + i) % N_FLIGHT].busy = true;
	worker->jobs += n;
	return true;
}

static void *work(void *data)
{
	struct worker *worker = data;
	unsigned int at = 0;
	bool ok = true;

	while (ok && !stop) {
		unsigned int n = 1 + draw(&worker->random, MAX_JOBS);

		ok = start(worker, at, n);
		at += n;
		/* time that passes costs nothing, jobs do */
		sleep_ms(draw(&worker->random, 8));
	}
	for (unsigned int i = 0; i < N_FLIGHT; i++)
		finish(worker, &worker->slots[i]);
	return NULL;
}

static bool prepare(struct worker *worker, int fd, uint64_t seed)
{
	*worker = (struct worker) { .random = { seed }, .fd = fd };
	worker->queue = queue_create(fd, 0, 0);
	if (worker->queue < 0)
		return false;
	for (unsigned int i = 0; i < N_FLIGHT; i++) {
		struct slot *slot = &worker->slots[i];

		if (matmul_create(fd, &slot->matmul))
			return false;
		slot->program = program_repeat(fd, &slot->matmul, 4 + draw(&worker->random, 8));
		if (slot->program < 0)
			return false;
	}
	return true;
}

/* What to break on one core, for how long. Returns a count of faults. */
static unsigned int break_something(struct random *random)
{
	static const struct { uint32_t knob, max; } faults[] = {
		{ BOARD_DROP_IRQ, 2 }, { BOARD_DELAY_IRQ_US, 60000 }, { BOARD_FAIL_DMA, 2 },
		{ BOARD_STUCK, 2 }, { BOARD_SPURIOUS, 5 }, { BOARD_DELAY_START_US, 3000 },
		{ BOARD_DELAY_IRQ_US, 300 },
	};
	const uint32_t i = draw(random, ARRAY_SIZE(faults));
	const uint32_t bank = BOARD_CORE(draw(random, BOARD_N_CORES));

	board_set(board, bank + faults[i].knob, 1 + draw(random, faults[i].max));
	sleep_ms(1 + draw(random, 30));
	if (draw(random, 2))
		board_mend(board);
	return 1;
}

static bool report(const struct worker *worker, unsigned int i)
{
	printf("# queue %u: %lu jobs, %lu right, %lu with errors, %lu bans\n", i, worker->jobs,
	       worker->right, worker->errors, worker->bans);
	if (worker->problem)
		printf("# queue %u: %s (%d)\n", i, worker->problem, worker->number);
	return !worker->problem && worker->right + worker->errors == worker->jobs;
}

static void claim(bool passed, unsigned int number, const char *name)
{
	printf("%sok %u %s\n", passed ? "" : "not ", number, name);
}

int main(int argc, char **argv)
{
	const int64_t end = now_ns() + (argc > 1 ? atoll(argv[1]) : 10) * NS_PER_S;
	struct random random = { argc > 2 ? strtoull(argv[2], NULL, 0) : 1 };
	const int fds[2] = { device_open(), device_open() };
	struct worker workers[N_WORKERS];
	pthread_t threads[N_WORKERS];
	unsigned int faults = 0, resets;
	bool ended = true, works;

	board = board_open();
	printf("TAP version 13\n1..3\n");
	if (fds[0] < 0 || fds[1] < 0 || !board) {
		for (unsigned int i = 1; i <= 3; i++)
			printf("ok %u # SKIP not on the test board\n", i);
		return 0;
	}
	board_mend(board);
	resets = board_sum(board, BOARD_RESETS);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		if (!prepare(&workers[i], fds[i % 2], random.state + i + 1)) {
			printf("Bail out! queue %u cannot be prepared\n", i);
			return 1;
		}
	for (unsigned int i = 0; i < N_WORKERS; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	while (now_ns() < end)
		faults += break_something(&random);
	stop = true;
	board_mend(board);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		ended &= report(&workers[i], i);
	resets = board_sum(board, BOARD_RESETS) - resets;
	printf("# %u faults, %u resets\n", faults, resets);
	works = !native_runs(fds[0], 0) && !native_runs(fds[1], 0) && !matmul_runs(fds[0]);
	claim(ended, 1, "every job ended right or with an error that fits");
	claim(faults > 0 && resets > 0, 2, "faults were met");
	claim(works, 3, "afterwards jobs run");
	return !(ended && works);
}
