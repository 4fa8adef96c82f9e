// SPDX-License-Identifier: MIT
/* Matrix products at and around the limits, with strides, and reused plans. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/reference.h"
#include "fp16.h"
#include "shape.h"

static struct random random_data = { 7 };

struct size {
	size_t m;
	size_t k;
	size_t n;
};

static struct scoria_matmul_opts options(struct size size, enum scoria_type type)
{
	return (struct scoria_matmul_opts){
		.size = sizeof(struct scoria_matmul_opts), .type = type,
		.out = type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.m = size.m, .k = size.k, .n = size.n,
	};
}

/* All sizes as int8 to int32, fp16 to fp32 and fp16 to fp16, on one device. */
static void expect_right(const struct size *sizes, size_t n)
{
	struct scoria_device *dev = shape_device();
	struct scoria_matmul_opts o;
	size_t i;

	for (i = 0; i < n; i++) {
		o = options(sizes[i], SCORIA_INT8);
		EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
		o = options(sizes[i], SCORIA_FP16);
		EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
		o.out = SCORIA_FP16;
		EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

#define EXPECT_ALL_RIGHT(...)							\
	do {									\
		const struct size sizes_[] = { __VA_ARGS__ };			\
										\
		expect_right(sizes_, sizeof(sizes_) / sizeof(sizes_[0]));	\
	} while (0)

TEST(seed_shapes_of_the_op_table)
{
	EXPECT_ALL_RIGHT({ 1, 1, 1 }, { 33, 1, 33 }, { 65, 1, 33 });
}

/* One type each: these are the largest products of the tests. */
TEST(seed_shapes_with_one_row)
{
	static const struct size sizes[] = { { 1, 8192, 8192 }, { 1, 8192, 15000 },
					     { 1, 18605, 8192 } };
	struct scoria_device *dev = shape_device();
	size_t i;

	for (i = 0; i < 3; i++) {
		struct scoria_matmul_opts o =
			options(sizes[i], i == 1 ? SCORIA_FP16 : SCORIA_INT8);

		EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
	}
	scoria_device_close(dev);
}

/* R4: fewer than four rows need the wrapped surface stride. */
TEST(few_rows)
{
	EXPECT_ALL_RIGHT({ 1, 64, 64 }, { 2, 64, 64 }, { 3, 96, 70 }, { 4, 100, 64 },
			 { 5, 64, 64 }, { 6, 64, 64 }, { 7, 64, 64 });
}

/* R5: the sizes at which features nearly fill the last bank. */
TEST(rows_that_resonate_with_the_banks)
{
	EXPECT_ALL_RIGHT({ 144, 7 * 32, 40 }, { 144, 21 * 32, 40 }, { 144, 35 * 32, 40 },
			 { 144, 49 * 32, 40 }, { 192, 5 * 32, 40 }, { 192, 21 * 32, 40 },
			 { 192, 37 * 32, 40 }, { 240, 17 * 32, 40 }, { 240, 25 * 32, 40 },
			 { 240, 29 * 32, 40 });
}

/* R1, R2: field widths, verified maxima, and the bank and surface boundaries. */
TEST(sizes_beside_each_limit)
{
	EXPECT_ALL_RIGHT({ 2046, 9, 17 }, { 2047, 9, 17 }, { 2048, 9, 17 }, { 4097, 5, 3 });
	EXPECT_ALL_RIGHT({ 3, 40, 4095 }, { 3, 40, 4096 }, { 3, 40, 4097 }, { 3, 40, 7744 },
			 { 3, 40, 7760 }, { 3, 40, 8191 }, { 3, 40, 8192 }, { 3, 40, 8193 });
	EXPECT_ALL_RIGHT({ 2, 10239, 33 }, { 2, 10240, 33 }, { 2, 10241, 33 }, { 70, 10240, 40 },
			 { 2, 16384, 17 }, { 2, 16385, 17 }, { 3, 30000, 20 });
}

TEST(channel_tails)
{
	EXPECT_ALL_RIGHT({ 9, 15, 15 }, { 9, 16, 16 }, { 9, 17, 17 }, { 9, 31, 31 },
			 { 9, 32, 32 }, { 9, 33, 33 }, { 9, 63, 63 }, { 9, 64, 64 },
			 { 9, 65, 65 });
}

TEST(rows_with_gaps_are_read_and_left_alone)
{
	struct scoria_device *dev = shape_device();
	struct scoria_matmul_opts o = options((struct size){ 37, 45, 53 }, SCORIA_INT8);

	o.lda = 50;
	o.ldb = 60;
	o.ldc = 70;
	EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
	o.b_layout = SCORIA_B_NK;
	EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
	scoria_device_close(dev);
}

TEST(a_product_of_more_rows_than_one_run_takes)
{
	struct scoria_device *dev = shape_device();
	struct scoria_matmul_opts o = options((struct size){ 1100000, 1, 2 }, SCORIA_INT8);
	struct scoria_plan_info info = { .size = sizeof(info) };
	struct scoria_matmul_plan *plan;

	ASSERT(!scoria_matmul_plan_create(dev, &o, &plan));
	EXPECT_EQ(0, scoria_matmul_plan_info(plan, &info));
	EXPECT_EQ(2, info.runs);
	scoria_matmul_plan_destroy(plan);
	EXPECT_RIGHT(shape_matmul(dev, &o, &random_data));
	scoria_device_close(dev);
}

/* Weights of one value make a result that tells whose they were. */
static struct scoria_matmul_weights *ones_times(struct scoria_matmul_plan *plan, int8_t value,
						size_t n)
{
	struct scoria_matmul_weights *weights = NULL;
	int8_t *b = malloc(n);

	memset(b, value, n);
	scoria_matmul_weights_create(plan, b, &weights);
	free(b);
	return weights;
}

TEST(one_plan_runs_with_several_weights_in_turn)
{
	struct scoria_matmul_opts o = options((struct size){ 1, 40, 1 }, SCORIA_INT8);
	struct scoria_device *dev = shape_device();
	struct scoria_matmul_weights *two, *three;
	struct scoria_matmul_plan *plan;
	int8_t a[40];
	int32_t c;
	int i;

	memset(a, 1, sizeof(a));
	ASSERT(!scoria_matmul_plan_create(dev, &o, &plan));
	two = ones_times(plan, 2, 40);
	three = ones_times(plan, 3, 40);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, scoria_matmul_run(plan, two, a, &c));
		EXPECT_EQ(80, c);
		EXPECT_EQ(0, scoria_matmul_run(plan, three, a, &c));
		EXPECT_EQ(120, c);
	}
	scoria_matmul_weights_destroy(three);
	/* may well get the memory that the others had */
	three = ones_times(plan, 4, 40);
	EXPECT_EQ(0, scoria_matmul_run(plan, three, a, &c));
	EXPECT_EQ(160, c);
	scoria_matmul_weights_destroy(three);
	scoria_matmul_weights_destroy(two);
	scoria_matmul_plan_destroy(plan);
	scoria_device_close(dev);
}

