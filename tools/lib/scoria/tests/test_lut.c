// SPDX-License-Identifier: MIT
/*
 * The builder of lookup tables: an exact integer simulation of the hardware's rule
 * (programming-model C9), written here from that page, tells what its tables give.
 */
#include <math.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../lut.h"
#include "../vector.h"
#include "fp16.h"
#include "shape.h"

#define ALL 65536u

static int64_t inside(const int16_t *table, int64_t offset, unsigned int select)
{
	const int64_t step = INT64_C(1) << select, k = offset >> select, f = offset & (step - 1);

	return (table[k] * (step - f) + table[k + 1] * f) >> select;
}

/* C9 with the priorities that are always written: LO where both tables answer. */
static int64_t look_up(const struct lut *lut, double index)
{
	int64_t i;

	if (isnan(index))
		index = 0;
	i = (int64_t)fmin(fmax(rint(index), INT32_MIN), INT32_MAX);
	if (i > lut->start[0] && i < lut->start[1])
		return inside(lut->entry[0], i - lut->start[0], lut->select[0]);
	if (i > lut->start[1] && i < lut->start[2])
		return inside(lut->entry[1], i - lut->start[1], lut->select[1]);
	if (i <= lut->start[0])
		return lut->entry[0][0] + (i - lut->start[0]) * lut->slope;
	if (i >= lut->start[2])
		return lut->entry[1][512] + (i - lut->start[2]) * lut->slope;
	return lut->entry[1][0];
}

static double index_of(const struct lut *lut, double x)
{
	const float scaled = (float)(lut->absolute ? fabs(x) : x * lut->scale);

	return (double)(float)((double)scaled * lut->factor);
}

/* C7: the exponent field goes down by MINUS_EXP, whatever it is. */
static uint16_t result(const struct lut *lut, double x)
{
	const uint16_t h = fp32_to_fp16((float)look_up(lut, index_of(lut, x)));

	return (h & 0x83ff) | ((h - (lut->minus_exp << 10)) & 0x7c00);
}

static double exponential(const void *ctx, double x)
{
	(void)ctx;
	return exp(x);
}

static double logistic(const void *ctx, double x)
{
	(void)ctx;
	return 1 / (1 + exp(-x));
}

static double root(const void *ctx, double x)
{
	(void)ctx;
	return sqrt(x);
}

static double sinc(const void *ctx, double x)
{
	(void)ctx;
	return x == 0 ? 1 : sin(x) / x;
}

/**
 * struct sample - a range, and the errors that its tables may have
 * @relative: or else absolute
 */
static const struct sample {
	struct lut_range range;
	bool relative;
	double error;
} samples[] = {
	{ { logistic, NULL, -11, 0, 11, false }, false, 0x1p-11 },
	{ { logistic, NULL, -8, -2, 8, false }, false, 0x1p-11 },
	{ { exponential, NULL, 0, 1.7, 3.4, false }, true, 0x1p-8 },
	{ { exponential, NULL, -3, 0, 0.5, false }, true, 0x1p-8 },
	{ { root, NULL, 0x1p-4, 2, 64, false }, true, 0x1p-8 },
	{ { root, NULL, 64, 2048, 65536, false }, true, 0x1p-8 },
	{ { sinc, NULL, 0, M_PI_2, M_PI, true }, false, 0x1p-11 },
};

#define N_SAMPLES (sizeof(samples) / sizeof(samples[0]))

static double error_at(const struct sample *sample, const struct lut *lut, double x)
{
	const double got = (double)fp16_to_fp32(result(lut, x));
	const double want = sample->range.f(NULL, fabs(x));
	const double error = fabs(got - (sample->range.absolute ? want : sample->range.f(NULL, x)));

	return sample->relative ? error / want : error;
}

static double largest_error(const struct sample *sample, const struct lut *lut)
{
	double most = 0;

	for (unsigned int i = 0; i < ALL; i++) {
		const double x = (double)fp16_to_fp32((uint16_t)i);
		const double place = sample->range.absolute ? fabs(x) : x;

		if (place >= sample->range.low && place <= sample->range.high)
			most = fmax(most, error_at(sample, lut, x));
	}
	return most;
}

