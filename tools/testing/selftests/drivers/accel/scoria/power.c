// SPDX-License-Identifier: GPL-2.0-only
/* Clocks, power domains, system sleep, unbinding. Needs root. */
#include <glob.h>
#include <sys/wait.h>

#include "scoria_test.h"

#define DRIVER "/sys/bus/platform/drivers/scoria"
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

/* -errno or 0. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
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
	uint32_t power, clocks;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	board_break(self->board, BOARD_DELAY_IRQ_US, 20000);
	ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	sleep_ms(5);
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
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&matmul));
	matmul_destroy(self->fd, &matmul);
}

TEST_F(power, rate_does_not_flap_between_jobs)	/* P4, P5 */
{
	uint32_t before;

	ASSERT_EQ(0, matmul_runs(self->fd));
	before = control(self->board, BOARD_RATE_COUNT);
	for (int i = 0; i < 10; i++) {
		sleep_ms(20);
		ASSERT_EQ(0, matmul_runs(self->fd));
	}
	EXPECT_EQ(before, control(self->board, BOARD_RATE_COUNT));
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
	if (write_text("/sys/power/pm_test", "devices"))
		SKIP(return, "the kernel has no /sys/power/pm_test");
	board_break(self->board, BOARD_DELAY_IRQ_US, 20000);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	EXPECT_EQ(0, write_text("/sys/power/state", "freeze"));
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	EXPECT_TRUE(matmul_is_right(&matmul));
	EXPECT_EQ(0, matmul_runs(self->fd));
	write_text("/sys/power/pm_test", "none");
	matmul_destroy(self->fd, &matmul);
}

static int for_all_devices(const char *attribute, char names[][64], int *n)
{
	char path[128];
	int ret = 0;

	snprintf(path, sizeof(path), DRIVER "/%s", attribute);
	for (int i = 0; i < *n; i++)
		ret |= write_text(path, names[i]);
	return ret;
}

static void find_devices(char names[][64], int *n)
{
	glob_t found;

	*n = 0;
	if (glob(DRIVER "/*.npu", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc && *n < 8; i++)
		snprintf(names[(*n)++], 64, "%s", strrchr(found.gl_pathv[i], '/') + 1);
	globfree(&found);
}

TEST_F(power, unbind_and_rebind_with_a_file_open)	/* P7, P8 */
{
	char names[8][64];
	struct matmul matmul;
	int n, ret;

	find_devices(names, &n);
	ASSERT_LT(0, n);
	for (int round = 0; round < 3; round++) {
		int fd = device_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, matmul_create(fd, &matmul));
		board_break(self->board, BOARD_DELAY_IRQ_US, 5000);
		ASSERT_EQ(0, matmul_submit(fd, &matmul));
		EXPECT_EQ(0, for_all_devices("unbind", names, &n));
		EXPECT_EQ(-ENODEV, matmul_submit(fd, &matmul));
		ret = bo_prep(fd, &matmul.region[JOB_OUTPUT]);
		EXPECT_TRUE(ret == 0 || ret == -ENODEV || ret == -EIO);
		EXPECT_EQ(0, for_all_devices("bind", names, &n));
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
	char names[8][64];
	int n, one = 1, fd;

	find_devices(names, &n);
	ASSERT_LT(1, n);
	EXPECT_EQ(0, for_all_devices("unbind", names, &one));
	fd = device_open();
	if (fd >= 0) {
		EXPECT_EQ(0, matmul_runs(fd));
		close(fd);
	}
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, for_all_devices("bind", names, &one));
	fd = device_open();
	ASSERT_LE(0, fd);
	for (int i = 0; i < 6; i++)
		EXPECT_EQ(0, matmul_runs(fd));
	close(fd);
}

TEST_HARNESS_MAIN
