// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs to run a job, on the test board: by the guest's clock from the
 * ioctl to the kick, from the interrupt to the next kick and to the waiter, and
 * how often the CPU touches the NPU. For native submits of a program, and for
 * rocket's of the same tasks, to this driver and to the in-tree one; to this one also
 * with words that it has not seen. Once with a CPU that is idle when the interrupt comes,
 * and once with one that computes for others.
 * Prints lines for bench_board.py: figure INTERFACE TASKS LOAD NAME VALUE
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "native_test.h"

#define REPEATS		31
#define MAX_TASKS	512
#define DELAY_US	300	/* so that the waiter sleeps before the job ends */

enum { RETURNED, KICK, SEEN, NEXT_KICK, WOKEN, READS, WRITES, INTERRUPTS, N_FIGURES };

enum { IDLE, BUSY, N_LOADS };

static const char * const load_names[N_LOADS] = { "idle", "busy" };

static const char * const names[N_FIGURES] = {
	"submit_return_ns", "submit_to_kick_ns", "irq_to_driver_ns", "irq_to_next_kick_ns",
	"irq_to_waiter_ns",
	"mmio_reads", "mmio_writes", "interrupts",
};

struct bench {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
	bool native;
	bool renewed;
	const char *interface;
	int program;
	struct run run;
	struct submission rocket;
	struct drm_scoria_rocket_task tasks[MAX_TASKS];
	uint32_t samples[N_LOADS][N_FIGURES][REPEATS];
};

static pid_t spinner;	/* computes when it may, and nobody else does */

static void spinner_start(void)
{
	spinner = fork();
	if (!spinner) {
		raise(SIGSTOP);
		for (volatile unsigned int i = 0;; i++)
			;
	}
	waitpid(spinner, NULL, WUNTRACED);
}

static void set_load(int load)
{
	kill(spinner, load == BUSY ? SIGCONT : SIGSTOP);
}

/* When a core was started last; late enough after it that the halves belong together. */
static uint64_t kick_ns(const struct bench *bench, uint32_t core)
{
	const uint32_t low = BOARD_CORE(core) + BOARD_KICK_NS;

	return board_get(bench->board, low) | (uint64_t)board_get(bench->board, low + 4) << 32;
}

/* Of the core that was started last; the in-tree driver changes cores from job to job. */
static uint32_t last_get(const struct bench *bench, uint32_t counter)
{
	uint32_t last = 0;

	for (uint32_t core = 1; core < BOARD_N_CORES; core++)
		if (kick_ns(bench, core) > kick_ns(bench, last))
			last = core;
	return board_get(bench->board, BOARD_CORE(last) + counter);
}

/* The first word of the trailer may hold any value. */
static void renew_words(struct bench *bench)
{
	static uint32_t count;

	if (bench->renewed)
		matmul_set(&bench->matmul, ARRAY_SIZE(job_words) - 4, ++count);
}

static int submit_once(struct bench *bench)
{
	return bench->native ? run_submit(bench->fd, &bench->run) :
			       submit(bench->fd, &bench->rocket);
}

static int wait_once(struct bench *bench)
{
	const struct bo *out = &bench->matmul.region[JOB_OUTPUT];

	return bench->native ? bo_wait(bench->fd, out) : bo_prep(bench->fd, out);
}

/* One job on an idle core, with a waiter that sleeps. */
static int sample_one(struct bench *bench, uint32_t (*samples)[REPEATS], unsigned int i)
{
	uint32_t start, returned, end;
	int ret;

	renew_words(bench);
	start = board_get(bench->board, BOARD_NOW_NS);
	ret = submit_once(bench);
	returned = board_get(bench->board, BOARD_NOW_NS);
	if (ret)
		return ret;
	ret = wait_once(bench);
	end = board_get(bench->board, BOARD_NOW_NS);
	samples[RETURNED][i] = returned - start;
	samples[KICK][i] = last_get(bench, BOARD_KICK_NS) - start;
	samples[WOKEN][i] = end - last_get(bench, BOARD_IRQ_NS);
	return ret;
}