TEST(tables_are_as_near_as_their_range_allows)
{
	for (unsigned int i = 0; i < N_SAMPLES; i++) {
		struct lut lut;
		double error;

		lut_build(&lut, &samples[i].range);
		error = largest_error(&samples[i], &lut);
		printf("# sample %u: %s error %.2g, factor %g, selects %u and %u, minus_exp %u\n", i,
		       samples[i].relative ? "relative" : "absolute", error,
		       lut.scale * lut.factor, lut.select[0], lut.select[1], lut.minus_exp);
		EXPECT(error <= samples[i].error);
	}
}

/* Fault R6: 0 decodes as 2^(17 - MINUS_EXP), and so no index may give it. */
TEST(no_argument_reaches_a_value_of_zero)
{
	for (unsigned int s = 0; s < N_SAMPLES; s++) {
		unsigned int zeros = 0;
		struct lut lut;

		lut_build(&lut, &samples[s].range);
		for (unsigned int i = 0; i < ALL; i++)
			zeros += look_up(&lut, index_of(&lut, (double)fp16_to_fp32(i))) < 1;
		EXPECT_EQ(0, zeros);
	}
}

TEST(outside_the_range_the_ends_hold)
{
	for (unsigned int s = 0; s < N_SAMPLES; s++) {
		const struct lut_range *range = &samples[s].range;
		struct lut lut;

		lut_build(&lut, range);
		EXPECT_EQ(result(&lut, range->high * 1.01), result(&lut, INFINITY));
		EXPECT(fabs((double)fp16_to_fp32(result(&lut, INFINITY)) -
			    range->f(NULL, range->high)) <= 0x1p-8 * range->f(NULL, range->high) +
							    0x1p-15);
		if (!range->absolute)
			EXPECT_EQ(lut.entry[0][0], look_up(&lut, index_of(&lut, -INFINITY)));
	}
}

TEST(the_identity_rounds_every_number_to_even)
{
	struct lut lut;
	unsigned int wrong = 0;

	lut_identity(&lut, 1);
	for (unsigned int i = 0; i < ALL; i++) {
		const double x = (double)fp16_to_fp32((uint16_t)i);

		if (!isnan(x))
			wrong += (double)fp16_to_fp32(result(&lut, x)) != rint(x);
	}
	EXPECT_EQ(0, wrong);
}

/* All fp16 numbers through the model, with @lut. */
static int run_model(struct scoria_device *dev, const struct lut *from, const uint16_t *in,
		     uint16_t *out)
{
	const struct vector_shape shape = { .n = ALL, .size = 2 };
	const void *const inputs[VECTOR_INPUTS] = { in };
	struct recipe recipe = { .n = 0 };
	struct lut *lut = recipe_add_lut(&recipe, SLOT_A, SLOT_OUT);
	struct vector vector;
	int err;

	*lut = *from;
	err = vector_create(&vector, dev, &recipe, &shape);
	if (err)
		return err;
	err = vector_run(&vector, inputs, out);
	vector_destroy(&vector);
	return err;
}

TEST(the_model_gives_bit_for_bit_what_the_rule_says)
{
	static uint16_t in[ALL], out[ALL];
	struct scoria_device *dev = shape_device();

	for (unsigned int i = 0; i < ALL; i++)
		in[i] = i;
	for (unsigned int s = 0; s < N_SAMPLES; s++) {
		unsigned int wrong = 0;
		struct lut lut;

		lut_build(&lut, &samples[s].range);
		EXPECT_EQ(0, run_model(dev, &lut, in, out));
		for (unsigned int i = 0; i < ALL; i++)
			wrong += out[i] != result(&lut, (double)fp16_to_fp32(in[i]));
		EXPECT_EQ(0, wrong);
	}
	EXPECT_EQ(0, shape_reports());
	scoria_device_close(dev);
}

TEST_MAIN()
