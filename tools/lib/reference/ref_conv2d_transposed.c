// SPDX-License-Identifier: MIT
/*
 * Transposed convolution as the convolution with the turned kernel of an input that
 * has zeros between and around its elements.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static size_t or_one(size_t value)
{
	return value ? value : 1;
}

/* @same: the convolution. @o: what it stands for, defaults filled in. */
struct turned {
	struct scoria_conv2d_opts o;
	struct scoria_conv2d_opts same;
	void *input;
	void *weights;
};

static size_t index_of(const struct scoria_conv2d_opts *o, size_t image, size_t c, size_t y,
		       size_t x)
{
	if (o->layout == SCORIA_NHWC)
		return ((image * o->h + y) * o->w + x) * o->ic + c;
	return ((image * o->ic + c) * o->h + y) * o->w + x;
}

static void copy(void *to, size_t at, const void *from, size_t index, size_t size)
{
	memcpy((uint8_t *)to + at * size, (const uint8_t *)from + index * size, size);
}

static void spread_plane(struct turned *t, const void *input, size_t image, size_t c)
{
	const struct scoria_conv2d_opts *o = &t->o;
	size_t size = scoria_type_size(o->type), y, x;

	for (y = 0; y < o->h; y++)
		for (x = 0; x < o->w; x++) {
			size_t py = y * o->stride_y + o->dilation_y * (o->kh - 1) - o->pad_top;
			size_t px = x * o->stride_x + o->dilation_x * (o->kw - 1) - o->pad_left;

			/* what is cropped wraps far beyond the size */
			if (py < t->same.h && px < t->same.w)
				copy(t->input, index_of(&t->same, image, c, py, px), input,
				     index_of(o, image, c, y, x), size);
		}
}

static void spread(struct turned *t, const void *input)
{
	const struct scoria_conv2d_opts *s = &t->same;
	size_t bytes = s->batch * s->ic * s->h * s->w * scoria_type_size(s->type), image, c;

	/* the zero point is 0 for fp16 */
	memset(t->input, (uint8_t)s->input_zp, bytes);
	for (image = 0; image < s->batch; image++)
		for (c = 0; c < s->ic; c++)
			spread_plane(t, input, image, c);
}

static void turn(struct turned *t, const void *weights)
{
	const struct scoria_conv2d_opts *o = &t->o;
	size_t icg = o->ic / o->groups, ocg = o->oc / o->groups, taps = o->kh * o->kw, oc, ic, k;

	for (oc = 0; oc < o->oc; oc++)
		for (ic = 0; ic < icg; ic++)
			for (k = 0; k < taps; k++)
				copy(t->weights, (oc * icg + ic) * taps + k, weights,
				     ((oc / ocg * icg + ic) * ocg + oc % ocg) * taps + taps - 1 - k,
				     scoria_type_size(o->type));
}

static void describe(struct turned *t, const struct scoria_conv2d_transposed_opts *opts)
{
	struct scoria_conv2d_opts *o = &t->o;

	*o = opts->conv;
	o->stride_y = or_one(o->stride_y);
	o->stride_x = or_one(o->stride_x);
	o->dilation_y = or_one(o->dilation_y);
	o->dilation_x = or_one(o->dilation_x);
	o->groups = or_one(o->groups);
	t->same = *o;
	t->same.stride_y = t->same.stride_x = 1;
	t->same.pad_top = t->same.pad_bottom = t->same.pad_left = t->same.pad_right = 0;
	t->same.h = (o->h - 1) * o->stride_y + 2 * o->dilation_y * (o->kh - 1) + 1 +
		    opts->output_pad_y - o->pad_top - o->pad_bottom;
	t->same.w = (o->w - 1) * o->stride_x + 2 * o->dilation_x * (o->kw - 1) + 1 +
		    opts->output_pad_x - o->pad_left - o->pad_right;
}

int reference_conv2d_transposed(const struct scoria_conv2d_transposed_opts *opts,
				const struct scoria_requant *requant, const void *input,
				const void *weights, const void *bias, const void *operand,
				const void *output, struct compare *result)
{
	struct turned t;
	size_t size = scoria_type_size(opts->conv.type);
	int err = -ENOMEM;

	describe(&t, opts);
	t.input = calloc(t.same.batch * t.same.ic, t.same.h * t.same.w * size);
	t.weights = calloc(t.o.oc * (t.o.ic / t.o.groups), t.o.kh * t.o.kw * size);
	if (t.input && t.weights) {
		spread(&t, input);
		turn(&t, weights);
		err = reference_conv2d_fused(&t.same, requant, t.input, t.weights, bias, operand,
					     output, result);
	}
	free(t.weights);
	free(t.input);
	return err;
}
