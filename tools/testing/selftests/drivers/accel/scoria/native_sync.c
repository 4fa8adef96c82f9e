// SPDX-License-Identifier: GPL-2.0-only
/* Syncobjs that jobs wait for and signal. */
#include <poll.h>

#include "native_test.h"

FIXTURE(native_sync) {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
	struct run run;
	uint32_t a, b;
};

FIXTURE_SETUP(native_sync)
{
	int program;

	BOARD_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	program = program_of(self->fd, &self->matmul);
	ASSERT_LT(0, program);
	run_prepare(&self->run, 0, program, &self->matmul);
	self->a = syncobj_create(self->fd);
	self->b = syncobj_create(self->fd);
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
}

FIXTURE_TEARDOWN(native_sync)
{
	board_mend(self->board);
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

static void wait_for(struct run *run, uint32_t handle, uint64_t point)
{
	run->in = (struct drm_scoria_sync) { .handle = handle, .point = point };
	run->submit.in_sync_count = 1;
}

static void signal_to(struct run *run, uint32_t handle, uint64_t point)
{
	run->out = (struct drm_scoria_sync) { .handle = handle, .point = point };
	run->submit.out_sync_count = 1;
}

TEST_F(native_sync, binary_signals_when_the_job_has_ended)
{
	board_shut(self->board);
	signal_to(&self->run, self->a, 0);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(-ETIME, syncobj_wait_until(self->fd, self->a, 0, 0));
	board_open_gate(self->board);
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 0));
	EXPECT_EQ(0, bo_wait_until(self->fd, self->matmul.region[JOB_OUTPUT].handle, 0, 0));
	EXPECT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(native_sync, points_of_a_timeline_signal_one_by_one)
{
	board_shut(self->board);
	for (uint64_t point = 10; point <= 50; point += 10) {
		signal_to(&self->run, self->a, point);
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
	}
	for (uint64_t point = 10; point <= 50; point += 10) {
		EXPECT_EQ(point - 10, syncobj_point(self->fd, self->a));
		board_pass_one(self->board);
		EXPECT_EQ(0, syncobj_wait(self->fd, self->a, point - 5));
		EXPECT_EQ(point, syncobj_point(self->fd, self->a));
	}
}

TEST_F(native_sync, points_have_64_bits)
{
	signal_to(&self->run, self->a, 1);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	signal_to(&self->run, self->a, (1ull << 32) + 1);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	/* point 2^32 + 2 is not yet there, though its low half is that of one that is */
	wait_for(&self->run, self->a, (1ull << 32) + 2);
	signal_to(&self->run, self->a, 1ull << 63);
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->a, (1ull << 32) + 1);
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	signal_to(&self->run, self->a, ~0ull);
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, ~0ull));
	EXPECT_EQ(~0ull, syncobj_point(self->fd, self->a));
}

TEST_F(native_sync, job_waits_for_jobs_of_another_queue)
{
	int other = queue_create(self->fd, 0, 0);
	struct matmul second;
	struct run run;
	int program;

	/* no buffer orders the two */
	ASSERT_LT(0, other);
	ASSERT_EQ(0, matmul_create(self->fd, &second));
	program = program_of(self->fd, &second);
	ASSERT_LT(0, program);
	board_break(self->board, BOARD_DELAY_IRQ_US, 50000);
	signal_to(&self->run, self->a, 7);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	board_break(self->board, BOARD_DELAY_IRQ_US, 0);
	run_prepare(&run, other, program, &second);
	wait_for(&run, self->a, 7);
	signal_to(&run, self->b, 0);
	ASSERT_EQ(0, run_submit(self->fd, &run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->b, 0));
	EXPECT_EQ(7, syncobj_point(self->fd, self->a));
	EXPECT_EQ(0, native_finish(self->fd, &second));
	EXPECT_TRUE(matmul_is_right(&second));
}

