// SPDX-License-Identifier: GPL-2.0-only
/*
 * What jobs of some tasks cost on the driver that is loaded: a line a size, with counts a
 * job. The interface is rocket's, so that it runs on the in-tree driver and on ours. Every
 * task is the int8 matmul of the selftests, one waited for after the other.
 */
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "scoria_test.h"

#define JOBS		20
#define MAX_TASKS	512

static const unsigned int sizes[] = { 1, 16, 64, MAX_TASKS };

struct counts {
	uint64_t interrupts;
	uint64_t kicks;
	uint64_t reads;
	uint64_t writes;
	uint64_t instructions;
	int64_t ns;
};

static volatile uint32_t *board;
static int counter;	/* perf's */

/*
 * All that is executed from now on, the kernel included: with -icount QEMU has one
 * count of instructions, which the counters of all CPUs show.
 */
static int count_instructions(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t instructions(void)
{
	uint64_t value = 0;

	return read(counter, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static struct counts now(void)
{
	return (struct counts) {
		.interrupts = board_sum(board, BOARD_INTERRUPTS),
		.kicks = board_sum(board, BOARD_KICKS),
		.reads = board_sum(board, BOARD_MMIO_READS),
		.writes = board_sum(board, BOARD_MMIO_WRITES),
		.instructions = instructions(), .ns = now_ns(),
	};
}

static void print(unsigned int tasks, const struct counts *a, const struct counts *b)
{
	printf("@jobs %u %.2f %.2f %.2f %.2f %.0f %.0f\n", tasks,
	       (double)(b->interrupts - a->interrupts) / JOBS,
	       (double)(b->kicks - a->kicks) / JOBS, (double)(b->reads - a->reads) / JOBS,
	       (double)(b->writes - a->writes) / JOBS,
	       (double)(b->instructions - a->instructions) / JOBS, (double)(b->ns - a->ns) / JOBS);
}

static int run_jobs(int fd, const struct matmul *matmul, unsigned int tasks, unsigned int jobs)
{
	static struct drm_scoria_rocket_task list[MAX_TASKS];
	struct submission s;
	int ret = 0;

	matmul_prepare(matmul, &s);
	for (unsigned int i = 0; i < tasks; i++)
		list[i] = s.task;
	s.job.tasks = (uintptr_t)list;
	s.job.task_count = tasks;
	/* the in-tree driver knows nothing behind */
	s.submit.job_struct_size = DRM_SCORIA_ROCKET_JOB_SIZE_1_0;
	for (unsigned int i = 0; i < jobs && !ret; i++) {
		ret = submit(fd, &s);
		if (!ret)
			ret = bo_prep(fd, &matmul->region[JOB_OUTPUT]);
	}
	return ret;
}

/* A size's claim: that the jobs ran and computed; its costs go to the console. */
static bool measure(int fd, const struct matmul *matmul, unsigned int tasks)
{
	struct counts before, after;

	/* the first of a size allocates, and powers the core up */
	if (run_jobs(fd, matmul, tasks, 1))
		return false;
	memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
	if (bo_fini(fd, &matmul->region[JOB_OUTPUT]))
		return false;
	before = now();
	if (run_jobs(fd, matmul, tasks, JOBS))
		return false;
	after = now();
	print(tasks, &before, &after);
	return matmul_is_right(matmul);
}

int main(void)
{
	int fd = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	struct matmul matmul;
	int failed = 0;

	board = board_open();
	counter = count_instructions();
	if (fd < 0 || !board || counter < 0 || matmul_create(fd, &matmul)) {
		printf("Bail out! no device, no board, no counter or no buffers\n");
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		bool right = measure(fd, &matmul, sizes[i]);

		printf("%sok %zu - jobs of %u tasks compute\n", right ? "" : "not ", i + 1,
		       sizes[i]);
		failed |= !right;
	}
	printf("1..%zu\n", ARRAY_SIZE(sizes));
	matmul_destroy(fd, &matmul);
	close(fd);
	return failed;
}
