// SPDX-License-Identifier: MIT
/* Normalisation of rows: options, and the parts it is put together from. */
#include <scoria/norm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scoria/activation.h>

#include "check.h"
#include "error.h"
#include "fp16.h"
#include "info.h"
#include "row_squares.h"
#include "row_sums.h"
#include "vector.h"

#define DEFAULT_EPS 1e-5

/* Differences of any two fp16 numbers are fp16 numbers when halved first. */
#define HALF 0.5

/* Errors, relative to the result: of a sum in fp32, and of an fp16 number. */
#define FP32_SUM	0x1p-22
#define FP16_ROUNDING	0x1p-11

#define FP16_SMALLEST	1u	/* 2^-24 */

/* Slots of the last vector. */
#define REST		SLOT_B
#define DEVIATION	SLOT_C
#define GAMMA		SLOT_D
#define BETA		SLOT_E

/**
 * struct scoria_norm_plan - see norm.h
 * @sums: @centred: of layernorm: sums of rows, and (x - mean) / 2
 * @squares: of what is in @rows
 * @roots:   of variances
 * @result:  all that remains
 * @rows:    x, or its differences from means, without gaps; rows of zeros at the end
 * @values:  of every row, the sum of squares, then the variance
 * @means: @rests: half the mean, and what is left of it in the differences
 * @rounded: the number that was or is to be subtracted
 * @deviations: the square root of the variance
 */
struct scoria_norm_plan {
	struct scoria_norm_opts o;
	struct row_sums *sums;
	struct vector centred;
	struct row_squares *squares;
	struct scoria_activation_plan *roots;
	struct vector result;
	uint16_t *rows;
	double *values;
	double *means;
	double *rests;
	uint16_t *rounded;
	uint16_t *deviations;
};

static bool centres(const struct scoria_norm_opts *o)
{
	return o->op == SCORIA_LAYERNORM;
}

static int check_kind(struct scoria_norm_opts *o)
{
	if (o->op != SCORIA_LAYERNORM && o->op != SCORIA_RMSNORM)
		return error_set(EINVAL, "norm: op = %d: not an operation", o->op);
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "norm: type = %d: not a type", o->type);
	if (o->type != SCORIA_FP16)
		return error_set(EOPNOTSUPP, "norm: type = %s: have fp16", scoria_type_name(o->type));
	if (o->eps == 0)
		o->eps = DEFAULT_EPS;
	if (!(o->eps > 0) || isinf(o->eps))
		return error_set(EINVAL, "norm: eps = %g: must be positive and finite", o->eps);
	return 0;
}

static int check_opts(struct scoria_norm_opts *o, const struct scoria_norm_opts *opts)
{
	int err = opts_copy("norm", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_kind(o);
	if (!err)
		err = check_matrix("norm", o->rows, o->columns);
	if (!err)
		err = check_stride("norm", "ldx", &o->ldx, o->rows, o->columns, o->type);
	return err ? err : check_stride("norm", "ldy", &o->ldy, o->rows, o->columns, o->type);
}

static int create_arrays(struct scoria_norm_plan *plan)
{
	const size_t rows = plan->o.rows;

	plan->rows = calloc(row_squares_rows(rows, plan->o.columns),
			    plan->o.columns * sizeof(*plan->rows));
	plan->values = calloc(rows, sizeof(*plan->values));
	plan->means = calloc(rows, sizeof(*plan->means));
	plan->rests = calloc(rows, sizeof(*plan->rests));
	plan->rounded = calloc(rows, sizeof(*plan->rounded));
	plan->deviations = calloc(rows, sizeof(*plan->deviations));
	if (!plan->rows || !plan->values || !plan->means || !plan->rests || !plan->rounded ||
	    !plan->deviations)
		return error_no_memory();
	return 0;
}

static struct vector_shape shape_of(const struct scoria_norm_opts *o)
{
	const struct vector_input row = { o->rows, o->columns }, column = { o->columns, 1 };

	return (struct vector_shape){
		.n = o->rows * o->columns,
		.size = sizeof(uint16_t),
		.inputs = { [REST] = row, [DEVIATION] = row, [GAMMA] = column, [BETA] = column },
	};
}

static int create_centred(struct scoria_device *dev, struct scoria_norm_plan *plan)
{
	const struct scoria_norm_opts *o = &plan->o;
	const struct vector_shape shape = shape_of(o);
	struct recipe recipe = { .n = 0 };
	int err;

	if (!centres(o))
		return 0;
	err = row_sums_create(dev, o->type, o->rows, o->columns, o->columns, &plan->sums);
	if (err)
		return err;
	recipe_add(&recipe, STEP_SUB, SLOT_A, SLOT_B, SLOT_OUT)->bs =
		(struct pass_stage){ .mul = true, .factor = HALF };
	return vector_create(&plan->centred, dev, &recipe, &shape);
}

/* Every step takes the one before as its main operand; the last one has the result. */
static int create_result(struct scoria_device *dev, struct scoria_norm_plan *plan)
{
	const struct scoria_norm_opts *o = &plan->o;
	const struct { bool used; enum step step; enum slot operand; } steps[] = {
		{ centres(o), STEP_SUB, REST }, { true, STEP_DIV, DEVIATION },
		{ o->gamma, STEP_MUL, GAMMA }, { o->beta, STEP_ADD, BETA },
	};
	const struct vector_shape shape = shape_of(o);
	struct recipe recipe = { .n = 0 };
	enum slot from = SLOT_A;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (!steps[i].used)
			continue;
		recipe_add(&recipe, steps[i].step, from, steps[i].operand, SLOT_T0 + i);
		from = SLOT_T0 + i;
	}
	recipe.passes[recipe.n - 1].to = SLOT_OUT;
	return vector_create(&plan->result, dev, &recipe, &shape);
}

