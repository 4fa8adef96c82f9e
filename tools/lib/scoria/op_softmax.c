// SPDX-License-Identifier: MIT
/* Softmax: options, and rows to fp16 and back. */
#include <scoria/softmax.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "error.h"
#include "fp16.h"
#include "softmax_rows.h"

/* TensorFlow Lite's scale of the result is 1 over this. */
#define STEPS 256

/**
 * struct scoria_softmax_plan - see softmax.h
 * @table: what the NPU gets for a quantised value
 * @rows:  of x, without gaps, NULL when the caller's are as the NPU wants them
 */
struct scoria_softmax_plan {
	struct scoria_softmax_opts o;
	struct softmax_rows *softmax;
	uint16_t table[STEPS];
	uint16_t *rows;
};

static bool is_quantised(const struct scoria_softmax_opts *o)
{
	return o->type != SCORIA_FP16;
}

static int check_type(const struct scoria_softmax_opts *o)
{
	if (!scoria_type_size(o->type))
		return error_set(EINVAL, "softmax: type = %d: not a type", o->type);
	if (o->type != SCORIA_FP16 && o->type != SCORIA_INT8 && o->type != SCORIA_UINT8)
		return error_set(EOPNOTSUPP, "softmax: type = %s: have fp16, int8 and uint8",
				 scoria_type_name(o->type));
	if (o->log && is_quantised(o))
		return error_set(EOPNOTSUPP, "softmax: log of %s: have fp16",
				 scoria_type_name(o->type));
	return 0;
}

static int check_scale(struct scoria_softmax_opts *o)
{
	const double least = is_quantised(o) ? 0x1p-20 : 0x1p-10, most = 0x1p10;

	if (o->log && o->scale != 0)
		return error_set(EINVAL, "softmax: scale = %g: log softmax has none", o->scale);
	if (o->scale == 0)
		o->scale = 1;
	if (!(o->scale >= least && o->scale <= most))
		return error_set(EINVAL, "softmax: scale = %g: %s takes %g to %g", o->scale,
				 scoria_type_name(o->type), least, most);
	return 0;
}

static int check_opts(struct scoria_softmax_opts *o, const struct scoria_softmax_opts *opts)
{
	int err = opts_copy("softmax", o, sizeof(*o), sizeof(*o), opts);

	if (!err)
		err = check_type(o);
	if (!err)
		err = check_scale(o);
	if (!err)
		err = check_matrix("softmax", o->rows, o->columns);
	if (!err)
		err = check_stride("softmax", "ldx", &o->ldx, o->rows, o->columns, o->type);
	return err ? err : check_stride("softmax", "ldy", &o->ldy, o->rows, o->columns, o->type);
}

static int create_rows(struct scoria_softmax_plan *plan)
{
	const struct scoria_softmax_opts *o = &plan->o;

	for (int i = 0; i < STEPS; i++)
		plan->table[i] = fp32_to_fp16(o->type == SCORIA_INT8 ? (int8_t)i : i);
	if (!is_quantised(o) && o->ldx == o->columns && o->ldy == o->columns)
		return 0;
	plan->rows = calloc(o->rows, o->columns * sizeof(*plan->rows));
	return plan->rows ? 0 : error_no_memory();
}

static int plan_softmax(struct scoria_device *dev, struct scoria_softmax_plan *plan)
{
	const struct softmax_shape shape = { .rows = plan->o.rows, .columns = plan->o.columns,
					     .scale = plan->o.scale, .log = plan->o.log };
	int err = create_rows(plan);

	return err ? err : softmax_rows_create(dev, &shape, &plan->softmax);
}

int scoria_softmax_plan_create(struct scoria_device *dev, const struct scoria_softmax_opts *opts,
			       struct scoria_softmax_plan **out)
{
	int err = CHECK_POINTERS("softmax", { "dev", dev }, { "plan", out });
	struct scoria_softmax_plan *plan;

	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_no_memory();
	err = check_opts(&plan->o, opts);
	if (!err)
		err = plan_softmax(dev, plan);
	if (err) {
		scoria_softmax_plan_destroy(plan);
		return err;
	}
	*out = plan;
	return 0;
}

void scoria_softmax_plan_destroy(struct scoria_softmax_plan *plan)
{
	if (!plan)
		return;
	softmax_rows_destroy(plan->softmax);
	free(plan->rows);
	free(plan);
}

int scoria_softmax_plan_info(const struct scoria_softmax_plan *plan, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { 0 };
	int err = CHECK_POINTERS("softmax", POINTER(plan));

	if (err)
		return err;
	softmax_rows_info(plan->softmax, &all);
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

static void gather(const struct scoria_softmax_plan *plan, const void *x)
{
	const struct scoria_softmax_opts *o = &plan->o;
	size_t i, j;

	for (i = 0; i < o->rows; i++) {
		uint16_t *to = plan->rows + i * o->columns;

		if (!is_quantised(o)) {
			memcpy(to, (const uint16_t *)x + i * o->ldx, o->columns * sizeof(*to));
			continue;
		}
		for (j = 0; j < o->columns; j++)
			to[j] = plan->table[((const uint8_t *)x)[i * o->ldx + j]];
	}
}

/* A share of 1 is one step too many. */
static uint8_t quantise(enum scoria_type type, uint16_t share)
{
	const int steps = (int)rintf(fp16_to_fp32(share) * STEPS);

	return (steps < STEPS ? steps : STEPS - 1) - (type == SCORIA_INT8 ? STEPS / 2 : 0);
}

static void scatter(const struct scoria_softmax_plan *plan, void *y)
{
	const struct scoria_softmax_opts *o = &plan->o;
	size_t i, j;

	for (i = 0; i < o->rows; i++) {
		const uint16_t *from = plan->rows + i * o->columns;

		if (!is_quantised(o)) {
			memcpy((uint16_t *)y + i * o->ldy, from, o->columns * sizeof(*from));
			continue;
		}
		for (j = 0; j < o->columns; j++)
			((uint8_t *)y)[i * o->ldy + j] = quantise(o->type, from[j]);
	}
}

int scoria_softmax_run(struct scoria_softmax_plan *plan, const void *x, void *y)
{
	int err = CHECK_POINTERS("softmax", POINTER(plan), POINTER(x), POINTER(y));

	if (err)
		return err;
	if (!plan->rows)
		return softmax_rows_run(plan->softmax, x, NULL, y);
	gather(plan, x);
	err = softmax_rows_run(plan->softmax, plan->rows, NULL, plan->rows);
	if (!err)
		scatter(plan, y);
	return err;
}

int scoria_softmax(struct scoria_device *dev, const struct scoria_softmax_opts *opts, const void *x,
		   void *y)
{
	struct scoria_softmax_plan *plan = NULL;
	int err = scoria_softmax_plan_create(dev, opts, &plan);

	if (!err)
		err = scoria_softmax_run(plan, x, y);
	scoria_softmax_plan_destroy(plan);
	return err;
}
