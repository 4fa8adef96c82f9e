/* SPDX-License-Identifier: MIT */
/*
 * Matrix product C = A B.
 *
 *	A	m x k, row-major: element (i, p) at i * lda + p
 *	B	k x n: element (p, j) at p * ldb + j (SCORIA_B_KN) or
 *		j * ldb + p (SCORIA_B_NK, every column of B contiguous)
 *	C	m x n: element (i, j) at i * ldc + j
 *
 *	A and B	C	sums in
 *	fp16	fp32	fp32
 *	fp16	fp16	fp32, rounded once, to nearest even; overflow gives infinity
 *	int8	int32	int32, exact
 *
 * Every m, n, k >= 1 works as long as it fits memory; int8 takes k up to 131071,
 * where 2^7 * 2^7 * k reaches 2^31 and int32 could overflow.
 *
 * One pass of the hardware takes k up to 10240 (the largest that was seen right
 * on boards, programming-model E5); more is split, and so is less when that moves
 * fewer bytes. The partial results are added by the CPU: the hardware's own
 * running sum through the element-wise unit rounds to fp16 at every step, and
 * its fp32 form was never verified on a board (programming-model F3, K).
 */
#ifndef SCORIA_MATMUL_H
#define SCORIA_MATMUL_H

#include <scoria/device.h>

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

/* What the plan will do. The caller sets @info->size. */
SCORIA_API int scoria_matmul_plan_info(const struct scoria_matmul_plan *plan,
				       struct scoria_plan_info *info);

/*
 * B in the layout of the NPU, in NPU memory. It can be run with @plan, and with
 * no other plan; it must be destroyed before @plan. @b is not used afterwards.
 */
SCORIA_API int scoria_matmul_weights_create(struct scoria_matmul_plan *plan, const void *b,
					    struct scoria_matmul_weights **weights);
SCORIA_API void scoria_matmul_weights_destroy(struct scoria_matmul_weights *weights);

/*
 * C := A B. Gaps between the rows of C are left alone. When the device fails,
 * part of C may have been written. -EINVAL: @weights are another plan's.
 */
SCORIA_API int scoria_matmul_run(struct scoria_matmul_plan *plan,
				 struct scoria_matmul_weights *weights, const void *a, void *c);

/* Plan, pack, run and forget. */
SCORIA_API int scoria_matmul(struct scoria_device *dev, const struct scoria_matmul_opts *opts,
			     const void *a, const void *b, void *c);

#ifdef __cplusplus
}
#endif

#endif
