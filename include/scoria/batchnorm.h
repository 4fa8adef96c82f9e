/* SPDX-License-Identifier: MIT */
/*
 * Batch normalisation with statistics that are known.
 *
 *	x, y	batch x c x h x w (SCORIA_NCHW) or batch x h x w x c (SCORIA_NHWC), fp16
 *	y = (x - mean[c]) / sqrt(var[c] + eps) * gamma[c] + beta[c]
 *
 * and a ReLU behind it, if wanted. It is folded when the plan is created: into a factor
 * a channel, rounded to fp16, and a summand a channel, in fp32, which fits the rounded
 * factor. So a mean that is large against y costs no precision: y is within
 *
 *	2^-10 (|y| + |y - beta[c]|) + 2^-22 (|x| + |mean[c]|) |factor| + 2^-24 (1 + |x| + |mean[c]|)
 *
 * of the exact result. NaN stays NaN, but for a ReLU, which may give any of its values.
 *
 * What runs where: it is a depthwise convolution with kernels of one element (MAC array
 * and DPU). Behind another convolution it needs no operation: multiply that one's
 * weights by the factors and use the summands as its bias.
 */
#ifndef SCORIA_BATCHNORM_H
#define SCORIA_BATCHNORM_H

#include <scoria/conv2d.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct scoria_batchnorm_opts - which normalisation
 * @size:   sizeof(struct scoria_batchnorm_opts)
 * @type:   SCORIA_FP16
 * @layout: of x and y
 * @batch: @c: @h: @w: size of x and y
 * @mean: @var: @gamma: @beta: @c finite values, read when the plan is created, @var not
 *          below 0. NULL for 0, 1, 1 and 0.
 * @eps:    positive and finite; 0 stands for 1e-5
 * @relu: @relu_max: as in conv2d.h
 */
struct scoria_batchnorm_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_layout layout;
	size_t batch;
	size_t c;
	size_t h;
	size_t w;
	const float *mean;
	const float *var;
	const float *gamma;
	const float *beta;
	double eps;
	int relu;
	double relu_max;
};

struct scoria_batchnorm_plan;

/* As scoria_matmul_plan_create(). -EOVERFLOW: a factor does not fit fp16; the message names it. */
SCORIA_API int scoria_batchnorm_plan_create(struct scoria_device *dev,
					    const struct scoria_batchnorm_opts *opts,
					    struct scoria_batchnorm_plan **plan);
SCORIA_API void scoria_batchnorm_plan_destroy(struct scoria_batchnorm_plan *plan);
SCORIA_API int scoria_batchnorm_plan_info(const struct scoria_batchnorm_plan *plan,
					  struct scoria_plan_info *info);

SCORIA_API int scoria_batchnorm_run(struct scoria_batchnorm_plan *plan, const void *x, void *y);

/* Plan, run and forget. */
SCORIA_API int scoria_batchnorm(struct scoria_device *dev,
				const struct scoria_batchnorm_opts *opts, const void *x, void *y);

#ifdef __cplusplus
}
#endif

#endif
