// SPDX-License-Identifier: MIT
/* Convolutions at and around the limits, and each way in which one can run. */
#include <errno.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "shape.h"

static struct random random_data = { 11 };

/* A convolution to start from. */
static struct scoria_conv2d_opts conv(size_t ic, size_t oc, size_t size, size_t kernel)
{
	return (struct scoria_conv2d_opts){
		.size = sizeof(struct scoria_conv2d_opts), .type = SCORIA_FP16,
		.out = SCORIA_FP16, .batch = 1, .ic = ic, .oc = oc, .h = size, .w = size,
		.kh = kernel, .kw = kernel, .stride_y = 1, .stride_x = 1, .dilation_y = 1,
		.dilation_x = 1, .groups = 1,
	};
}

static struct scoria_conv2d_opts padded(struct scoria_conv2d_opts o, size_t pad)
{
	o.pad_top = o.pad_bottom = o.pad_left = o.pad_right = pad;
	return o;
}

static struct scoria_conv2d_opts quantised(struct scoria_conv2d_opts o, enum scoria_type type,
					   enum scoria_type out)
{
	o.type = type;
	o.out = out;
	o.input_zp = type == SCORIA_INT8 ? -7 : 121;
	o.weight_zp = type == SCORIA_INT8 ? 5 : 133;
	if (scoria_type_size(out) == 1) {
		o.output_zp = type == SCORIA_INT8 ? 3 : 99;
		o.scale = 0.002;
	}
	return o;
}

/* As fp16 to fp16 and fp32, int8 to int32 and int8, uint8 to int32 and uint8. */
static void expect_right(struct scoria_device *dev, struct scoria_conv2d_opts o)
{
	struct scoria_conv2d_opts single = o, q;

	single.out = SCORIA_FP32;
	EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	EXPECT_RIGHT(shape_conv2d(dev, &single, &random_data));
	q = quantised(o, SCORIA_INT8, SCORIA_INT32);
	EXPECT_RIGHT(shape_conv2d(dev, &q, &random_data));
	q = quantised(o, SCORIA_INT8, SCORIA_INT8);
	EXPECT_RIGHT(shape_conv2d(dev, &q, &random_data));
	q = quantised(o, SCORIA_UINT8, SCORIA_INT32);
	EXPECT_RIGHT(shape_conv2d(dev, &q, &random_data));
	q = quantised(o, SCORIA_UINT8, SCORIA_UINT8);
	EXPECT_RIGHT(shape_conv2d(dev, &q, &random_data));
	EXPECT_EQ(0, shape_reports());
}

static struct scoria_plan_info info_of(struct scoria_device *dev,
				       const struct scoria_conv2d_opts *o)
{
	struct scoria_plan_info info = { .size = sizeof(info) };
	struct scoria_conv2d_plan *plan;

	if (scoria_conv2d_plan_create(dev, o, &plan)) {
		TAP_FAIL("%s", scoria_error());
		return info;
	}
	scoria_conv2d_plan_info(plan, &info);
	scoria_conv2d_plan_destroy(plan);
	return info;
}

/* A limit and its neighbour: the first runs on the hardware, the second is lowered. */
static void expect_limit(struct scoria_device *dev, struct scoria_conv2d_opts within,
			 struct scoria_conv2d_opts beyond)
{
	EXPECT_EQ(0, info_of(dev, &within).lowered);
	EXPECT_EQ(1, info_of(dev, &beyond).lowered);
	expect_right(dev, within);
	expect_right(dev, beyond);
}

TEST(sweep_of_3_to_6_channels_from_1x1_to_2041x2041)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65,
					127, 128, 129, 255, 256, 257, 424, 511, 512, 513, 1023,
					1025 };
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		o = conv(3, 6, sizes[i], 1);
		EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
		o = quantised(o, SCORIA_INT8, SCORIA_INT8);
		EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	}
	/* R10 */
	o = conv(3, 6, 2041, 1);
	EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST(channel_tails)
{
	static const size_t channels[] = { 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65 };
	struct scoria_device *dev = shape_device();
	size_t i;

	for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		struct scoria_conv2d_opts o = padded(conv(channels[i], channels[i], 6, 3), 1);

		expect_right(dev, o);
		o.groups = channels[i];
		expect_right(dev, o);
	}
	scoria_device_close(dev);
}

