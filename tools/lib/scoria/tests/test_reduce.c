// SPDX-License-Identifier: MIT
/* Sums over the last axis, around blocks of 256 columns and parts of 65536. */
#include <errno.h>
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/reference.h"
#include "shape.h"

static struct scoria_device *dev;
static struct random numbers = { 13 };

static const struct { enum scoria_reduce_op op; enum scoria_type type, out; } kinds[] = {
	{ SCORIA_REDUCE_SUM, SCORIA_FP16, SCORIA_FP32 },
	{ SCORIA_REDUCE_SUM, SCORIA_FP16, SCORIA_FP16 },
	{ SCORIA_REDUCE_SUM, SCORIA_INT8, SCORIA_INT32 },
	{ SCORIA_REDUCE_MEAN, SCORIA_FP16, SCORIA_FP32 },
	{ SCORIA_REDUCE_MEAN, SCORIA_FP16, SCORIA_FP16 },
	{ SCORIA_REDUCE_MEAN, SCORIA_INT8, SCORIA_FP32 },
	{ SCORIA_REDUCE_CUMSUM, SCORIA_FP16, SCORIA_FP32 },
	{ SCORIA_REDUCE_CUMSUM, SCORIA_FP16, SCORIA_FP16 },
	{ SCORIA_REDUCE_CUMSUM, SCORIA_INT8, SCORIA_INT32 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct scoria_reduce_opts opts_of(size_t kind, size_t rows, size_t columns)
{
	return (struct scoria_reduce_opts){ .size = sizeof(struct scoria_reduce_opts),
					    .op = kinds[kind].op, .type = kinds[kind].type,
					    .out = kinds[kind].out, .rows = rows,
					    .columns = columns };
}

static void check(struct scoria_reduce_opts o)
{
	size_t ldx = o.ldx ? o.ldx : o.columns, ldy = o.ldy ? o.ldy : o.columns;
	size_t bytes = scoria_type_size(o.out) *
		       (o.op == SCORIA_REDUCE_CUMSUM ? (o.rows - 1) * ldy + o.columns : o.rows);
	void *x = malloc(o.rows * ldx * scoria_type_size(o.type));
	uint8_t *y = malloc(bytes + 1);
	struct compare result = { 0 };

	y[bytes] = 0xa5;
	random_fill(&numbers, o.type, x, o.rows * ldx);
	if (scoria_reduce(dev, &o, x, y))
		TAP_FAIL("failed: %s", scoria_error());
	else
		reference_reduce(&o, x, y, &result);
	if (!compare_passed(&result) || y[bytes] != 0xa5)
		TAP_FAIL("op %d %s to %s rows %zu columns %zu ld %zu %zu: %zu of %zu wrong, first at %zu: %g instead of %g",
			 o.op, scoria_type_name(o.type), scoria_type_name(o.out), o.rows, o.columns,
			 ldx, ldy, result.bad, result.count, result.first_bad, result.first_got,
			 result.first_ref);
	free(y);
	free(x);
}

TEST(rows_of_any_length_are_right)
{
	static const size_t sizes[] = { 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 5000,
					65536, 65537, 140000 };

	dev = shape_device();
	for (size_t kind = 0; kind < N_KINDS; kind++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			check(opts_of(kind, 1, sizes[i]));
			if (sizes[i] <= 5000)
				check(opts_of(kind, 5, sizes[i]));
		}
	EXPECT_EQ(0, shape_reports());
}

TEST(many_rows_are_right)
{
	for (size_t kind = 0; kind < N_KINDS; kind++)
		check(opts_of(kind, 2100, 300));
}

TEST(gaps_between_rows_are_neither_read_nor_written)
{
	for (size_t kind = 0; kind < N_KINDS; kind++) {
		struct scoria_reduce_opts o = opts_of(kind, 7, 300);

		o.ldx = 313;
		o.ldy = o.op == SCORIA_REDUCE_CUMSUM ? 317 : 0;
		check(o);
	}
}

/* A product with a triangle of ones has zeros, and 0 times infinity is NaN. */
TEST(infinities_and_nan_reach_only_the_sums_behind_them)
{
	static const struct { size_t at; uint16_t value; } specials[] = {
		{ 300, 0x7c00 }, { 700, 0x7c00 }, { 900, 0xfc00 }, { 1000, 0x7e00 },
	};

	for (size_t kind = 0; kind < N_KINDS; kind++)
		for (size_t i = 0; i < 4; i++) {
			struct scoria_reduce_opts o = opts_of(kind, 1, 1100);
			struct compare result = { 0 };
			uint16_t x[1100];
			float y[1100];

			if (o.type != SCORIA_FP16)
				continue;
			random_fill(&numbers, o.type, x, o.columns);
			for (size_t j = 0; j <= i; j++)
				x[specials[j].at] = specials[j].value;
			EXPECT_EQ(0, scoria_reduce(dev, &o, x, y));
			reference_reduce(&o, x, y, &result);
			EXPECT(compare_passed(&result));
		}
}

static void expect_error(int err, const char *words, struct scoria_reduce_opts o)
{
	struct scoria_reduce_plan *plan = NULL;

	EXPECT_EQ(err, scoria_reduce_plan_create(dev, &o, &plan));
	EXPECT_STR(words, scoria_error());
	EXPECT(!plan);
}

#define REDUCE(...) ({ struct scoria_reduce_opts o = opts_of(2, 4, 5); __VA_ARGS__; o; })

TEST(nonsense_is_refused_by_name)
{
	const struct scoria_reduce_opts good = REDUCE();
	uint8_t array[4 * 5 * sizeof(float)] = { 0 };

	expect_error(-EINVAL, "op = 4", REDUCE(o.op = 4));
	expect_error(-EINVAL, "type = 0", REDUCE(o.type = 0));
	expect_error(-EOPNOTSUPP, "int8 to fp32", REDUCE(o.out = SCORIA_FP32));
	expect_error(-EINVAL, "rows = 0", REDUCE(o.rows = 0));
	expect_error(-EINVAL, "columns = 0", REDUCE(o.columns = 0));
	expect_error(-EINVAL, "ldx = 4", REDUCE(o.ldx = 4));
	expect_error(-EINVAL, "ldy = 9", REDUCE(o.ldy = 9));
	expect_error(-EINVAL, "overflow", REDUCE(o.ldx = SIZE_MAX / 2));
	expect_error(-EOVERFLOW, "columns = 16777216", REDUCE(o.columns = 1u << 24));
	expect_error(-ENOSPC, "4 GiB", REDUCE(o.rows = SIZE_MAX));
	EXPECT_EQ(-EINVAL, scoria_reduce(dev, &good, NULL, array));
	EXPECT_STR("reduce: x is NULL", scoria_error());
	EXPECT_EQ(-EINVAL, scoria_reduce(dev, &good, array, NULL));
	EXPECT_STR("reduce: y is NULL", scoria_error());
	scoria_device_close(dev);
}

TEST_MAIN()
