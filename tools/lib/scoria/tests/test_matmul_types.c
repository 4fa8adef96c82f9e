// SPDX-License-Identifier: MIT
/*
 * Types, batches and what follows a product: bias, alpha, ReLU, requantisation, fused
 * or, where sums come in parts, on the CPU. Each over sizes around the limits.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/reference.h"
#include "shape.h"

#define MAX_N 300

static struct scoria_device *dev;
static struct random numbers = { 11 };
static float float_bias[MAX_N];
static int32_t int_bias[MAX_N];
static double scales[MAX_N];

static const struct { enum scoria_type type, out; } pairs[] = {
	{ SCORIA_FP16, SCORIA_FP32 }, { SCORIA_FP16, SCORIA_FP16 }, { SCORIA_BF16, SCORIA_FP32 },
	{ SCORIA_TF32, SCORIA_FP32 }, { SCORIA_INT4, SCORIA_INT32 },
	{ SCORIA_INT8, SCORIA_INT32 }, { SCORIA_INT8, SCORIA_INT8 },
	{ SCORIA_UINT8, SCORIA_INT32 }, { SCORIA_UINT8, SCORIA_UINT8 },
	{ SCORIA_INT16, SCORIA_INT64 },
};

#define N_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/* int4 sums have 480 products; a unit has 4 to 32 channels, a group 16 to 64 columns. */
static const struct { size_t m, k, n; } sizes[] = {
	{ 1, 1, 1 }, { 3, 15, 15 }, { 4, 16, 16 }, { 5, 17, 17 }, { 2, 31, 63 }, { 7, 32, 64 },
	{ 9, 33, 65 }, { 6, 479, 33 }, { 6, 480, 31 }, { 6, 481, 32 }, { 2, 961, 130 },
	{ 200, 100, 100 }, { 3, 8193, 20 }, { 1, 10241, 9 }, { 1, 25000, 3 },
};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static bool has_floats(enum scoria_type type)
{
	return type == SCORIA_FP16 || type == SCORIA_BF16 || type == SCORIA_TF32;
}

static struct scoria_matmul_opts opts_of(size_t pair, size_t size)
{
	return (struct scoria_matmul_opts){
		.size = sizeof(struct scoria_matmul_opts), .type = pairs[pair].type,
		.out = pairs[pair].out, .b_layout = size % 2, .m = sizes[size].m,
		.k = sizes[size].k, .n = sizes[size].n,
		.scale = 0.01 / sqrt(sizes[size].k),
	};
}

static void add_bias(struct scoria_matmul_opts *o)
{
	o->bias = has_floats(o->type) ? (void *)float_bias : int_bias;
}

