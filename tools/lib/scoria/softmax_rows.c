// SPDX-License-Identifier: MIT
/*
 * A softmax is three operations in a row behind the largest of every row: exponentials
 * below it, their sum, and a division; each result goes through the CPU's memory
 * because the next one wants it in another layout.
 */
#include "softmax_rows.h"

#include <math.h>
#include <stdlib.h>

#include <scoria/activation.h>

#include "activation.h"
#include "error.h"
#include "fp16.h"
#include "info.h"
#include "row_maxima.h"
#include "row_sums.h"
#include "split.h"
#include "vector.h"

/* Sums of at most 1 a column are kept below this: fp16 ends at 65504. */
#define LARGEST_SUM 0x1p15

/* Indices are 2^-9 to 2^21 of an argument: 2^-15 to 2^15 are left for the second multiplier. */
#define FIRST_FACTOR 0x1p6

/**
 * struct softmax_rows - see softmax_rows.h
 * @shift:   sums are divided by 2^@shift
 * @masked: @powers: @result: x + mask, exp(scale (x - largest)), what is left to do
 * @sums: @logs: of rows
 * @tops: @sum: @divisors: a value for every row; the sum is NaN where the row has to be
 * @scratch: of exponentials, when x is needed once more
 */
struct softmax_rows {
	struct softmax_shape shape;
	unsigned int shift;
	struct vector masked;
	struct vector powers;
	struct vector result;
	struct row_sums *sums;
	struct scoria_activation_plan *logs;
	uint16_t *tops;
	double *sum;
	uint16_t *divisors;
	uint16_t *scratch;
};

static double exp_half(double x)
{
	return exp(x / 2);
}

/*
 * The square root of exp of what is not above 0: a table that is off by 2^-15 leaves its
 * square off by 2^-14 sqrt(exp), which is less than 2^-8 exp + 2^-22 for every exp, where
 * exp itself would take three tables. The upper table begins at a power of two, so that 0 is
 * its last entry and not between two. Below 2^-28 the square is 0.
 */
static const struct activation root_of_exp = {
	.name = "root of exp",
	.f = exp_half,
	.pieces = { { -40, -8, 0 } },
};

static size_t elements(const struct softmax_rows *s)
{
	return s->shape.rows * s->shape.columns;
}

static int create_arrays(struct softmax_rows *s)
{
	const size_t rows = s->shape.rows;

	s->tops = calloc(rows, sizeof(*s->tops));
	s->sum = calloc(rows, sizeof(*s->sum));
	s->divisors = calloc(rows, sizeof(*s->divisors));
	if (s->shape.log)
		s->scratch = calloc(elements(s), sizeof(*s->scratch));
	if (!s->tops || !s->sum || !s->divisors || (s->shape.log && !s->scratch))
		return error_no_memory();
	return 0;
}

static int create_masked(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct vector_shape shape = {
		.n = elements(s),
		.size = sizeof(uint16_t),
		.inputs = { [SLOT_B] = { s->shape.mask_rows * s->shape.columns, 1 } },
	};
	struct recipe recipe = { .n = 0 };

	if (!s->shape.mask_rows)
		return 0;
	recipe_add(&recipe, STEP_ADD, SLOT_A, SLOT_B, SLOT_OUT);
	return vector_create(&s->masked, dev, &recipe, &shape);
}

/* Inputs besides the first have a value for every row. */
static struct vector_shape by_row(const struct softmax_rows *s)
{
	const struct vector_input row = { s->shape.rows, s->shape.columns };

	return (struct vector_shape){
		.n = elements(s),
		.size = sizeof(uint16_t),
		.inputs = { [SLOT_B] = row, [SLOT_C] = row },
	};
}

/* The table sees @scale times its argument; every such product is shared out to two multipliers. */
static void stretch(struct lut *lut, double scale)
{
	const double factor = lut->scale * lut->factor * scale;

	split_factor(factor / FIRST_FACTOR, &lut->scale, &lut->factor);
	lut->scale *= FIRST_FACTOR;
}

static int create_powers(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct vector_shape shape = by_row(s);
	struct recipe recipe = { .n = 0 };

	recipe_add(&recipe, STEP_SUB, SLOT_A, SLOT_B, SLOT_T0);
	if (!cook_table(&recipe, &root_of_exp, SLOT_T0, SLOT_T1))
		return error_no_memory();
	stretch(recipe.luts[0], s->shape.scale);
	recipe_add(&recipe, STEP_MUL, SLOT_T1, SLOT_T1, SLOT_OUT);
	return vector_create(&s->powers, dev, &recipe, &shape);
}

static void cook_quotient(struct recipe *recipe, unsigned int shift)
{
	recipe_add(recipe, STEP_DIV, SLOT_A, SLOT_B, shift ? SLOT_T0 : SLOT_OUT);
	if (shift)
		recipe_add(recipe, STEP_NEG, SLOT_T0, SLOT_NONE, SLOT_OUT)->bs.factor =
			ldexp(1, -(int)shift);
}

