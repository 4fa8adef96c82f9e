// SPDX-License-Identifier: GPL-2.0-only
/* Clocks, power domains, system sleep, unbinding. Needs root. */
#include <sys/wait.h>

#include "scoria_test.h"
#include "sysfs.h"

#define IDLE_MS 5000	/* longer than any sensible autosuspend delay */

FIXTURE(power) {
	int fd;
	volatile uint32_t *board;
};

FIXTURE_SETUP(power)
{
	BOARD_SETUP(self);
}

FIXTURE_TEARDOWN(power)
{
	board_mend(self->board);
	close(self->fd);
}

static uint32_t control(volatile uint32_t *board, uint32_t offset)
{
	return board_get(board, BOARD_CONTROL_MIRROR + offset);
}

TEST_F(power, idle_cores_are_off_and_the_clock_is_parked)	/* P2 */
{
	ASSERT_EQ(0, matmul_runs(self->fd));
	sleep_ms(IDLE_MS);
	EXPECT_EQ(0, control(self->board, BOARD_POWER));
	EXPECT_EQ(0, control(self->board, BOARD_CLOCK));
	EXPECT_EQ(BOARD_RATE_BOOT, control(self->board, BOARD_RATE));
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(power, running_core_has_its_domain_clocks_and_rate)	/* P1, P2 */
{
	const uint32_t npu = 1 << BOARD_CLOCK_NPU | 1 << BOARD_CLOCK_PCLK;
	struct matmul matmul;
	uint32_t power, clocks, kicks;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	kicks = board_sum(self->board, BOARD_KICKS);
	board_shut(self->board);
	ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	ASSERT_TRUE(board_comes_to(self->board, BOARD_KICKS, kicks + 1));
	power = control(self->board, BOARD_POWER);
	clocks = control(self->board, BOARD_CLOCK);
	EXPECT_NE(0, power);
	EXPECT_EQ(npu, clocks & npu);
	for (int i = 0; i < BOARD_N_CORES; i++)
		if (power & ~1u & 1u << i) {
			EXPECT_NE(0, clocks & 1u << (BOARD_CLOCK_ACLK + i));
			EXPECT_NE(0, clocks & 1u << (BOARD_CLOCK_HCLK + i));
		}
	EXPECT_LT(BOARD_RATE_BOOT, control(self->board, BOARD_RATE));
	board_open_gate(self->board);
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&matmul));
	matmul_destroy(self->fd, &matmul);
}

TEST_F(power, rate_does_not_flap_between_jobs)	/* P4, P5 */
{
	char path[160];
	uint32_t before;

	/* a clock that follows the load is to change, but for this */
	if (devfreq_path(path, sizeof(path), "min_freq"))
		ASSERT_EQ(0, write_text(path, "4000000000"));
	ASSERT_EQ(0, matmul_runs(self->fd));
	before = control(self->board, BOARD_RATE_COUNT);
	for (int i = 0; i < 10; i++) {
		sleep_ms(20);
		ASSERT_EQ(0, matmul_runs(self->fd));
	}
	EXPECT_EQ(before, control(self->board, BOARD_RATE_COUNT));
	if (devfreq_path(path, sizeof(path), "min_freq"))
		EXPECT_EQ(0, write_text(path, "0"));
}

TEST_F(power, nothing_is_touched_while_off)	/* P3, P6 */
{
	const uint32_t before = board_get(self->board, BOARD_VIOLATIONS);

	ASSERT_EQ(0, matmul_runs(self->fd));
	sleep_ms(IDLE_MS);
	board_break(self->board, BOARD_SPURIOUS, 5);
	sleep_ms(10);
	EXPECT_EQ(before, board_get(self->board, BOARD_VIOLATIONS));
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(power, jobs_survive_system_sleep)	/* P9 */
{
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	if (prepare_sleep())
		SKIP(return, "the kernel has no pm_test");
	board_break(self->board, BOARD_DELAY_IRQ_US, 20000);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	EXPECT_EQ(0, write_text("/sys/power/state", "freeze"));
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&matmul));
	EXPECT_EQ(0, matmul_runs(self->fd));
	finish_sleep();
	matmul_destroy(self->fd, &matmul);
}

#define N_BUFFERS	2000	/* lockdep counts no more than 2047 in one go */

/* The buffers of a job are unmapped after its end, which takes as long as it takes. */
TEST_F(power, buffers_may_go_as_the_system_goes_to_sleep)	/* P9 */
{
	static uint32_t handles[N_BUFFERS];
	struct matmul matmul;
	struct submission s;
	struct bo bo;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	if (prepare_sleep())
		SKIP(return, "the kernel has no pm_test");
	write_text("/sys/module/suspend/parameters/pm_test_delay", "1");
	for (int i = 0; i < N_BUFFERS; i++) {
		ASSERT_EQ(0, bo_create_unmapped(self->fd, 4096, &bo));
		handles[i] = bo.handle;
	}
	matmul_prepare(&matmul, &s);
	s.job.in_bo_handles = (uintptr_t)handles;
	s.job.in_bo_handle_count = N_BUFFERS;
	board_break(self->board, BOARD_DELAY_IRQ_US, 400000);
	ASSERT_EQ(0, submit(self->fd, &s));
	for (int i = 0; i < N_BUFFERS; i++)
		ASSERT_EQ(0, bo_close(self->fd, &(struct bo){ .handle = handles[i] }));
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_EQ(0, write_text("/sys/power/state", "freeze"));
	EXPECT_TRUE(matmul_is_right(&matmul));
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
	finish_sleep();
	matmul_destroy(self->fd, &matmul);
}