TEST(all_types_are_right_around_all_limits)
{
	dev = shape_device();
	random_fill(&numbers, SCORIA_FP32, float_bias, MAX_N);
	random_fill(&numbers, SCORIA_INT32, int_bias, MAX_N);
	for (size_t pair = 0; pair < N_PAIRS; pair++)
		for (size_t size = 0; size < N_SIZES; size++) {
			struct scoria_matmul_opts o = opts_of(pair, size);

			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(bias_alpha_and_relu_are_right_fused_and_on_the_cpu)
{
	static const double alphas[] = { 1, 0.125, -3, 0.3, 1e-9 };

	for (size_t pair = 0; pair + 1 < N_PAIRS; pair++)
		for (size_t size = 0; size < N_SIZES; size++)
			for (size_t i = 0; i < 5; i += sizes[size].k < 10000 ? 1 : 3) {
				struct scoria_matmul_opts o = opts_of(pair, size);

				add_bias(&o);
				o.relu = i % 2;
				o.relu_max = i == 3 ? has_floats(o.type) ? 0.7 : 40 : 0;
				if (has_floats(o.type))
					o.alpha = alphas[i];
				EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
			}
	EXPECT_EQ(0, shape_reports());
}

TEST(batches_are_right_with_and_without_gaps_and_with_one_b)
{
	for (size_t pair = 0; pair < N_PAIRS; pair++)
		for (size_t size = 0; size < 12; size++) {
			struct scoria_matmul_opts o = opts_of(pair, size);

			o.batch = 3;
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
			o.b_shared = 1;
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
			o.b_shared = 0;
			o.lda = o.k + 3;
			o.stride_a = o.m * o.lda + 5;
			o.stride_b = o.k * o.n + 7;
			o.stride_c = o.m * o.n + 9;
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
		}
}

/* At and beside the ends of their types, where products have most bits. */
TEST(zero_points_are_taken_off_before_products)
{
	static const int32_t zero_points[] = { 0, 1, 127, 128, 129, 255 };

	for (size_t pair = 0; pair < N_PAIRS; pair++)
		for (size_t i = 0; i < 36; i++) {
			struct scoria_matmul_opts o = opts_of(pair, i % N_SIZES);
			const int32_t least = o.type == SCORIA_INT8 ? 128 : 0;

			if (o.type != SCORIA_INT8 && o.type != SCORIA_UINT8)
				continue;
			o.a_zp = zero_points[i / 6] - least;
			o.b_zp = zero_points[i % 6] - least;
			if (i % 2)
				add_bias(&o);
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
		}
	EXPECT_EQ(0, shape_reports());
}

/* 8 products of at most 128 * 255, or the magnitude of what is added: 2^31 - 1 is the end. */
TEST(zero_points_may_not_let_sums_leave_int32)
{
	struct scoria_matmul_opts o = opts_of(7, 0);
	struct scoria_matmul_weights *weights;
	struct scoria_matmul_plan *plan;
	int32_t bias = INT32_MAX - 2 * 8 * 128 * 255;
	uint8_t b[8];

	memset(b, 255, sizeof(b));
	o.k = 8;
	o.bias = &bias;
	for (int more = 0; more < 2; more++, bias++) {
		ASSERT(!scoria_matmul_plan_create(dev, &o, &plan));
		EXPECT_EQ(more ? -EOVERFLOW : 0, scoria_matmul_weights_create(plan, b, &weights));
		if (more)
			EXPECT_STR("output channel 0", scoria_error());
		else
			scoria_matmul_weights_destroy(weights);
		scoria_matmul_plan_destroy(plan);
	}
}

TEST(columns_have_scales_of_their_own)
{
	for (double ratio = 1; ratio < 1e4; ratio *= 10)
		for (size_t size = 0; size < N_SIZES; size++) {
			struct scoria_matmul_opts o = opts_of(6, size);

			for (size_t j = 0; j < o.n; j++)
				scales[j] = o.scale * (j % 2 ? 1 : 1 / ratio);
			o.scales = scales;
			o.output_zp = -5;
			add_bias(&o);
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
			o.relu = 1;
			o.relu_max = 31;
			EXPECT_RIGHT(shape_matmul(dev, &o, &numbers));
		}
}

/* Every B in turn in the memory of the first: nothing of the one before is left. */
static void expect_updated(const struct scoria_matmul_opts *o)
{
	const size_t a_n = o->batch * o->m * o->k, b_n = o->batch * o->k * o->n;
	const size_t bytes = o->batch * o->m * o->n * scoria_type_size(o->out);
	const size_t size = scoria_type_size(o->type);
	uint8_t *a = malloc(a_n * size), *b = malloc(b_n * size);
	uint8_t *fresh = malloc(bytes), *updated = malloc(bytes);
	struct scoria_matmul_weights *weights;
	struct scoria_matmul_plan *plan;

	random_fill(&numbers, o->type, a, a_n);
	random_fill(&numbers, o->type, b, b_n);
	ASSERT(!scoria_matmul_plan_create(dev, o, &plan));
	ASSERT(!scoria_matmul_weights_create(plan, b, &weights));
	for (int i = 0; i < 2; i++) {
		random_fill(&numbers, o->type, b, b_n);
		EXPECT_EQ(0, scoria_matmul_weights_update(weights, b));
		EXPECT_EQ(0, scoria_matmul_run(plan, weights, a, updated));
		EXPECT_EQ(0, scoria_matmul(dev, o, a, b, fresh));
		EXPECT(!memcmp(updated, fresh, bytes));
	}
	scoria_matmul_weights_destroy(weights);
	scoria_matmul_plan_destroy(plan);
	free(updated);
	free(fresh);
	free(b);
	free(a);
}

TEST(updated_weights_are_as_new_ones)
{
	for (size_t pair = 0; pair < N_PAIRS; pair++)
		for (size_t size = 0; size < N_SIZES; size += 3) {
			struct scoria_matmul_opts o = opts_of(pair, size);

			o.batch = 2;
			if (o.type != SCORIA_INT16)
				add_bias(&o);
			expect_updated(&o);
		}
	EXPECT_EQ(0, shape_reports());
}

/* -8 * -8 is the largest product of int4: 512 of them leave int16. */
TEST(int4_sums_do_not_saturate)
{
	enum { K = 5000 };
	uint8_t a[K], b[K];
	int32_t c = 0;
	const struct scoria_matmul_opts o = { .size = sizeof(o), .type = SCORIA_INT4,
					      .out = SCORIA_INT32, .m = 1, .k = K, .n = 1 };

	for (int i = 0; i < K; i++) {
		a[i] = -8;
		b[i] = 0xf8;
	}
	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, &c));
	EXPECT_EQ(64 * K, c);
}

