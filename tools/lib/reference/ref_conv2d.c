// SPDX-License-Identifier: MIT
/*
 * Convolution by its definition. The input of a group is laid out once as planes
 * with its padding, zero points taken off; a row of outputs is then the sum of
 * scaled rows of it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fusion.h"
#include "reference.h"
#include "sums.h"

/**
 * struct convolution - one in work
 * @o:       options, defaults filled in
 * @then:    what follows the sums
 * @oh: @ow: output size
 * @icg: @ocg: channels per group
 * @ph: @phase: rows of a padded plane; columns of one residue modulo the stride,
 *          which follow each other in a row, so that a row of outputs reads
 *          consecutive values
 * @planes:  of the group and the image in work, double or int32
 * @sums: @part: of a row of outputs
 * @image: @group: in work
 * @values: where results go, or NULL: then @result compares them with @output
 */
struct convolution {
	struct scoria_conv2d_opts o;
	struct following then;
	const void *input;
	const void *weights;
	const void *bias;
	const void *output;
	size_t oh;
	size_t ow;
	size_t icg;
	size_t ocg;
	size_t ph;
	size_t phase;
	void *planes;
	double *sums;
	int32_t *part;
	size_t image;
	size_t group;
	double *values;
	struct compare *result;
};

static bool is_float(const struct convolution *c)
{
	return c->o.type == SCORIA_FP16;
}

static size_t array_index(enum scoria_layout layout, size_t image, size_t channels, size_t channel,
			  size_t h, size_t y, size_t w, size_t x)
{
	if (layout == SCORIA_NHWC)
		return ((image * h + y) * w + x) * channels + channel;
	return ((image * channels + channel) * h + y) * w + x;
}

static double input_at(const struct convolution *c, size_t channel, size_t y, size_t x)
{
	size_t at = array_index(c->o.layout, c->image, c->o.ic, channel, c->o.h, y, c->o.w, x);

	return compare_value(c->o.type, c->input, at) - c->o.input_zp;
}

static double weight_at(const struct convolution *c, size_t channel, size_t ic, size_t tap)
{
	size_t at = (channel * c->icg + ic) * c->o.kh * c->o.kw + tap;

	return compare_value(c->o.type, c->weights, at) - c->o.weight_zp;
}

/* Column @x of a padded row: its residue first, then its place among its like. */
static size_t column(const struct convolution *c, size_t x)
{
	return x % c->o.stride_x * c->phase + x / c->o.stride_x;
}

static size_t row_size(const struct convolution *c)
{
	return c->phase * c->o.stride_x;
}

static void load_row(const struct convolution *c, size_t ic, size_t y)
{
	size_t at = (ic * c->ph + y + c->o.pad_top) * row_size(c), x;
	size_t channel = c->group * c->icg + ic;

	for (x = 0; x < c->o.w; x++) {
		double value = input_at(c, channel, y, x);
		size_t place = at + column(c, x + c->o.pad_left);

		if (is_float(c))
			((double *)c->planes)[place] = value;
		else
			((int32_t *)c->planes)[place] = value;
	}
}

static void load_group(const struct convolution *c)
{
	size_t ic, y;

	for (ic = 0; ic < c->icg; ic++)
		for (y = 0; y < c->o.h; y++)
			load_row(c, ic, y);
}

/* The values that tap (@ky, @kx) of channel @ic contributes to output row @oy. */
static size_t tap_start(const struct convolution *c, size_t ic, size_t oy, size_t ky, size_t kx)
{
	size_t y = oy * c->o.stride_y + ky * c->o.dilation_y;

	return (ic * c->ph + y) * row_size(c) + column(c, kx * c->o.dilation_x);
}

static void fold_part(const struct convolution *c)
{
	size_t i;

	for (i = 0; i < c->ow; i++)
		c->sums[i] += c->part[i];
	memset(c->part, 0, c->ow * sizeof(*c->part));
}

static void add_channel(const struct convolution *c, size_t channel, size_t oy, size_t ic,
			size_t *terms)
{
	size_t tap;

	for (tap = 0; tap < c->o.kh * c->o.kw; tap++) {
		size_t at = tap_start(c, ic, oy, tap / c->o.kw, tap % c->o.kw);
		double w = weight_at(c, channel, ic, tap);

		if (is_float(c)) {
			sums_double(c->sums, (double *)c->planes + at, w, c->ow);
			continue;
		}
		sums_int32(c->part, (int32_t *)c->planes + at, w, c->ow);
		if (++*terms % SUMS_INT32_TERMS == 0)
			fold_part(c);
	}
}

static double bias_of(const struct convolution *c, size_t channel)
{
	if (!c->bias)
		return 0;
	return is_float(c) ? ((const float *)c->bias)[channel]
			   : ((const int32_t *)c->bias)[channel];
}

/* Sum of the magnitudes, for a result that is not at hand. */
static double magnitude(void *ctx, size_t index);

/* The bias follows the factor. */
static double finish_float(const struct convolution *c, size_t channel, size_t index, double sum)
{
	const bool compares = c->then.fuse && c->result;
	const struct rounded sums = { compares ? compare_value(c->o.out, c->output, index) : 0,
				      compares ? c->result->terms : 0, magnitude, (void *)c };
	double x = sum * following_factor(&c->then, channel) + bias_of(c, channel), tolerance;

	if (!compares)
		return following_float(&c->then, channel, index, x, 0, &tolerance);
	return following_rounded(&c->then, channel, index, x, &sums, &c->result->tolerance);
}

