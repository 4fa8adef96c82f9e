/* SPDX-License-Identifier: MIT */
/*
 * Transposed two-dimensional convolution, also called deconvolution: every input
 * adds its multiple of the kernel to the output, @stride apart.
 *
 *	input	batch x ic x h x w (SCORIA_NCHW) or batch x h x w x ic (SCORIA_NHWC)
 *	weights	ic x (oc / groups) x kh x kw, in both cases
 *	output	batch x oc x oh x ow or batch x oh x ow x oc
 *
 *	oh = (h - 1) * stride_y - pad_top - pad_bottom + dilation_y * (kh - 1) + 1
 *	     + output_pad_y
 *
 * and ow likewise; use scoria_conv2d_transposed_output(). Types, bias, ReLU and
 * quantisation are those of conv2d.h; the same formulas hold for the sums
 *
 *	acc(y, x) = sum over all inputs (i, j) and taps (k, l) with
 *		i * stride_y + k * dilation_y - pad_top = y, and likewise for x
 *
 * Nobody ever drove the hardware's own mode for this (programming-model E4). Outputs
 * whose positions are equal modulo the strides see the same taps, so each such phase
 * is an ordinary convolution of the input with some of the taps: stride_y * stride_x
 * of them, none of which multiplies by inserted zeros. The CPU puts their results,
 * which are final, in their places; what follows the sums (fusion.h) follows in every phase.
 */
#ifndef SCORIA_CONV2D_TRANSPOSED_H
#define SCORIA_CONV2D_TRANSPOSED_H

#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct scoria_conv2d_transposed_opts - which transposed convolution
 * @size: sizeof(struct scoria_conv2d_transposed_opts)
 * @conv: as in conv2d.h, its own size included, with the sizes and strides of the head of
 *        this file; its padding is cut off the output
 * @output_pad_y: @output_pad_x: rows below and columns to the right that the output
 *        has more, less than the stride or the dilation
 */
struct scoria_conv2d_transposed_opts {
	size_t size;
	struct scoria_conv2d_opts conv;
	size_t output_pad_y;
	size_t output_pad_x;
};

struct scoria_conv2d_transposed_plan;
struct scoria_conv2d_transposed_weights;

/* Height and width of the output. -EINVAL when the options are not valid. */
SCORIA_API int
scoria_conv2d_transposed_output(const struct scoria_conv2d_transposed_opts *opts, size_t *oh,
				size_t *ow);

/* These are as their namesakes in conv2d.h. */
SCORIA_API int
scoria_conv2d_transposed_requant(const struct scoria_conv2d_transposed_opts *opts,
				 struct scoria_requant *channels);
SCORIA_API int
scoria_conv2d_transposed_plan_create(struct scoria_device *dev,
				     const struct scoria_conv2d_transposed_opts *opts,
				     struct scoria_conv2d_transposed_plan **plan);
SCORIA_API void
scoria_conv2d_transposed_plan_destroy(struct scoria_conv2d_transposed_plan *plan);
SCORIA_API int
scoria_conv2d_transposed_plan_info(const struct scoria_conv2d_transposed_plan *plan,
				   struct scoria_plan_info *info);
SCORIA_API int
scoria_conv2d_transposed_weights_create(struct scoria_conv2d_transposed_plan *plan,
					const void *weights, const void *bias,
					struct scoria_conv2d_transposed_weights **packed);
SCORIA_API void
scoria_conv2d_transposed_weights_destroy(struct scoria_conv2d_transposed_weights *packed);
SCORIA_API int
scoria_conv2d_transposed_run(struct scoria_conv2d_transposed_plan *plan,
			     struct scoria_conv2d_transposed_weights *packed,
			     const void *input, void *output);
SCORIA_API int
scoria_conv2d_transposed_run_fused(struct scoria_conv2d_transposed_plan *plan,
				   struct scoria_conv2d_transposed_weights *packed,
				   const void *input, const void *operand, void *output);

/* Plan, pack, run and forget. */
SCORIA_API int scoria_conv2d_transposed(struct scoria_device *dev,
					const struct scoria_conv2d_transposed_opts *opts,
					const void *input, const void *weights,
					const void *bias, void *output);

#ifdef __cplusplus
}
#endif

#endif
