/* SPDX-License-Identifier: MIT */
/*
 * Softmax over the last axis.
 *
 *	x		rows x columns, row-major: element (i, j) at i * ldx + j
 *	softmax		y(i, j) = exp(scale * (x(i, j) - max(i))) / sum(i)
 *	log softmax	y(i, j) = x(i, j) - max(i) - log(sum(i))
 *
 * at i * ldy + j, where max(i) is the largest x of a row and sum(i) the sum over j of
 * the exponentials. The type of y is that of x:
 *
 *	fp16	within (2^-8 + 2^-11 scale |x - max|) y + 2^-22 of the exact result for up to
 *		10^5 columns; log softmax within 2^-9 (1 + |y|)
 *	int8, uint8	quantised as TensorFlow Lite has it: @scale is the scale of x times
 *		beta, 1/256 the scale of y, and its zero point -128 or 0. Within 1 of
 *		TensorFlow Lite's reference kernel. Softmax only.
 *
 * Results are those of the formula for infinities, too: -inf gives 0, as a mask wants
 * it, while NaN or inf makes all of its row NaN, as does a row of nothing but -inf.
 * With these, log softmax gives -inf for -inf.
 *
 * What runs where: the DPU subtracts the largest of every row, looks up the square root of
 * the exponential in a table and squares it, so that small ones are precise; the MAC array
 * sums the rows; the DPU divides. Log softmax has the DPU's table for the logarithms. The CPU
 * copies between these and repeats the values of rows. It finds the largest, since the PPU,
 * which could, wants rows for channels, and to copy them there takes longer than to compare.
 * It rounds sums to fp16, takes the power of two off an argument of the logarithm and adds
 * its logarithm again, and turns int8 to fp16 and back: int8 is exact in fp16, and tables
 * have fp16 results.
 */
#ifndef SCORIA_SOFTMAX_H
#define SCORIA_SOFTMAX_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct scoria_softmax_opts - which softmax
 * @size:    sizeof(struct scoria_softmax_opts)
 * @type:    SCORIA_FP16, SCORIA_INT8 or SCORIA_UINT8, of x and y
 * @log:     not 0 for log softmax
 * @rows: @columns: size of x
 * @ldx: @ldy: elements from a row to the next, 0 for rows without gaps
 * @scale:   of the exponent, in [2^-10, 2^10] for fp16 and [2^-20, 2^10] for int8 and
 *           uint8; 0 stands for 1. Log softmax has none.
 */
struct scoria_softmax_opts {
	size_t size;
	enum scoria_type type;
	int log;
	size_t rows;
	size_t columns;
	size_t ldx;
	size_t ldy;
	double scale;
};

struct scoria_softmax_plan;

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_softmax_plan_create(struct scoria_device *dev,
					  const struct scoria_softmax_opts *opts,
					  struct scoria_softmax_plan **plan);
SCORIA_API void scoria_softmax_plan_destroy(struct scoria_softmax_plan *plan);
SCORIA_API int scoria_softmax_plan_info(const struct scoria_softmax_plan *plan,
					struct scoria_plan_info *info);

/* @y may be @x, if their rows are equally far apart. Gaps between rows of @y are left alone. */
SCORIA_API int scoria_softmax_run(struct scoria_softmax_plan *plan, const void *x, void *y);

/* Plan, run and forget. */
SCORIA_API int scoria_softmax(struct scoria_device *dev, const struct scoria_softmax_opts *opts,
			      const void *x, void *y);

#ifdef __cplusplus
}
#endif

#endif
