// SPDX-License-Identifier: MIT
/* Softmax: sizes around every limit, special values, quantised forms, nonsense. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/composites.h"
#include "fp16.h"
#include "shape.h"

#define INF	0x7c00
#define NEG_INF	0xfc00
#define NAN16	0x7e00

static struct scoria_device *dev;
static struct random numbers = { 17 };

static struct scoria_softmax_opts opts_of(enum scoria_type type, size_t rows, size_t columns)
{
	return (struct scoria_softmax_opts){ .size = sizeof(struct scoria_softmax_opts),
					     .type = type, .rows = rows, .columns = columns };
}

/* fp16 in [-@reach, @reach), or any byte. */
static void fill(const struct scoria_softmax_opts *o, void *x, size_t n, double reach)
{
	random_fill(&numbers, o->type, x, n);
	if (o->type != SCORIA_FP16)
		return;
	for (size_t i = 0; i < n; i++)
		((uint16_t *)x)[i] = fp32_to_fp16((float)(compare_value(o->type, x, i) * reach));
}

static void check_values(const struct scoria_softmax_opts *o, const void *x)
{
	size_t ldy = o->ldy ? o->ldy : o->columns, size = scoria_type_size(o->type);
	size_t bytes = ((o->rows - 1) * ldy + o->columns) * size, gap = (ldy - o->columns) * size;
	uint8_t *y = malloc(bytes + 1);
	struct compare result = { 0 };

	memset(y, 0xa5, bytes + 1);
	if (scoria_softmax(dev, o, x, y))
		TAP_FAIL("failed: %s", scoria_error());
	else
		reference_softmax(o, x, y, &result);
	for (size_t i = 0; i + 1 < o->rows; i++)
		for (size_t j = 0; j < gap; j++)
			EXPECT_EQ(0xa5, y[(i * ldy + o->columns) * size + j]);
	if (!compare_passed(&result) || y[bytes] != 0xa5)
		TAP_FAIL("%s log %d rows %zu columns %zu scale %g: %zu of %zu wrong, first at %zu: %g instead of %g",
			 scoria_type_name(o->type), o->log, o->rows, o->columns, o->scale,
			 result.bad, result.count, result.first_bad, result.first_got,
			 result.first_ref);
	free(y);
}

static void check(struct scoria_softmax_opts o, double reach)
{
	size_t n = o.rows * (o.ldx ? o.ldx : o.columns);
	void *x = malloc(n * scoria_type_size(o.type));

	fill(&o, x, n, reach);
	check_values(&o, x);
	free(x);
}

static const struct { enum scoria_type type; int log; } kinds[] = {
	{ SCORIA_FP16, 0 }, { SCORIA_FP16, 1 }, { SCORIA_INT8, 0 }, { SCORIA_UINT8, 0 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct scoria_softmax_opts kind(size_t i, size_t rows, size_t columns)
{
	struct scoria_softmax_opts o = opts_of(kinds[i].type, rows, columns);

	o.log = kinds[i].log;
	o.scale = o.type == SCORIA_FP16 ? 0 : 0.07;
	return o;
}

TEST(rows_of_any_length_are_right)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 9, 15, 16, 17, 33, 255, 257, 1001, 4097 };

	dev = shape_device();
	for (size_t k = 0; k < N_KINDS; k++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			check(kind(k, 1, sizes[i]), 4);
			check(kind(k, 9, sizes[i]), 12);
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(long_rows_and_many_rows_are_right)
{
	check(kind(0, 1, 100000), 8);
	check(kind(1, 1, 40000), 8);
	for (size_t k = 0; k < N_KINDS; k++)
		check(kind(k, 3000, 10), 8);
}

TEST(every_scale_is_right)
{
	for (double scale = 0x1p-10; scale <= 0x1p10; scale *= 3) {
		struct scoria_softmax_opts o = opts_of(SCORIA_FP16, 5, 100);

		o.scale = scale;
		check(o, 8 / scale < 60000 ? 8 / scale : 60000);
		o.type = SCORIA_INT8;
		check(o, 0);
	}
}

TEST(gaps_between_rows_are_neither_read_nor_written)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		struct scoria_softmax_opts o = kind(k, 6, 37);

		o.ldx = 41;
		o.ldy = 45;
		check(o, 5);
	}
}

static void check_row(int log, size_t columns, const uint16_t *x)
{
	struct scoria_softmax_opts o = opts_of(SCORIA_FP16, 1, columns);

	o.log = log;
	check_values(&o, x);
}

