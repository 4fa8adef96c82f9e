// SPDX-License-Identifier: GPL-2.0-only
/* Jobs that hang, fail or lose their interrupt, and what comes after them. */
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "dmabuf.h"
#include "scoria_test.h"
#include "sysfs.h"

FIXTURE(reset) {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
};

FIXTURE_SETUP(reset)
{
	BOARD_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
}

FIXTURE_TEARDOWN(reset)
{
	board_mend(self->board);
	write_text(TIMEOUT_MS, "500");
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

static int run(int fd, struct matmul *matmul)
{
	int ret = matmul_submit(fd, matmul);

	return ret ? ret : bo_prep(fd, &matmul->region[JOB_OUTPUT]);
}

TEST_F(reset, hung_job_fails_and_the_next_one_runs)	/* H1 */
{
	board_break(self->board, BOARD_STUCK, 1);
	EXPECT_EQ(-EIO, run(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_untouched(&self->matmul));
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(reset, hung_job_fails_by_itself)	/* H2: nobody submits again */
{
	int64_t start;

	board_break(self->board, BOARD_STUCK, 1);
	start = now_ns();
	EXPECT_EQ(-EIO, run(self->fd, &self->matmul));
	EXPECT_LT(now_ns() - start, 3 * NS_PER_S);
}

TEST_F(reset, error_reaches_every_waiter)	/* H2, U8 */
{
	board_break(self->board, BOARD_STUCK, 1);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-EIO, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
}

TEST_F(reset, lost_interrupt_does_not_lose_the_core)	/* H1 */
{
	int ret;

	board_break(self->board, BOARD_DROP_IRQ, 1);
	ret = run(self->fd, &self->matmul);
	EXPECT_TRUE(ret == 0 || ret == -EIO);
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(reset, late_interrupt_is_waited_for)
{
	board_break(self->board, BOARD_DELAY_IRQ_US, 50000);
	EXPECT_EQ(0, run(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(reset, spurious_interrupts_do_no_harm)	/* P6 */
{
	board_break(self->board, BOARD_SPURIOUS, 20);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, matmul_runs(self->fd));
	sleep_ms(10);
}

TEST_F(reset, bus_error_fails_the_job_at_once)	/* H11 */
{
	int64_t start;

	board_break(self->board, BOARD_FAIL_DMA, 1);
	start = now_ns();
	EXPECT_EQ(-EFAULT, run(self->fd, &self->matmul));
	EXPECT_LT(now_ns() - start, 400 * NS_PER_MS);
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

/* The last 16 bytes of the buffer are its own, what follows is nobody's. */
static void read_beyond_the_buffer(struct matmul *matmul)
{
	matmul_point(matmul, JOB_INPUT,
		     (uint32_t)matmul->region[JOB_INPUT].address + MATMUL_BO_BYTES - 16);
}

TEST_F(reset, iommu_fault_fails_the_job_at_once)	/* H11 */
{
	const uint32_t faults = board_sum(self->board, BOARD_IOMMU_FAULTS);
	int64_t start = now_ns();

	/* close what may lie behind the input */
	bo_close(self->fd, &self->matmul.region[JOB_WEIGHTS]);
	matmul_point(&self->matmul, JOB_WEIGHTS, (uint32_t)self->matmul.region[JOB_INPUT].address);
	read_beyond_the_buffer(&self->matmul);
	self->matmul.region[JOB_WEIGHTS].map = NULL;
	self->matmul.region[JOB_WEIGHTS].handle = self->matmul.region[JOB_INPUT].handle;
	EXPECT_EQ(-EFAULT, run(self->fd, &self->matmul));
	EXPECT_LT(now_ns() - start, 400 * NS_PER_MS);
	EXPECT_LT(faults, board_sum(self->board, BOARD_IOMMU_FAULTS));
	EXPECT_EQ(0, matmul_runs(self->fd));
}

/* DST_SURF_STRIDE so large that the second surface lies where nothing is. */
TEST_F(reset, iommu_fault_of_a_write_fails_the_job_at_once)	/* H11 */
{
	int64_t start = now_ns();

	ASSERT_EQ(0, matmul_set_register(&self->matmul, 0x4024, 0x40000000));
	bo_fini(self->fd, &self->matmul.commands);
	EXPECT_EQ(-EFAULT, run(self->fd, &self->matmul));
	EXPECT_LT(now_ns() - start, 400 * NS_PER_MS);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(reset, thirty_failing_jobs_in_a_row)	/* H4: the log must stay clean */
{
	for (int i = 0; i < 30; i++) {
		board_break(self->board, i % 2 ? BOARD_FAIL_DMA : BOARD_STUCK, 1);
		ASSERT_GT(0, run(self->fd, &self->matmul));
		board_mend(self->board);
	}
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(reset, other_cores_never_notice)	/* H1 */
{
	struct matmul other;

	board_set(self->board, BOARD_CORE(0) + BOARD_STUCK, 1);
	board_set(self->board, BOARD_CORE(1) + BOARD_STUCK, 1);
	ASSERT_EQ(0, matmul_create(self->fd, &other));
	for (int i = 0; i < 8; i++) {
		struct matmul more;

		ASSERT_EQ(0, matmul_create(self->fd, &more));
		ASSERT_EQ(0, matmul_submit(self->fd, &more));
		matmul_destroy(self->fd, &more);
	}
	sleep_ms(1500);
	board_mend(self->board);
	EXPECT_EQ(0, run(self->fd, &other));
	EXPECT_TRUE(matmul_is_right(&other));
	matmul_destroy(self->fd, &other);
}

TEST_F(reset, stalled_stream_is_ended)	/* H8: MRDMA enabled and not fed */
{
	/* FEATURE_MODE_CFG of DPU_RDMA 0, with the RDMA in the enable mask */
	uint64_t *words = matmul_words(&self->matmul);
	int ret;

	words[ARRAY_SIZE(job_words) - 1] = 0x0081ull << 48 | 0x1dull << 16 | 0x0008;
	words[0] = 0x2001ull << 48 | 0x5044;
	ret = run(self->fd, &self->matmul);
	EXPECT_TRUE(ret == -EIO || ret == -EINVAL || ret == -EFAULT);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

/* Op-enable masks that start a block without what feeds it, or that it feeds (B8). */
TEST_F(reset, hang_in_every_block_is_ended)	/* H8 */
{
	static const uint32_t masks[] = {
		0x08, 0x09, 0x0c, 0x18, 0x19, 0x1c, 0x20, 0x60, 0x28, 0x2d, 0x48, 0x6d, 0x7d,
	};
	uint64_t *words = matmul_words(&self->matmul);

	write_text(TIMEOUT_MS, "20");
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		int ret;

		words[ARRAY_SIZE(job_words) - 1] = 0x0081ull << 48 | (uint64_t)masks[i] << 16 | 8;
		bo_fini(self->fd, &self->matmul.commands);
		ret = run(self->fd, &self->matmul);
		EXPECT_TRUE(ret == -EIO || ret == -EFAULT || ret == 0)
			TH_LOG("mask %#x: %d", masks[i], ret);
		ASSERT_EQ(0, matmul_runs(self->fd));
	}
}

/* What a waiter can hold of a job: every buffer that it writes, and their fences. */
TEST_F(reset, error_reaches_dmabufs_and_sync_files)	/* H2, U8 */
{
	struct sync_file_info info = { .num_fences = 0 };
	const uint32_t written[] = {
		self->matmul.region[JOB_OUTPUT].handle, self->matmul.region[JOB_INPUT].handle,
	};
	int bufs[ARRAY_SIZE(written)], files[ARRAY_SIZE(written)];
	struct submission s;

	matmul_prepare(&self->matmul, &s);
	s.job.out_bo_handles = (uintptr_t)written;
	s.job.out_bo_handle_count = ARRAY_SIZE(written);
	board_break(self->board, BOARD_STUCK, 1);
	ASSERT_EQ(0, submit(self->fd, &s));
	/* a fence that has signalled is no longer to be had from a buffer */
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		bufs[i] = handle_export(self->fd, written[i]);
		files[i] = buf_export_fence(bufs[i]);
		ASSERT_LE(0, files[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		struct pollfd polls[] = {
			{ .fd = bufs[i], .events = POLLIN }, { .fd = files[i], .events = POLLIN },
		};

		for (size_t j = 0; j < ARRAY_SIZE(polls); j++)
			EXPECT_EQ(1, poll(&polls[j], 1, JOB_SECONDS * 1000));
		info.num_fences = 0;
		EXPECT_EQ(0, drm_call(files[i], SYNC_IOC_FILE_INFO, &info));
		EXPECT_EQ(-EIO, info.status);
		EXPECT_EQ(-EIO, bo_prep(self->fd, &(struct bo) { .handle = written[i] }));
		close(files[i]);
		close(bufs[i]);
	}
	EXPECT_EQ(0, matmul_runs(self->fd));
}

/* One that only reads has no error to tell: its waiters get what they waited for. */
TEST_F(reset, reader_of_a_hung_jobs_input_sees_no_error)
{
	board_break(self->board, BOARD_STUCK, 1);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_INPUT]));
	EXPECT_EQ(-EIO, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
}

#define N_OTHERS	6

/* On all cores, before and behind the jobs that hang, and of other files. */
TEST_F(reset, jobs_of_other_files_compute_beside_hangs)	/* H1 */
{
	struct matmul others[N_OTHERS];
	int fds[N_OTHERS];

	write_text(TIMEOUT_MS, "50");
	for (int i = 0; i < N_OTHERS; i++) {
		fds[i] = device_reopen(self->fd);
		ASSERT_EQ(0, matmul_create(fds[i], &others[i]));
	}
	for (int round = 0; round < 3; round++) {
		board_break(self->board, BOARD_STUCK, 1);
		ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
		ASSERT_TRUE(board_comes_to(self->board, BOARD_STUCK, BOARD_N_CORES - 1));
		/* on the core that has begun the job it is too late */
		board_mend(self->board);
		for (int i = 0; i < N_OTHERS; i++)
			ASSERT_EQ(0, matmul_submit(fds[i], &others[i]));
		EXPECT_EQ(-EIO, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
		for (int i = 0; i < N_OTHERS; i++)
			EXPECT_EQ(0, bo_prep(fds[i], &others[i].region[JOB_OUTPUT]));
	}
	for (int i = 0; i < N_OTHERS; i++) {
		EXPECT_TRUE(matmul_is_right(&others[i]));
		matmul_destroy(fds[i], &others[i]);
		close(fds[i]);
	}
}

TEST_F(reset, process_may_end_while_its_job_hangs)	/* H13 */
{
	for (int i = 0; i < 6; i++) {
		pid_t child;
		int status;

		board_break(self->board, BOARD_STUCK, 1);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			int fd = device_reopen(self->fd);
			struct matmul matmul;

			if (matmul_create(fd, &matmul))
				_exit(1);
			for (int job = 0; job < 3; job++)
				matmul_submit(fd, &matmul);
			while (i % 2)
				pause();
			_exit(0);
		}
		sleep_ms(20);
		kill(child, SIGKILL);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		board_mend(self->board);
		EXPECT_EQ(0, matmul_runs(self->fd));
	}
}

/* Nanoseconds that the file's jobs had the cores, by fdinfo. */
static int64_t engine_time(int fd)
{
	char path[64], line[128];
	int64_t sum = 0;
	long long part;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "r");
	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "drm-engine-npu%*d: %lld", &part) == 1)
			sum += part;
	if (info)
		fclose(info);
	return sum;
}

TEST_F(reset, time_of_hung_jobs_is_counted_once)	/* H9 */
{
	const int64_t start = now_ns(), before = engine_time(self->fd);
	int64_t used;

	for (int i = 0; i < 2; i++) {
		board_break(self->board, BOARD_STUCK, 1);
		ASSERT_EQ(-EIO, run(self->fd, &self->matmul));
	}
	used = engine_time(self->fd) - before;
	EXPECT_LT(500 * NS_PER_MS, used);
	EXPECT_GT(now_ns() - start, used);
}

/* As fast as they come. Nothing may add up. */
TEST_F(reset, two_hundred_hangs)	/* H4 */
{
	write_text(TIMEOUT_MS, "1");
	for (int i = 0; i < 200; i++) {
		board_break(self->board, BOARD_STUCK, 1);
		ASSERT_EQ(-EIO, run(self->fd, &self->matmul));
	}
	board_mend(self->board);
	write_text(TIMEOUT_MS, "500");
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(0, matmul_runs(self->fd));
}

/* Buffers come and go while the core is in reset, whose IOMMU must not be touched. */
TEST_F(reset, buffers_are_mapped_during_resets)	/* M5 */
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);
	pid_t child;
	int status;

	write_text(TIMEOUT_MS, "1");
	child = fork();
	ASSERT_LE(0, child);
	while (!child) {
		struct bo bo;

		bo_create_unmapped(self->fd, 4096, &bo);
		bo_close(self->fd, &bo);
	}
	for (int i = 0; i < 50; i++) {
		board_break(self->board, BOARD_STUCK, 1);
		ASSERT_EQ(-EIO, run(self->fd, &self->matmul));
	}
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
}

/*
 * A block that is not done when its job has ended, and uses an address that is not mapped:
 * it tries again whenever it may, which is until the reset.
 */
TEST_F(reset, fault_after_the_end_of_a_job_is_ended)	/* H11 */
{
	for (int i = 0; i < 8; i++) {
		const uint32_t faults = board_sum(self->board, BOARD_IOMMU_FAULTS);

		board_break(self->board, BOARD_STRAY, 1);
		EXPECT_EQ(0, matmul_runs(self->fd));
		sleep_ms(20);
		EXPECT_LT(faults, board_sum(self->board, BOARD_IOMMU_FAULTS));
		EXPECT_GE(faults + 2, board_sum(self->board, BOARD_IOMMU_FAULTS));
		board_mend(self->board);
		EXPECT_EQ(0, matmul_runs(self->fd));
	}
}

/* One that works on while its file closes, and while another file's job comes. */
TEST_F(reset, block_that_works_on_has_its_tables_until_the_reset)
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);

	for (int i = 0; i < 6; i++) {
		int fd = device_reopen(self->fd);

		ASSERT_LE(0, fd);
		board_break(self->board, BOARD_LINGER_US, 20000);
		EXPECT_EQ(0, matmul_runs(fd));
		board_mend(self->board);
		if (i % 2)
			close(fd);
		EXPECT_EQ(0, matmul_runs(self->fd));
		if (!(i % 2))
			close(fd);
		sleep_ms(30);
	}
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
}

#define LOOK_SECONDS	3

/* What debugfs reads, for ever. */
static void look_at_cores(void)
{
	static char text[4096];
	glob_t found;

	if (glob("/sys/kernel/debug/accel/*/cores", 0, NULL, &found))
		_exit(1);
	for (;;)
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (read_text(found.gl_pathv[i], text, sizeof(text)) < 0)
				_exit(1);
}

/* Two files take turns on a core, which is reset between them. */
TEST_F(reset, core_in_reset_is_not_looked_at)	/* P6 */
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);
	const int64_t end = now_ns() + LOOK_SECONDS * NS_PER_S;
	const struct timespec pause = { .tv_nsec = 30000 };
	int other = device_reopen(self->fd), status;
	pid_t lookers[2];

	ASSERT_LE(0, other);
	for (size_t i = 0; i < ARRAY_SIZE(lookers); i++) {
		lookers[i] = fork();
		ASSERT_LE(0, lookers[i]);
		if (!lookers[i])
			look_at_cores();
	}
	while (now_ns() < end) {
		ASSERT_EQ(0, matmul_runs(self->fd));
		nanosleep(&pause, NULL);
		ASSERT_EQ(0, matmul_runs(other));
		nanosleep(&pause, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lookers); i++) {
		kill(lookers[i], SIGKILL);
		ASSERT_EQ(lookers[i], waitpid(lookers[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
	close(other);
}

#define POOL_EDGE	4	/* of the map that is pooled, 2 x 2 into one */

/* A task that pools one map of 8 halves a pixel and computes the matmul beside it. */
static uint32_t write_both(struct matmul *matmul, uint32_t pooled)
{
	const uint32_t line = POOL_EDGE * 16, edge = POOL_EDGE - 1, out = POOL_EDGE / 2 - 1;
	const struct {
		uint16_t offset;
		uint32_t value;
	} regs[] = {
		{ 0x600c, edge }, { 0x6010, edge }, { 0x6014, 7 },
		{ 0x6018, out }, { 0x601c, out }, { 0x6020, 7 },
		{ 0x6024, 0x11 }, { 0x6034, 1 | 1 << 8 | 1 << 16 | 1 << 20 },
		{ 0x6038, 0 }, { 0x603c, 0 }, { 0x6040, 0 }, { 0x6044, 0xfc00 }, { 0x6048, 0 },
		{ 0x6070, pooled }, { 0x607c, line }, { 0x6084, line | 2 }, { 0x60dc, 3 },
		{ 0x700c, edge }, { 0x7010, edge }, { 0x7014, 7 },
		{ 0x701c, (uint32_t)matmul->region[JOB_INPUT].address },
		{ 0x7024, line }, { 0x7028, line * POOL_EDGE }, { 0x7030, 2 },
	};
	uint64_t *words = matmul_words(matmul);

	memmove(words + ARRAY_SIZE(regs), words, sizeof(job_words));
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		const uint64_t target = regs[i].offset < 0x7000 ? 0x4001 : 0x8001;

		words[i] = target << 48 | (uint64_t)regs[i].value << 16 | regs[i].offset;
	}
	words[ARRAY_SIZE(regs) + ARRAY_SIZE(job_words) - 1] |= 0x60ull << 16;
	return ARRAY_SIZE(regs) + ARRAY_SIZE(job_words);
}

/* Of two that write memory, the PPU is done first: the job ends with the other. */
TEST_F(reset, job_ends_with_the_last_of_its_blocks)	/* H13 */
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);
	struct submission s;
	int64_t start;
	struct bo bo;

	ASSERT_EQ(0, bo_create(self->fd, MATMUL_BO_BYTES, &bo));
	matmul_prepare(&self->matmul, &s);
	s.task.regcmd_count = write_both(&self->matmul, (uint32_t)bo.address);
	bo_fini(self->fd, &self->matmul.commands);
	board_break(self->board, BOARD_LINGER_US, 30000);
	for (int i = 0; i < 3; i++) {
		start = now_ns();
		ASSERT_EQ(0, submit(self->fd, &s));
		EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
		EXPECT_LT(30 * NS_PER_MS, now_ns() - start);
		EXPECT_TRUE(matmul_is_right(&self->matmul));
	}
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
	bo_close(self->fd, &bo);
}

#define N_TASKS	64

/* More words than a dump has room for; lockdep looks on as it is written. */
TEST_F(reset, long_job_may_hang)
{
	struct drm_scoria_rocket_task tasks[N_TASKS];
	struct submission s;

	matmul_prepare(&self->matmul, &s);
	for (int i = 0; i < N_TASKS; i++)
		tasks[i] = s.task;
	s.job.tasks = (uintptr_t)tasks;
	s.job.task_count = N_TASKS;
	board_break(self->board, BOARD_STUCK, 1);
	ASSERT_EQ(0, submit(self->fd, &s));
	EXPECT_EQ(-EIO, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_HARNESS_MAIN