TEST(int16_extremes_are_exact)
{
	enum { K = 1000 };
	int16_t a[K], b[K];
	int64_t c = 0;
	const struct scoria_matmul_opts o = { .size = sizeof(o), .type = SCORIA_INT16,
					      .out = SCORIA_INT64, .m = 1, .k = K, .n = 1 };

	for (int i = 0; i < K; i++)
		a[i] = b[i] = -32768;
	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, &c));
	EXPECT_EQ((long long)K << 30, c);
	for (int i = 0; i < K; i++)
		b[i] = 32767;
	EXPECT_EQ(0, scoria_matmul(dev, &o, a, b, &c));
	EXPECT_EQ(-32768ll * 32767 * K, c);
}

static void expect_error(int err, const char *words, struct scoria_matmul_opts o)
{
	struct scoria_matmul_plan *plan = NULL;

	EXPECT_EQ(err, scoria_matmul_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

#define FP16(...) ({ struct scoria_matmul_opts o = opts_of(0, 5); __VA_ARGS__; o; })
#define INT8(...) ({ struct scoria_matmul_opts o = opts_of(6, 5); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	expect_error(-EOPNOTSUPP, "bf16 to fp16", FP16(o.type = SCORIA_BF16, o.out = SCORIA_FP16));
	expect_error(-EINVAL, "alpha = nan", FP16(o.alpha = NAN));
	expect_error(-EINVAL, "alpha = inf", FP16(o.alpha = INFINITY));
	expect_error(-EINVAL, "alpha = 2", INT8(o.alpha = 2));
	expect_error(-EINVAL, "relu is 0", FP16(o.relu_max = 2));
	expect_error(-EINVAL, "relu_max = -2", FP16(o.relu = 1, o.relu_max = -2));
	expect_error(-EINVAL, "output_zp", FP16(o.output_zp = 2));
	expect_error(-EINVAL, "output_zp = 128", INT8(o.output_zp = 128));
	expect_error(-EINVAL, "scale = 0", INT8(o.scale = 0));
	expect_error(-EINVAL, "scale = nan", INT8(o.scale = NAN));
	expect_error(-EINVAL, "stride_c", FP16(o.batch = 2, o.stride_c = 3));
	expect_error(-EINVAL, "overflow", FP16(o.batch = SIZE_MAX / 4));
	expect_error(-EOPNOTSUPP, "no bias", FP16(o.type = SCORIA_INT16, o.out = SCORIA_INT64,
						  o.relu = 1));
	expect_error(-EOVERFLOW, "131071", INT8(o.k = 131072));
	scoria_device_close(dev);
}

TEST_MAIN()
