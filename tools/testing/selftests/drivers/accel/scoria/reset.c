// SPDX-License-Identifier: GPL-2.0-only
/* Jobs that hang, fail or lose their interrupt, and what comes after them. */
#include "scoria_test.h"

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
	EXPECT_LT(now_ns() - start, 100 * NS_PER_MS);
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
	EXPECT_LT(now_ns() - start, 200 * NS_PER_MS);
	EXPECT_LT(faults, board_sum(self->board, BOARD_IOMMU_FAULTS));
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

TEST_HARNESS_MAIN
