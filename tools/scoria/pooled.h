/* SPDX-License-Identifier: MIT */
/* Pooling behind a convolution: both in one sequence, with no packing in between. */
#ifndef SCORIA_POOLED_H
#define SCORIA_POOLED_H

#include <scoria/scoria.h>

#include "../lib/reference/compare.h"
#include "tensor.h"

/**
 * struct pooled - see above
 * @text:   --pool, NULL for none
 * @opts:   of the pooling
 * @plan: @seq: @input: @operand: @between: @output: what runs; @operand may be NULL
 * @result: for the caller
 */
struct pooled {
	const char *text;
	struct scoria_pool_opts opts;
	struct scoria_pool_plan *plan;
	struct scoria_sequence *seq;
	struct scoria_tensor *input;
	struct scoria_tensor *operand;
	struct scoria_tensor *between;
	struct scoria_tensor *output;
	struct tensor result;
};

/* Read --pool: max2, min3x2, average2 ... CMD_OK, or CMD_UNUSABLE after a message. */
int pooled_parse(struct pooled *pooled, const char *argv0);

/* Plan it behind @conv, whose output is @oh x @ow. 0, or a negative errno of the library. */
int pooled_plan(struct pooled *pooled, struct scoria_device *dev,
		const struct scoria_conv2d_opts *conv, size_t oh, size_t ow);

/* Elements of the result. */
size_t pooled_count(const struct pooled *pooled);

/* Put both into a sequence, of which @info is what it costs. */
int pooled_add(struct pooled *pooled, struct scoria_conv2d_plan *plan,
	       struct scoria_conv2d_weights *weights, struct scoria_plan_info *info);

/* ", max2 to 3x3": what stands behind the convolution in its title. */
void pooled_describe(const struct pooled *pooled, char *text, size_t size);

/* From @input and, where there is one, @operand to pooled->result. */
int pooled_run(struct pooled *pooled, const void *input, const void *operand);

/*
 * Compare with what the reference makes of @convolved, which the convolution gives by
 * itself and which was compared already: *@result goes on from there.
 */
int pooled_check(const struct pooled *pooled, const void *convolved, struct compare *result);

void pooled_free(struct pooled *pooled);

#endif