/* Two jobs at once: the interrupt of the first starts the second. */
static int sample_two(struct bench *bench, uint32_t (*samples)[REPEATS], unsigned int i)
{
	const uint32_t reads = board_sum(bench->board, BOARD_MMIO_READS);
	const uint32_t writes = board_sum(bench->board, BOARD_MMIO_WRITES);
	const uint32_t interrupts = board_sum(bench->board, BOARD_INTERRUPTS);
	int ret = submit_once(bench);

	renew_words(bench);
	if (!ret)
		ret = submit_once(bench);
	if (!ret)
		ret = wait_once(bench);
	/* of two jobs */
	samples[READS][i] = board_sum(bench->board, BOARD_MMIO_READS) - reads;
	samples[WRITES][i] = board_sum(bench->board, BOARD_MMIO_WRITES) - writes;
	samples[INTERRUPTS][i] = board_sum(bench->board, BOARD_INTERRUPTS) - interrupts;
	samples[NEXT_KICK][i] = last_get(bench, BOARD_IRQ_TO_KICK_NS);
	samples[SEEN][i] = last_get(bench, BOARD_IRQ_TO_READ_NS);
	return ret;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void print_figures(struct bench *bench, int load, unsigned int n_tasks)
{
	for (int i = 0; i < N_FIGURES; i++) {
		const unsigned int jobs = i == READS || i == WRITES || i == INTERRUPTS ? 2 : 1;
		uint32_t *samples = bench->samples[load][i];

		qsort(samples, REPEATS, sizeof(samples[0]), compare);
		printf("figure %s %u %s %s %.1f\n", bench->interface, n_tasks, load_names[load],
		       names[i], samples[REPEATS / 2] / (double)jobs);
	}
}

static int prepare(struct bench *bench, unsigned int n_tasks)
{
	matmul_prepare(&bench->matmul, &bench->rocket);
	for (unsigned int i = 0; i < n_tasks; i++)
		bench->tasks[i] = bench->rocket.task;
	bench->rocket.job.tasks = (uintptr_t)bench->tasks;
	bench->rocket.job.task_count = n_tasks;
	if (!bench->native)
		return 0;
	bench->program = program_repeat(bench->fd, &bench->matmul, n_tasks);
	run_prepare(&bench->run, 0, bench->program, &bench->matmul);
	return bench->program < 0 ? bench->program : 0;
}

/* Run one before, for what is done only at the first. */
static int warm_up(struct bench *bench)
{
	int ret = submit_once(bench);

	return ret ? ret : wait_once(bench);
}

static int measure_load(struct bench *bench, int load, unsigned int n_tasks)
{
	uint32_t (*samples)[REPEATS] = bench->samples[load];
	int ret = 0;

	set_load(load);
	for (unsigned int i = 0; i < REPEATS && !ret; i++) {
		ret = sample_one(bench, samples, i);
		if (!ret)
			ret = sample_two(bench, samples, i);
	}
	set_load(IDLE);
	if (!ret)
		print_figures(bench, load, n_tasks);
	return ret;
}

static int measure(struct bench *bench, unsigned int n_tasks)
{
	int ret = prepare(bench, n_tasks);

	if (!ret)
		ret = warm_up(bench);
	board_break(bench->board, BOARD_DELAY_IRQ_US, DELAY_US);
	for (int load = 0; load < N_LOADS && !ret; load++)
		ret = measure_load(bench, load, n_tasks);
	board_mend(bench->board);
	if (bench->native)
		program_destroy(bench->fd, bench->program);
	return ret;
}

static int measure_interface(struct bench *bench, const char *interface, bool native,
			     bool renewed)
{
	static const unsigned int counts[] = { 1, 16, 64, MAX_TASKS };
	int ret = 0;

	bench->interface = interface;
	bench->native = native;
	bench->renewed = renewed;
	for (size_t i = 0; i < ARRAY_SIZE(counts) && !ret; i++)
		ret = measure(bench, counts[i]);
	return ret;
}

static int bench_device(struct bench *bench)
{
	int ret;

	if (check_driver(bench->fd))
		return measure_interface(bench, "rocket", false, false);
	ret = measure_interface(bench, "renewed", false, true);
	if (!ret)
		ret = measure_interface(bench, "compat", false, false);
	return ret ? ret : measure_interface(bench, "native", true, false);
}

int main(void)
{
	static struct bench bench;
	int ret;

	spinner_start();
	/* for what the boot has left to do */
	sleep(1);
	/* what the driver does after a job has ended is not to be waited for */
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 50 });
	bench.fd = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	bench.board = board_open();
	if (bench.fd < 0 || !bench.board || matmul_create(bench.fd, &bench.matmul)) {
		fprintf(stderr, "bench_dispatch: no device, or not on the test board\n");
		return 1;
	}
	ret = bench_device(&bench);
	kill(spinner, SIGKILL);
	if (ret)
		fprintf(stderr, "bench_dispatch: %s\n", strerror(-ret));
	return ret ? 1 : 0;
}
