// SPDX-License-Identifier: MIT
/*
 * Requantised convolutions with a scale for every channel and with limited ReLUs:
 * exactly conv2d.h's formula, and within 1 of what TensorFlow Lite's reference
 * kernels compute from the same sums.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/tflite.h"
#include "shape.h"

#define MAX_CHANNELS 200

static struct scoria_device *dev;
static struct random numbers = { 7 };
static double scales[MAX_CHANNELS];

static struct scoria_conv2d_opts basic(enum scoria_type type)
{
	return (struct scoria_conv2d_opts){ .size = sizeof(struct scoria_conv2d_opts),
					    .type = type, .out = type, .batch = 1, .ic = 24,
					    .oc = 75, .h = 9, .w = 8, .kh = 3, .kw = 3,
					    .pad_top = 1, .pad_left = 1, .input_zp = 3,
					    .output_zp = 7, .bias = 1, .scale = 1e-3 };
}

/* @n scales of which the smallest is @ratio times less than the largest. */
static void set_scales(struct scoria_conv2d_opts *o, double ratio)
{
	for (size_t i = 0; i < o->oc; i++) {
		double r = (random_next(&numbers) >> 11) * 0x1p-53;

		scales[i] = o->scale * pow(ratio, -r);
	}
	scales[0] = o->scale;
	scales[o->oc - 1] = o->scale / ratio;
	o->scales = scales;
}

static bool one_shift(const struct scoria_conv2d_opts *o)
{
	struct scoria_requant requant[MAX_CHANNELS];

	EXPECT_EQ(0, scoria_conv2d_requant(o, requant));
	for (size_t i = 1; i < o->oc; i++)
		if (requant[i].shift != requant[0].shift)
			return false;
	return true;
}

static const enum scoria_type types[] = { SCORIA_INT8, SCORIA_UINT8 };

TEST(scales_by_channel_are_right_for_all_ways_to_convolve)
{
	dev = shape_device();
	for (int t = 0; t < 2; t++)
		for (double ratio = 1; ratio < 1e4; ratio *= 8) {
			struct scoria_conv2d_opts o = basic(types[t]);

			set_scales(&o, ratio);
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
			o.relu = 1;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
			o.relu_max = 43.4;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
			o.groups = o.ic = o.oc;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
			/* gathered by the CPU, which is slow */
			if (ratio != 8)
				continue;
			o.kh = o.kw = 33;
			o.pad_top = o.pad_left = 30;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
		}
	EXPECT_EQ(0, shape_reports());
}

/*
 * The largest multiplier is 2^14 here. A multiplier of 256.5 is rounded by 1/2, which
 * moves a result of 256 by 256 / 2 / 256.5, and one of 253.5 moves it by more than 1/2.
 */
TEST(channels_share_a_shift_while_that_moves_no_result_by_more_than_a_half)
{
	struct scoria_conv2d_opts o = basic(SCORIA_INT8);

	o.scale = 0x1p-10;
	for (size_t i = 0; i < o.oc; i++)
		scales[i] = o.scale;
	o.scales = scales;
	scales[5] = o.scale / 64;
	EXPECT(one_shift(&o));
	scales[5] = o.scale * 256.5 / 0x1p14;
	EXPECT(one_shift(&o));
	scales[5] = o.scale * 253.5 / 0x1p14;
	EXPECT(!one_shift(&o));
	/* the multiplier itself may still be exact */
	scales[5] = o.scale / 0x1p14;
	EXPECT(one_shift(&o));
	scales[5] = o.scale / 0x1p15;
	EXPECT(!one_shift(&o));
}

