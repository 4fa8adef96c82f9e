// SPDX-License-Identifier: MIT
#include "random_shape.h"

#include <math.h>

/* Work per shape is bounded, so that a test's time is. */
#define MAX_MACS 3e6
#define MAX_ELEMENTS 3e5
#define MAX_CHANNELS 6000

static size_t between(struct random *random, size_t low, size_t high)
{
	return random_range(random, low, high);
}

static bool one_in(struct random *random, unsigned int n)
{
	return random_next(random) % n == 0;
}

/* Mostly small, sometimes large, and often beside a multiple of a power of two. */
static size_t some_size(struct random *random, size_t most)
{
	double exponent = (random_next(random) >> 11) * 0x1p-53 * log(most);
	size_t size = exp(exponent);

	if (one_in(random, 3)) {
		size = (size / 8 + 1) * 8;
		size = size + between(random, 0, 2) - 1;
	}
	return size < 1 ? 1 : size > most ? most : size;
}

/* What options point to, until the next shape of this thread. */
static _Thread_local struct {
	double scales[MAX_CHANNELS];
	uint32_t bias[MAX_CHANNELS];
	float factors[MAX_CHANNELS];
	float slopes[MAX_CHANNELS];
	struct scoria_fusion fuse;
} vectors;

static bool is_float(enum scoria_type type)
{
	return type == SCORIA_FP16 || type == SCORIA_BF16 || type == SCORIA_TF32;
}

static void choose_product(struct random *random, struct scoria_matmul_opts *o)
{
	static const struct {
		enum scoria_type in;
		enum scoria_type out;
	} pairs[] = {
		{ SCORIA_FP16, SCORIA_FP16 }, { SCORIA_FP16, SCORIA_FP32 },
		{ SCORIA_INT8, SCORIA_INT32 }, { SCORIA_INT8, SCORIA_INT8 },
		{ SCORIA_BF16, SCORIA_FP32 }, { SCORIA_TF32, SCORIA_FP32 },
		{ SCORIA_INT4, SCORIA_INT32 }, { SCORIA_INT16, SCORIA_INT64 },
		{ SCORIA_UINT8, SCORIA_INT32 }, { SCORIA_UINT8, SCORIA_UINT8 },
	};
	size_t i = between(random, 0, 9);

	o->type = pairs[i].in;
	o->out = pairs[i].out;
	o->b_layout = one_in(random, 2) ? SCORIA_B_KN : SCORIA_B_NK;
	o->batch = one_in(random, 4) ? between(random, 1, 4) : 0;
	o->b_shared = one_in(random, 2);
}

static void choose_scales(struct random *random, double scale, size_t n)
{
	double spread = one_in(random, 2) ? 4 : 10;

	for (size_t i = 0; i < n; i++)
		vectors.scales[i] =
			scale * exp2(-spread * (random_next(random) >> 11) * 0x1p-53);
}

static void choose_function(struct random *random, enum scoria_type out, size_t channels)
{
	static const enum scoria_activation linear[] = { SCORIA_RELU6, SCORIA_LEAKY_RELU,
							 SCORIA_PRELU };
	struct scoria_fusion *fuse = &vectors.fuse;

	if (out != SCORIA_FP16 || one_in(random, 2))
		fuse->activation = linear[between(random, 0, 2)];
	else
		fuse->activation = between(random, SCORIA_HARDTANH, SCORIA_ATANH);
	if (fuse->activation == SCORIA_LEAKY_RELU)
		fuse->alpha = 0.3;
	if (fuse->activation != SCORIA_PRELU)
		return;
	random_fill(random, SCORIA_FP32, vectors.slopes, channels);
	fuse->slopes = vectors.slopes;
}

