// SPDX-License-Identifier: MIT
/*
 * Pooling against the reference: every kernel and stride around the limits of the
 * PPU, special values, both layouts, and random shapes in random order on one
 * device that is never reset (faults R1, R3, R9, H6).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../include/fp16.h"
#include "../../../testing/model/tests/tap.h"
#include "../../reference/reference.h"
#include "../pool.h"
#include "shape.h"

static struct scoria_device *dev;
static struct random numbers = { 5 };

static struct scoria_pool_opts basic(enum scoria_pool_method method, enum scoria_type type)
{
	return (struct scoria_pool_opts){ .size = sizeof(struct scoria_pool_opts), .type = type,
					  .method = method, .batch = 1, .c = 11, .h = 40, .w = 37,
					  .kh = 3, .kw = 3, .stride_y = 2, .stride_x = 2 };
}

#define POOL(method, type, ...) ({					\
		struct scoria_pool_opts o = basic(method, type);	\
									\
		__VA_ARGS__;						\
		o;							\
	})

static void check_data(const struct scoria_pool_opts *o, const void *input)
{
	struct compare result = { 0 };
	size_t oh = 0, ow = 0, bytes;
	uint8_t *output;

	if (scoria_pool_output(o, &oh, &ow)) {
		TAP_FAIL("refused: %s", scoria_error());
		return;
	}
	bytes = o->batch * o->c * oh * ow * scoria_type_size(o->type);
	output = malloc(bytes + 1);
	output[bytes] = 0xa5;
	if (scoria_pool(dev, o, input, output))
		TAP_FAIL("failed: %s", scoria_error());
	else
		reference_pool(o, input, output, &result);
	if (!compare_passed(&result) || output[bytes] != 0xa5)
		TAP_FAIL("method %d %s layout %d batch %zu c %zu h %zu w %zu kernel %zux%zu stride %zux%zu pad %zu,%zu,%zu,%zu include %d value %d: %zu of %zu wrong, first at %zu: %g instead of %g",
			 o->method, scoria_type_name(o->type), o->layout, o->batch, o->c, o->h,
			 o->w, o->kh, o->kw, o->stride_y, o->stride_x, o->pad_top, o->pad_bottom,
			 o->pad_left, o->pad_right, o->count_include_pad, o->pad_value,
			 result.bad, result.count, result.first_bad, result.first_got,
			 result.first_ref);
	free(output);
}

static void check(struct scoria_pool_opts o)
{
	size_t n = o.batch * o.c * o.h * o.w;
	void *input = malloc(n * scoria_type_size(o.type));

	random_fill(&numbers, o.type, input, n);
	check_data(&o, input);
	free(input);
}

static const enum scoria_type types[] = { SCORIA_FP16, SCORIA_INT8, SCORIA_UINT8 };

/* fn for every method and type. */
static void each(void (*fn)(enum scoria_pool_method method, enum scoria_type type))
{
	for (int method = SCORIA_POOL_MAX; method <= SCORIA_POOL_AVERAGE; method++)
		for (int i = 0; i < 3; i++)
			fn(method, types[i]);
}

static void kernels(enum scoria_pool_method method, enum scoria_type type)
{
	for (size_t k = 1; k <= 18; k++)
		for (int include = 0; include < 2; include++)
			check(POOL(method, type, o.kh = k, o.kw = 19 - k, o.pad_top = k / 2,
				   o.pad_right = (19 - k) / 3, o.count_include_pad = include));
}

TEST(kernels_around_16_are_right_with_padding)
{
	dev = shape_device();
	each(kernels);
	EXPECT_EQ(0, shape_reports());
}

static void strides(enum scoria_pool_method method, enum scoria_type type)
{
	for (size_t s = 14; s <= 18; s++)
		for (size_t k = 15; k <= 17; k++)
			check(POOL(method, type, o.stride_y = s, o.stride_x = 33 - s, o.kh = k,
				   o.kw = 2, o.h = 70, o.w = 80));
}

TEST(strides_around_16_are_right)
{
	each(strides);
}

static void paddings(enum scoria_pool_method method, enum scoria_type type)
{
	for (size_t p = 6; p <= 9; p++)
		for (int include = 0; include < 2; include++)
			check(POOL(method, type, o.kh = o.kw = 11, o.pad_top = p,
				   o.pad_left = 15 - p, o.pad_bottom = 10, o.pad_right = p,
				   o.count_include_pad = include));
}

TEST(paddings_around_7_are_right)
{
	each(paddings);
}