static int create_parts(struct scoria_device *dev, struct scoria_norm_plan *plan)
{
	const struct scoria_activation_opts roots = { .size = sizeof(roots), .n = plan->o.rows,
						      .function = SCORIA_SQRT };
	int err = create_arrays(plan);

	if (!err)
		err = create_centred(dev, plan);
	if (!err)
		err = row_squares_create(dev, plan->o.rows, plan->o.columns, &plan->squares);
	if (!err)
		err = scoria_activation_plan_create(dev, &roots, &plan->roots);
	return err ? err : create_result(dev, plan);
}

int scoria_norm_plan_create(struct scoria_device *dev, const struct scoria_norm_opts *opts,
			    struct scoria_norm_plan **out)
{
	int err = CHECK_POINTERS("norm", { "dev", dev }, { "plan", out });
	struct scoria_norm_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->o, opts);
	if (!err)
		err = create_parts(dev, plan);
	if (err) {
		scoria_norm_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_norm_plan_destroy(struct scoria_norm_plan *plan)
{
	if (!plan)
		return;
	vector_destroy(&plan->result);
	scoria_activation_plan_destroy(plan->roots);
	row_squares_destroy(plan->squares);
	vector_destroy(&plan->centred);
	row_sums_destroy(plan->sums);
	free(plan->deviations);
	free(plan->rounded);
	free(plan->rests);
	free(plan->means);
	free(plan->values);
	free(plan->rows);
	free(plan);
}

int scoria_norm_plan_info(const struct scoria_norm_plan *plan, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { 0 }, part = { .size = sizeof(part) };
	int err = CHECK_POINTERS("norm", POINTER(plan));

	if (err)
		return err;
	if (centres(&plan->o)) {
		row_sums_info(plan->sums, 2, &part);
		info_add(&all, &part, 1);
		vector_info(&plan->centred, &part);
		info_add(&all, &part, 1);
	}
	row_squares_info(plan->squares, &part);
	info_add(&all, &part, 1);
	scoria_activation_plan_info(plan->roots, &part);
	info_add(&all, &part, 1);
	vector_info(&plan->result, &part);
	info_add(&all, &part, 1);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

static uint16_t to_fp16(double x)
{
	return fp32_to_fp16((float)x);
}

/* @sums becomes means. */
static void divide(double *sums, const struct scoria_norm_opts *o, double unit)
{
	for (size_t i = 0; i < o->rows; i++)
		sums[i] *= unit / o->columns;
}

static void round_values(uint16_t *to, const double *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to_fp16(from[i]);
}

/* The rows become (x - mean) / 2, but for what the mean is rounded by. */
static int centre(struct scoria_norm_plan *plan)
{
	const struct scoria_norm_opts *o = &plan->o;
	int err = row_sums_run(plan->sums, plan->rows, plan->means);

	if (err)
		return err;
	divide(plan->means, o, HALF);
	round_values(plan->rounded, plan->means, o->rows);
	err = vector_run(&plan->centred,
			 (const void *[VECTOR_INPUTS]){ plan->rows, plan->rounded }, plan->rows);
	if (!err)
		err = row_sums_run(plan->sums, plan->rows, plan->rests);
	if (!err)
		divide(plan->rests, o, 1);
	return err;
}

/*
 * The mean of the differences is what the mean was rounded by, and differs from it in
 * what rounding the differences did on average. It is better where the mean is so
 * large that its sum in fp32 knows less.
 */
static void choose_rest(struct scoria_norm_plan *plan, size_t row)
{
	const double spread = sqrt(plan->values[row] / plan->o.columns);
	const double rounded = (double)fp16_to_fp32(plan->rounded[row]);

	if (fabs(plan->means[row]) * FP32_SUM < spread * FP16_ROUNDING)
		plan->rests[row] = plan->means[row] - rounded;
}

/* What a row is divided by, squared; of halves where it is centred. */
static double variance(const struct scoria_norm_plan *plan, size_t row)
{
	const double unit = centres(&plan->o) ? HALF : 1, rest = plan->rests[row];
	const double var = plan->values[row] / plan->o.columns - rest * rest;

	return (var < 0 ? 0 : var) + plan->o.eps * unit * unit;
}

/* @x as the result, in [1/2, 2), times 4^@exponent. */
static double near_one(double x, int *exponent)
{
	int power = 0;
	double m = frexp(x, &power);

	*exponent = (power - (power & 1)) / 2;
	return power & 1 ? 2 * m : m;
}

/*
 * What a row is divided by, @root times 2^@exponent. Not 0: rows of equal numbers, whose
 * differences are 0, would become NaN if eps is so small.
 */
static uint16_t divisor(uint16_t root, int exponent)
{
	const uint16_t d = to_fp16(ldexp((double)fp16_to_fp32(root), exponent));

	return d ? d : FP16_SMALLEST;
}

static int find_roots(struct scoria_norm_plan *plan)
{
	int exponent = 0, err;
	size_t i;

	for (i = 0; i < plan->o.rows; i++) {
		if (centres(&plan->o))
			choose_rest(plan, i);
		plan->values[i] = variance(plan, i);
		plan->deviations[i] = to_fp16(near_one(plan->values[i], &exponent));
	}
	err = scoria_activation_run(plan->roots, plan->deviations, NULL, plan->deviations);
	for (i = 0; i < plan->o.rows && !err; i++) {
		near_one(plan->values[i], &exponent);
		/* the table ends before infinity, and has no NaN */
		plan->deviations[i] = isfinite(plan->values[i]) ?
			divisor(plan->deviations[i], exponent) : to_fp16(plan->values[i]);
	}
	return err;
}

static void copy_rows(uint16_t *to, size_t pitch_to, const uint16_t *from, size_t pitch_from,
		      const struct scoria_norm_opts *o)
{
	for (size_t i = 0; i < o->rows; i++)
		memcpy(to + i * pitch_to, from + i * pitch_from, o->columns * sizeof(*to));
}

static int run(struct scoria_norm_plan *plan, const void *x, const void *gamma, const void *beta,
	       void *y)
{
	const struct scoria_norm_opts *o = &plan->o;
	const void *const inputs[VECTOR_INPUTS] = { plan->rows, [REST] = plan->rounded,
						    [DEVIATION] = plan->deviations,
						    [GAMMA] = gamma, [BETA] = beta };
	int err = 0;

	copy_rows(plan->rows, o->columns, x, o->ldx, o);
	if (centres(o))
		err = centre(plan);
	if (!err)
		err = row_squares_run(plan->squares, plan->rows, plan->values);
	if (!err)
		err = find_roots(plan);
	round_values(plan->rounded, plan->rests, o->rows);
	if (!err)
		err = vector_run(&plan->result, inputs, plan->rows);
	if (!err)
		copy_rows(y, o->ldy, plan->rows, o->columns, o);
	return err;
}

int scoria_norm_run(struct scoria_norm_plan *plan, const void *x, const void *gamma,
		    const void *beta, void *y)
{
	int err = CHECK_POINTERS("norm", POINTER(plan), POINTER(x), POINTER(y));

	if (err)
		return err;
	if (!gamma != !plan->o.gamma)
		return error_set(EINVAL, "norm: gamma is %s, the plan has %s", gamma ? "given" : "NULL",
				 gamma ? "none" : "one");
	if (!beta != !plan->o.beta)
		return error_set(EINVAL, "norm: beta is %s, the plan has %s", beta ? "given" : "NULL",
				 beta ? "none" : "one");
	return run(plan, x, gamma, beta, y);
}

int scoria_norm(struct scoria_device *dev, const struct scoria_norm_opts *opts, const void *x,
		const void *gamma, const void *beta, void *y)
{
	struct scoria_norm_plan *plan = NULL;
	int err = scoria_norm_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_norm_run(plan, x, gamma, beta, y);
	scoria_norm_plan_destroy(plan);
	return err;
}
