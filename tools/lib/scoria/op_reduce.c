// SPDX-License-Identifier: MIT
/* Sums over the last axis: checks, plan and run. */
#include <scoria/reduce.h>

#include <stdbool.h>
#include <stdlib.h>

#include "check.h"
#include "error.h"
#include "fp16.h"
#include "prefix_sums.h"
#include "row_sums.h"

/* 2^7 * columns has to stay below 2^31. */
#define MAX_INT8_COLUMNS ((1u << 24) - 1)

/* @prefix for cumsum, @rows and room for their results for the others. */
struct scoria_reduce_plan {
	struct scoria_reduce_opts o;
	struct prefix_sums *prefix;
	struct row_sums *rows;
	double *sums;
};

static int check_types(const struct scoria_reduce_opts *o)
{
	bool mean = o->op == SCORIA_REDUCE_MEAN;

	if (o->op < SCORIA_REDUCE_SUM || o->op > SCORIA_REDUCE_CUMSUM)
		return error_set(EINVAL, "reduce: op = %d: not an operation", o->op);
	if (!scoria_type_size(o->type) || !scoria_type_size(o->out))
		return error_set(EINVAL, "reduce: type = %d, out = %d: not a type", o->type, o->out);
	if (o->type == SCORIA_FP16 && (o->out == SCORIA_FP32 || o->out == SCORIA_FP16))
		return 0;
	if (o->type == SCORIA_INT8 && o->out == (mean ? SCORIA_FP32 : SCORIA_INT32))
		return 0;
	return error_set(EOPNOTSUPP, "reduce: %s to %s: have fp16 to fp32 or fp16, sums of int8 to int32 and means to fp32",
			 scoria_type_name(o->type), scoria_type_name(o->out));
}

static int check_sizes(struct scoria_reduce_opts *o)
{
	int err;

	err = check_matrix("reduce", o->rows, o->columns);
	if (err)
		return err;
	if (o->type == SCORIA_INT8 && o->columns > MAX_INT8_COLUMNS)
		return error_set(EOVERFLOW, "reduce: columns = %zu: above %u int8 sums could overflow int32",
				 o->columns, MAX_INT8_COLUMNS);
	err = check_stride("reduce", "ldx", &o->ldx, o->rows, o->columns, o->type);
	if (!err && o->ldy && o->op != SCORIA_REDUCE_CUMSUM)
		return error_set(EINVAL, "reduce: ldy = %zu: only cumsum has rows of results", o->ldy);
	return err ? err : check_stride("reduce", "ldy", &o->ldy, o->rows, o->columns, o->out);
}

static int create_sums(struct scoria_device *dev, struct scoria_reduce_plan *plan)
{
	const struct scoria_reduce_opts *o = &plan->o;

	if (o->op == SCORIA_REDUCE_CUMSUM)
		return prefix_sums_create(dev, o, &plan->prefix);
	plan->sums = calloc(o->rows, sizeof(*plan->sums));
	if (!plan->sums)
		return error_no_memory();
	return row_sums_create(dev, o->type, o->rows, o->columns, o->ldx, &plan->rows);
}

int scoria_reduce_plan_create(struct scoria_device *dev, const struct scoria_reduce_opts *opts,
			      struct scoria_reduce_plan **out)
{
	int err = CHECK_POINTERS("reduce", { "dev", dev }, { "plan", out });
	struct scoria_reduce_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = opts_copy("reduce", &plan->o, sizeof(plan->o), sizeof(plan->o), opts);
	if (!err)
		err = check_types(&plan->o);
	if (!err)
		err = check_sizes(&plan->o);
	if (!err)
		err = create_sums(dev, plan);
	if (err) {
		scoria_reduce_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_reduce_plan_destroy(struct scoria_reduce_plan *plan)
{
	if (!plan)
		return;
	prefix_sums_destroy(plan->prefix);
	row_sums_destroy(plan->rows);
	free(plan->sums);
	free(plan);
}

int scoria_reduce_plan_info(const struct scoria_reduce_plan *plan, struct scoria_plan_info *info)
{
	int err = CHECK_POINTERS("reduce", POINTER(plan));

	if (err)
		return err;
	if (plan->prefix)
		return prefix_sums_info(plan->prefix, info);
	return row_sums_info(plan->rows, 1, info);
}

void reduce_store(enum scoria_type type, void *y, size_t index, double value)
{
	switch (type) {
	case SCORIA_FP16:
		((uint16_t *)y)[index] = fp32_to_fp16((float)value);
		break;
	case SCORIA_FP32:
		((float *)y)[index] = (float)value;
		break;
	default:
		((int32_t *)y)[index] = value;
	}
}

int scoria_reduce_run(struct scoria_reduce_plan *plan, const void *x, void *y)
{
	int err = CHECK_POINTERS("reduce", POINTER(plan), POINTER(x), POINTER(y));
	const struct scoria_reduce_opts *o;
	double divisor;
	size_t i;

	if (err)
		return err;
	o = &plan->o;
	divisor = o->op == SCORIA_REDUCE_MEAN ? o->columns : 1;
	if (plan->prefix)
		return prefix_sums_run(plan->prefix, x, y);
	err = row_sums_run(plan->rows, x, plan->sums);
	for (i = 0; i < o->rows && !err; i++)
		reduce_store(o->out, y, i, plan->sums[i] / divisor);
	return err;
}

int scoria_reduce(struct scoria_device *dev, const struct scoria_reduce_opts *opts, const void *x,
		  void *y)
{
	struct scoria_reduce_plan *plan = NULL;
	int err = scoria_reduce_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_reduce_run(plan, x, y);
	scoria_reduce_plan_destroy(plan);
	return err;
}