/* One that hangs ends first, with its error. */
TEST_F(power, hung_job_does_not_keep_the_system_awake)	/* P9 */
{
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	if (prepare_sleep())
		SKIP(return, "the kernel has no pm_test");
	board_break(self->board, BOARD_STUCK, 1);
	ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	EXPECT_EQ(0, write_text("/sys/power/state", "freeze"));
	EXPECT_EQ(-EIO, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	board_mend(self->board);
	EXPECT_EQ(0, matmul_runs(self->fd));
	finish_sleep();
	matmul_destroy(self->fd, &matmul);
}

static void set_autosuspend(const struct devices *devices, const char *ms)
{
	char path[160];

	for (int i = 0; i < devices->n; i++) {
		snprintf(path, sizeof(path), DRIVER "/%s/power/autosuspend_delay_ms",
			 devices->names[i]);
		write_text(path, ms);
	}
}

/* Cores go off as soon as they are idle, in the middle of what comes next. */
TEST_F(power, submits_race_with_autosuspend)	/* P5, P6 */
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);
	const struct devices devices = bound_devices();
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	set_autosuspend(&devices, "0");
	for (unsigned int i = 0; i < 150; i++) {
		ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
		if (i % 3)
			ASSERT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
		usleep(i * 7 % 200);
	}
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&matmul));
	sleep_ms(50);
	EXPECT_EQ(0, control(self->board, BOARD_POWER));
	set_autosuspend(&devices, "1000");
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
	matmul_destroy(self->fd, &matmul);
}

/* What a closed file leaves behind is reset, while its core may be going off just then. */
TEST_F_TIMEOUT(power, closing_files_races_with_autosuspend, SLOW_SECONDS)	/* P6 */
{
	const uint32_t violations = board_get(self->board, BOARD_VIOLATIONS);
	const struct devices devices = bound_devices();

	set_autosuspend(&devices, "0");
	for (unsigned int i = 0; i < 300; i++) {
		int fd = device_reopen(self->fd);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, matmul_runs(fd));
		usleep(i % 100);
		close(fd);
	}
	sleep_ms(50);
	EXPECT_EQ(0, control(self->board, BOARD_POWER));
	set_autosuspend(&devices, "1000");
	EXPECT_EQ(violations, board_get(self->board, BOARD_VIOLATIONS));
}

TEST_F(power, unbind_and_rebind_with_a_file_open)	/* P7, P8 */
{
	const struct devices devices = bound_devices();
	struct matmul matmul;
	int ret;

	ASSERT_LT(0, devices.n);
	for (int round = 0; round < 3; round++) {
		int fd = device_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, matmul_create(fd, &matmul));
		board_break(self->board, BOARD_DELAY_IRQ_US, 5000);
		ASSERT_EQ(0, matmul_submit(fd, &matmul));
		EXPECT_EQ(0, unbind_all(&devices));
		EXPECT_EQ(-ENODEV, matmul_submit(fd, &matmul));
		ret = bo_prep(fd, &matmul.region[JOB_OUTPUT]);
		EXPECT_TRUE(ret == 0 || ret == -ENODEV || ret == -EIO);
		EXPECT_EQ(0, bind_all(&devices));
		close(fd);
		board_mend(self->board);
		fd = device_open();
		ASSERT_LE(0, fd);
		EXPECT_EQ(0, matmul_runs(fd));
		close(fd);
	}
}

TEST_F(power, unbinding_one_core_leaves_the_others)	/* H3 */
{
	const struct devices devices = bound_devices();
	int fd;

	ASSERT_LT(1, devices.n);
	EXPECT_EQ(0, unbind_device(devices.names[0]));
	fd = device_open();
	if (fd >= 0) {
		EXPECT_EQ(0, matmul_runs(fd));
		close(fd);
	}
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, bind_device(devices.names[0]));
	fd = device_open();
	ASSERT_LE(0, fd);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(0, matmul_runs(fd));
	close(fd);
}

/* Its node's assigned-clock-rates are those of the boot. */
TEST_F(power, binding_a_core_leaves_the_clock_of_the_others)	/* P4 */
{
	const struct devices devices = bound_devices();

	ASSERT_LT(1, devices.n);
	EXPECT_EQ(0, unbind_device(devices.names[0]));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, matmul_runs(self->fd));
	EXPECT_LT(BOARD_RATE_BOOT, control(self->board, BOARD_RATE));
	EXPECT_EQ(0, bind_device(devices.names[0]));
	EXPECT_LT(BOARD_RATE_BOOT, control(self->board, BOARD_RATE));
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_HARNESS_MAIN