TEST(heights_and_widths_below_four)
{
	struct scoria_device *dev = shape_device();
	size_t h, w;

	for (h = 1; h <= 4; h++)
		for (w = 1; w <= 4; w++) {
			struct scoria_conv2d_opts o = padded(conv(40, 40, 1, 3), 1);

			o.h = h;
			o.w = w;
			expect_right(dev, o);
		}
	scoria_device_close(dev);
}

TEST(kernel_31_runs_and_32_is_lowered)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts within = conv(5, 3, 40, 31), beyond = conv(5, 3, 40, 32);

	within.kw = beyond.kw = 1;
	expect_limit(dev, within, beyond);
	within.kw = 31;
	within.kh = 1;
	beyond.kw = 32;
	beyond.kh = 1;
	expect_limit(dev, within, beyond);
	scoria_device_close(dev);
}

/* R1: a stride of 8 would wrap to 0 in its three bits. */
TEST(stride_7_runs_and_8_is_lowered)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts within = conv(20, 20, 50, 3), beyond;

	within.stride_y = 7;
	beyond = within;
	beyond.stride_y = 8;
	expect_limit(dev, within, beyond);
	within.stride_x = 7;
	beyond.stride_y = 1;
	beyond.stride_x = 8;
	expect_limit(dev, within, beyond);
	scoria_device_close(dev);
}

TEST(padding_15_runs_and_16_is_lowered)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts within = padded(conv(8, 9, 6, 5), 15), beyond = within;

	beyond.pad_top = 16;
	expect_limit(dev, within, beyond);
	beyond = within;
	beyond.pad_right = 16;
	expect_limit(dev, within, beyond);
	scoria_device_close(dev);
}

TEST(dilation_32_runs_and_33_is_lowered)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts within = conv(6, 7, 70, 3), beyond;

	within.dilation_y = within.dilation_x = 32;
	beyond = within;
	beyond.dilation_x = 33;
	expect_limit(dev, within, beyond);
	scoria_device_close(dev);
}

TEST(rows_wider_than_the_registers_are_cut_in_columns)
{
	static const size_t widths[] = { 2046, 2047, 2048, 2049, 4095, 4096, 8191, 8192, 8193,
					 10238, 10300 };
	struct scoria_device *dev = shape_device();
	size_t i;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct scoria_conv2d_opts o = padded(conv(3, 5, 3, 3), 1);

		o.w = widths[i];
		expect_right(dev, o);
	}
	scoria_device_close(dev);
}

/* Rows so full that only one or two windows fit CBUF, and wider ones that do not. */
TEST(rows_that_nearly_fill_the_buffer)
{
	struct scoria_device *dev = shape_device();
	size_t w;

	for (w = 86; w <= 94; w++) {
		struct scoria_conv2d_opts o = conv(512, 16, 3, 3);

		o.w = w;
		EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
		o = quantised(o, SCORIA_INT8, SCORIA_INT32);
		EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	}
	/* the heights that the per-row round-up catches (R5) */
	for (w = 189; w <= 193; w++) {
		struct scoria_conv2d_opts o = quantised(conv(1184, 8, 1, 1), SCORIA_INT8,
							SCORIA_INT32);

		o.h = w;
		EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST(more_channels_than_one_pass_takes)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(10272, 20, 3, 1);

	EXPECT(info_of(dev, &o).splits > 1);
	expect_right(dev, o);
	o.relu = 1;
	o.bias = 1;
	expect_right(dev, o);
	o = padded(conv(1500, 24, 4, 3), 1);
	EXPECT(info_of(dev, &o).splits > 1);
	o.bias = 1;
	expect_right(dev, o);
	scoria_device_close(dev);
}

/* 961 taps of 16 channels are more than a kernel group's banks hold. */
TEST(a_window_that_does_not_fit_the_buffer_is_lowered)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(9, 4, 33, 31);

	EXPECT_EQ(1, info_of(dev, &o).lowered);
	expect_right(dev, o);
	scoria_device_close(dev);
}

