// SPDX-License-Identifier: MIT
/* Element-wise operations against the reference: all values, special values, sizes, broadcasts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/vectors.h"
#include "fp16.h"
#include "random_shape.h"
#include "shape.h"

#define ALL	65536u		/* values of fp16, pairs of int8 */
#define TASK	64000u		/* fp16 elements of a task */
#define PIECE	(1u << 22)	/* and of a run */

static const uint16_t specials[] = {
	0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401,
	0x3c00, 0xbc00, 0x3c01, 0x3bff, 0xbbff, 0x3800, 0xb800, 0x37ff, 0x3801, 0x4000,
	0xc000, 0x4200, 0x4900, 0xc900, 0x6400, 0x6401, 0xe401, 0x6800, 0x77ff, 0x7800,
	0xf800, 0x7bfe, 0x7bff, 0xfbfe, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00,
	0xffff,
};

#define N_SPECIALS (sizeof(specials) / sizeof(specials[0]))

struct run {
	struct scoria_eltwise_opts o;
	void *a;
	void *b;
	void *c;
	uint8_t *out;
};

static size_t elements(const struct run *run, enum scoria_broadcast broadcast)
{
	if (broadcast == SCORIA_BROADCAST_SCALAR)
		return 1;
	return broadcast == SCORIA_BROADCAST_CHANNEL ? run->o.channels : run->o.n;
}

/* Inputs at random, of which the caller may replace what matters. */
static struct run begin(struct scoria_eltwise_opts o, struct random *random)
{
	struct run run = { .o = o };
	void **inputs[] = { &run.a, &run.b, &run.c };
	const enum scoria_broadcast broadcasts[] = { o.broadcast_a, o.broadcast_b, o.broadcast_c };
	size_t bytes = o.n * scoria_type_size(o.type) + 2 * SHAPE_GUARD;

	run.o.size = sizeof(run.o);
	for (unsigned int i = 0; i < scoria_eltwise_inputs(o.op); i++) {
		size_t n = elements(&run, broadcasts[i]);

		*inputs[i] = malloc(n * scoria_type_size(o.type));
		random_fill(random, o.type, *inputs[i], n);
	}
	run.out = malloc(bytes);
	memset(run.out, 0xa5, bytes);
	return run;
}

static void *output(const struct run *run)
{
	return run->out + SHAPE_GUARD;
}

static bool guards_hold(const struct run *run)
{
	const uint8_t *end = run->out + SHAPE_GUARD + run->o.n * scoria_type_size(run->o.type);

	for (unsigned int i = 0; i < SHAPE_GUARD; i++)
		if (run->out[i] != 0xa5 || end[i] != 0xa5)
			return false;
	return true;
}

static void finish(struct scoria_device *dev, struct run *run)
{
	struct compare result = { 0 };
	int err = scoria_eltwise(dev, &run->o, run->a, run->b, run->c, output(run));

	if (err)
		TAP_FAIL("%s: %s", scoria_eltwise_name(run->o.op), scoria_error());
	else
		reference_eltwise(&run->o, run->a, run->b, run->c, output(run), &result);
	if (!err && !compare_passed(&result))
		TAP_FAIL("%s n=%zu: %zu wrong, first at %zu: %g instead of %g",
			 scoria_eltwise_name(run->o.op), run->o.n, result.bad, result.first_bad,
			 result.first_got, result.first_ref);
	if (!guards_hold(run))
		TAP_FAIL("%s n=%zu: written outside", scoria_eltwise_name(run->o.op), run->o.n);
	free(run->a);
	free(run->b);
	free(run->c);
	free(run->out);
}