static void globals(enum scoria_pool_method method, enum scoria_type type)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 7, 15, 16, 17, 31, 33, 56, 113 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check(POOL(method, type, o.kh = o.kw = 0, o.stride_y = o.stride_x = 0,
			   o.h = o.w = sizes[i]));
		check(POOL(method, type, o.kh = 0, o.kw = 1, o.stride_y = o.stride_x = 0,
			   o.h = sizes[i], o.w = 3));
		check(POOL(method, type, o.kh = 2, o.kw = 0, o.stride_y = o.stride_x = 0,
			   o.h = 5, o.w = sizes[i]));
	}
}

TEST(global_pooling_is_right_for_any_size)
{
	each(globals);
}

static void wide(enum scoria_pool_method method, enum scoria_type type)
{
	static const size_t sizes[] = { 4096, 4097, 8191, 8192, 8193, 12289 };

	/* which type the CPU packs does not matter to sizes */
	if (type != SCORIA_FP16)
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check(POOL(method, type, o.c = 2, o.h = 3, o.w = sizes[i], o.kh = 2, o.pad_top = 1,
			   o.pad_left = 2, o.stride_y = o.stride_x = 1));
		check(POOL(method, type, o.c = 2, o.w = 3, o.h = sizes[i], o.kw = 2,
			   o.pad_bottom = 2, o.stride_y = o.stride_x = 1));
	}
}

TEST(sizes_around_those_of_a_task_are_right)
{
	each(wide);
}

TEST(channels_around_those_of_a_task_are_right)
{
	static const size_t sizes[] = { 1, 7, 8, 9, 16, 17, 4095, 4096, 4097, 8200 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int layout = SCORIA_NCHW; layout <= SCORIA_NHWC; layout++)
			check(POOL(i % 3 + 1, SCORIA_INT8, o.c = sizes[i], o.h = o.w = 5,
				   o.layout = layout));
}

/* Values that arithmetic would spoil: what is compared is the pattern's value. */
TEST(special_fp16_values_survive_max_and_min)
{
	static const uint16_t special[] = { 0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff,
					    0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xbc00 };
	uint16_t data[40 * 40];

	for (size_t i = 0; i < 40 * 40; i++)
		data[i] = special[random_next(&numbers) % 13];
	for (int method = SCORIA_POOL_MAX; method <= SCORIA_POOL_MIN; method++)
		for (size_t k = 1; k < 25; k++) {
			const struct scoria_pool_opts special_pool =
				POOL(method, SCORIA_FP16, o.c = 1, o.h = o.w = 40, o.kh = o.kw = k,
				     o.pad_top = o.pad_left = k / 2);

			check_data(&special_pool, data);
		}
}

/* Windows beyond the PPU's are sums of products, where 0 times infinity is NaN. */
TEST(infinities_and_nan_reach_only_the_averages_that_have_them)
{
	static const uint16_t special[] = { 0x7c00, 0xfc00, 0x7e00, 0x7bff, 1 };
	uint16_t data[2 * 60 * 50];

	for (int layout = SCORIA_NCHW; layout <= SCORIA_NHWC; layout++) {
		const struct scoria_pool_opts large =
			POOL(SCORIA_POOL_AVERAGE, SCORIA_FP16, o.c = 2, o.h = 60, o.w = 50,
			     o.kh = 17, o.kw = 3, o.pad_top = 4, o.layout = layout);

		random_fill(&numbers, SCORIA_FP16, data, 2 * 60 * 50);
		for (int i = 0; i < 20; i++)
			data[random_next(&numbers) % (2 * 60 * 50)] = special[i % 5];
		check_data(&large, data);
	}
}

TEST(averages_over_rows_longer_than_a_part_are_right)
{
	static const size_t kernels_of[] = { 17, 65536, 65537, 140000 };

	for (size_t i = 0; i < 4; i++)
		for (int t = 0; t < 2; t++)
			check(POOL(SCORIA_POOL_AVERAGE, types[t], o.c = o.h = o.kh = 1,
				   o.w = 140001, o.kw = kernels_of[i], o.pad_left = 5,
				   o.stride_x = i ? 30000 : 8));
}

TEST(int8_padding_of_an_average_counts_as_the_pad_value)
{
	for (size_t k = 2; k <= 20; k += 6) {
		check(POOL(SCORIA_POOL_AVERAGE, SCORIA_INT8, o.kh = o.kw = k, o.pad_top = k / 2,
			   o.pad_left = k - 1, o.count_include_pad = 1, o.pad_value = -77));
		check(POOL(SCORIA_POOL_AVERAGE, SCORIA_UINT8, o.kh = o.kw = k, o.pad_top = k / 2,
			   o.pad_left = k - 1, o.count_include_pad = 1, o.pad_value = 255));
	}
}