TEST(asymmetric_padding_and_kernels)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(19, 21, 11, 3);

	o.kw = 5;
	o.w = 13;
	o.pad_top = 2;
	o.pad_bottom = 0;
	o.pad_left = 1;
	o.pad_right = 4;
	o.stride_x = 2;
	expect_right(dev, o);
	o.pad_top = 0;
	o.pad_bottom = 7;
	o.pad_left = 6;
	o.pad_right = 0;
	o.layout = SCORIA_NHWC;
	expect_right(dev, o);
	scoria_device_close(dev);
}

/* Outputs whose windows see nothing but padding. */
TEST(padding_larger_than_the_kernel)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = padded(conv(20, 17, 3, 2), 9);

	expect_right(dev, o);
	o.stride_y = o.stride_x = 5;
	expect_right(dev, o);
	o = padded(conv(3, 4, 5, 1), 15);
	o.w = 2030;
	expect_right(dev, o);
	scoria_device_close(dev);
}

TEST(depthwise_with_multipliers_strides_and_dilation)
{
	struct scoria_device *dev = shape_device();
	size_t multiplier;

	for (multiplier = 1; multiplier <= 3; multiplier++) {
		struct scoria_conv2d_opts o = padded(conv(37, 37 * multiplier, 12, 3), 1);

		o.groups = 37;
		o.bias = 1;
		expect_right(dev, o);
		o.stride_y = 2;
		o.dilation_x = 2;
		o.layout = SCORIA_NHWC;
		expect_right(dev, o);
	}
	scoria_device_close(dev);
}

TEST(wide_and_deep_depthwise_is_cut_by_rows_and_channels)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = padded(conv(300, 300, 40, 3), 1);

	o.groups = 300;
	EXPECT(info_of(dev, &o).tasks > 1);
	expect_right(dev, o);
	scoria_device_close(dev);
}

TEST(groups_and_batches)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = padded(conv(3 * 17, 3 * 5, 9, 3), 1);

	o.groups = 3;
	o.batch = 3;
	o.bias = 1;
	expect_right(dev, o);
	o.layout = SCORIA_NHWC;
	o.relu = 1;
	expect_right(dev, o);
	scoria_device_close(dev);
}

/* More tasks than one kick takes: weights in CBUF may not be taken for granted. */
TEST(chains_longer_than_4095_tasks)
{
	struct scoria_device *dev = shape_device_of(1);
	struct scoria_conv2d_opts o = conv(2 * 2100, 2 * 2100, 2, 1);
	struct scoria_plan_info info;

	o.groups = 2100;
	o.h = 2048;
	o.w = 1;
	info = info_of(dev, &o);
	EXPECT_EQ(4200, info.tasks);
	EXPECT_EQ(2, info.jobs);
	EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
	scoria_device_close(dev);
}

TEST(extreme_zero_points)
{
	static const int32_t corners[] = { -128, 0, 127 };
	struct scoria_device *dev = shape_device();
	int i, j, k;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
			for (k = 0; k < 3; k++) {
				struct scoria_conv2d_opts o = padded(conv(18, 34, 5, 3), 1);

				o = quantised(o, SCORIA_INT8, SCORIA_INT8);
				o.input_zp = corners[i];
				o.weight_zp = corners[j];
				o.output_zp = corners[k];
				o.relu = k & 1;
				EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
				o = quantised(o, SCORIA_UINT8, SCORIA_UINT8);
				o.input_zp = corners[i] + 128;
				o.weight_zp = corners[j] + 128;
				o.output_zp = corners[k] + 128;
				EXPECT_RIGHT(shape_conv2d(dev, &o, &random_data));
			}
	scoria_device_close(dev);
}

