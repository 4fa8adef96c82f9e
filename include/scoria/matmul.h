/* SPDX-License-Identifier: MIT */
/*
 * Matrix product C = alpha A B + bias, and a ReLU if wanted; or a batch of them.
 *
 *	A	m x k, row-major: element (i, p) at i * lda + p
 *	B	k x n: element (p, j) at p * ldb + j (SCORIA_B_KN) or
 *		j * ldb + p (SCORIA_B_NK, every column of B contiguous)
 *	C	m x n: element (i, j) at i * ldc + j
 *
 *	A and B	C	bias	sums in
 *	fp16	fp32	float	fp32
 *	fp16	fp16	float	fp32, rounded once, to nearest even; overflow gives infinity
 *	bf16	fp32	float	fp32
 *	tf32	fp32	float	fp32; the 13 low bits of A and B are cut off (C3)
 *	int8	int32	int32	int32, exact
 *	int8	int8	int32	int32, exact, then requantised as in conv2d.h
 *	uint8	int32	int32	int32, exact
 *	uint8	uint8	int32	int32, exact, then requantised as in conv2d.h
 *	int4	int32	int32	16 bits for up to 480 k, added in int32, exact
 *	int16	int64	none	four int8 products of the bytes, exact
 *
 * Every m, n, k >= 1 works as long as it fits memory; integers take k up to 131071,
 * where 2^7 * 2^7 * k reaches 2^31 and int32 could overflow.
 *
 * Products of int8 and uint8 are of a - a_zp and b - b_zp. Where one of the two zero points
 * is not 0 as the NPU sees it, which is 0 of int8 and 128 of uint8, the columns of B are
 * summed when weights are packed, and weights with which a column could leave int32 are
 * refused with -EOVERFLOW.
 *
 * alpha, bias, ReLU and requantisation are part of the NPU's task, except that the
 * CPU does them while it unpacks when it has to add partial results, for int4 (whose
 * sums leave the NPU with 16 bits, C3), when alpha is not an fp16 number (the
 * DPU's multipliers are fp16), and when the scales of requantised columns have no
 * shift in common (see conv2d.h). What else can follow the sums, and where it runs, is
 * in fusion.h.
 *
 * One pass of the hardware takes k up to 10240 (the largest that was seen right
 * on boards, programming-model E5); more is split, and so is less when that moves
 * fewer bytes. The partial results are added by the CPU: the hardware's own
 * running sum through the element-wise unit rounds to fp16 at every step, and
 * its fp32 form was never verified on a board (programming-model F3, K).
 */
#ifndef SCORIA_MATMUL_H
#define SCORIA_MATMUL_H

#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_b_layout {
	SCORIA_B_KN = 0,
	SCORIA_B_NK = 1,
};

/**
 * struct scoria_matmul_opts - what to multiply
 * @size:     sizeof(struct scoria_matmul_opts)
 * @type:     of A and B
 * @out:      of C
 * @b_layout: see the head of this file
 * @m: @k: @n: the matrices' sizes
 * @lda: @ldb: @ldc: elements from a row to the next, 0 for rows without gaps
 * @batch:    products, 0 stands for 1
 * @stride_a: @stride_b: @stride_c: elements from a matrix to the next, 0 for matrices
 *            without gaps
 * @b_shared: not 0 when all products have the same B
 * @bias:     @n values that are added to every row, or NULL. Read when the plan is
 *            created.
 * @alpha:    factor of A B; 0 stands for 1. 1 for integers
 * @relu:     not 0: negative results become 0
 * @relu_max: and those above it become it; 0 for no limit. In units of the output
 * @scale: @scales: @output_zp: of int8 and uint8 output, as in conv2d.h, with a scale for every
 *            column of C
 * @fuse:     what else follows the sums, see fusion.h; the operand's rows lie as those
 *            of C. NULL for nothing
 * @a_zp: @b_zp: zero points of int8 and uint8, values of their type
 */
struct scoria_matmul_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_type out;
	enum scoria_b_layout b_layout;
	size_t m;
	size_t k;
	size_t n;
	size_t lda;
	size_t ldb;
	size_t ldc;
	size_t batch;
	size_t stride_a;
	size_t stride_b;
	size_t stride_c;
	int b_shared;
	const void *bias;
	double alpha;
	int relu;
	double relu_max;
	double scale;
	const double *scales;
	int32_t output_zp;
	const struct scoria_fusion *fuse;
	int32_t a_zp;
	int32_t b_zp;
};

struct scoria_matmul_plan;
struct scoria_matmul_weights;

/*
 * Decide once how to run the product, and take the memory for it. The plan is
 * run any number of times. Errors: see scoria.h.
 */
SCORIA_API int scoria_matmul_plan_create(struct scoria_device *dev,
					 const struct scoria_matmul_opts *opts,
					 struct scoria_matmul_plan **plan);
SCORIA_API void scoria_matmul_plan_destroy(struct scoria_matmul_plan *plan);

/*
 * The multipliers with which the columns of int8 and uint8 output are requantised, @opts->n of
 * them. -EINVAL when the options are not valid.
 */
SCORIA_API int scoria_matmul_requant(const struct scoria_matmul_opts *opts,
				     struct scoria_requant *columns);

/* What the plan will do. The caller sets @info->size. */
SCORIA_API int scoria_matmul_plan_info(const struct scoria_matmul_plan *plan,
				       struct scoria_plan_info *info);

/*
 * B, or every B of a batch, in the layout of the NPU, in NPU memory. It can be run with
 * @plan, and with no other plan; it must be destroyed before @plan. @b is not used
 * afterwards. -EOVERFLOW: see above; the message names the column.
 */
SCORIA_API int scoria_matmul_weights_create(struct scoria_matmul_plan *plan, const void *b,
					    struct scoria_matmul_weights **weights);

/*
 * Another B in place of the one that @weights hold, in the memory that is there: for a B
 * that is new at every run. No run may be under way with them. When it fails, they
 * hold neither.
 */
SCORIA_API int scoria_matmul_weights_update(struct scoria_matmul_weights *weights, const void *b);
SCORIA_API void scoria_matmul_weights_destroy(struct scoria_matmul_weights *weights);

/*
 * C := A B. Gaps between the rows of C are left alone. When the device fails,
 * part of C may have been written. -EINVAL: @weights are another plan's.
 */
SCORIA_API int scoria_matmul_run(struct scoria_matmul_plan *plan,
				 struct scoria_matmul_weights *weights, const void *a, void *c);

/* The same with the operand of fusion.h. */
SCORIA_API int scoria_matmul_run_fused(struct scoria_matmul_plan *plan,
				       struct scoria_matmul_weights *weights, const void *a,
				       const void *operand, void *c);

/* Plan, pack, run and forget. */
SCORIA_API int scoria_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
			     const void *a, const void *b, void *c);

#ifdef __cplusplus
}
#endif

#endif
