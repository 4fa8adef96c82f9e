/* SPDX-License-Identifier: MIT */
/*
 * Two-dimensional convolution.
 *
 *	input	batch x ic x h x w (SCORIA_NCHW) or batch x h x w x ic (SCORIA_NHWC)
 *	weights	oc x (ic / groups) x kh x kw, in both cases
 *	bias	oc values, float for fp16 input and int32_t for the others
 *	output	batch x oc x oh x ow or batch x oh x ow x oc
 *
 *	oh = (h + pad_top + pad_bottom - (dilation_y * (kh - 1) + 1)) / stride_y + 1
 *
 * and ow likewise; use scoria_conv2d_output(). Output channel o belongs to group
 * o / (oc / groups). groups == ic is a depthwise convolution with multiplier
 * oc / ic.
 *
 *	input	weights	output		what
 *	fp16	fp16	fp32, fp16	sum + bias, in fp32, rounded once
 *	int8	int8	int32		acc
 *	int8	int8	int8		requantised acc
 *	uint8	uint8	int32		acc
 *	uint8	uint8	uint8		requantised acc
 *
 *	acc = sum (x - input_zp) * (w - weight_zp) + bias		exact, int32
 *	relu: negative values become 0, those above relu_max relu_max
 *	requantised: saturate(relu(round(acc * m / 2^s)) + output_zp)
 *
 * m and s of every channel are those of scoria_conv2d_requant(). acc * m is exact;
 * round() is to the nearest integer, ties to even; the addition does not wrap;
 * saturate() limits to the output type. Positions in the padding count as
 * input_zp, so they add nothing.
 *
 * With one scale for all channels m is in [2^14, 2^15): the multiplier of the output
 * converter (programming-model C7), and scale ~ m / 2^s to 15 significant bits. With
 * a scale for every channel the hardware has a 16-bit multiplier for each of them
 * (in the DPU's BN stage) but one shift for all (C5). The largest scale gets 15 bits,
 * one that is 2^7 times smaller 8 bits: as long as that moves no result by more
 * than 1/2 it is what is done. If it would, the NPU gives the int32 sums and the CPU
 * multiplies, each channel with 15 bits and a shift of its own. Either way results
 * are within 1 of TensorFlow Lite's reference kernels, which round twice.
 *
 * Windows beyond the hardware (kernel above 31, stride above 7, padding above 15,
 * dilation above 32, or a window that does not fit the buffers on the chip) run as
 * matrix products over input that the CPU gathers: right, but slower. int8 refuses
 * sums that could leave int32.
 */
#ifndef SCORIA_CONV2D_H
#define SCORIA_CONV2D_H

#include <scoria/fusion.h>

#ifdef __cplusplus
extern "C" {
#endif

enum scoria_layout {
	SCORIA_NCHW = 0,
	SCORIA_NHWC = 1,
};

/**
 * struct scoria_conv2d_opts - which convolution
 * @size:       sizeof(struct scoria_conv2d_opts)
 * @type:       of input and weights
 * @out:        of the output
 * @layout:     of input and output
 * @batch:      images
 * @ic: @oc:    channels of input and output, multiples of @groups
 * @h: @w:      input size
 * @kh: @kw:    kernel size
 * @stride_y: @stride_x: 0 stands for 1
 * @dilation_y: @dilation_x: 0 stands for 1, no gaps
 * @pad_top: @pad_bottom: @pad_left: @pad_right: rows and columns of padding
 * @groups:     0 stands for 1
 * @bias:       not 0 when there is a bias
 * @relu:       not 0 for a ReLU
 * @input_zp: @weight_zp: @output_zp: zero points, values of the tensors' types;
 *              only for int8 and uint8 (@output_zp only when requantised)
 * @scale:      real multiplier of the requantisation, input scale * weight scale
 *              / output scale, in [2^-49, 32767]; unused otherwise
 * @scales:     @oc of them, one for each output channel, instead of @scale; read
 *              when the plan is created. NULL for none
 * @relu_max:   upper limit of the ReLU, such as 6; 0 for none. For int32 output in
 *              units of acc, for requantised output in units of the output scale,
 *              6 / output scale, both rounded to the nearest integer
 * @fuse:       what else follows the sums, see fusion.h; NULL for nothing
 */
struct scoria_conv2d_opts {
	size_t size;
	enum scoria_type type;
	enum scoria_type out;
	enum scoria_layout layout;
	size_t batch;
	size_t ic;
	size_t oc;
	size_t h;
	size_t w;
	size_t kh;
	size_t kw;
	size_t stride_y;
	size_t stride_x;
	size_t dilation_y;
	size_t dilation_x;
	size_t pad_top;
	size_t pad_bottom;
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

/* The multiplier of an output channel: @multiplier / 2^@shift. */
struct scoria_requant {
	uint32_t multiplier;
	uint32_t shift;
};

struct scoria_conv2d_plan;
struct scoria_conv2d_weights;

/*
 * Height and width of the output. -EINVAL when the options are not valid, for
 * example because the kernel does not fit the padded input.
 */
SCORIA_API int scoria_conv2d_output(const struct scoria_conv2d_opts *opts, size_t *oh, size_t *ow);

/*
 * The multiplier and the shift with which @scale is carried out: @scale rounded to
 * 15 significant bits is *multiplier / 2^*shift. -EINVAL outside [2^-49, 32767].
 */
SCORIA_API int scoria_quantize_scale(double scale, uint32_t *multiplier, uint32_t *shift);

/*
 * The multipliers that a convolution with requantised output has, for @opts->oc
 * channels. -EINVAL when the options are not valid.
 */
SCORIA_API int scoria_conv2d_requant(const struct scoria_conv2d_opts *opts,
				     struct scoria_requant *channels);

/* As scoria_matmul_plan_create(). */
SCORIA_API int scoria_conv2d_plan_create(struct scoria_device *dev,
					 const struct scoria_conv2d_opts *opts,
					 struct scoria_conv2d_plan **plan);
SCORIA_API void scoria_conv2d_plan_destroy(struct scoria_conv2d_plan *plan);
SCORIA_API int scoria_conv2d_plan_info(const struct scoria_conv2d_plan *plan,
				       struct scoria_plan_info *info);

/*
 * Weights and bias in the layout of the NPU. They can be run with @plan only and
 * must be destroyed before it. @bias is NULL exactly when the plan has none.
 * -EOVERFLOW: with these weights and this bias a channel's int32 sum could
 * overflow; the message names the channel.
 */
SCORIA_API int scoria_conv2d_weights_create(struct scoria_conv2d_plan *plan, const void *weights,
					    const void *bias,
					    struct scoria_conv2d_weights **packed);
SCORIA_API void scoria_conv2d_weights_destroy(struct scoria_conv2d_weights *packed);

/* When the device fails, part of the output may have been written. */
SCORIA_API int scoria_conv2d_run(struct scoria_conv2d_plan *plan,
				 struct scoria_conv2d_weights *packed, const void *input,
				 void *output);

/*
 * The same with the operand of fusion.h, of the size, layout and type of the output.
 * -EINVAL: @operand is NULL and the plan has one, or the other way round.
 */
SCORIA_API int scoria_conv2d_run_fused(struct scoria_conv2d_plan *plan,
				       struct scoria_conv2d_weights *packed, const void *input,
				       const void *operand, void *output);

/* Plan, pack, run and forget. */
SCORIA_API int scoria_conv2d(struct scoria_device *dev, const struct scoria_conv2d_opts *opts,
			     const void *input, const void *weights, const void *bias,
			     void *output);

#ifdef __cplusplus
}
#endif

#endif
