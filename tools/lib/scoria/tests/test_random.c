// SPDX-License-Identifier: MIT
/*
 * Random shapes of random operations on one device that is never reset (faults
 * R2, R3, R9). A failing shape is printed with all its parameters. SEED=N chooses
 * another walk, COUNT=N its length.
 */
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "random_shape.h"
#include "shape.h"

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static struct shape_verdict one(struct scoria_device *dev, struct random *random)
{
	struct scoria_matmul_opts matmul;
	struct scoria_conv2d_opts conv2d;

	if (random_next(random) % 4 == 0) {
		matmul = random_matmul(random);
		return shape_matmul(dev, &matmul, random);
	}
	conv2d = random_conv2d(random);
	return shape_conv2d(dev, &conv2d, random);
}

TEST(random_operations_in_random_order_on_one_device_are_right)
{
	uint64_t seed = from_environment("SEED", 20260), count = from_environment("COUNT", 400), i;
	struct scoria_device *dev = shape_device();

	printf("# SEED=%" PRIu64 " COUNT=%" PRIu64 "\n", seed, count);
	for (i = 0; i < count; i++) {
		struct random random = { seed + i };

		EXPECT_RIGHT(one(dev, &random));
		if (tap_failed) {
			printf("# shape %" PRIu64 ": SEED=%" PRIu64 " COUNT=1\n", i, seed + i);
			break;
		}
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
