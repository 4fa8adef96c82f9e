/* SPDX-License-Identifier: MIT */
/*
 * Normalisation of rows.
 *
 *	x		rows x columns, fp16, row-major: element (i, j) at i * ldx + j
 *	layernorm	y(i, j) = (x(i, j) - mean(i)) / sqrt(var(i) + eps) * gamma[j] + beta[j]
 *	rmsnorm		y(i, j) = x(i, j) / sqrt(mean of x(i, .)^2 + eps) * gamma[j] + beta[j]
 *
 * at i * ldy + j, fp16; var(i) is the mean of (x(i, j) - mean(i))^2. Results are within
 *
 *	2^-8 (|y - beta[j]| + |beta[j]|) + 2^-22 (1 + |gamma[j]| (1 + 1 / sqrt(var(i) + eps)))
 *
 * of the exact ones. Nothing in between overflows but a product with gamma that does, which
 * is infinite before beta is added, and a mean that is large against the
 * deviations costs no precision: it is subtracted as fp16 first, which is nearly always
 * exact, and what was rounded off is found from the differences and subtracted, too. inf
 * or NaN makes all of a row NaN; rmsnorm of inf gives 0 beside it.
 *
 * What runs where: the MAC array sums rows, as products with ones, and squares, as
 * products of blocks of rows with themselves; the DPU subtracts, divides, multiplies and adds,
 * and has a table for the square root. The CPU copies between these, repeats the values
 * of rows and columns, and computes a few numbers a row: it divides sums by columns,
 * takes var apart into a power of four and a number near 1 for the table, and rounds.
 */
#ifndef SCORIA_NORM_H
#define SCORIA_NORM_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_norm_op {
	SCORIA_LAYERNORM = 1,
	SCORIA_RMSNORM = 2,
};

/**
 * struct scoria_norm_opts - which normalisation
 * @size:  sizeof(struct scoria_norm_opts)
 * @op:    see the head of this file
 * @type:  SCORIA_FP16
 * @rows: @columns: size of x
 * @ldx: @ldy: elements from a row to the next, 0 for rows without gaps
 * @gamma: @beta: not 0 when there are such factors and summands
 * @eps:   positive and finite; 0 stands for 1e-5
 */
struct scoria_norm_opts {
	size_t size;
	enum scoria_norm_op op;
	enum scoria_type type;
	size_t rows;
	size_t columns;
	size_t ldx;
	size_t ldy;
	int gamma;
	int beta;
	double eps;
};

struct scoria_norm_plan;

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_norm_plan_create(struct scoria_device *dev,
				       const struct scoria_norm_opts *opts,
				       struct scoria_norm_plan **plan);
SCORIA_API void scoria_norm_plan_destroy(struct scoria_norm_plan *plan);
SCORIA_API int scoria_norm_plan_info(const struct scoria_norm_plan *plan,
				     struct scoria_plan_info *info);

/*
 * @gamma and @beta: @columns values of fp16, NULL exactly when the plan has none. @y
 * may be @x, if their rows are equally far apart. Gaps between rows of @y are left alone.
 */
SCORIA_API int scoria_norm_run(struct scoria_norm_plan *plan, const void *x, const void *gamma,
			       const void *beta, void *y);

/* Plan, run and forget. */
SCORIA_API int scoria_norm(struct scoria_device *dev, const struct scoria_norm_opts *opts,
			   const void *x, const void *gamma, const void *beta, void *y);

#ifdef __cplusplus
}
#endif

#endif
