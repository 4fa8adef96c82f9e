// SPDX-License-Identifier: MIT
/*
 * A softmax is four operations in a row: the largest of every row, exponentials
 * below it, their sum, and a division; each result goes through the CPU's memory
 * because the next one wants it in another layout.
 */
#include "softmax_rows.h"

#include <math.h>
#include <stdlib.h>

#include <scoria/activation.h>
#include <scoria/pool.h>

#include "activation.h"
#include "error.h"
#include "fp16.h"
#include "info.h"
#include "row_sums.h"
#include "vector.h"

/* Sums of at most 1 a column are kept below this: fp16 ends at 65504. */
#define LARGEST_SUM 0x1p15

/**
 * struct softmax_rows - see softmax_rows.h
 * @shift:   sums are divided by 2^@shift
 * @largest: finds the largest of every row
 * @masked: @powers: @result: x + mask, exp(scale (x - largest)), what is left to do
 * @sums: @logs: of rows
 * @tops: @sum: @divisors: a value for every row
 * @scratch: of exponentials, when x is needed once more
 */
struct softmax_rows {
	struct softmax_shape shape;
	unsigned int shift;
	struct scoria_pool_plan *largest;
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

/*
 * exp of what is not above 0. Ranges are powers of two, which the multipliers hold, so
 * that 0 is an entry of the table and not between two; what is below 2^-25 becomes 0.
 */
static const struct activation exp_below = {
	.name = "exp",
	.f = exp,
	.pieces = { { -4, -2, 0 }, { -8, -6, -4 }, { -24, -16, -8 } },
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

static int create_largest(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct scoria_pool_opts opts = {
		.size = sizeof(opts),
		.type = SCORIA_FP16,
		.method = SCORIA_POOL_MAX,
		.layout = SCORIA_NCHW,
		.batch = 1,
		.c = s->shape.rows,
		.h = 1,
		.w = s->shape.columns,
	};

	return scoria_pool_plan_create(dev, &opts, &s->largest);
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

static int create_powers(struct scoria_device *dev, struct softmax_rows *s)
{
	const struct vector_shape shape = by_row(s);
	struct recipe recipe = { .n = 0 };

	recipe_add(&recipe, STEP_SUB, SLOT_A, SLOT_B, SLOT_T3);
	if (!cook_product(&recipe, &exp_below, 1 / s->shape.scale, SLOT_T3, SLOT_OUT)) {
		recipe_destroy(&recipe);
		return error_no_memory();
	}
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
		err = create_largest(dev, s);
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
	scoria_pool_plan_destroy(s->largest);
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
	if (!err)
		err = scoria_pool_run(s->largest, x, s->tops);
	if (!err)
		err = vector_run(&s->powers, (const void *[VECTOR_INPUTS]){ x, s->tops }, powers);
	if (!err)
		err = row_sums_run(s->sums, powers, s->sum);
	if (!err)
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
	scoria_pool_plan_info(s->largest, &part);
	info_add(all, &part, 1);
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