TEST(limited_relus_are_right_for_every_type)
{
	static const struct { enum scoria_type in; enum scoria_type out; double most; } cases[] = {
		{ SCORIA_FP16, SCORIA_FP16, 6 }, { SCORIA_FP16, SCORIA_FP32, 0.3 },
		{ SCORIA_INT8, SCORIA_INT32, 12345 }, { SCORIA_UINT8, SCORIA_INT32, 0.3 },
		{ SCORIA_INT8, SCORIA_INT8, 20 }, { SCORIA_UINT8, SCORIA_UINT8, 300 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t ic = 24; ic < 20000; ic += 11000) {
			struct scoria_conv2d_opts o = basic(cases[i].in);

			o.out = cases[i].out;
			o.relu = 1;
			o.relu_max = cases[i].most;
			o.ic = ic;
			o.oc = 9;
			o.kh = o.kw = 1;
			o.input_zp = o.type == SCORIA_FP16 ? 0 : 3;
			o.output_zp = scoria_type_size(o.out) == 1 ? 7 : 0;
			EXPECT_RIGHT(shape_conv2d(dev, &o, &numbers));
		}
}

/* The largest distance from TensorFlow Lite's result, from the sums of an int32 run. */
static int distance(const struct scoria_conv2d_opts *o)
{
	struct scoria_conv2d_opts sums = *o;
	size_t n_in = o->ic * o->h * o->w, oh, ow, n, i;
	size_t n_weights = o->oc * (o->ic / (o->groups ? o->groups : 1)) * o->kh * o->kw;
	uint8_t *input = malloc(n_in), *weights = malloc(n_weights), *got, *want;
	int32_t bias[MAX_CHANNELS], *acc;
	int most = 0;

	scoria_conv2d_output(o, &oh, &ow);
	n = o->oc * oh * ow;
	got = malloc(n);
	want = malloc(n);
	acc = malloc(n * sizeof(*acc));
	random_fill(&numbers, o->type, input, n_in);
	random_fill(&numbers, o->type, weights, n_weights);
	random_fill(&numbers, SCORIA_INT32, bias, o->oc);
	sums.out = SCORIA_INT32;
	sums.scales = NULL;
	sums.scale = 0;
	sums.output_zp = 0;
	sums.relu = 0;
	sums.relu_max = 0;
	EXPECT_EQ(0, scoria_conv2d(dev, o, input, weights, bias, got));
	EXPECT_EQ(0, scoria_conv2d(dev, &sums, input, weights, bias, acc));
	tflite_requantise(o, acc, want);
	for (i = 0; i < n; i++) {
		int error = o->out == SCORIA_INT8 ? (int8_t)got[i] - (int8_t)want[i] :
						    got[i] - want[i];

		most = abs(error) > most ? abs(error) : most;
	}
	free(want);
	free(acc);
	free(got);
	free(weights);
	free(input);
	return most;
}

TEST(results_are_within_1_of_tensorflow_lite)
{
	for (int i = 0; i < 60; i++) {
		struct scoria_conv2d_opts o = basic(types[i % 2]);

		o.scale = exp2(-(double)random_range(&numbers, 4, 18)) * 0.777;
		o.relu = random_next(&numbers) % 2;
		if (o.relu && random_next(&numbers) % 2)
			o.relu_max = random_range(&numbers, 1, 300);
		if (i % 3 == 0) {
			o.ic = o.groups = o.oc;
			o.kh = 5;
		}
		if (i % 5)
			set_scales(&o, exp2(random_range(&numbers, 0, 12)));
		if (distance(&o) > 1)
			TAP_FAIL("case %d, scale %g: off by %d", i, o.scale, distance(&o));
	}
}

static void expect_error(const char *words, struct scoria_conv2d_opts o)
{
	struct scoria_conv2d_plan *plan = NULL;

	EXPECT_EQ(-EINVAL, scoria_conv2d_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

TEST(bad_scales_and_limits_are_refused_by_name)
{
	static const double bad[] = { 0, -1, NAN, INFINITY, 1e-30, 40000 };
	struct scoria_conv2d_opts o = basic(SCORIA_INT8);

	set_scales(&o, 2);
	for (int i = 0; i < 6; i++) {
		scales[3] = bad[i];
		expect_error("scales[3]", o);
	}
	scales[3] = 1;
	o.out = SCORIA_INT32;
	o.output_zp = 0;
	expect_error("scales are for int8", o);
	o = basic(SCORIA_INT8);
	o.relu_max = 6;
	expect_error("relu is 0", o);
	o.relu = 1;
	o.relu_max = -1;
	expect_error("relu_max = -1", o);
	o.relu_max = NAN;
	expect_error("relu_max", o);
	o.relu_max = 0x1p31;
	expect_error("relu_max", o);
	scoria_device_close(dev);
}

TEST_MAIN()
