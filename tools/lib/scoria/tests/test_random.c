// SPDX-License-Identifier: MIT
/*
 * Random shapes of random operations on one device that is never reset (faults
 * R2, R3, R9). A failing shape is printed with all its parameters. SEED=N chooses
 * another walk, COUNT=N its length.
 */
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "random_op.h"
#include "shape.h"

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

TEST(random_operations_in_random_order_on_one_device_are_right)
{
	uint64_t seed = from_environment("SEED", 20260), count = from_environment("COUNT", 400), i;
	struct scoria_device *dev = shape_device();

	printf("# SEED=%" PRIu64 " COUNT=%" PRIu64 "\n", seed, count);
	for (i = 0; i < count; i++) {
		struct random random = { seed + i };

		EXPECT_RIGHT(random_op(dev, &random));
		if (tap_failed) {
			printf("# shape %" PRIu64 ": SEED=%" PRIu64 " COUNT=1\n", i, seed + i);
			break;
		}
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