static void every_op(void (*check)(struct scoria_device *dev, enum scoria_eltwise_op op))
{
	struct scoria_device *dev = shape_device();

	for (enum scoria_eltwise_op op = SCORIA_ADD; op <= SCORIA_CLIP; op++)
		check(dev, op);
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

/* The first input has every value; the others are at random and reach far. */
static void check_all_values(struct scoria_device *dev, enum scoria_eltwise_op op)
{
	struct random random = { op };
	struct run run = begin((struct scoria_eltwise_opts){
		.op = op, .type = SCORIA_FP16, .n = ALL, .lo = -2.7, .hi = 1000.1 }, &random);

	for (unsigned int i = 0; i < ALL; i++) {
		((uint16_t *)run.a)[i] = i;
		if (run.b)
			((uint16_t *)run.b)[i] = random_next(&random);
	}
	finish(dev, &run);
}

TEST(all_fp16_values_are_right_in_every_operation)
{
	every_op(check_all_values);
}

static void check_pairs(struct scoria_device *dev, enum scoria_eltwise_op op)
{
	struct random random = { op };
	struct run run = begin((struct scoria_eltwise_opts){ .op = op, .type = SCORIA_FP16,
							     .n = N_SPECIALS * N_SPECIALS },
			       &random);

	for (unsigned int i = 0; i < run.o.n; i++) {
		((uint16_t *)run.a)[i] = specials[i / N_SPECIALS];
		if (run.b)
			((uint16_t *)run.b)[i] = specials[i % N_SPECIALS];
	}
	finish(dev, &run);
}

TEST(all_pairs_of_special_values_are_right_in_every_operation)
{
	every_op(check_pairs);
}

TEST(where_passes_every_bit_pattern_of_both_arms)
{
	static uint16_t c[ALL], a[ALL], b[ALL], out[ALL];
	const struct scoria_eltwise_opts o = { .size = sizeof(o), .op = SCORIA_WHERE,
					       .type = SCORIA_FP16, .n = ALL };
	struct scoria_device *dev = shape_device();
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ALL; i++) {
		c[i] = specials[i % N_SPECIALS];
		a[i] = i;
		b[i] = (uint16_t)(i * 40503u);
	}
	EXPECT_EQ(0, scoria_eltwise(dev, &o, c, a, b, out));
	for (unsigned int i = 0; i < ALL; i++)
		wrong += out[i] != (c[i] & 0x7fff ? a[i] : b[i]);
	EXPECT_EQ(0, wrong);
	scoria_device_close(dev);
}

/* Faults R1, R3: around a unit, a task and several tasks; R6 by the values above. */
static void check_sizes(struct scoria_device *dev, enum scoria_eltwise_op op)
{
	static const size_t sizes[] = { 1, 7, 8, 9, TASK - 1, TASK, TASK + 1, 2 * TASK + 9 };
	struct random random = { op };

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct run run = begin((struct scoria_eltwise_opts){ .op = op, .type = SCORIA_FP16,
								     .n = sizes[i], .lo = -0.5,
								     .hi = 0.25 }, &random);

		finish(dev, &run);
	}
}

TEST(sizes_around_units_and_tasks_are_right)
{
	every_op(check_sizes);
}

TEST(more_than_one_piece_is_right)
{
	struct scoria_device *dev = shape_device();
	struct random random = { 5 };
	struct run run = begin((struct scoria_eltwise_opts){
		.op = SCORIA_MUL, .type = SCORIA_FP16, .n = PIECE + 12345,
		.broadcast_b = SCORIA_BROADCAST_CHANNEL, .channels = 77, .inner = 3 }, &random);

	finish(dev, &run);
	scoria_device_close(dev);
}

/* Periods below, at and above what a task holds; channels that end mid-way. */
static struct scoria_eltwise_opts random_broadcast(struct random *random)
{
	static const size_t channels[] = { 1, 2, 3, 5, 8, 64, 1000, 7999, 8000, 8001, 64000,
					   70000 };
	static const size_t inners[] = { 0, 1, 2, 7, 8, 9, 49, 1024 };
	struct scoria_eltwise_opts o = {
		.op = random_range(random, SCORIA_ADD, SCORIA_CLIP),
		.type = SCORIA_FP16,
		.n = random_range(random, 1, random_next(random) % 4 ? 9000 : 150000),
		.channels = channels[random_next(random) % 12],
		.inner = inners[random_next(random) % 8],
	};
	unsigned int inputs = scoria_eltwise_inputs(o.op);