static double finish(const struct convolution *c, size_t channel, size_t index, double sum)
{
	if (is_float(c))
		return finish_float(c, channel, index, sum);
	return following_integer(&c->then, channel, index, sum + bias_of(c, channel));
}

static void deliver(const struct convolution *c, size_t index, double value)
{
	if (c->values)
		c->values[index] = value;
	else
		compare_add(c->result, c->output, index, value);
}

static void compute_row(const struct convolution *c, size_t channel, size_t oy)
{
	size_t ic, x, terms = 0;

	memset(c->sums, 0, c->ow * sizeof(*c->sums));
	for (ic = 0; ic < c->icg; ic++)
		add_channel(c, channel, oy, ic, &terms);
	if (!is_float(c))
		fold_part(c);
	for (x = 0; x < c->ow; x++) {
		size_t at = array_index(c->o.layout, c->image, c->o.oc, channel, c->oh, oy, c->ow,
					x);

		deliver(c, at, finish(c, channel, at, c->sums[x]));
	}
}

/* Take an index apart again: rarely asked for. */
static double magnitude(void *ctx, size_t index)
{
	const struct convolution *c = ctx;
	bool nhwc = c->o.layout == SCORIA_NHWC;
	size_t plane = c->oh * c->ow, inner = index % (plane * c->o.oc), ic, tap;
	size_t channel = nhwc ? inner % c->o.oc : inner / plane;
	size_t pixel = nhwc ? inner / c->o.oc : inner % plane;
	double sum = fabs(bias_of(c, channel));

	for (ic = 0; ic < c->icg; ic++)
		for (tap = 0; tap < c->o.kh * c->o.kw; tap++) {
			size_t at = tap_start(c, ic, pixel / c->ow, tap / c->o.kw, tap % c->o.kw);

			sum += fabs(((double *)c->planes)[at + pixel % c->ow] *
				    weight_at(c, channel, ic, tap)) *
			       fabs(following_factor(&c->then, channel));
		}
	return sum;
}

static void compute_group(const struct convolution *c)
{
	size_t channel, oy;

	load_group(c);
	for (channel = c->group * c->ocg; channel < (c->group + 1) * c->ocg; channel++)
		for (oy = 0; oy < c->oh; oy++)
			compute_row(c, channel, oy);
}

static void default_to_one(size_t *value)
{
	if (!*value)
		*value = 1;
}

static void set_sizes(struct convolution *c)
{
	struct scoria_conv2d_opts *o = &c->o;

	default_to_one(&o->stride_y);
	default_to_one(&o->stride_x);
	default_to_one(&o->dilation_y);
	default_to_one(&o->dilation_x);
	default_to_one(&o->groups);
	c->ph = o->h + o->pad_top + o->pad_bottom;
	c->oh = (c->ph - o->dilation_y * (o->kh - 1) - 1) / o->stride_y + 1;
	c->ow = (o->w + o->pad_left + o->pad_right - o->dilation_x * (o->kw - 1) - 1) /
		o->stride_x + 1;
	c->phase = (o->w + o->pad_left + o->pad_right - 1) / o->stride_x + 1;
	c->icg = o->ic / o->groups;
	c->ocg = o->oc / o->groups;
}

static int compute(struct convolution *c)
{
	int err = -ENOMEM;

	c->planes = calloc(c->icg * c->ph, row_size(c) * sizeof(double));
	c->sums = calloc(c->ow, sizeof(*c->sums));
	c->part = calloc(c->ow, sizeof(*c->part));
	if (c->planes && c->sums && c->part) {
		for (c->image = 0; c->image < c->o.batch; c->image++)
			for (c->group = 0; c->group < c->o.groups; c->group++)
				compute_group(c);
		err = 0;
	}
	free(c->part);
	free(c->sums);
	free(c->planes);
	return err;
}

int reference_conv2d_fused(const struct scoria_conv2d_opts *opts,
			   const struct scoria_requant *requant, const void *input,
			   const void *weights, const void *bias, const void *operand,
			   const void *output, struct compare *result)
{
	struct convolution c = { .o = *opts, .then = FOLLOWING(opts, requant, operand),
				 .input = input, .weights = weights, .bias = bias,
				 .output = output, .result = result };

	set_sizes(&c);
	*result = (struct compare){ .type = c.o.out, .magnitude = magnitude, .ctx = &c,
				    .terms = c.icg * c.o.kh * c.o.kw + 1 + (opts->fuse != NULL) };
	if (opts->fuse && is_float(&c)) {
		result->rule = COMPARE_WITHIN;
		result->magnitude = NULL;
	}
	return compute(&c);
}

int reference_conv2d(const struct scoria_conv2d_opts *opts, const struct scoria_requant *requant,
		     const void *input, const void *weights, const void *bias, const void *output,
		     struct compare *result)
{
	return reference_conv2d_fused(opts, requant, input, weights, bias, NULL, output, result);
}

int reference_conv2d_values(const struct scoria_conv2d_opts *opts,
			    const struct scoria_requant *requant, const void *input,
			    const void *weights, const void *bias, double *values)
{
	struct convolution c = { .o = *opts, .then = FOLLOWING(opts, requant, NULL),
				 .input = input, .weights = weights, .bias = bias,
				 .values = values };

	set_sizes(&c);
	return compute(&c);
}