static int create_result(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct vector_shape shape = by_row(s);
	struct recipe recipe = { .n = 0 };

	if (s->shape.log) {
		recipe_add(&recipe, STEP_SUB, SLOT_A, SLOT_B, SLOT_T0);
		recipe_add(&recipe, STEP_SUB, SLOT_T0, SLOT_C, SLOT_OUT);
	} else {
		cook_quotient(&recipe, s->shift);
	}
	return vector_create(&s->result, dev, &recipe, &shape);
}

static int create_logs(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct scoria_activation_opts opts = { .size = sizeof(opts), .function = SCORIA_LOG,
						     .n = s->shape.rows };

	return s->shape.log ? scoria_activation_plan_create(dev, &opts, &s->logs) : 0;
}

static int create_parts(struct scoria_device *dev, struct softmax_rows *s)
{
	int err = create_arrays(s);

	if (!err)
		err = create_masked(dev, s);
	if (!err)
		err = create_powers(dev, s);
	if (!err)
		err = row_sums_create(dev, SCORIA_FP16, s->shape.rows, s->shape.columns,
				      s->shape.columns, &s->sums);
	if (!err)
		err = create_logs(dev, s);
	return err ? err : create_result(dev, s);
}

int softmax_rows_create(struct scoria_device *dev, const struct softmax_shape *shape,
			struct softmax_rows **out)
{
	struct softmax_rows *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return error_no_memory();
	s->shape = *shape;
	while (ldexp(shape->columns, -(int)s->shift) > LARGEST_SUM)
		s->shift++;
	err = create_parts(dev, s);
	if (err) {
		softmax_rows_destroy(s);
		return err;
	}
	*out = s;
	return 0;
}

void softmax_rows_destroy(struct softmax_rows *s)
{
	if (!s)
		return;
	vector_destroy(&s->result);
	scoria_activation_plan_destroy(s->logs);
	row_sums_destroy(s->sums);
	vector_destroy(&s->powers);
	vector_destroy(&s->masked);
	free(s->scratch);
	free(s->divisors);
	free(s->sum);
	free(s->tops);
	free(s);
}

static uint16_t to_fp16(double x)
{
	return fp32_to_fp16((float)x);
}

/* @x as the result times 2^@exponent, the result in [sqrt(1/2), sqrt(2)). */
static double near_one(double x, int *exponent)
{
	double m = frexp(x, exponent);

	if (m >= M_SQRT1_2)
		return m;
	--*exponent;
	return 2 * m;
}

/* No table has a NaN; so their sums are made to. */
static void spoil_sums(struct softmax_rows *s)
{
	size_t i;

	for (i = 0; i < s->shape.rows; i++)
		if (!fp16_is_finite(s->tops[i]))
			s->sum[i] = NAN;
}

/* log(m 2^e) = log(m) + e log(2): near 1 the table's error, which is relative, is least. */
static int find_logs(struct softmax_rows *s)
{
	int exponent = 0, err;
	size_t i;

	for (i = 0; i < s->shape.rows; i++)
		s->divisors[i] = to_fp16(near_one(s->sum[i], &exponent));
	err = scoria_activation_run(s->logs, s->divisors, NULL, s->divisors);
	for (i = 0; i < s->shape.rows && !err; i++) {
		near_one(s->sum[i], &exponent);
		s->divisors[i] = to_fp16((double)fp16_to_fp32(s->divisors[i]) + exponent * M_LN2);
	}
	return err;
}

static int find_divisors(struct softmax_rows *s)
{
	size_t i;

	if (s->shape.log)
		return find_logs(s);
	for (i = 0; i < s->shape.rows; i++)
		s->divisors[i] = to_fp16(ldexp(s->sum[i], -(int)s->shift));
	return 0;
}

int softmax_rows_run(struct softmax_rows *s, const uint16_t *x, const uint16_t *mask, uint16_t *y)
{
	uint16_t *powers = s->shape.log ? s->scratch : y;
	int err = 0;

	if (s->shape.mask_rows) {
		err = vector_run(&s->masked, (const void *[VECTOR_INPUTS]){ x, mask }, y);
		x = y;
	}
	if (!err) {
		row_maxima(x, s->shape.rows, s->shape.columns, s->tops);
		err = vector_run(&s->powers, (const void *[VECTOR_INPUTS]){ x, s->tops }, powers);
	}
	if (!err)
		err = row_sums_run(s->sums, powers, s->sum);
	if (err)
		return err;
	spoil_sums(s);
	err = find_divisors(s);
	if (err)
		return err;
	if (s->shape.log)
		return vector_run(&s->result,
				  (const void *[VECTOR_INPUTS]){ x, s->tops, s->divisors }, y);
	return vector_run(&s->result, (const void *[VECTOR_INPUTS]){ powers, s->divisors }, y);
}

void softmax_rows_info(const struct softmax_rows *s, struct scoria_plan_info *all)
{
	struct scoria_plan_info part = { .size = sizeof(part) };

	if (s->shape.mask_rows) {
		vector_info(&s->masked, &part);
		info_add(all, &part, 1);
	}
	vector_info(&s->powers, &part);
	info_add(all, &part, 1);
	row_sums_info(s->sums, 1, &part);
	info_add(all, &part, 1);
	if (s->shape.log) {
		scoria_activation_plan_info(s->logs, &part);
		info_add(all, &part, 1);
	}
	vector_info(&s->result, &part);
	info_add(all, &part, 1);
}
