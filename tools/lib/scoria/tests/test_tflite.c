// SPDX-License-Identifier: MIT
/*
 * Sums, products, averages and softmax of quantised values within 1 of TensorFlow
 * Lite's reference kernels; test_quantized does the same for convolutions.
 */
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/tflite.h"
#include "shape.h"

#define PAIRS 65536u

static struct scoria_device *dev;
static struct random numbers = { 31 };

static const enum scoria_type types[] = { SCORIA_INT8, SCORIA_UINT8 };

static double uniform(double low, double high)
{
	return low + (high - low) * ((random_next(&numbers) >> 11) * 0x1p-53);
}

static int32_t zero_point(enum scoria_type type)
{
	return (int32_t)random_range(&numbers, 0, 255) - (type == SCORIA_INT8 ? 128 : 0);
}

static int distance(enum scoria_type type, const uint8_t *got, const uint8_t *want, size_t n)
{
	int most = 0;

	for (size_t i = 0; i < n; i++) {
		int error = type == SCORIA_INT8 ? (int8_t)got[i] - (int8_t)want[i] :
						  got[i] - want[i];

		most = abs(error) > most ? abs(error) : most;
	}
	return most;
}

/* Every pair of values. */
static void check_pairs(const struct scoria_eltwise_opts *o)
{
	static uint8_t a[PAIRS], b[PAIRS], got[PAIRS], want[PAIRS];

	for (unsigned int i = 0; i < PAIRS; i++) {
		a[i] = i;
		b[i] = i >> 8;
	}
	EXPECT_EQ(0, scoria_eltwise(dev, o, a, b, NULL, got));
	tflite_eltwise(o, a, b, want);
	if (distance(o->type, got, want, PAIRS) > 1)
		TAP_FAIL("%s %s scales %g %g to %g, zero points %d %d to %d, relu %d %g: off by %d",
			 scoria_eltwise_name(o->op), scoria_type_name(o->type), o->a_scale,
			 o->b_scale, o->out_scale, o->a_zp, o->b_zp, o->out_zp, o->relu,
			 o->relu_max, distance(o->type, got, want, PAIRS));
}

TEST(sums_and_products_are_within_1)
{
	static const enum scoria_eltwise_op ops[] = { SCORIA_ADD, SCORIA_SUB, SCORIA_MUL };

	dev = shape_device();
	for (int i = 0; i < 120; i++) {
		const enum scoria_type type = types[i % 2];
		struct scoria_eltwise_opts o = {
			.size = sizeof(o), .op = ops[i % 3], .type = type, .n = PAIRS,
			.a_scale = exp2(uniform(-12, 2)), .a_zp = zero_point(type),
			.b_zp = zero_point(type), .out_zp = zero_point(type), .relu = i % 4 == 3,
		};

		/* a residual of other magnitude, and results that fill their range */
		o.b_scale = o.a_scale * exp2(uniform(-7, 7));
		o.out_scale = exp2(uniform(-2, 2)) * (o.op == SCORIA_MUL ?
			o.a_scale * o.b_scale * 64 : fmax(o.a_scale, o.b_scale));
		o.relu_max = o.relu && i % 8 == 7 ? 100 * o.out_scale : 0;
		check_pairs(&o);
	}
	EXPECT_EQ(0, shape_reports());
}

static void check_average(const struct scoria_pool_opts *o, int most)
{
	size_t n = o->batch * o->c * o->h * o->w, oh = 0, ow = 0;
	uint8_t *input = malloc(n), *got, *want;

	EXPECT_EQ(0, scoria_pool_output(o, &oh, &ow));
	random_fill(&numbers, SCORIA_UINT8, input, n);
	n = o->batch * o->c * oh * ow;
	got = malloc(n);
	want = malloc(n);
	EXPECT_EQ(0, scoria_pool(dev, o, input, got));
	tflite_average_pool(o, input, want);
	if (distance(o->type, got, want, n) > most)
		TAP_FAIL("average %s h %zu w %zu kernel %zux%zu: off by %d",
			 scoria_type_name(o->type), o->h, o->w, o->kh, o->kw,
			 distance(o->type, got, want, n));
	free(want);
	free(got);
	free(input);
}