TEST(the_divisor_of_an_average_is_right_to_2_to_the_minus_16)
{
	for (uint32_t kh = 1; kh <= 16; kh++)
		for (uint32_t kw = kh == 1 ? 2 : 1; kw <= 16; kw++) {
			struct pool_reciprocal pair = pool_reciprocal(kw, kh);
			double product = (double)fp16_to_fp32(pair.x) * fp16_to_fp32(pair.y);

			if (fabs(product * kw * kh * 0x1p-32 - 1) > 0x1p-16)
				TAP_FAIL("%ux%u: %g", kh, kw, product * kw * kh * 0x1p-32 - 1);
		}
}

static size_t between(size_t low, size_t high)
{
	return random_range(&numbers, low, high);
}

static struct scoria_pool_opts random_pool(void)
{
	struct scoria_pool_opts o = basic(between(1, 3), types[between(0, 2)]);
	size_t most = between(0, 3) ? 20 : 90;

	o.layout = between(0, 1);
	o.batch = between(0, 4) ? 1 : 3;
	o.c = between(1, 40);
	o.h = between(1, most);
	o.w = between(1, most);
	o.kh = between(1, between(0, 2) ? min_u32(o.h, 6) : o.h);
	o.kw = between(1, between(0, 2) ? min_u32(o.w, 6) : o.w);
	o.stride_y = between(1, between(0, 2) ? 3 : 40);
	o.stride_x = between(1, between(0, 2) ? 3 : 40);
	o.pad_top = between(0, o.kh - 1);
	o.pad_bottom = between(0, o.kh - 1);
	o.pad_left = between(0, o.kw - 1);
	o.pad_right = between(0, o.kw - 1);
	o.count_include_pad = between(0, 1);
	return o;
}

TEST(random_shapes_in_random_order_are_right)
{
	for (int i = 0; i < 250 && !tap_failed; i++) {
		check(random_pool());
		/* a convolution leaves registers of other blocks behind (R9) */
		if (i % 10 == 0) {
			struct scoria_conv2d_opts conv = { .size = sizeof(conv), .batch = 1,
							   .type = SCORIA_INT8, .ic = 9, .oc = 5,
							   .out = SCORIA_INT32, .h = 9, .w = 8,
							   .kh = 3, .kw = 2 };

			EXPECT_RIGHT(shape_conv2d(dev, &conv, &numbers));
		}
	}
	EXPECT_EQ(0, shape_reports());
}

static void expect_error(int err, const char *words, struct scoria_pool_opts o)
{
	struct scoria_pool_plan *plan = NULL;

	EXPECT_EQ(err, scoria_pool_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
	check(basic(SCORIA_POOL_MAX, SCORIA_FP16));
}

#define MAX(...) POOL(SCORIA_POOL_MAX, SCORIA_FP16, __VA_ARGS__)

TEST(nonsense_is_refused_by_name)
{
	struct scoria_pool_opts good = MAX();

	expect_error(-EINVAL, "size of options", MAX(o.size = 8));
	expect_error(-EINVAL, "type = 0", MAX(o.type = 0));
	expect_error(-EOPNOTSUPP, "type = fp32", MAX(o.type = SCORIA_FP32));
	expect_error(-EINVAL, "method = 0", MAX(o.method = 0));
	expect_error(-EINVAL, "method = 4", MAX(o.method = 4));
	expect_error(-EINVAL, "layout = 2", MAX(o.layout = 2));
	expect_error(-EINVAL, "batch is 0", MAX(o.batch = 0));
	expect_error(-EINVAL, "c is 0", MAX(o.c = 0));
	expect_error(-EINVAL, "h is 0", MAX(o.h = 0));
	expect_error(-EINVAL, "w is 0", MAX(o.w = 0));
	expect_error(-EINVAL, "kernel of 41", MAX(o.kh = 41));
	expect_error(-EINVAL, "must be less than the kernel", MAX(o.pad_left = 3));
	expect_error(-EINVAL, "must be less than the kernel", MAX(o.pad_bottom = SIZE_MAX));
	expect_error(-EINVAL, "does not fit h", MAX(o.kh = SIZE_MAX, o.pad_top = SIZE_MAX - 1));
	expect_error(-EINVAL, "pad_value", MAX(o.pad_value = 1));
	expect_error(-EINVAL, "stride", MAX(o.stride_x = SIZE_MAX));
	expect_error(-ENOSPC, "4 GiB", MAX(o.h = SIZE_MAX));
	expect_error(-ENOSPC, "4 GiB", MAX(o.h = o.w = 20000));
	expect_error(-EINVAL, "overflows", MAX(o.c = o.batch = o.h = o.w = 1u << 28));
	EXPECT_EQ(-EINVAL, scoria_pool(dev, &good, NULL, &good));
	EXPECT_STR("pool: input is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_pool(dev, &good, &good, NULL));
	EXPECT_STR("pool: output is NULL", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