/* Half-way cases of the rounding: scale 1/2 makes every odd sum one. */
TEST(requantisation_rounds_ties_to_even)
{
	struct scoria_conv2d_opts o = quantised(conv(1, 1, 1, 1), SCORIA_INT8, SCORIA_INT8);
	struct scoria_device *dev = shape_device();
	const int8_t input[] = { -5, -3, -2, -1, 0, 1, 2, 3, 5, 7 };
	const int8_t expected[] = { -2, -2, -1, 0, 0, 0, 1, 2, 2, 4 }, one = 1;
	int8_t output[10];

	o.w = 10;
	o.input_zp = o.weight_zp = o.output_zp = 0;
	o.scale = 0.5;
	EXPECT_EQ(0, scoria_conv2d(dev, &o, input, &one, NULL, output));
	EXPECT_EQ(0, memcmp(output, expected, sizeof(output)));
	scoria_device_close(dev);
}

/* The same where the CPU adds parts: only the first of many channels is not 0. */
TEST(requantisation_of_added_parts_rounds_ties_to_even)
{
	struct scoria_conv2d_opts o = quantised(conv(10272, 1, 1, 1), SCORIA_INT8, SCORIA_INT8);
	struct scoria_device *dev = shape_device();
	const int8_t values[] = { -5, -3, -2, -1, 0, 1, 2, 3, 5, 7 };
	const int8_t expected[] = { -2, -2, -1, 0, 0, 0, 1, 2, 2, 4 };
	int8_t *input = calloc(10272, 10), *weights = malloc(10272), output[10];

	o.w = 10;
	o.input_zp = o.weight_zp = o.output_zp = 0;
	o.scale = 0.5;
	memcpy(input, values, sizeof(values));
	memset(weights, 1, 10272);
	EXPECT(info_of(dev, &o).splits > 1);
	EXPECT_EQ(0, scoria_conv2d(dev, &o, input, weights, NULL, output));
	EXPECT_EQ(0, memcmp(output, expected, sizeof(output)));
	free(weights);
	free(input);
	scoria_device_close(dev);
}

TEST(a_scale_is_rounded_to_15_bits)
{
	static const struct {
		double scale;
		uint32_t multiplier;
		uint32_t shift;
	} cases[] = {
		{ 1, 16384, 14 }, { 0.5, 16384, 15 }, { 17675 / 4194304., 17675, 22 },
		{ 0x1p-49, 16384, 63 }, { 32767, 32767, 0 }, { 0.99999999, 16384, 14 },
		{ 1.5, 24576, 14 }, { 0x1.fffcp-1, 32767, 15 },
	};
	uint32_t multiplier, shift;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT_EQ(0, scoria_quantize_scale(cases[i].scale, &multiplier, &shift));
		EXPECT_EQ(cases[i].multiplier, multiplier);
		EXPECT_EQ(cases[i].shift, shift);
	}
	EXPECT_EQ(-EINVAL, scoria_quantize_scale(0x1p-50, &multiplier, &shift));
	EXPECT_EQ(-EINVAL, scoria_quantize_scale(32768, &multiplier, &shift));
	EXPECT_EQ(-EINVAL, scoria_quantize_scale(0, &multiplier, &shift));
	EXPECT_EQ(-EINVAL, scoria_quantize_scale(-1, &multiplier, &shift));
	EXPECT_EQ(-EINVAL, scoria_quantize_scale(0. / 0., &multiplier, &shift));
}

/* 0 * inf: groups that shared cubes would turn the others' results into NaN. */
TEST(infinity_stays_in_its_group)
{
	struct scoria_device *dev = shape_device();
	struct scoria_conv2d_opts o = conv(4, 2, 2, 1);
	uint16_t input[16] = { 0 }, output[8];
	const uint16_t weights[4] = { 0x3c00, 0x3c00, 0x3c00, 0x3c00 };

	o.groups = 2;
	input[0] = 0x7c00;
	EXPECT_EQ(0, scoria_conv2d(dev, &o, input, weights, NULL, output));
	EXPECT_EQ(0x7c00, output[0]);
	EXPECT_EQ(0, output[1]);
	EXPECT_EQ(0, output[4]);
	o.oc = 4;
	o.groups = 4;
	EXPECT_EQ(0, scoria_conv2d(dev, &o, input, weights, NULL, input));
	EXPECT_EQ(0x7c00, input[0]);
	EXPECT_EQ(0, input[4]);
	EXPECT_EQ(0, input[12]);
	scoria_device_close(dev);
}

TEST_MAIN()
