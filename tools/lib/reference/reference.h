/* SPDX-License-Identifier: MIT */
/*
 * The operations on the CPU, from their definition: double for floats, int64 for
 * integers. Nothing here is shared with the library but the option structs.
 */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include <scoria/conv2d.h>
#include <scoria/conv2d_transposed.h>
#include <scoria/matmul.h>
#include <scoria/pool.h>
#include <scoria/reduce.h>

#include "compare.h"

/*
 * Compare the product @c with that of @a and @b. @requant: of every column of int8
 * results, else NULL. The index of a result is its place in @c. 0 or -ENOMEM.
 */
int reference_matmul(const struct scoria_matmul_opts *opts, const struct scoria_requant *requant,
		     const void *a, const void *b, const void *c, struct compare *result);

/* The same with what @opts->fuse says; @operand is NULL exactly when it has none. */
int reference_matmul_fused(const struct scoria_matmul_opts *opts,
			   const struct scoria_requant *requant, const void *a, const void *b,
			   const void *operand, const void *c, struct compare *result);

/*
 * The same for a convolution. Requantised results are those of conv2d.h's formula,
 * with @requant of every output channel; NULL for others. @opts must be valid; @bias
 * may be NULL.
 */
int reference_conv2d(const struct scoria_conv2d_opts *opts, const struct scoria_requant *requant,
		     const void *input, const void *weights, const void *bias, const void *output,
		     struct compare *result);

/* The same with what @opts->fuse says; @operand is NULL exactly when it has none. */
int reference_conv2d_fused(const struct scoria_conv2d_opts *opts,
			   const struct scoria_requant *requant, const void *input,
			   const void *weights, const void *bias, const void *operand,
			   const void *output, struct compare *result);

/* The same for a transposed convolution; @operand is NULL when it has none. */
int reference_conv2d_transposed(const struct scoria_conv2d_transposed_opts *opts,
				const struct scoria_requant *requant, const void *input,
				const void *weights, const void *bias, const void *operand,
				const void *output, struct compare *result);

/* The results themselves, unrounded where they are floats. */
int reference_conv2d_values(const struct scoria_conv2d_opts *opts,
			    const struct scoria_requant *requant, const void *input,
			    const void *weights, const void *bias, double *values);

/* Sums over the last axis, likewise. */
void reference_reduce(const struct scoria_reduce_opts *opts, const void *x, const void *y,
		      struct compare *result);

/* Pooling, likewise. @opts must be valid. */
int reference_pool(const struct scoria_pool_opts *opts, const void *input, const void *output,
		   struct compare *result);

#endif