TEST_F(native_sync, high_priority_does_not_overtake_what_it_waits_for)
{
	int low = queue_create(self->fd, DRM_SCORIA_PRIORITY_LOW, CORE_0);
	int high = queue_create(self->fd, DRM_SCORIA_PRIORITY_HIGH, CORE_0);
	struct drm_scoria_sync out[2] = { { .handle = self->a }, { .handle = self->b } };
	struct run run = self->run;

	/*
	 * On one core: a low job waits behind another low one, and the high one for its
	 * fence itself and not for a point, which the DRM scheduler would not shorten.
	 */
	ASSERT_LT(0, low);
	ASSERT_LT(0, high);
	board_break(self->board, BOARD_DELAY_IRQ_US, 20000);
	self->run.submit.queue = low;
	self->run.job.bo_count = 0;
	self->run.submit.out_syncs = (uintptr_t)out;
	self->run.submit.out_sync_count = 2;
	for (out[0].point = 1; out[0].point <= 2; out[0].point++)
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
	run.submit.queue = high;
	run.submit.in_syncs = (uintptr_t)&run.in;
	run.submit.out_syncs = (uintptr_t)&run.out;
	run.submit.jobs = (uintptr_t)&run.job;
	run.job.bo_count = 0;
	wait_for(&run, self->b, 0);
	signal_to(&run, self->b, 0);
	ASSERT_EQ(0, run_submit(self->fd, &run));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->b, 0));
	EXPECT_EQ(2, syncobj_point(self->fd, self->a));
}

TEST_F(native_sync, point_in_the_past_is_no_wait)
{
	signal_to(&self->run, self->a, 5);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	ASSERT_EQ(0, syncobj_wait(self->fd, self->a, 5));
	for (uint64_t point = 0; point <= 5; point++) {
		wait_for(&self->run, self->a, point);
		signal_to(&self->run, self->b, 0);
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
		ASSERT_EQ(0, syncobj_wait(self->fd, self->b, 0));
	}
}

TEST_F(native_sync, bad_waits_are_refused)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);

	/* nothing in it, and not yet the point: there is no waiting for submits to come */
	wait_for(&self->run, self->a, 0);
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->a, 1);
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->b + 1, 0);
	EXPECT_EQ(-ENOENT, run_submit(self->fd, &self->run));
	wait_for(&self->run, 0, 0);
	EXPECT_EQ(-ENOENT, run_submit(self->fd, &self->run));
	EXPECT_EQ(kicks, board_sum(self->board, BOARD_KICKS));
	self->run.submit.in_sync_count = 0;
	signal_to(&self->run, self->a, 4);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->a, 5);
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->a, ~0ull);
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	/* of the refused ones nothing came into the timeline */
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 4));
	EXPECT_EQ(-EINVAL, syncobj_wait_until(self->fd, self->a, 5, 0));
}

TEST_F(native_sync, bad_signals_are_refused)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);

	signal_to(&self->run, self->b + 1, 0);
	EXPECT_EQ(-ENOENT, run_submit(self->fd, &self->run));
	EXPECT_EQ(kicks, board_sum(self->board, BOARD_KICKS));
	signal_to(&self->run, self->a, 4);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	for (uint64_t point = 1; point <= 4; point++) {
		signal_to(&self->run, self->a, point);
		EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	}
	signal_to(&self->run, self->a, 5);
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 5));
}

TEST_F(native_sync, handles_of_other_files_are_unknown)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
	int other = device_open();
	uint32_t theirs = 0;

	while (theirs <= self->b)
		theirs = syncobj_create(other);
	signal_to(&self->run, theirs, 0);
	EXPECT_EQ(-ENOENT, run_submit(self->fd, &self->run));
	self->run.submit.out_sync_count = 0;
	wait_for(&self->run, theirs, 0);
	EXPECT_EQ(-ENOENT, run_submit(self->fd, &self->run));
	EXPECT_EQ(kicks, board_sum(self->board, BOARD_KICKS));
	/* nothing came into it */
	EXPECT_EQ(-EINVAL, syncobj_wait_until(other, theirs, 0, 0));
	close(other);
}

TEST_F(native_sync, points_of_one_submit_must_rise)
{
	struct drm_scoria_sync out[3] = {
		{ .handle = self->a, .point = 1 }, { .handle = self->a, .point = 3 },
		{ .handle = self->a, .point = 2 },
	};

	self->run.submit.out_syncs = (uintptr_t)out;
	self->run.submit.out_sync_count = 3;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	out[2].point = 3;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	out[2].point = 4;
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 4));
}