TEST(averages_are_within_1)
{
	for (int i = 0; i < 60; i++) {
		const size_t kernel = (size_t)random_range(&numbers, 1, 20);
		struct scoria_pool_opts o = {
			.size = sizeof(o), .type = types[i % 2], .method = SCORIA_POOL_AVERAGE,
			.layout = i % 4 < 2 ? SCORIA_NHWC : SCORIA_NCHW, .batch = 1 + i % 3,
			.c = (size_t)random_range(&numbers, 1, 20), .h = 20, .w = 23,
			.kh = kernel, .kw = kernel, .stride_y = 2, .stride_x = 1 + i % 3,
			.pad_top = kernel / 2, .pad_left = kernel / 3,
		};

		if (i % 5 == 0)
			o.kh = o.kw = o.pad_top = o.pad_left = 0;
		check_average(&o, 1);
	}
}

TEST(averages_of_windows_that_are_all_of_one_size_are_equal)
{
	for (size_t kernel = 1; kernel <= 8; kernel++)
		for (int i = 0; i < 4; i++) {
			const struct scoria_pool_opts o = {
				.size = sizeof(o), .type = types[i % 2],
				.method = SCORIA_POOL_AVERAGE, .batch = 1, .c = 7, .h = 29, .w = 33,
				.kh = kernel, .kw = i / 2 ? 8 : kernel, .stride_y = 1,
				.stride_x = 2,
			};

			check_average(&o, 0);
		}
}

static void check_softmax(const struct scoria_softmax_opts *o)
{
	const size_t n = o->rows * o->columns;
	uint8_t *x = malloc(n), *got = malloc(n), *want = malloc(n);

	random_fill(&numbers, SCORIA_UINT8, x, n);
	EXPECT_EQ(0, scoria_softmax(dev, o, x, got));
	tflite_softmax(o, x, want);
	if (distance(o->type, got, want, n) > 1)
		TAP_FAIL("softmax %s %zu rows of %zu scale %g: off by %d",
			 scoria_type_name(o->type), o->rows, o->columns, o->scale,
			 distance(o->type, got, want, n));
	free(want);
	free(got);
	free(x);
}

TEST(softmax_is_within_1)
{
	for (int i = 0; i < 100; i++) {
		const struct scoria_softmax_opts o = {
			.size = sizeof(o), .type = types[i % 2], .rows = 1 + i % 20,
			.columns = (size_t)random_range(&numbers, 1, i < 20 ? 20 : 1200),
			.scale = exp2(uniform(-10, 1)),
		};

		check_softmax(&o);
	}
}

/* Known values of the arithmetic, so that the references are not just like the library. */
TEST(the_fixed_point_arithmetic_rounds_as_it_is_documented)
{
	struct tflite_multiplier half = tflite_quantize_multiplier(0.5);
	struct tflite_multiplier three = tflite_quantize_multiplier(3);

	EXPECT_EQ(1 << 30, half.multiplier);
	EXPECT_EQ(0, half.shift);
	EXPECT_EQ(3 << 29, three.multiplier);
	EXPECT_EQ(2, three.shift);
	EXPECT_EQ(3, tflite_multiply(5, half));
	/* the high product rounds its ties up, and only the shift's go away from 0 */
	EXPECT_EQ(-2, tflite_multiply(-5, half));
	EXPECT_EQ(-15, tflite_multiply(-5, three));
	EXPECT_EQ(3, tflite_shift(5, 1));
	EXPECT_EQ(-3, tflite_shift(-5, 1));
	EXPECT_EQ(INT32_MAX, tflite_high_product(INT32_MIN, INT32_MIN));
	scoria_device_close(dev);
}

TEST_MAIN()