TEST(special_values_are_those_of_the_formula)
{
	static const uint16_t rows[][4] = {
		{ NEG_INF, 0, NEG_INF, 0x3c00 },	{ NEG_INF, NEG_INF, NEG_INF, NEG_INF },
		{ INF, 0, 0, 0 },			{ 0, NAN16, 0, 0 },
		{ 0x7bff, 0xfbff, 0x7bff, 0 },		{ 0xfbff, 0xfbff, 0xfbff, 0xfbff },
		{ 0x8000, 0, 0x8000, 0 },		{ 1, 0x8001, 2, 3 },
		{ 0x7bff, 0x7bff, 0x7bff, 0x7bff },	{ NEG_INF, INF, 0, NAN16 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int log = 0; log < 2; log++)
			check_row(log, 4, rows[i]);
}

TEST(equal_values_share_alike)
{
	static const size_t columns[] = { 1, 3, 100, 32768, 32769, 70000 };
	static const uint16_t values[] = { 0x7bff, 0xfbff, 0, 0x7bff, 0xfbff, 0x8001 };
	uint16_t *x = malloc(70000 * sizeof(*x));

	for (size_t i = 0; i < 6; i++) {
		for (size_t j = 0; j < columns[i]; j++)
			x[j] = values[i];
		check_row(0, columns[i], x);
	}
	free(x);
}

TEST(input_and_output_may_be_one)
{
	struct scoria_softmax_opts o = opts_of(SCORIA_FP16, 3, 50);
	uint16_t x[150], y[150];

	for (o.log = 0; o.log < 2; o.log++) {
		fill(&o, x, 150, 5);
		EXPECT_EQ(0, scoria_softmax(dev, &o, x, y));
		EXPECT_EQ(0, scoria_softmax(dev, &o, x, x));
		EXPECT(!memcmp(x, y, sizeof(x)));
	}
}

/* Three times to subtract, two for a table, three to square, one to sum, three to divide. */
TEST(little_more_is_moved_than_the_steps_need)
{
	struct scoria_softmax_opts o = opts_of(SCORIA_FP16, 128, 2048);
	struct scoria_device_stats before = { .size = sizeof(before) };
	struct scoria_device_stats after = { .size = sizeof(after) };
	const size_t n = o.rows * o.columns;
	uint16_t *x = malloc(n * sizeof(*x));

	fill(&o, x, n, 5);
	scoria_device_stats(dev, &before);
	EXPECT_EQ(0, scoria_softmax(dev, &o, x, x));
	scoria_device_stats(dev, &after);
	EXPECT(after.bytes_read + after.bytes_written - before.bytes_read - before.bytes_written <
	       13 * n * sizeof(*x));
	free(x);
}

static void expect_error(int err, const char *words, struct scoria_softmax_opts o)
{
	struct scoria_softmax_plan *plan = NULL;

	EXPECT_EQ(err, scoria_softmax_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

#define SOFTMAX(...) \
	({ struct scoria_softmax_opts o = opts_of(SCORIA_FP16, 4, 5); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	const struct scoria_softmax_opts good = SOFTMAX();
	uint16_t x[20] = { 0 };

	expect_error(-EINVAL, "size of options is 4097", SOFTMAX(o.size = 4097));
	expect_error(-EINVAL, "type = 0", SOFTMAX(o.type = 0));
	expect_error(-EOPNOTSUPP, "type = int16", SOFTMAX(o.type = SCORIA_INT16));
	expect_error(-EOPNOTSUPP, "log of int8", SOFTMAX(o.type = SCORIA_INT8, o.log = 1));
	expect_error(-EINVAL, "rows = 0", SOFTMAX(o.rows = 0));
	expect_error(-EINVAL, "columns = 0", SOFTMAX(o.columns = 0));
	expect_error(-ENOSPC, "4 GiB", SOFTMAX(o.columns = SIZE_MAX));
	expect_error(-EINVAL, "ldx = 4", SOFTMAX(o.ldx = 4));
	expect_error(-EINVAL, "ldy = 4", SOFTMAX(o.ldy = 4));
	expect_error(-EINVAL, "overflow", SOFTMAX(o.ldy = SIZE_MAX / 2));
	expect_error(-EINVAL, "scale = -1", SOFTMAX(o.scale = -1));
	expect_error(-EINVAL, "scale = nan", SOFTMAX(o.scale = NAN));
	expect_error(-EINVAL, "scale = inf", SOFTMAX(o.scale = INFINITY));
	expect_error(-EINVAL, "scale = 0.0001", SOFTMAX(o.scale = 1e-4));
	expect_error(-EINVAL, "scale = 2", SOFTMAX(o.scale = 2, o.log = 1));
	EXPECT_EQ(-EINVAL, scoria_softmax(dev, &good, NULL, x));
	EXPECT_STR("x is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_softmax(dev, &good, x, NULL));
	EXPECT_STR("y is NULL", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
