// SPDX-License-Identifier: MIT
/* Conversions: every half number and every point between two, from arithmetic in double. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <scoria/scoria.h>

#include "../../../testing/model/tests/tap.h"

#define ALL 65536u

static float floats[3 * ALL];
static uint16_t halves[3 * ALL];

static struct scoria_convert_opts opts_of(enum scoria_type from, enum scoria_type to, size_t n)
{
	return (struct scoria_convert_opts){ .size = sizeof(struct scoria_convert_opts),
					     .from = from, .to = to, .rows = 1, .columns = n };
}

/* @mantissa: bits behind the point; @least: exponent of the smallest normal number. */
static double value_of(uint16_t h, int mantissa, int least)
{
	const int exponent = (h & 0x7fff) >> mantissa, most = (1 << (15 - mantissa)) - 1;
	const double m = h & ((1 << mantissa) - 1), sign = h & 0x8000 ? -1 : 1;

	if (exponent == most)
		return m != 0 ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(m, least - mantissa);
	return sign * ldexp(m + (1 << mantissa), exponent - 1 + least - mantissa);
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static void check_widening(enum scoria_type type, int mantissa, int least)
{
	const struct scoria_convert_opts o = opts_of(type, SCORIA_FP32, ALL);
	unsigned int i, wrong = 0;

	for (i = 0; i < ALL; i++)
		halves[i] = i;
	EXPECT_EQ(0, scoria_convert(&o, halves, floats));
	for (i = 0; i < ALL; i++)
		wrong += !same((double)floats[i], value_of(i, mantissa, least));
	EXPECT_EQ(0, wrong);
}

TEST(every_number_widens_exactly)
{
	check_widening(SCORIA_FP16, 10, -14);
	check_widening(SCORIA_BF16, 7, -126);
}

/* The number halfway to the next goes to the even one, its neighbours to the nearer ones. */
static void check_narrowing(enum scoria_type type, int mantissa, int least)
{
	const struct scoria_convert_opts o = opts_of(SCORIA_FP32, type, 3 * ALL);
	unsigned int i, wrong = 0, largest = ((1u << (15 - mantissa)) - 1) << mantissa;

	for (i = 0; i < ALL; i++) {
		const double x = value_of(i, mantissa, least);
		const double step = ldexp(1, fmax(isfinite(x) && x != 0 ? ilogb(x) : least, least) -
					  mantissa);
		const float half = (float)(x + copysign(step / 2, x));

		floats[3 * i] = half;
		floats[3 * i + 1] = nextafterf(half, 0);
		floats[3 * i + 2] = nextafterf(half, copysignf(INFINITY, half));
	}
	EXPECT_EQ(0, scoria_convert(&o, floats, halves));
	for (i = 0; i < ALL; i++) {
		if ((i & 0x7fff) >= largest)
			continue;
		wrong += halves[3 * i] != i + (i & 1);
		wrong += halves[3 * i + 1] != i;
		wrong += halves[3 * i + 2] != i + 1;
	}
	EXPECT_EQ(0, wrong);
}

TEST(every_number_between_two_goes_to_the_nearer_one)
{
	check_narrowing(SCORIA_FP16, 10, -14);
	check_narrowing(SCORIA_BF16, 7, -126);
}

TEST(infinities_and_nan_stay)
{
	const enum scoria_type types[] = { SCORIA_FP16, SCORIA_BF16 };
	const float special[] = { INFINITY, -INFINITY, NAN, 3.4e38f, -0.0f };

	for (int t = 0; t < 2; t++) {
		const struct scoria_convert_opts o = opts_of(SCORIA_FP32, types[t], 5);
		const struct scoria_convert_opts back = opts_of(types[t], SCORIA_FP32, 5);
		float again[5];

		EXPECT_EQ(0, scoria_convert(&o, special, halves));
		EXPECT_EQ(0, scoria_convert(&back, halves, again));
		EXPECT(again[0] == INFINITY && again[1] == -INFINITY && isnan(again[2]));
		EXPECT(isinf(again[3]) || types[t] == SCORIA_BF16);
		EXPECT(again[4] == 0 && signbit(again[4]));
	}
}

TEST(gaps_between_rows_are_neither_read_nor_written)
{
	struct scoria_convert_opts o = opts_of(SCORIA_FP32, SCORIA_FP16, 3);
	const float from[] = { 1, 2, 3, 99, 4, 5, 6 };
	const uint16_t want[] = { 0x3c00, 0x4000, 0x4200, 7, 7, 0x4400, 0x4500, 0x4600, 7 };
	uint16_t to[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7 };

	o.rows = 2;
	o.ld_from = 4;
	o.ld_to = 5;
	EXPECT_EQ(0, scoria_convert(&o, from, to));
	EXPECT(!memcmp(want, to, sizeof(to)));
}

static void expect_error(int err, const char *words, struct scoria_convert_opts o)
{
	EXPECT_EQ(err, scoria_convert(&o, floats, halves));
	EXPECT_STR(words, scoria_error());
}

#define CONVERT(...) \
	({ struct scoria_convert_opts o = opts_of(SCORIA_FP32, SCORIA_FP16, 4); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	const struct scoria_convert_opts good = CONVERT();

	expect_error(-EINVAL, "from = 0", CONVERT(o.from = 0));
	expect_error(-EOPNOTSUPP, "fp32 to int8", CONVERT(o.to = SCORIA_INT8));
	expect_error(-EINVAL, "rows = 0", CONVERT(o.rows = 0));
	expect_error(-EINVAL, "columns = 0", CONVERT(o.columns = 0));
	expect_error(-EINVAL, "ld_from = 3", CONVERT(o.ld_from = 3));
	expect_error(-EINVAL, "ld_to = 3", CONVERT(o.ld_to = 3));
	expect_error(-EINVAL, "overflow", CONVERT(o.rows = SIZE_MAX / 4));
	EXPECT_EQ(-EINVAL, scoria_convert(&good, NULL, halves));
	EXPECT_STR("from is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_convert(&good, floats, NULL));
	EXPECT_STR("to is NULL", scoria_error());
}

TEST_MAIN()
