// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores that do not come up, cores that go while they are used, and the module that
 * goes and comes again. Needs root.
 */
#include <linux/sync_file.h>
#include <sys/syscall.h>

#include "dmabuf.h"
#include "scoria_test.h"
#include "sysfs.h"

#define MODULE		"/modules/scoria.ko"	/* in the test board's guest */
#define REFUSE		"/sys/module/scoria_board/parameters/refuse"
#define NOTHING		"none 0"
#define N_JOBS		6

FIXTURE(unplug) {
	volatile uint32_t *board;
	struct devices devices;
};

FIXTURE_SETUP(unplug)
{
	self->board = board_open();
	if (!self->board)
		SKIP(return, "not on the test board");
	board_mend(self->board);
	self->devices = bound_devices();
	ASSERT_LT(0, self->devices.n);
}

FIXTURE_TEARDOWN(unplug)
{
	write_text(REFUSE, NOTHING);
	board_mend(self->board);
}

/* Jobs on every core that there is compute. */
static int device_works(void)
{
	int fd = device_open(), ret = fd < 0 ? -ENODEV : 0;

	for (int i = 0; i < 6 && !ret; i++)
		ret = matmul_runs(fd);
	close(fd);
	return ret;
}

/* Every wait ends; what ran computes, what did not says so. */
static bool job_ended_well(int fd, const struct matmul *matmul)
{
	int ret = bo_prep(fd, &matmul->region[JOB_OUTPUT]);

	return ret ? ret == -ENODEV : matmul_is_right(matmul);
}

TEST_F(unplug, each_core_may_go_with_jobs_running_and_queued)	/* P7, P8 */
{
	for (int gone = 0; gone < self->devices.n; gone++) {
		struct matmul jobs[N_JOBS];
		int fds[N_JOBS];

		board_break(self->board, BOARD_DELAY_IRQ_US, 3000);
		for (int i = 0; i < N_JOBS; i++) {
			fds[i] = device_open();
			ASSERT_EQ(0, matmul_create(fds[i], &jobs[i]));
			for (int job = 0; job < 3; job++)
				ASSERT_EQ(0, matmul_submit(fds[i], &jobs[i]));
		}
		sleep_ms(1);
		ASSERT_EQ(0, unbind_device(self->devices.names[gone]));
		for (int i = 0; i < N_JOBS; i++)
			EXPECT_TRUE(job_ended_well(fds[i], &jobs[i]));
		/* the files go on, on the cores that are left, and on the one that returns */
		for (int i = 0; i < N_JOBS && self->devices.n > 1; i++)
			EXPECT_EQ(0, matmul_runs(fds[i]));
		ASSERT_EQ(0, bind_device(self->devices.names[gone]));
		for (int i = 0; i < N_JOBS && self->devices.n > 1; i++) {
			EXPECT_EQ(0, matmul_runs(fds[i]));
			matmul_destroy(fds[i], &jobs[i]);
		}
		for (int i = 0; i < N_JOBS; i++)
			close(fds[i]);
		board_mend(self->board);
		EXPECT_EQ(0, device_works());
	}
}

