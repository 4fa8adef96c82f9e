/* SPDX-License-Identifier: MIT */
/*
 * One-dimensional convolution: the two-dimensional one of an image of one row.
 *
 *	input	batch x ic x length (SCORIA_NCHW) or batch x length x ic (SCORIA_NHWC)
 *	weights	oc x (ic / groups) x kernel, in both cases
 *	output	batch x oc x ol or batch x ol x oc
 *
 *	ol = (length + pad_left + pad_right - (dilation * (kernel - 1) + 1)) / stride + 1
 *
 * Everything else is as in conv2d.h. To plan once and run many times, take the
 * options from scoria_conv1d_as_conv2d() and go on with scoria_conv2d_plan_create().
 */
#ifndef SCORIA_CONV1D_H
#define SCORIA_CONV1D_H

#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct scoria_conv1d_opts - which convolution
 * @size:     sizeof(struct scoria_conv1d_opts)
 * @length:   of the input
 * @kernel: @stride: @dilation: taps, and their distances; 0 stands for a stride or
 *            dilation of 1
 * @pad_left: @pad_right: padding
 *
 * The others are as in struct scoria_conv2d_opts.
 */
struct scoria_conv1d_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_type out;
	enum scoria_layout layout;
	size_t batch;
	size_t ic;
	size_t oc;
	size_t length;
	size_t kernel;
	size_t stride;
	size_t dilation;
	size_t pad_left;
	size_t pad_right;
	size_t groups;
	int bias;
	int relu;
	int32_t input_zp;
	int32_t weight_zp;
	int32_t output_zp;
	double scale;
	const double *scales;
	double relu_max;
	const struct scoria_fusion *fuse;
};

/*
 * The same convolution in two dimensions. -EINVAL: a pointer is NULL, @opts is too short or
 * sets what is not known here, or the kernel does not fit the length with its padding. What
 * has the same name in two dimensions is checked by who takes @conv2d.
 */
SCORIA_API int scoria_conv1d_as_conv2d(const struct scoria_conv1d_opts *opts,
				       struct scoria_conv2d_opts *conv2d);

/* Plan, pack, run and forget. */
SCORIA_API int scoria_conv1d(struct scoria_device *dev, const struct scoria_conv1d_opts *opts,
			     const void *input, const void *weights, const void *bias,
			     void *output);

#ifdef __cplusplus
}
#endif

#endif
