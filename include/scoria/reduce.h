/* SPDX-License-Identifier: MIT */
/*
 * Sums over the last axis.
 *
 *	x	rows x columns, row-major: element (i, j) at i * ldx + j
 *	sum	y[i] = sum over j of x(i, j)
 *	mean	y[i] = sum / columns
 *	cumsum	y(i, j) = sum over l <= j of x(i, l), at i * ldy + j
 *
 *	x	y		sums in
 *	fp16	fp32, fp16	fp32
 *	int8	int32		int32, exact; sum and cumsum
 *	int8	fp32		int32, exact, then divided; mean
 *
 * The NPU adds up over channels nowhere but in its MAC array, so these are matrix
 * products: sum and mean with a column of ones, cumsum with a triangle of ones for
 * every 256 columns. The CPU divides for a mean, adds to every 256 columns of a
 * cumsum what came before them, and for that copies the rows apart.
 *
 * int8 takes up to 2^24 - 1 columns, from where int32 could overflow.
 */
#ifndef SCORIA_REDUCE_H
#define SCORIA_REDUCE_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_reduce_op {
	SCORIA_REDUCE_SUM = 1,
	SCORIA_REDUCE_MEAN = 2,
	SCORIA_REDUCE_CUMSUM = 3,
};

/**
 * struct scoria_reduce_opts - what to add up
 * @size: sizeof(struct scoria_reduce_opts)
 * @type: of x
 * @out:  of y
 * @op:   see the head of this file
 * @rows: @columns: size of x
 * @ldx:  elements from a row of x to the next, 0 for rows without gaps
 * @ldy:  the same for y, for cumsum only
 */
struct scoria_reduce_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_type out;
	enum scoria_reduce_op op;
	size_t rows;
	size_t columns;
	size_t ldx;
	size_t ldy;
};

struct scoria_reduce_plan;

/*
 * Decide once how to add up, and take the memory for it. The plan is run any number
 * of times. Errors: see scoria.h.
 */
SCORIA_API int scoria_reduce_plan_create(struct scoria_device *dev,
					 const struct scoria_reduce_opts *opts,
					 struct scoria_reduce_plan **plan);
SCORIA_API void scoria_reduce_plan_destroy(struct scoria_reduce_plan *plan);

/* What the plan will do. The caller sets @info->size. */
SCORIA_API int scoria_reduce_plan_info(const struct scoria_reduce_plan *plan,
				       struct scoria_plan_info *info);

/* When the device fails, part of @y may have been written. */
SCORIA_API int scoria_reduce_run(struct scoria_reduce_plan *plan, const void *x, void *y);

/* Plan, run and forget. */
SCORIA_API int scoria_reduce(struct scoria_device *dev, const struct scoria_reduce_opts *opts,
			     const void *x, void *y);

#ifdef __cplusplus
}
#endif

#endif