/* Memory, dma-bufs and fences outlive the device; all calls say that it is gone. */
TEST_F(unplug, all_cores_may_go_with_everything_in_use)	/* P8 */
{
	int fd = device_open(), buf, fence;
	struct sync_file_info info = { .num_fences = 0 };
	struct drm_scoria_rocket_create_bo create = { .size = 4096 };
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(fd, &matmul));
	buf = handle_export(fd, matmul.region[JOB_OUTPUT].handle);
	ASSERT_LE(0, buf);
	board_break(self->board, BOARD_DELAY_IRQ_US, 10000);
	for (int i = 0; i < N_JOBS; i++)
		ASSERT_EQ(0, matmul_submit(fd, &matmul));
	fence = buf_export_fence(buf);
	ASSERT_LE(0, fence);
	ASSERT_EQ(0, unbind_all(&self->devices));
	EXPECT_EQ(-ENODEV, matmul_submit(fd, &matmul));
	EXPECT_EQ(-ENODEV, bo_prep(fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_EQ(-ENODEV, drm_call(fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, &create));
	matmul.region[JOB_OUTPUT].map[5] = 42;
	EXPECT_EQ(0, ioctl(fence, SYNC_IOC_FILE_INFO, &info));
	EXPECT_NE(0, info.status);
	ASSERT_EQ(0, bind_all(&self->devices));
	EXPECT_EQ(0, device_works());
	close(fd);
	EXPECT_EQ(42, matmul.region[JOB_OUTPUT].map[5]);
	info.num_fences = 0;
	EXPECT_EQ(0, ioctl(fence, SYNC_IOC_FILE_INFO, &info));
	close(fence);
	close(buf);
}

FIXTURE(supplier) {
	struct devices devices;
};

FIXTURE_VARIANT(supplier) {
	const char *refused;	/* what the board does not give, and its error */
	int error;		/* what binding ends with */
};

/* The driver core says EAGAIN for a probe that is put off. */
FIXTURE_VARIANT_ADD(supplier, clock_comes_later) { "clocks -517", -EAGAIN };
FIXTURE_VARIANT_ADD(supplier, clock_fails) { "clocks -5", -EIO };
FIXTURE_VARIANT_ADD(supplier, reset_comes_later) { "resets -517", -EAGAIN };
FIXTURE_VARIANT_ADD(supplier, reset_fails) { "resets -5", -EIO };

FIXTURE_SETUP(supplier)
{
	if (access(REFUSE, W_OK))
		SKIP(return, "not on the test board");
	self->devices = bound_devices();
	ASSERT_LT(0, self->devices.n);
}

FIXTURE_TEARDOWN(supplier)
{
	write_text(REFUSE, NOTHING);
	bind_all(&self->devices);
}

TEST_F(supplier, is_missed_and_found_again)	/* P7 */
{
	/* the last one takes the DRM device with it */
	for (int i = 0; i < self->devices.n; i++) {
		const char *name = self->devices.names[i];

		ASSERT_EQ(0, unbind_device(name));
		ASSERT_EQ(0, write_text(REFUSE, variant->refused));
		EXPECT_EQ(variant->error, bind_device(name));
		ASSERT_EQ(0, write_text(REFUSE, NOTHING));
	}
	for (int i = 0; i < self->devices.n; i++) {
		ASSERT_EQ(0, bind_device(self->devices.names[i]));
		EXPECT_EQ(0, device_works());
	}
}

static int load_module(void)
{
	int file = open(MODULE, O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;

	close(file);
	return ret;
}

static int unload_module(void)
{
	return syscall(SYS_delete_module, "scoria", O_NONBLOCK) ? -errno : 0;
}

TEST_F(unplug, module_stays_while_it_is_used)
{
	int fd = device_open(), buf;
	struct bo bo;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, unload_module());
	ASSERT_EQ(0, bo_create(fd, 4096, &bo));
	buf = handle_export(fd, bo.handle);
	close(fd);
	EXPECT_EQ(-EAGAIN, unload_module());
	munmap(bo.map, 4096);
	EXPECT_EQ(-EAGAIN, unload_module());
	close(buf);
	EXPECT_EQ(0, device_works());
}

/* Fences of jobs stay with who has them, and are asked and let go without the driver. */
TEST_F(unplug, module_goes_while_a_fence_is_kept)
{
	int fd = device_open(), buf, fence;
	struct sync_file_info info = { .num_fences = 0 };
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(fd, &matmul));
	board_shut(self->board);
	ASSERT_EQ(0, matmul_submit(fd, &matmul));
	buf = handle_export(fd, matmul.region[JOB_OUTPUT].handle);
	fence = buf_export_fence(buf);
	ASSERT_LE(0, fence);
	board_open_gate(self->board);
	EXPECT_EQ(0, bo_prep(fd, &matmul.region[JOB_OUTPUT]));
	close(buf);
	matmul_destroy(fd, &matmul);
	close(fd);
	ASSERT_EQ(0, unload_module());
	EXPECT_EQ(0, ioctl(fence, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(1, info.status);
	close(fence);
	ASSERT_EQ(0, load_module());
	EXPECT_EQ(0, device_works());
}

/* With jobs that have just ended, that still run, and that hang. */
TEST_F(unplug, module_goes_and_comes_again)
{
	static const uint32_t knobs[] = { 0, BOARD_DELAY_IRQ_US, BOARD_STUCK };

	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++) {
		const uint32_t knob = knobs[i];
		int fd = device_open();
		struct matmul matmul;

		ASSERT_EQ(0, matmul_create(fd, &matmul));
		if (knob)
			board_break(self->board, knob, knob == BOARD_STUCK ? 1 : 5000);
		for (int job = 0; job < 3; job++)
			ASSERT_EQ(0, matmul_submit(fd, &matmul));
		if (!knob)
			EXPECT_EQ(0, bo_prep(fd, &matmul.region[JOB_OUTPUT]));
		matmul_destroy(fd, &matmul);
		close(fd);
		ASSERT_EQ(0, unload_module());
		board_mend(self->board);
		ASSERT_EQ(0, load_module());
		EXPECT_EQ(0, device_works());
	}
}

TEST_HARNESS_MAIN
