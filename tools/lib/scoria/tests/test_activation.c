// SPDX-License-Identifier: MIT
/* Activations over all fp16 values, with parameters, in random order, and refusals. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/vectors.h"
#include "fp16.h"
#include "random_shape.h"
#include "shape.h"

#define ALL 65536u

static struct scoria_activation_opts options(enum scoria_activation function, size_t n)
{
	return (struct scoria_activation_opts){
		.size = sizeof(struct scoria_activation_opts),
		.function = function,
		.n = n,
		.alpha = function == SCORIA_RELUX ? 2.5 : 0,
		.channels = function == SCORIA_PRELU ? 5 : 0,
	};
}

static void run(struct scoria_device *dev, const struct scoria_activation_opts *o,
		const uint16_t *in, const uint16_t *slopes)
{
	struct scoria_activation_info info = { .size = sizeof(info) };
	uint8_t *whole = malloc(o->n * 2 + 2 * SHAPE_GUARD);
	uint16_t *out = (uint16_t *)(whole + SHAPE_GUARD);
	struct compare result = { 0 };
	bool guarded = true;

	memset(whole, 0xa5, o->n * 2 + 2 * SHAPE_GUARD);
	EXPECT_EQ(0, scoria_activation_describe(o, &info));
	if (scoria_activation(dev, o, in, slopes, out))
		TAP_FAIL("%s: %s", scoria_activation_name(o->function), scoria_error());
	for (unsigned int i = 0; i < SHAPE_GUARD; i++)
		guarded &= whole[i] == 0xa5 && whole[o->n * 2 + SHAPE_GUARD + i] == 0xa5;
	reference_activation(o, &info, in, slopes, out, &result);
	if (!compare_passed(&result) || !guarded)
		TAP_FAIL("%s alpha %g n %zu: %zu wrong, first f(%g) = %g instead of %g; guards %s",
			 scoria_activation_name(o->function), o->alpha, o->n, result.bad,
			 (double)fp16_to_fp32(in[result.first_bad]), result.first_got,
			 result.first_ref, guarded ? "hold" : "are overwritten");
	free(whole);
}

/* Of prelu: with infinity the slopes below would give NaN, as they should. */
static const uint16_t prelu_slopes[] = { 0x3400, 0xb800, 0x4000, 0x0001, 0x3c00 };

static const uint16_t *slopes_of(enum scoria_activation function)
{
	return function == SCORIA_PRELU ? prelu_slopes : NULL;
}

static const uint16_t *all_values(void)
{
	static uint16_t values[ALL];

	for (unsigned int i = 0; i < ALL; i++)
		values[i] = i;
	return values;
}

