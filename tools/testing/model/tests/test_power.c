// SPDX-License-Identifier: MIT
/*
 * The test board's controller: every way of getting power wrong is counted
 * once, and the right order counts nothing.
 */
#include <string.h>

#include "../qemu/power.h"
#include "tap.h"

#define CORE0_CLOCKS	(1u << 0 | 1u << 3 | 1u << 6 | 1u << 7)

struct cores {
	bool busy[BOARD_N_CORES];
	unsigned int resets[BOARD_N_CORES];
};

static bool busy(void *ctx, unsigned int core)
{
	return ((struct cores *)ctx)->busy[core];
}

static void reset(void *ctx, unsigned int core)
{
	((struct cores *)ctx)->resets[core]++;
	((struct cores *)ctx)->busy[core] = false;
}

static void start(struct power *power, struct cores *cores)
{
	static const struct power_host host = { busy, reset };

	memset(cores, 0, sizeof(*cores));
	power_init(power, &host, cores);
}

static void all_on(struct power *power)
{
	power_write(power, BOARD_POWER, 7);
	power_write(power, BOARD_CLOCK, 0xff);
}

TEST(the_right_order_counts_nothing)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	EXPECT_EQ(200000000, power_read(&power, BOARD_RATE));
	power_write(&power, BOARD_POWER, 1);
	power_write(&power, BOARD_CLOCK, CORE0_CLOCKS);
	power_write(&power, BOARD_RATE, 600000000);
	EXPECT(power_touch(&power, 0, 0, false));
	power_write(&power, BOARD_RESET, 1u << 0 | 1u << 3);
	power_write(&power, BOARD_RESET, 0);
	EXPECT(power_touch(&power, 0, 0, false));
	power_write(&power, BOARD_RATE, 200000000);
	power_write(&power, BOARD_CLOCK, 0);
	power_write(&power, BOARD_POWER, 0);
	EXPECT_EQ(0, power_violations(&power));
	EXPECT_EQ(2, cores.resets[0]);
	EXPECT_EQ(1, power_read(&power, BOARD_POWER_COUNT(0)));
	EXPECT_EQ(1, power_read(&power, BOARD_RESET_COUNT(0)));
	EXPECT_EQ(2, power_read(&power, BOARD_RATE_COUNT));
	EXPECT_EQ(1, power_read(&power, BOARD_CLOCK_COUNT(BOARD_CLOCK_NPU)));
}

TEST(touch_while_off_gated_or_in_reset_is_counted_by_kind)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	EXPECT(!power_touch(&power, 1, 0x9000, false));
	EXPECT_EQ(1, power.violations[BOARD_TOUCHED_OFF]);
	EXPECT_EQ(1, power.last_core);
	EXPECT_EQ(0x9000, power.last_offset);
	power_write(&power, BOARD_POWER, 3);
	EXPECT(!power_touch(&power, 1, 0, false));
	EXPECT_EQ(1, power.violations[BOARD_TOUCHED_GATED]);
	power_write(&power, BOARD_CLOCK, 0xff);
	power_write(&power, BOARD_RESET, 1u << 4);
	EXPECT(!power_touch(&power, 1, 0, false));
	EXPECT_EQ(1, power.violations[BOARD_TOUCHED_RESET]);
	EXPECT(power_touch(&power, 0, 0, false));
	EXPECT_EQ(0, cores.resets[1]);	/* one line resets nothing */
	EXPECT_EQ(3, power_violations(&power));
}

TEST(iommu_needs_no_pclk_and_the_core_does)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	power_write(&power, BOARD_POWER, 1);
	power_write(&power, BOARD_CLOCK, 1u << 0 | 1u << 3);
	EXPECT(power_touch(&power, 0, 0x9000, true));
	EXPECT(!power_touch(&power, 0, 0, false));
}

TEST(rate_set_while_nputop_is_off_is_counted)	/* P3 */
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	power_write(&power, BOARD_RATE, 300000000);
	EXPECT_EQ(1, power.violations[BOARD_RATE_WHILE_OFF]);
}

TEST(rate_left_up_when_nputop_goes_off_is_counted)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	all_on(&power);
	power_write(&power, BOARD_RATE, 900000000);
	power_write(&power, BOARD_POWER, 1);
	EXPECT_EQ(0, power_violations(&power));
	power_write(&power, BOARD_POWER, 0);
	EXPECT_EQ(1, power.violations[BOARD_RATE_LEFT_UP]);
}

TEST(npu1_without_nputop_is_counted)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	power_write(&power, BOARD_POWER, 2);
	EXPECT_EQ(1, power.violations[BOARD_DOMAIN_ORDER]);
}

TEST(power_or_clock_taken_from_a_running_job_is_counted)
{
	struct power power;
	struct cores cores;

	start(&power, &cores);
	all_on(&power);
	cores.busy[2] = true;
	power_write(&power, BOARD_CLOCK, 0xff & ~1u);	/* another core's */
	EXPECT_EQ(0, power_violations(&power));
	power_write(&power, BOARD_CLOCK, 0xff & ~(1u << 2));
	EXPECT_EQ(1, power.violations[BOARD_STOPPED_BUSY]);
	power_write(&power, BOARD_POWER, 3);
	EXPECT_EQ(2, power.violations[BOARD_STOPPED_BUSY]);
	EXPECT_EQ(1, cores.resets[2]);
}

TEST_MAIN()
