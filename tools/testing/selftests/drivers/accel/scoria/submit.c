// SPDX-License-Identifier: GPL-2.0-only
/* SUBMIT: what runs, and everything that must be refused without a trace. */
#include "scoria_test.h"

FIXTURE(submit) {
	int fd;
	struct matmul matmul;
	struct submission s;
};

FIXTURE_SETUP(submit)
{
	DEVICE_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	matmul_prepare(&self->matmul, &self->s);
}

FIXTURE_TEARDOWN(submit)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

/*
 * The submission gives @error, the NPU is not touched, and a good job still
 * computes.
 */
#define EXPECT_REFUSED(error, self) do {				\
	volatile uint32_t *page_ = board_open();			\
	const uint32_t kicks_ = page_ ? board_sum(page_, BOARD_KICKS) : 0; \
									\
	EXPECT_EQ(error, submit((self)->fd, &(self)->s));		\
	EXPECT_EQ(0, bo_prep((self)->fd, &(self)->matmul.region[JOB_OUTPUT])); \
	EXPECT_TRUE(matmul_is_untouched(&(self)->matmul));		\
	if (page_)							\
		EXPECT_EQ(kicks_, board_sum(page_, BOARD_KICKS));	\
	EXPECT_EQ(0, matmul_runs((self)->fd));				\
} while (0)