/* What follows results of type @out, which may already have a ReLU. */
static const struct scoria_fusion *choose_fusion(struct random *random, enum scoria_type out,
						 size_t channels, bool relu)
{
	struct scoria_fusion *fuse = &vectors.fuse;
	bool integers = scoria_type_size(out) == 1;

	*fuse = (struct scoria_fusion){ .size = sizeof(*fuse) };
	if (out == SCORIA_INT32 || !one_in(random, 3))
		return NULL;
	if (!integers && one_in(random, 4)) {
		random_fill(random, SCORIA_FP32, vectors.factors, channels);
		fuse->factors = vectors.factors;
	}
	if (!relu && one_in(random, 2))
		choose_function(random, out, channels);
	fuse->operand = between(random, SCORIA_OPERAND_NONE, SCORIA_OPERAND_MUL);
	fuse->operand_last = one_in(random, 2);
	if (!integers)
		return fuse;
	fuse->operand_scale = exp(random_range(random, -5000, 1000) * 1e-3);
	fuse->operand_zp = out == SCORIA_INT8 ? random_range(random, -128, 127) :
						random_range(random, 0, 255);
	return fuse;
}

static int32_t zero_point(struct random *random, enum scoria_type type)
{
	if (one_in(random, 3))
		return 0;
	return type == SCORIA_INT8 ? random_range(random, -128, 127) : random_range(random, 0, 255);
}

/* Once the shape is known. */
static void choose_epilogue(struct random *random, struct scoria_matmul_opts *o)
{
	static const double alphas[] = { 1, 0.5, -0.1, 3 };

	if (o->type == SCORIA_INT16)
		return;
	o->relu = one_in(random, 3);
	if (o->relu && one_in(random, 2))
		o->relu_max = is_float(o->type) ? 1.5 : between(random, 1, 100);
	if (is_float(o->type))
		o->alpha = alphas[between(random, 0, 3)];
	if (one_in(random, 2)) {
		random_fill(random, is_float(o->type) ? SCORIA_FP32 : SCORIA_INT32, vectors.bias,
			    o->n);
		o->bias = vectors.bias;
	}
	o->fuse = choose_fusion(random, o->out, o->n, o->relu);
	if (scoria_type_size(o->type) != 1 || o->type == SCORIA_INT4)
		return;
	o->a_zp = zero_point(random, o->type);
	o->b_zp = zero_point(random, o->type);
	if (scoria_type_size(o->out) != 1)
		return;
	o->scale = 50 / (74.0 * 74 * sqrt(o->k));
	o->output_zp = zero_point(random, o->out);
	if (one_in(random, 2)) {
		choose_scales(random, o->scale, o->n);
		o->scales = vectors.scales;
	}
}

struct scoria_matmul_opts random_matmul(struct random *random)
{
	struct scoria_matmul_opts o = { .size = sizeof(o) };

	choose_product(random, &o);
	do {
		o.m = some_size(random, 3000);
		o.k = some_size(random, 30000);
		o.n = some_size(random, MAX_CHANNELS);
	} while ((double)o.m * o.k * o.n > MAX_MACS || (double)o.m * o.n > MAX_ELEMENTS);
	if (one_in(random, 3))
		o.lda = o.k + between(random, 0, 9);
	if (one_in(random, 3))
		o.ldb = (o.b_layout == SCORIA_B_KN ? o.n : o.k) + between(random, 0, 9);
	if (one_in(random, 3))
		o.ldc = o.n + between(random, 0, 9);
	choose_epilogue(random, &o);
	return o;
}

static void choose_types(struct random *random, struct scoria_conv2d_opts *o)
{
	static const struct {
		enum scoria_type in;
		enum scoria_type out;
	} pairs[] = {
		{ SCORIA_FP16, SCORIA_FP16 }, { SCORIA_FP16, SCORIA_FP32 },
		{ SCORIA_INT8, SCORIA_INT32 }, { SCORIA_INT8, SCORIA_INT8 },
		{ SCORIA_UINT8, SCORIA_INT32 }, { SCORIA_UINT8, SCORIA_UINT8 },
	};
	size_t i = between(random, 0, 5);

	o->type = pairs[i].in;
	o->out = pairs[i].out;
	o->layout = one_in(random, 2) ? SCORIA_NCHW : SCORIA_NHWC;
	o->bias = one_in(random, 2);
	o->relu = one_in(random, 3);
	if (o->relu && one_in(random, 2))
		o->relu_max = between(random, 1, 100);
}