/* Domains, what is outside, NaN, infinities, subnormals: fault R6 would show as spikes. */
TEST(every_fp16_argument_is_right_for_every_function)
{
	struct scoria_device *dev = shape_device();

	for (enum scoria_activation f = SCORIA_RELU; f <= SCORIA_ATANH; f++) {
		const struct scoria_activation_opts o = options(f, ALL);

		run(dev, &o, all_values(), slopes_of(f));
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST(parameters_change_the_function_as_documented)
{
	static const struct { enum scoria_activation function; double alpha; } cases[] = {
		{ SCORIA_RELUX, 1 }, { SCORIA_RELUX, 20 }, { SCORIA_RELUX, 65504 },
		{ SCORIA_LEAKY_RELU, 0.2 }, { SCORIA_LEAKY_RELU, 0.3333 },
		{ SCORIA_LEAKY_RELU, 3 }, { SCORIA_ELU, 0.1 }, { SCORIA_ELU, 1.7 },
		{ SCORIA_ELU, 30 }, { SCORIA_CELU, 0x1p-8 }, { SCORIA_CELU, 0.5 },
		{ SCORIA_CELU, 7 }, { SCORIA_CELU, 256 },
	};
	struct scoria_device *dev = shape_device();
	struct scoria_activation_opts hardtanh = options(SCORIA_HARDTANH, ALL);

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scoria_activation_opts o = options(cases[i].function, ALL);

		o.alpha = cases[i].alpha;
		run(dev, &o, all_values(), NULL);
	}
	hardtanh.lo = -0.3;
	hardtanh.hi = 100.5;
	run(dev, &hardtanh, all_values(), NULL);
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

/* Fault R9: tables and converters of one must not reach another; sizes as well. */
TEST(functions_in_random_order_on_one_device_are_right)
{
	static const size_t sizes[] = { 1, 7, 8, 9, 63999, 64000, 64001, 130000 };
	struct scoria_device *dev = shape_device();

	for (unsigned int i = 0; i < 120 && !tap_failed; i++) {
		struct random random = { 9000 + i };
		const enum scoria_activation f = random_range(&random, SCORIA_RELU, SCORIA_ATANH);
		const size_t n = i % 4 ? (size_t)random_range(&random, 1, 3000) : sizes[i / 4 % 8];
		const struct scoria_activation_opts o = options(f, n);
		struct scoria_conv2d_opts conv2d = random_conv2d(&random);
		uint16_t *in = malloc(n * sizeof(*in));

		random_fill(&random, i % 2 ? SCORIA_FP16 : SCORIA_UINT8, in, i % 2 ? n : 2 * n);
		run(dev, &o, in, slopes_of(f));
		if (i % 10 == 0)
			EXPECT_RIGHT(shape_conv2d(dev, &conv2d, &random));
		free(in);
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

struct worker {
	struct scoria_device *dev;
	enum scoria_activation function;
	unsigned int wrong;
};

/* Functions of which every one has tables of its own, again and again. */
static void *work(void *ctx)
{
	struct worker *worker = ctx;
	const struct scoria_activation_opts o = options(worker->function, 2000);
	struct scoria_activation_info info = { .size = sizeof(info) };
	uint16_t in[2000], out[2000];

	scoria_activation_describe(&o, &info);
	for (unsigned int i = 0; i < 2000; i++)
		in[i] = fp32_to_fp16((float)i / 250 - 4);
	for (unsigned int i = 0; i < 30; i++) {
		struct compare result = { 0 };

		if (!scoria_activation(worker->dev, &o, in, NULL, out))
			reference_activation(&o, &info, in, NULL, out, &result);
		worker->wrong += !compare_passed(&result);
	}
	return NULL;
}

/* Fault R11, and jobs that must not find the tables of another one. */
TEST(threads_that_share_a_device_keep_their_tables)
{
	struct worker workers[] = { { .function = SCORIA_EXP }, { .function = SCORIA_SIN },
				    { .function = SCORIA_SQRT }, { .function = SCORIA_GELU } };
	struct scoria_device *dev = shape_device();
	pthread_t threads[4];

	for (unsigned int i = 0; i < 4; i++) {
		workers[i].dev = dev;
		EXPECT_EQ(0, pthread_create(&threads[i], NULL, work, &workers[i]));
	}
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, workers[i].wrong);
	}
	scoria_device_close(dev);
}

TEST(the_result_may_replace_the_argument)
{
	struct scoria_device *dev = shape_device();
	const struct scoria_activation_opts o = options(SCORIA_SILU, 100);
	uint16_t apart[100], in_place[100];

	for (unsigned int i = 0; i < 100; i++)
		in_place[i] = fp32_to_fp16((float)i / 10 - 5);
	EXPECT_EQ(0, scoria_activation(dev, &o, in_place, NULL, apart));
	EXPECT_EQ(0, scoria_activation(dev, &o, in_place, NULL, in_place));
	EXPECT(!memcmp(apart, in_place, sizeof(apart)));
	scoria_device_close(dev);
}

static void expect_refusal(struct scoria_device *dev, const char *words,
			   struct scoria_activation_opts o)
{
	struct scoria_activation_plan *plan = NULL;

	o.size = sizeof(o);
	EXPECT_EQ(-22, scoria_activation_plan_create(dev, &o, &plan));
	EXPECT(!plan);
	EXPECT_STR(words, scoria_error());
}

#define REFUSED(words, ...) \
	expect_refusal(dev, words, (struct scoria_activation_opts){ __VA_ARGS__ })

TEST(nonsense_is_refused_with_the_name_of_the_argument)
{
	struct scoria_device *dev = shape_device();
	const struct scoria_activation_opts good = options(SCORIA_RELU, 8);
	const struct scoria_activation_opts prelu = options(SCORIA_PRELU, 8);
	uint16_t x[8] = { 0 };

	REFUSED("function = 0", .n = 8);
	REFUSED("function = 38", .n = 8, .function = 38);
	REFUSED("n = 0", .function = SCORIA_RELU);
	REFUSED("alpha = 2: sigmoid has none", .n = 8, .function = SCORIA_SIGMOID, .alpha = 2);
	REFUSED("alpha = 5: relu6", .n = 8, .function = SCORIA_RELU6, .alpha = 5);
	REFUSED("alpha = 0: relux", .n = 8, .function = SCORIA_RELUX);
	REFUSED("alpha = -1", .n = 8, .function = SCORIA_LEAKY_RELU, .alpha = -1);
	REFUSED("alpha = nan", .n = 8, .function = SCORIA_ELU, .alpha = NAN);
	REFUSED("alpha = inf", .n = 8, .function = SCORIA_ELU, .alpha = INFINITY);
	REFUSED("alpha = 1000", .n = 8, .function = SCORIA_CELU, .alpha = 1000);
	REFUSED("lo = 2", .n = 8, .function = SCORIA_HARDTANH, .lo = 2, .hi = 1);
	REFUSED("lo = 2, hi = 0: exp has none", .n = 8, .function = SCORIA_EXP, .lo = 2);
	REFUSED("channels is 0", .n = 8, .function = SCORIA_PRELU);
	REFUSED("channels = 3", .n = 8, .function = SCORIA_RELU, .channels = 3);
	EXPECT_EQ(-22, scoria_activation(dev, &good, NULL, NULL, x));
	EXPECT_STR("in is NULL", scoria_error());
	EXPECT_EQ(-22, scoria_activation(dev, &good, x, x, x));
	EXPECT_STR("slopes are given", scoria_error());
	EXPECT_EQ(-22, scoria_activation(dev, &prelu, x, NULL, x));
	EXPECT_STR("slopes are NULL", scoria_error());
	EXPECT_EQ(0, scoria_activation(dev, &good, x, NULL, x));
	scoria_device_close(dev);
}

TEST_MAIN()
