// SPDX-License-Identifier: MIT
/* One-dimensional convolutions are two-dimensional ones of one row. */
#include <errno.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

static struct scoria_conv1d_opts basic(void)
{
	return (struct scoria_conv1d_opts){ .size = sizeof(struct scoria_conv1d_opts),
					    .type = SCORIA_INT8, .out = SCORIA_INT32, .batch = 1,
					    .ic = 1, .oc = 1, .length = 5, .kernel = 3,
					    .pad_left = 1, .pad_right = 1 };
}

TEST(values_computed_by_hand_come_out)
{
	static const int8_t input[] = { 1, 2, 3, 4, 5 }, weights[] = { 1, 10, 100 };
	static const int32_t want[] = { 210, 321, 432, 543, 54 };
	struct scoria_device *dev = shape_device();
	struct scoria_conv1d_opts o = basic();
	int32_t got[5];

	EXPECT_EQ(0, scoria_conv1d(dev, &o, input, weights, NULL, got));
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(want[i], got[i]);
	o.stride = 2;
	EXPECT_EQ(0, scoria_conv1d(dev, &o, input, weights, NULL, got));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(want[2 * i], got[i]);
	scoria_device_close(dev);
}

TEST(lengths_around_those_of_a_task_are_right)
{
	static const size_t lengths[] = { 1, 2, 3, 400, 2046, 2047, 2048, 2049, 9000 };
	struct scoria_device *dev = shape_device();
	struct random random = { 3 };

	for (size_t i = 0; i < 9; i++) {
		struct scoria_conv1d_opts o = basic();
		struct scoria_conv2d_opts conv2d;

		o.length = lengths[i];
		o.ic = 20;
		o.oc = 33;
		o.type = i % 2 ? SCORIA_INT8 : SCORIA_FP16;
		o.out = i % 2 ? SCORIA_INT32 : SCORIA_FP16;
		o.layout = i % 3 ? SCORIA_NCHW : SCORIA_NHWC;
		EXPECT_EQ(0, scoria_conv1d_as_conv2d(&o, &conv2d));
		EXPECT_RIGHT(shape_conv2d(dev, &conv2d, &random));
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST(options_that_are_none_are_refused)
{
	struct scoria_conv1d_opts o = basic();
	struct scoria_conv2d_opts conv2d;

	EXPECT_EQ(-EINVAL, scoria_conv1d_as_conv2d(NULL, &conv2d));
	o.size = 8;
	EXPECT_EQ(-EINVAL, scoria_conv1d_as_conv2d(&o, &conv2d));
	EXPECT_STR("conv1d", scoria_error());
}

TEST_MAIN()