static void choose_quantisation(struct random *random, struct scoria_conv2d_opts *o)
{
	double terms = (double)o->ic / o->groups * o->kh * o->kw;

	if (o->type == SCORIA_FP16)
		return;
	o->input_zp = zero_point(random, o->type);
	o->weight_zp = zero_point(random, o->type);
	if (scoria_type_size(o->out) > 1)
		return;
	o->output_zp = zero_point(random, o->out);
	/* sums of random tensors have about this standard deviation */
	o->scale = 50 / (74.0 * 74 * sqrt(terms)) * exp(random_range(random, -2000, 1000) * 1e-3);
	if (one_in(random, 2)) {
		choose_scales(random, o->scale, o->oc);
		o->scales = vectors.scales;
	}
}

static void choose_channels(struct random *random, struct scoria_conv2d_opts *o)
{
	size_t multiplier = one_in(random, 3) ? between(random, 1, 4) : 1;

	o->groups = 1;
	switch (between(random, 0, 5)) {
	case 0:		/* depthwise */
		o->ic = o->groups = some_size(random, 200);
		o->oc = o->ic * multiplier;
		break;
	case 1:
		o->groups = between(random, 1, 6);
		o->ic = o->groups * some_size(random, 40);
		o->oc = o->groups * some_size(random, 40);
		break;
	default:
		o->ic = some_size(random, 600);
		o->oc = some_size(random, 300);
	}
}

static size_t kernel_size(struct random *random)
{
	switch (between(random, 0, 9)) {
	case 0:
		return between(random, 1, 40);
	case 1: case 2: case 3:
		return 1;
	case 4: case 5: case 6:
		return 3;
	default:
		return between(random, 1, 8);
	}
}

static size_t rarely(struct random *random, size_t usual, size_t most)
{
	return one_in(random, 4) ? between(random, usual, one_in(random, 8) ? most : usual + 2)
				 : usual;
}

static void choose_window(struct random *random, struct scoria_conv2d_opts *o)
{
	o->kh = kernel_size(random);
	o->kw = one_in(random, 3) ? kernel_size(random) : o->kh;
	o->stride_y = rarely(random, 1, 10);
	o->stride_x = one_in(random, 3) ? rarely(random, 1, 10) : o->stride_y;
	o->dilation_y = rarely(random, 1, 36);
	o->dilation_x = one_in(random, 3) ? rarely(random, 1, 36) : o->dilation_y;
	o->pad_top = between(random, 0, one_in(random, 8) ? 20 : o->kh);
	o->pad_bottom = one_in(random, 2) ? o->pad_top : between(random, 0, o->kh);
	o->pad_left = one_in(random, 2) ? o->pad_top : between(random, 0, o->kw);
	o->pad_right = one_in(random, 2) ? o->pad_left : between(random, 0, o->kw);
	o->batch = rarely(random, 1, 5);
	o->h = some_size(random, 300);
	o->w = one_in(random, 20) ? some_size(random, 12000) : some_size(random, 300);
}

/* Whether it is a convolution, and a small one. */
static bool usable(const struct scoria_conv2d_opts *o)
{
	double outputs, terms = (double)o->ic / o->groups * o->kh * o->kw;
	size_t oh, ow;

	if (scoria_conv2d_output(o, &oh, &ow))
		return false;
	outputs = (double)o->batch * o->oc * oh * ow;
	return outputs * terms <= MAX_MACS && outputs <= MAX_ELEMENTS &&
	       (double)o->batch * o->ic * o->h * o->w <= MAX_ELEMENTS &&
	       terms * oh * ow * o->groups <= 10 * MAX_ELEMENTS;
}

struct scoria_conv2d_opts random_conv2d(struct random *random)
{
	struct scoria_conv2d_opts o;

	do {
		o = (struct scoria_conv2d_opts){ .size = sizeof(o) };
		choose_types(random, &o);
		choose_channels(random, &o);
		choose_window(random, &o);
		choose_quantisation(random, &o);
		o.fuse = choose_fusion(random, o.out, o.oc, o.relu);
	} while (!usable(&o));
	return o;
}
