// SPDX-License-Identifier: GPL-2.0-only
/* Waiting, the order of jobs, and dma-bufs. */
#include <poll.h>

#include "dmabuf.h"
#include "scoria_test.h"
#include "sysfs.h"

FIXTURE(fence) {
	int fd;
	volatile uint32_t *board;
	struct matmul matmul;
};

FIXTURE_SETUP(fence)
{
	BOARD_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
}

FIXTURE_TEARDOWN(fence)
{
	board_mend(self->board);
	bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]);
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

TEST_F(fence, wait_that_has_ended_already_is_busy)
{
	board_shut(self->board);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	EXPECT_EQ(-EBUSY, bo_prep_until(self->fd, &self->matmul.region[JOB_OUTPUT], 0));
	EXPECT_EQ(-EBUSY, bo_prep_until(self->fd, &self->matmul.region[JOB_OUTPUT], now_ns()));
	board_open_gate(self->board);
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
}

TEST_F(fence, wait_ends_at_its_time)
{
	int64_t until;

	board_shut(self->board);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	until = now_ns() + 10 * NS_PER_MS;
	EXPECT_EQ(-ETIMEDOUT, bo_prep_until(self->fd, &self->matmul.region[JOB_OUTPUT], until));
	EXPECT_LE(until, now_ns());
	board_open_gate(self->board);
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
}

TEST_F(fence, job_waits_for_the_one_that_writes_what_it_reads)	/* R7 */
{
	struct matmul second;
	struct submission s;

	/* the second job's input is the first one's output buffer */
	ASSERT_EQ(0, matmul_create(self->fd, &second));
	board_break(self->board, BOARD_DELAY_START_US, 20000);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	matmul_prepare(&second, &s);
	s.in[1] = self->matmul.region[JOB_OUTPUT].handle;
	ASSERT_EQ(0, submit(self->fd, &s));
	EXPECT_EQ(0, bo_prep(self->fd, &second.region[JOB_OUTPUT]));
	/* the first is done when the second is */
	EXPECT_EQ(0, bo_prep_until(self->fd, &self->matmul.region[JOB_OUTPUT], 0));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	matmul_destroy(self->fd, &second);
}

TEST_F(fence, writer_waits_for_the_reader)	/* U9 */
{
	struct matmul second;
	struct submission s;

	/* the second job writes the first one's input */
	ASSERT_EQ(0, matmul_create(self->fd, &second));
	matmul_point(&second, JOB_OUTPUT, (uint32_t)self->matmul.region[JOB_INPUT].address);
	bo_fini(self->fd, &second.commands);
	board_break(self->board, BOARD_DELAY_START_US, 20000);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	board_break(self->board, BOARD_DELAY_START_US, 0);
	matmul_prepare(&second, &s);
	s.out[0] = self->matmul.region[JOB_INPUT].handle;
	ASSERT_EQ(0, submit(self->fd, &s));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_INPUT]));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	EXPECT_EQ(0, memcmp(self->matmul.region[JOB_INPUT].map, job_expected,
			    sizeof(job_expected)));
	matmul_destroy(self->fd, &second);
}

/* Jobs of one file stay in order on one core; those of several files spread. */
TEST_F(fence, files_use_all_cores_at_once)
{
	const uint32_t kicks = board_sum(self->board, BOARD_KICKS);
	struct matmul jobs[6];
	int fds[6];

	board_shut(self->board);
	for (int i = 0; i < 6; i++) {
		fds[i] = device_open();
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, matmul_create(fds[i], &jobs[i]));
	}
	for (int i = 0; i < 6; i++)
		ASSERT_EQ(0, matmul_submit(fds[i], &jobs[i]));
	/* a core has one kick until that job ends */
	EXPECT_TRUE(board_comes_to(self->board, BOARD_KICKS, kicks + bound_devices().n));
	board_open_gate(self->board);
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(0, bo_prep(fds[i], &jobs[i].region[JOB_OUTPUT]));
		EXPECT_TRUE(matmul_is_right(&jobs[i]));
		matmul_destroy(fds[i], &jobs[i]);
		close(fds[i]);
	}
}

TEST_F(fence, exported_buffer_becomes_readable_when_the_job_is_done)
{
	int buf = handle_export(self->fd, self->matmul.region[JOB_OUTPUT].handle);
	struct pollfd poll_fd = { .fd = buf, .events = POLLIN };

	ASSERT_LE(0, buf);
	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	board_shut(self->board);
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	board_open_gate(self->board);
	EXPECT_EQ(1, poll(&poll_fd, 1, JOB_SECONDS * 1000));
	EXPECT_EQ(0, bo_prep(self->fd, &self->matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	close(buf);
}

TEST_F(fence, exported_buffer_outlives_its_file)	/* U5 */
{
	int fd = device_open(), buf;
	uint8_t *map;
	struct bo bo;

	ASSERT_EQ(0, bo_create(fd, 4096, &bo));
	buf = handle_export(fd, bo.handle);
	ASSERT_LE(0, buf);
	bo.map[9] = 77;
	bo_close(fd, &bo);
	close(fd);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, buf, 0);
	ASSERT_NE(MAP_FAILED, (void *)map);
	EXPECT_EQ(77, map[9]);
	munmap(map, 4096);
	close(buf);
}

TEST_F(fence, two_files_share_a_buffer)	/* M6 */
{
	struct drm_prime_handle import = { 0 };
	int other = device_open();

	import.fd = handle_export(self->fd, self->matmul.region[JOB_OUTPUT].handle);
	ASSERT_LE(0, import.fd);
	ASSERT_EQ(0, drm_call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import));
	ASSERT_EQ(0, matmul_submit(self->fd, &self->matmul));
	EXPECT_EQ(0, bo_prep(other, &(struct bo) { .handle = import.handle }));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	close(import.fd);
	close(other);
}

TEST_HARNESS_MAIN