TEST(the_largest_int8_sum_is_exact_and_one_more_is_refused)
{
	struct scoria_matmul_opts o = options((struct size){ 1, 131071, 1 }, SCORIA_INT8);
	struct scoria_device *dev = shape_device();
	int8_t *low = malloc(131072);
	int32_t c = 0;

	memset(low, -128, 131072);
	EXPECT_EQ(0, scoria_matmul(dev, &o, low, low, &c));
	EXPECT_EQ(131071ll * 16384, c);
	o.k++;
	EXPECT_EQ(-EOVERFLOW, scoria_matmul(dev, &o, low, low, &c));
	EXPECT_STR("k = 131072", scoria_error());
	free(low);
	scoria_device_close(dev);
}

/* R8: what fp16 cannot hold becomes infinity, and fp32 output holds it. */
TEST(fp16_results_overflow_to_infinity)
{
	struct scoria_matmul_opts o = options((struct size){ 1, 2, 1 }, SCORIA_FP16);
	struct scoria_device *dev = shape_device();
	const uint16_t a[2] = { fp32_to_fp16(300), fp32_to_fp16(-1) };
	const uint16_t b[2] = { fp32_to_fp16(300), fp32_to_fp16(5) };
	uint16_t half = 0;
	float single = 0;

	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, &single));
	EXPECT(single == 300.f * 300 - 5);
	o.out = SCORIA_FP16;
	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, &half));
	EXPECT_EQ(0x7c00, half);
	scoria_device_close(dev);
}

/* Padding may not let an infinity reach other rows or columns as 0 * inf. */
TEST(infinity_and_nan_stay_in_their_row_and_column)
{
	struct scoria_matmul_opts o = options((struct size){ 5, 9, 7 }, SCORIA_FP16);
	struct scoria_device *dev = shape_device();
	struct compare result;
	uint16_t a[45], b[63];
	float c[35];

	random_fill(&random_data, SCORIA_FP16, a, 45);
	random_fill(&random_data, SCORIA_FP16, b, 63);
	a[2 * 9 + 4] = 0x7c00;
	b[3 * 7 + 6] = 0x7e00;
	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, c));
	EXPECT_EQ(0, reference_matmul(&o, NULL, a, b, c, &result));
	EXPECT(compare_passed(&result));
	EXPECT(isinf(c[2 * 7]) && isnan(c[6]) && isfinite(c[0]));
	scoria_device_close(dev);
}

TEST_MAIN()
