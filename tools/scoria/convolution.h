/* SPDX-License-Identifier: MIT */
/* A convolution of the library, ordinary or transposed, behind one set of calls. */
#ifndef SCORIA_CONVOLUTION_H
#define SCORIA_CONVOLUTION_H

#include <stdbool.h>

#include <scoria/scoria.h>

#include "../lib/reference/compare.h"

/**
 * struct convolution - see above
 * @transposed: which of the two
 * @opts:       of an ordinary one those in @conv
 * @plan: @weights: of an ordinary one
 * @t_plan: @t_weights: of a transposed one
 */
struct convolution {
	bool transposed;
	struct scoria_conv2d_transposed_opts opts;
	struct scoria_conv2d_plan *plan;
	struct scoria_conv2d_weights *weights;
	struct scoria_conv2d_transposed_plan *t_plan;
	struct scoria_conv2d_transposed_weights *t_weights;
};

int convolution_plan(struct convolution *c, struct scoria_device *dev, size_t *oh, size_t *ow);
void convolution_info(const struct convolution *c, struct scoria_plan_info *info);
int convolution_pack(struct convolution *c, const void *weights, const void *bias);
int convolution_run(struct convolution *c, const void *input, const void *operand, void *output);
int convolution_check(const struct convolution *c, const void *input, const void *weights,
		      const void *bias, const void *operand, const void *output,
		      struct compare *result);
void convolution_free(struct convolution *c);

#endif