	if (random_next(random) % 8 == 0 && o.op <= SCORIA_MIN)
		o.type = random_next(random) % 2 ? SCORIA_INT8 : SCORIA_UINT8;
	o.broadcast_a = random_range(random, 0, 2);
	o.broadcast_b = inputs > 1 ? random_range(random, 0, 2) : 0;
	o.broadcast_c = inputs > 2 ? random_range(random, 0, 2) : 0;
	return o;
}

/* Fault R9: the operations follow each other and matrix products on one device. */
TEST(broadcasts_in_random_order_are_right)
{
	struct scoria_device *dev = shape_device();

	for (unsigned int i = 0; i < 150 && !tap_failed; i++) {
		struct random random = { 7000 + i };
		struct scoria_matmul_opts matmul = random_matmul(&random);
		struct run run = begin(random_broadcast(&random), &random);

		finish(dev, &run);
		if (i % 8 == 0)
			EXPECT_RIGHT(shape_matmul(dev, &matmul, &random));
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

static void fill_int8_pairs(struct run *run)
{
	for (unsigned int i = 0; i < ALL; i++) {
		((int8_t *)run->a)[i] = (int8_t)(i >> 8);
		((int8_t *)run->b)[i] = (int8_t)i;
	}
}

TEST(all_pairs_of_int8_are_right_as_plain_integers)
{
	struct scoria_device *dev = shape_device();

	for (enum scoria_eltwise_op op = SCORIA_ADD; op <= SCORIA_MIN; op++) {
		struct random random = { op };
		struct run run = begin((struct scoria_eltwise_opts){ .op = op, .type = SCORIA_INT8,
								     .n = ALL }, &random);

		fill_int8_pairs(&run);
		finish(dev, &run);
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

static double random_scale(struct random *random)
{
	return ldexp(random_range(random, 1 << 20, 1 << 21), -20 - (int)random_range(random, 0, 8));
}

/* All pairs of uint8, and the zero points that reach furthest. */
TEST(uint8_is_int8_moved_by_128)
{
	struct scoria_device *dev = shape_device();

	for (unsigned int i = 0; i < 10; i++) {
		struct random random = { i };
		struct run run = begin((struct scoria_eltwise_opts){
			.op = SCORIA_ADD + i % 5, .type = SCORIA_UINT8, .n = ALL, .relu = i > 4,
			.a_scale = 0.07, .b_scale = 0.02, .out_scale = 0.09,
			.a_zp = i % 2 ? 255 : 0, .b_zp = i % 3 ? 130 : 255,
			.out_zp = (int32_t)random_range(&random, 0, 255) }, &random);

		fill_int8_pairs(&run);
		finish(dev, &run);
	}
	scoria_device_close(dev);
}

/* The real value that TFLite's reference approximates, to the nearest integer. */
static double real_value(const struct scoria_eltwise_opts *o, int8_t a, int8_t b)
{
	const double x = o->a_scale * (a - o->a_zp), y = o->b_scale * (b - o->b_zp);
	const double results[] = { x + y, x - y, x * y, fmax(x, y), fmin(x, y) };
	const double q = results[o->op - SCORIA_ADD] / o->out_scale + o->out_zp;

	return fmin(fmax(rint(q), -128), 127);
}

static unsigned int far_from_real(const struct run *run)
{
	const int8_t *a = run->a, *b = run->b, *out = output(run);
	unsigned int far = 0;

	for (unsigned int i = 0; i < run->o.n; i++)
		far += fabs(out[i] - real_value(&run->o, a[i], b[i])) > 1;
	return far;
}

TEST(quantised_int8_follows_the_formula_and_is_within_one_of_the_real_value)
{
	struct scoria_device *dev = shape_device();

	for (unsigned int i = 0; i < 25; i++) {
		struct random random = { i };
		struct run run = begin((struct scoria_eltwise_opts){
			.op = SCORIA_ADD + i % 5, .type = SCORIA_INT8, .n = ALL,
			.a_scale = random_scale(&random), .b_scale = random_scale(&random),
			.out_scale = random_scale(&random),
			.a_zp = (int32_t)random_range(&random, -128, 127),
			.b_zp = (int32_t)random_range(&random, -128, 127),
			.out_zp = (int32_t)random_range(&random, -128, 127) }, &random);

		fill_int8_pairs(&run);
		EXPECT_EQ(0, scoria_eltwise(dev, &run.o, run.a, run.b, NULL, output(&run)));
		EXPECT_EQ(0, far_from_real(&run));
		finish(dev, &run);
	}
	scoria_device_close(dev);
}

static void check_relu(struct scoria_device *dev, enum scoria_eltwise_op op, enum scoria_type type,
		       double relu_max)
{
	struct random random = { op };
	struct run run = begin((struct scoria_eltwise_opts){
		.op = op, .type = type, .n = ALL, .relu = 1, .relu_max = relu_max,
		.a_scale = 0.06, .b_scale = 0.04, .out_scale = 0.05, .a_zp = 3, .b_zp = -9,
		.out_zp = -128 }, &random);

	for (unsigned int i = 0; i < ALL && type == SCORIA_FP16; i++) {
		((uint16_t *)run.a)[i] = i;
		((uint16_t *)run.b)[i] = random_next(&random);
		/* which NaN max and min make is not said */
		if (op >= SCORIA_MAX && isnan(fp16_to_fp32(((uint16_t *)run.b)[i])))
			((uint16_t *)run.b)[i] = 0;
		if (op >= SCORIA_MAX && isnan(fp16_to_fp32(i)))
			((uint16_t *)run.a)[i] = 0;
	}
	if (type == SCORIA_INT8)
		fill_int8_pairs(&run);
	finish(dev, &run);
}

TEST(a_relu_in_the_same_pass_is_right)
{
	struct scoria_device *dev = shape_device();

	for (enum scoria_eltwise_op op = SCORIA_ADD; op <= SCORIA_MIN; op++) {
		check_relu(dev, op, SCORIA_FP16, 0);
		check_relu(dev, op, SCORIA_FP16, 6);
		check_relu(dev, op, SCORIA_INT8, 0);
		check_relu(dev, op, SCORIA_INT8, 6);
		/* the nearest number that int8 has is 0 */
		check_relu(dev, op, SCORIA_INT8, 1e-6);
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

static void expect_refusal(struct scoria_device *dev, int err, const char *words,
			   struct scoria_eltwise_opts o)
{
	struct scoria_eltwise_plan *plan = NULL;

	o.size = o.size ? o.size : sizeof(o);
	EXPECT_EQ(-err, scoria_eltwise_plan_create(dev, &o, &plan));
	EXPECT(!plan);
	EXPECT_STR(words, scoria_error());
}

#define REFUSED(err, words, ...) expect_refusal(dev, err, words, (struct scoria_eltwise_opts){ \
	.op = SCORIA_ADD, .type = SCORIA_FP16, .n = 8, __VA_ARGS__ })

#pragma GCC diagnostic ignored "-Woverride-init"

TEST(nonsense_is_refused_with_the_name_of_the_argument)
{
	struct scoria_device *dev = shape_device();
	uint16_t x[8] = { 0 };
	const struct scoria_eltwise_opts good = { .size = sizeof(good), .op = SCORIA_ADD,
						  .type = SCORIA_FP16, .n = 8 };

	REFUSED(22, "size of options", .size = 8);
	REFUSED(22, "op = 99", .op = 99);
	REFUSED(22, "op = 0", .op = 0);
	REFUSED(22, "type = 77", .type = 77);
	REFUSED(95, "add of fp32", .type = SCORIA_FP32);
	REFUSED(95, "div of int8", .type = SCORIA_INT8, .op = SCORIA_DIV);
	REFUSED(22, "n = 0", .n = 0);
	REFUSED(22, "n = 18446744073709551615", .n = SIZE_MAX);
	REFUSED(22, "broadcast_b = 9", .broadcast_b = 9);
	REFUSED(22, "add has 2 inputs", .broadcast_c = SCORIA_BROADCAST_SCALAR);
	REFUSED(22, "channels is 0", .broadcast_a = SCORIA_BROADCAST_CHANNEL);
	REFUSED(22, "lo = 2", .op = SCORIA_CLIP, .lo = 2, .hi = 1);
	REFUSED(22, "lo = nan", .op = SCORIA_CLIP, .lo = NAN, .hi = 1);
	REFUSED(22, "a_scale = -1", .type = SCORIA_INT8, .a_scale = -1);
	REFUSED(22, "b_scale = nan", .type = SCORIA_INT8, .b_scale = NAN);
	REFUSED(22, "out_scale = inf", .type = SCORIA_INT8, .out_scale = INFINITY);
	REFUSED(22, "a_zp = -1", .type = SCORIA_UINT8, .a_zp = -1);
	REFUSED(22, "b_zp = 256", .type = SCORIA_UINT8, .b_zp = 256);
	REFUSED(22, "a_zp = 128", .type = SCORIA_INT8, .a_zp = 128);
	REFUSED(22, "relu: none can follow div", .op = SCORIA_DIV, .relu = 1);
	REFUSED(22, "relu_max = 6", .relu_max = 6);
	REFUSED(22, "relu_max = -1", .relu = 1, .relu_max = -1);
	REFUSED(22, "relu_max = nan", .relu = 1, .relu_max = NAN);
	REFUSED(22, "out_scale = 1e-30", .type = SCORIA_INT8, .out_scale = 1e-30);
	EXPECT_EQ(-22, scoria_eltwise(dev, &good, x, NULL, NULL, x));
	EXPECT_STR("b is NULL", scoria_error());
	EXPECT_EQ(-22, scoria_eltwise(dev, &good, x, x, x, x));
	EXPECT_STR("c is given", scoria_error());
	EXPECT_EQ(0, scoria_eltwise(dev, &good, x, x, NULL, x));
	scoria_device_close(dev);
}

/* Whatever buffer is the one that does not fit, nothing stays behind. */
TEST(too_little_memory_is_said_and_leaves_nothing)
{
	const struct scoria_device_opts small = { .size = sizeof(small), .memory = 1 << 20 };
	struct scoria_eltwise_opts o = { .size = sizeof(o), .op = SCORIA_WHERE,
					 .type = SCORIA_FP16 };
	struct scoria_eltwise_plan *plan;
	struct scoria_device *dev;
	uint16_t x[8] = { 0x3c00 };

	EXPECT_EQ(0, scoria_device_open("model", &small, &dev));
	for (o.n = 70000; o.n <= 1120000; o.n *= 2) {
		plan = NULL;
		EXPECT_EQ(-28, scoria_eltwise_plan_create(dev, &o, &plan));
		EXPECT(!plan);
		EXPECT_STR("do not fit", scoria_error());
	}
	o.n = 8;
	EXPECT_EQ(0, scoria_eltwise(dev, &o, x, x, x, x));
	EXPECT_EQ(0x3c00, x[0]);
	o.n = 50000;
	EXPECT_EQ(0, scoria_eltwise_plan_create(dev, &o, &plan));
	scoria_eltwise_plan_destroy(plan);
	scoria_device_close(dev);
}

TEST_MAIN()
