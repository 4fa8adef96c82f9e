// SPDX-License-Identifier: MIT
/* Pooling by its definition, one plane at a time. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "reference.h"

/**
 * struct pooling - one in work
 * @o:      options, defaults filled in
 * @plane:  of channel @c of @image
 */
struct pooling {
	struct scoria_pool_opts o;
	const void *input;
	size_t oh;
	size_t ow;
	double *plane;
	size_t image;
	size_t c;
};

static size_t place(const struct pooling *p, size_t h, size_t w, size_t image, size_t c, size_t y,
		    size_t x)
{
	if (p->o.layout == SCORIA_NHWC)
		return ((image * h + y) * w + x) * p->o.c + c;
	return ((image * p->o.c + c) * h + y) * w + x;
}

static void load_plane(struct pooling *p, size_t image, size_t c)
{
	size_t x, y;

	p->image = image;
	p->c = c;
	for (y = 0; y < p->o.h; y++)
		for (x = 0; x < p->o.w; x++)
			p->plane[y * p->o.w + x] = compare_value(p->o.type, p->input,
				place(p, p->o.h, p->o.w, image, c, y, x));
}

/* First and last + 1 element of a window in one direction. */
static void limits(size_t out, size_t stride, size_t pad, size_t kernel, size_t in, size_t *from,
		   size_t *to)
{
	size_t first = out * stride;

	*from = first > pad ? first - pad : 0;
	*to = first + kernel - pad < in ? first + kernel - pad : in;
}

/* fmax() and fmin() prefer numbers to NaN, as the model of the PPU does. */
static double fold(enum scoria_pool_method method, double value, double element)
{
	if (method == SCORIA_POOL_MAX)
		return fmax(value, element);
	return method == SCORIA_POOL_MIN ? fmin(value, element) : value + element;
}

static double mean(const struct pooling *p, double sum, size_t elements)
{
	size_t all = p->o.kh * p->o.kw;

	if (!p->o.count_include_pad)
		return sum / elements;
	return (sum + (double)p->o.pad_value * (all - elements)) / all;
}

/* Padding is the least, or for min the largest number: all but NaN wins over it. */
static double start(const struct pooling *p, bool padded)
{
	if (p->o.method == SCORIA_POOL_AVERAGE)
		return 0;
	if (!padded)
		return NAN;
	return p->o.method == SCORIA_POOL_MAX ? -INFINITY : INFINITY;
}

static double window(const struct pooling *p, size_t oy, size_t ox, bool magnitudes)
{
	size_t x0, x1, y0, y1, x, y;
	double value;

	limits(oy, p->o.stride_y, p->o.pad_top, p->o.kh, p->o.h, &y0, &y1);
	limits(ox, p->o.stride_x, p->o.pad_left, p->o.kw, p->o.w, &x0, &x1);
	value = start(p, (y1 - y0) * (x1 - x0) < p->o.kh * p->o.kw);
	for (y = y0; y < y1; y++)
		for (x = x0; x < x1; x++) {
			double element = p->plane[y * p->o.w + x];

			value = fold(p->o.method, value, magnitudes ? fabs(element) : element);
		}
	if (p->o.method != SCORIA_POOL_AVERAGE)
		return value;
	return mean(p, value, (y1 - y0) * (x1 - x0));
}

/* Asked for while the plane of this result is loaded. */
static double magnitude(void *ctx, size_t index)
{
	const struct pooling *p = ctx;
	size_t inner = index % (p->o.c * p->oh * p->ow);
	size_t pixel = p->o.layout == SCORIA_NHWC ? inner / p->o.c : inner % (p->oh * p->ow);

	return window(p, pixel / p->ow, pixel % p->ow, true);
}

static void compare_plane(const struct pooling *p, const void *output, struct compare *result)
{
	size_t x, y;

	for (y = 0; y < p->oh; y++)
		for (x = 0; x < p->ow; x++)
			compare_add(result, output,
				    place(p, p->oh, p->ow, p->image, p->c, y, x),
				    window(p, y, x, false));
}

static void fill_defaults(struct scoria_pool_opts *o)
{
	if (!o->kh)
		o->kh = o->h;
	if (!o->kw)
		o->kw = o->w;
	if (!o->stride_y)
		o->stride_y = o->kh;
	if (!o->stride_x)
		o->stride_x = o->kw;
}

int reference_pool(const struct scoria_pool_opts *opts, const void *input, const void *output,
		   struct compare *result)
{
	struct pooling p = { .o = *opts, .input = input };
	size_t image, c;

	fill_defaults(&p.o);
	p.oh = (p.o.h + p.o.pad_top + p.o.pad_bottom - p.o.kh) / p.o.stride_y + 1;
	p.ow = (p.o.w + p.o.pad_left + p.o.pad_right - p.o.kw) / p.o.stride_x + 1;
	p.plane = calloc(p.o.h, p.o.w * sizeof(*p.plane));
	if (!p.plane)
		return -ENOMEM;
	*result = (struct compare){
		.type = p.o.type,
		.rule = p.o.method == SCORIA_POOL_AVERAGE ? COMPARE_MEAN : COMPARE_EXACT,
		.terms = (double)p.o.kh * p.o.kw,
		.magnitude = magnitude,
		.ctx = &p,
	};
	for (image = 0; image < p.o.batch; image++)
		for (c = 0; c < p.o.c; c++) {
			load_plane(&p, image, c);
			compare_plane(&p, output, result);
		}
	result->ctx = NULL;
	free(p.plane);
	return 0;
}
