// SPDX-License-Identifier: GPL-2.0-only
/* The clock follows the load, where the NPU has operating points. Needs root. */
#include "scoria_test.h"
#include "sysfs.h"

#define POLLS_MS	200	/* many polls of the governor, and no autosuspend */
#define IDLE_MS		5000	/* longer than any sensible autosuspend delay */
#define JOB_MS		20
#define POLL_MS		20	/* the driver's */
#define SLEEPS		20

FIXTURE(devfreq) {
	int fd;
	volatile uint32_t *board;
	uint32_t violations;
};

FIXTURE_SETUP(devfreq)
{
	char path[160];

	BOARD_SETUP(self);
	self->violations = board_get(self->board, BOARD_VIOLATIONS);
	if (!devfreq_path(path, sizeof(path), "cur_freq"))
		SKIP(return, "the NPU has no operating points, or the kernel no devfreq");
}

FIXTURE_TEARDOWN(devfreq)
{
	EXPECT_EQ(self->violations, board_get(self->board, BOARD_VIOLATIONS));
	board_mend(self->board);
	close(self->fd);
}

static uint32_t rate(volatile uint32_t *board)
{
	return board_get(board, BOARD_CONTROL_MIRROR + BOARD_RATE);
}

/* A rate in the list of those that the governor can choose from, 0 for the lowest. */
static uint32_t point(int index)
{
	char text[256], path[160], *at = text;
	uint32_t value = 0;

	if (!devfreq_path(path, sizeof(path), "available_frequencies") ||
	    read_text(path, text, sizeof(text)) < 0)
		return 0;
	for (int i = 0; i <= index; i++) {
		char *end;
		const unsigned long next = strtoul(at, &end, 10);

		if (end == at)
			break;
		value = (uint32_t)next;
		at = end;
	}
	return value;
}

#define LOWEST	point(0)
#define HIGHEST	point(100)

static int set_attribute(const char *name, uint32_t value)
{
	char text[16], path[160];

	snprintf(text, sizeof(text), "%u", value);
	return devfreq_path(path, sizeof(path), name) ? write_text(path, text) : -ENOENT;
}

/* Highest rate seen while one core works for @ms. */
static uint32_t rate_under_load(int fd, volatile uint32_t *board, unsigned int ms)
{
	struct matmul matmul;
	uint32_t highest = 0;

	if (matmul_create(fd, &matmul))
		return 0;
	board_break(board, BOARD_DELAY_IRQ_US, JOB_MS * 1000);
	for (unsigned int i = 0; i < ms / JOB_MS; i++) {
		if (matmul_submit(fd, &matmul) || bo_prep(fd, &matmul.region[JOB_OUTPUT]))
			highest = UINT32_MAX;
		if (rate(board) > highest)
			highest = rate(board);
	}
	board_mend(board);
	matmul_destroy(fd, &matmul);
	return highest;
}

TEST_F(devfreq, rate_follows_the_load)	/* P2 */
{
	EXPECT_LT(LOWEST, HIGHEST);
	EXPECT_EQ(HIGHEST, rate_under_load(self->fd, self->board, POLLS_MS));
	sleep_ms(POLLS_MS);
	EXPECT_EQ(LOWEST, rate(self->board));
	EXPECT_NE(0, board_get(self->board, BOARD_CONTROL_MIRROR + BOARD_POWER));
}

/* One that is longer than all polls has not ended when they ask. */
TEST_F(devfreq, job_that_runs_is_load)
{
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	board_break(self->board, BOARD_DELAY_IRQ_US, 2 * POLLS_MS * 1000);
	ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
	sleep_ms(POLLS_MS);
	EXPECT_EQ(HIGHEST, rate(self->board));
	EXPECT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
	matmul_destroy(self->fd, &matmul);
}

TEST_F(devfreq, clock_is_parked_when_the_last_core_is_off)	/* P3, P4 */
{
	EXPECT_EQ(HIGHEST, rate_under_load(self->fd, self->board, POLLS_MS));
	sleep_ms(IDLE_MS);
	EXPECT_EQ(0, board_get(self->board, BOARD_CONTROL_MIRROR + BOARD_POWER));
	EXPECT_EQ(BOARD_RATE_BOOT, rate(self->board));
	EXPECT_EQ(HIGHEST, rate_under_load(self->fd, self->board, POLLS_MS));
}

/* The firmware would hang: a limit that comes meanwhile is for later. */
TEST_F(devfreq, limits_do_not_touch_the_clock_while_off)	/* P3 */
{
	const uint32_t middle = point(1);

	sleep_ms(IDLE_MS);
	ASSERT_EQ(0, set_attribute("min_freq", middle));
	ASSERT_EQ(0, set_attribute("max_freq", middle));
	EXPECT_EQ(BOARD_RATE_BOOT, rate(self->board));
	EXPECT_EQ(middle, rate_under_load(self->fd, self->board, POLLS_MS));
	EXPECT_EQ(0, set_attribute("min_freq", 0));
	EXPECT_EQ(0, set_attribute("max_freq", HIGHEST));
	EXPECT_EQ(HIGHEST, rate_under_load(self->fd, self->board, POLLS_MS));
}

/*
 * Polling goes on, also when it was due at the moment that everything froze: 7.3's
 * workqueues do not start again when what they had was canceled meanwhile.
 */
TEST_F(devfreq, rate_follows_the_load_after_system_sleep)
{
	struct matmul matmul;

	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	if (prepare_sleep())
		SKIP(return, "the kernel has no pm_test");
	ASSERT_EQ(0, set_attribute("polling_interval", 1));
	for (int i = 0; i < SLEEPS; i++) {
		/* the cores are on */
		ASSERT_EQ(0, matmul_submit(self->fd, &matmul));
		ASSERT_EQ(0, bo_prep(self->fd, &matmul.region[JOB_OUTPUT]));
		ASSERT_EQ(0, write_text("/sys/power/state", "freeze"));
	}
	finish_sleep();
	EXPECT_EQ(0, set_attribute("polling_interval", POLL_MS));
	EXPECT_EQ(HIGHEST, rate_under_load(self->fd, self->board, POLLS_MS));
	sleep_ms(POLLS_MS);
	EXPECT_EQ(LOWEST, rate(self->board));
	matmul_destroy(self->fd, &matmul);
}

/* Each in turn, and in the end all. */
TEST_F(devfreq, another_core_leads_when_one_goes)	/* P7 */
{
	const struct devices devices = bound_devices();

	ASSERT_LT(1, devices.n);
	for (int i = 0; i < devices.n; i++) {
		int fd;

		ASSERT_EQ(0, matmul_runs(self->fd));
		EXPECT_EQ(0, unbind_device(devices.names[i]));
		fd = device_open();
		ASSERT_LE(0, fd);
		EXPECT_EQ(HIGHEST, rate_under_load(fd, self->board, POLLS_MS));
		close(fd);
		EXPECT_EQ(0, bind_device(devices.names[i]));
	}
	EXPECT_EQ(0, unbind_all(&devices));
	EXPECT_EQ(0, point(0));
	EXPECT_EQ(0, bind_all(&devices));
	EXPECT_NE(0, point(0));
}

TEST_HARNESS_MAIN