TEST_F(submit, matmul_computes)
{
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, matmul_computes_again_and_again)
{
	for (int i = 0; i < 20; i++) {
		memset(self->matmul.region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
		ASSERT_EQ(0, bo_fini(self->fd, &self->matmul.region[JOB_OUTPUT]));
		ASSERT_EQ(0, submit(self->fd, &self->s));
		ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
		ASSERT_TRUE(matmul_is_right(&self->matmul));
	}
}

TEST_F(submit, no_jobs_is_no_error)
{
	self->s.submit.job_count = 0;
	EXPECT_EQ(0, submit(self->fd, &self->s));
}

TEST_F(submit, job_of_version_1_0_has_40_bytes)
{
	self->s.submit.job_struct_size = 40;
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, job_may_be_batched)
{
	self->s.job.flags = DRM_SCORIA_ROCKET_JOB_BATCHED;
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, buffer_may_be_input_and_output)	/* U14 */
{
	self->s.in[0] = self->s.out[0];
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, job_of_many_tasks_is_one_kick_and_one_interrupt)
{
	enum { N_TASKS = 100 };
	struct drm_scoria_rocket_task tasks[N_TASKS];
	volatile uint32_t *board = board_open();
	uint32_t kicks, interrupts, done;

	if (!board)
		SKIP(return, "not on the test board");
	for (int i = 0; i < N_TASKS; i++)
		tasks[i] = self->s.task;
	self->s.job.tasks = (uintptr_t)tasks;
	self->s.job.task_count = N_TASKS;
	kicks = board_sum(board, BOARD_KICKS);
	interrupts = board_sum(board, BOARD_INTERRUPTS);
	done = board_sum(board, BOARD_TASKS);
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	EXPECT_EQ(kicks + 1, board_sum(board, BOARD_KICKS));
	EXPECT_EQ(interrupts + 1, board_sum(board, BOARD_INTERRUPTS));
	EXPECT_EQ(done + N_TASKS, board_sum(board, BOARD_TASKS));
}

TEST_F(submit, tasks_may_be_further_apart_than_their_struct)
{
	struct {
		struct drm_scoria_rocket_task task;
		uint64_t more;
	} tasks[2] = { { self->s.task, 0 }, { self->s.task, 0 } };

	self->s.job.tasks = (uintptr_t)tasks;
	self->s.job.task_count = 2;
	self->s.job.task_struct_size = sizeof(tasks[0]);
	ASSERT_EQ(0, submit(self->fd, &self->s));
	ASSERT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, unknown_tail_of_a_task_is_refused)	/* U10 */
{
	struct {
		struct drm_scoria_rocket_task task;
		uint64_t more;
	} task = { self->s.task, 1 };

	self->s.job.tasks = (uintptr_t)&task;
	self->s.job.task_struct_size = sizeof(task);
	EXPECT_REFUSED(-E2BIG, self);
}

TEST_F(submit, unknown_tail_of_a_job_is_refused)	/* U10 */
{
	struct {
		struct drm_scoria_rocket_job job;
		uint64_t more;
	} job = { self->s.job, 1 };

	self->s.submit.jobs = (uintptr_t)&job;
	self->s.submit.job_struct_size = sizeof(job);
	EXPECT_REFUSED(-E2BIG, self);
}

TEST_F(submit, reserved_field_of_submit_must_be_zero)
{
	self->s.submit.reserved = 1;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, reserved_field_of_a_job_must_be_zero)
{
	self->s.job.reserved = 1;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, unknown_flag_of_a_job_is_refused)
{
	self->s.job.flags = 2;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, short_job_is_refused)
{
	self->s.submit.job_struct_size = 39;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, short_task_is_refused)
{
	self->s.job.task_struct_size = 7;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, job_without_tasks_is_refused)
{
	self->s.job.task_count = 0;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, unreadable_jobs_are_refused)
{
	self->s.submit.jobs = 8;
	EXPECT_REFUSED(-EFAULT, self);
}

TEST_F(submit, unreadable_tasks_are_refused)	/* U1 */
{
	self->s.job.tasks = 8;
	EXPECT_REFUSED(-EFAULT, self);
}

TEST_F(submit, unreadable_handles_are_refused)
{
	self->s.job.in_bo_handles = 8;
	EXPECT_REFUSED(-EFAULT, self);
}

TEST_F(submit, task_without_commands_is_refused)	/* U1 */
{
	self->s.task.regcmd_count = 0;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, unknown_input_is_refused)	/* U2 */
{
	self->s.in[1] = 0x7fffffff;
	EXPECT_REFUSED(-ENOENT, self);
}

TEST_F(submit, unknown_output_is_refused)	/* U2 */
{
	self->s.out[0] = 0x7fffffff;
	EXPECT_REFUSED(-ENOENT, self);
}

TEST_F(submit, huge_counts_are_refused)	/* U7 */
{
	self->s.job.in_bo_handle_count = 0xffffffff;
	EXPECT_REFUSED(-EINVAL, self);
	self->s.job.in_bo_handle_count = ARRAY_SIZE(self->s.in);
	self->s.job.task_count = 0xffffffff;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, commands_outside_buffers_are_refused)	/* U11 */
{
	self->s.task.regcmd = 0xe0000000;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, commands_beyond_their_buffer_are_refused)	/* U11 */
{
	self->s.task.regcmd_count = MATMUL_BO_BYTES / 8 + 1;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, misaligned_commands_are_refused)
{
	self->s.task.regcmd += 4;
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, output_outside_buffers_is_refused)	/* U11 */
{
	matmul_point(&self->matmul, JOB_OUTPUT, 0xe0000000);
	EXPECT_REFUSED(-EINVAL, self);
}

TEST_F(submit, input_outside_buffers_is_refused)	/* U11 */
{
	matmul_point(&self->matmul, JOB_INPUT, 0xe0000000);
	EXPECT_REFUSED(-EINVAL, self);
}

FIXTURE(bad_word) {
	int fd;
	struct matmul matmul;
	struct submission s;
};

FIXTURE_VARIANT(bad_word) {
	uint64_t word;
};

/* What a stream must not reach, in place of a word that it may do without. */
FIXTURE_VARIANT_ADD(bad_word, unknown_target) { .word = 0x1234ull << 48 };
FIXTURE_VARIANT_ADD(bad_word, pc_interrupt_mask) { .word = 0x0101ull << 48 | 0x0020 };
FIXTURE_VARIANT_ADD(bad_word, pc_starts_itself) { .word = 0x0101ull << 48 | 1 << 16 | 0x0008 };
FIXTURE_VARIANT_ADD(bad_word, iommu_bank_0) { .word = 0x0201ull << 48 | 0x9000 };
FIXTURE_VARIANT_ADD(bad_word, iommu_bank_1) { .word = 0x1001ull << 48 | 0xa000 };
FIXTURE_VARIANT_ADD(bad_word, dma_arbiter) { .word = 0x0201ull << 48 | 0x8000 };
FIXTURE_VARIANT_ADD(bad_word, hole) { .word = 0x0201ull << 48 | 0x2000 };
FIXTURE_VARIANT_ADD(bad_word, target_and_offset_disagree) { .word = 0x0201ull << 48 | 0x4020 };
FIXTURE_VARIANT_ADD(bad_word, offset_not_of_a_register) { .word = 0x0201ull << 48 | 0x1071 };

FIXTURE_SETUP(bad_word)
{
	DEVICE_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	matmul_prepare(&self->matmul, &self->s);
}

FIXTURE_TEARDOWN(bad_word)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

TEST_F(bad_word, is_refused_wherever_it_stands)
{
	uint64_t *words = matmul_words(&self->matmul);
	static const unsigned int places[] = { 0, 50, ARRAY_SIZE(job_words) - 5 };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const uint64_t saved = words[places[i]];

		words[places[i]] = variant->word;
		EXPECT_REFUSED(-EINVAL, self);
		words[places[i]] = saved;
	}
	EXPECT_EQ(0, submit(self->fd, &self->s));
}

TEST_F(submit, jobs_before_a_refused_one_run)	/* U3 */
{
	struct drm_scoria_rocket_job jobs[3] = { self->s.job, self->s.job, self->s.job };

	jobs[1].task_count = 0;
	self->s.submit.jobs = (uintptr_t)jobs;
	self->s.submit.job_count = 3;
	EXPECT_EQ(-EINVAL, submit(self->fd, &self->s));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(submit, commands_are_those_of_the_time_of_the_submit)
{
	volatile uint32_t *board = board_open();

	if (!board)
		SKIP(return, "not on the test board");
	board_break(board, BOARD_DELAY_START_US, 20000);
	ASSERT_EQ(0, submit(self->fd, &self->s));
	memset(self->matmul.commands.map, 0xff, MATMUL_BO_BYTES);
	bo_fini(self->fd, &self->matmul.commands);
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	board_mend(board);
}

TEST_HARNESS_MAIN