TEST_F(native_sync, arrays_have_their_limits)
{
	struct drm_scoria_sync syncs[257];
	struct drm_scoria_submit *submit = &self->run.submit;

	signal_to(&self->run, self->a, 1);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	for (int i = 0; i < 257; i++)
		syncs[i] = (struct drm_scoria_sync) { .handle = self->a, .point = 1 };
	submit->in_syncs = (uintptr_t)syncs;
	submit->out_sync_count = 0;
	submit->in_sync_count = 256;
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	submit->in_sync_count = 257;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	submit->in_sync_count = ~0u;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	submit->in_sync_count = 0;
	for (int i = 0; i < 257; i++)
		syncs[i].point = i + 2;
	submit->out_syncs = (uintptr_t)syncs;
	submit->out_sync_count = 257;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	submit->out_sync_count = 256;
	submit->sync_stride = 15;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	submit->sync_stride = sizeof(syncs[0]);
	syncs[3].flags = 1;
	EXPECT_EQ(-EINVAL, run_submit(self->fd, &self->run));
	syncs[3].flags = 0;
	EXPECT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 257));
	submit->out_syncs = 8;
	EXPECT_EQ(-EFAULT, run_submit(self->fd, &self->run));
}

/* A ring of waits cannot be made: what is waited for has always been submitted. */
TEST_F(native_sync, syncobj_may_be_waited_for_and_signalled_at_once)
{
	signal_to(&self->run, self->a, 1);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	for (uint64_t point = 1; point < 100; point++) {
		wait_for(&self->run, self->a, point);
		signal_to(&self->run, self->a, point + 1);
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
	}
	EXPECT_EQ(0, syncobj_wait(self->fd, self->a, 100));
	/* binary, too */
	self->run.submit.in_sync_count = 0;
	signal_to(&self->run, self->b, 0);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	wait_for(&self->run, self->b, 0);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, syncobj_wait(self->fd, self->b, 0));
}

TEST_F(native_sync, fence_has_the_error_of_any_job)
{
	struct drm_scoria_job jobs[3] = { self->run.job, self->run.job, self->run.job };
	int file;

	for (int failing = 0; failing < 3; failing++) {
		const uint32_t kicks = board_sum(self->board, BOARD_KICKS);

		self->run.submit.jobs = (uintptr_t)jobs;
		self->run.submit.job_count = 3;
		for (int i = 0; i < 3; i++)
			jobs[i].timeout_ms = 200;
		board_break(self->board, BOARD_STUCK, failing == 0);
		board_shut(self->board);
		signal_to(&self->run, self->a, 0);
		ASSERT_EQ(0, run_submit(self->fd, &self->run));
		file = sync_file_of(self->fd, self->a);
		ASSERT_LE(0, file);
		EXPECT_EQ(0, sync_file_status(file));
		/* those before it end, one by one */
		for (int i = 0; i < failing; i++) {
			EXPECT_TRUE(board_comes_to(self->board, BOARD_KICKS, kicks + i + 1));
			board_break(self->board, BOARD_STUCK, i + 1 == failing);
			board_pass_one(self->board);
		}
		EXPECT_EQ(1, poll(&(struct pollfd){ .fd = file, .events = POLLIN }, 1, 2000));
		EXPECT_EQ(failing == 2 ? -EIO : -ECANCELED, sync_file_status(file));
		close(file);
		board_mend(self->board);
	}
	EXPECT_EQ(0, native_runs(self->fd, 0));
}

TEST_F(native_sync, error_of_what_it_waits_for_does_not_stop_a_job)
{
	int other = queue_create(self->fd, 0, 0);

	ASSERT_LT(0, other);
	board_break(self->board, BOARD_STUCK, 1);
	self->run.job.timeout_ms = 20;
	self->run.submit.queue = other;
	self->run.job.bo_count = 0;
	signal_to(&self->run, self->a, 0);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	board_mend(self->board);
	sleep_ms(100);
	self->run.submit.queue = 0;
	self->run.submit.out_sync_count = 0;
	self->run.job.bo_count = JOB_N_REGIONS;
	wait_for(&self->run, self->a, 0);
	ASSERT_EQ(0, run_submit(self->fd, &self->run));
	EXPECT_EQ(0, native_finish(self->fd, &self->matmul));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_HARNESS_MAIN
