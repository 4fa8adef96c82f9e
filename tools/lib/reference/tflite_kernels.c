// SPDX-License-Identifier: MIT
/* Convolutions' ends, sums, products and averages as TensorFlow Lite has them. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "tflite.h"

/* Bits that a sum's operands are moved up by before they are scaled. */
#define SUM_BITS 20

static int32_t value_at(enum scoria_type type, const void *data, size_t i)
{
	return (int32_t)compare_value(type, data, i);
}

static int32_t least(enum scoria_type type)
{
	return type == SCORIA_UINT8 ? 0 : INT8_MIN;
}

/* @low: @high: of the type, or nearer where an activation ends before. */
static void store(void *output, size_t i, int64_t value, int64_t low, int64_t high)
{
	((uint8_t *)output)[i] = (uint8_t)(value < low ? low : value > high ? high : value);
}

static int64_t relu_low(enum scoria_type type, bool relu, int32_t zero_point)
{
	return relu && zero_point > least(type) ? zero_point : least(type);
}

static int64_t relu_high(enum scoria_type type, double relu_max, int32_t zero_point)
{
	const double most = least(type) + UINT8_MAX;

	return (int64_t)(relu_max > 0 ? fmin(most, zero_point + rint(relu_max)) : most);
}

void tflite_requantise(const struct scoria_conv2d_opts *o, const int32_t *sums, void *output)
{
	const int64_t low = relu_low(o->out, o->relu, o->output_zp);
	const int64_t high = relu_high(o->out, o->relu_max, o->output_zp);
	size_t oh = 0, ow = 0, plane, i;

	scoria_conv2d_output(o, &oh, &ow);
	plane = o->layout == SCORIA_NCHW ? oh * ow : 1;
	for (i = 0; i < o->batch * o->oc * oh * ow; i++) {
		const double scale = o->scales ? o->scales[i / plane % o->oc] : o->scale;
		const int32_t x = tflite_multiply(sums[i], tflite_quantize_multiplier(scale));

		store(output, i, (int64_t)x + o->output_zp, low, high);
	}
}

static double or_one(double scale)
{
	return scale == 0 ? 1 : scale;
}

/* Operands on a common scale of twice the larger one, in the upper bits. */
static int32_t sum(const struct scoria_eltwise_opts *o, int32_t a, int32_t b)
{
	const double twice = 2 * fmax(or_one(o->a_scale), or_one(o->b_scale));
	const double end = twice / ((1 << SUM_BITS) * or_one(o->out_scale));
	const int32_t sa = tflite_multiply(a * (1 << SUM_BITS),
					   tflite_quantize_multiplier(or_one(o->a_scale) / twice));
	const int32_t sb = tflite_multiply(b * (1 << SUM_BITS),
					   tflite_quantize_multiplier(or_one(o->b_scale) / twice));

	return tflite_multiply(o->op == SCORIA_SUB ? sa - sb : sa + sb,
			       tflite_quantize_multiplier(end));
}

static int32_t product(const struct scoria_eltwise_opts *o, int32_t a, int32_t b)
{
	const double scale = or_one(o->a_scale) * or_one(o->b_scale) / or_one(o->out_scale);

	return tflite_multiply(a * b, tflite_quantize_multiplier(scale));
}

void tflite_eltwise(const struct scoria_eltwise_opts *o, const void *a, const void *b,
		    void *output)
{
	const int64_t low = relu_low(o->type, o->relu, o->out_zp);
	const int64_t high = relu_high(o->type, o->relu_max / or_one(o->out_scale), o->out_zp);

	for (size_t i = 0; i < o->n; i++) {
		const int32_t x = value_at(o->type, a, i) - o->a_zp;
		const int32_t y = value_at(o->type, b, i) - o->b_zp;
		const int32_t z = o->op == SCORIA_MUL ? product(o, x, y) : sum(o, x, y);

		store(output, i, (int64_t)z + o->out_zp, low, high);
	}
}

/* Element of an image. */
static size_t place(const struct scoria_pool_opts *o, size_t h, size_t w, size_t batch, size_t c,
		    size_t y, size_t x)
{
	if (o->layout == SCORIA_NHWC)
		return ((batch * h + y) * w + x) * o->c + c;
	return ((batch * o->c + c) * h + y) * w + x;
}

static size_t or_all(size_t kernel, size_t size)
{
	return kernel ? kernel : size;
}

/* Of the window at @oy, @ox: half of the count is added before it divides, away from 0. */
static int32_t average(const struct scoria_pool_opts *o, const void *input, size_t batch, size_t c,
		       size_t oy, size_t ox)
{
	const size_t kh = or_all(o->kh, o->h), kw = or_all(o->kw, o->w);
	int64_t acc = 0, count = 0;

	for (size_t i = 0; i < kh * kw; i++) {
		const size_t y = oy * or_all(o->stride_y, kh) + i / kw - o->pad_top;
		const size_t x = ox * or_all(o->stride_x, kw) + i % kw - o->pad_left;

		if (y >= o->h || x >= o->w)
			continue;
		acc += value_at(o->type, input, place(o, o->h, o->w, batch, c, y, x));
		count++;
	}
	return (int32_t)((acc > 0 ? acc + count / 2 : acc - count / 2) / count);
}

void tflite_average_pool(const struct scoria_pool_opts *o, const void *input, void *output)
{
	size_t oh = 0, ow = 0, i;

	scoria_pool_output(o, &oh, &ow);
	for (i = 0; i < o->batch * o->c * oh * ow; i++) {
		const size_t x = i % ow, y = i / ow % oh, c = i / ow / oh % o->c;
		const size_t batch = i / ow / oh / o->c;

		store(output, place(o, oh, ow, batch, c, y, x), average(o, input, batch, c, y, x),
		      least(o->type), least(o->type) + UINT8_MAX);
	}
}
