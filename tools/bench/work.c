// SPDX-License-Identifier: MIT
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#include "../lib/reference/random.h"
#include "fp16.h"

static bool is_conv(const struct shape *shape)
{
	return shape->kernel;
}

struct scoria_conv2d_opts work_conv2d(const struct work *work)
{
	const struct shape *s = work->shape;

	return (struct scoria_conv2d_opts){
		.size = sizeof(struct scoria_conv2d_opts), .type = work->type,
		.out = work->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.batch = 1, .ic = s->ic, .oc = s->oc, .h = s->size, .w = s->size,
		.kh = s->kernel, .kw = s->kernel, .stride_y = s->stride, .stride_x = s->stride,
		.pad_top = s->pad, .pad_bottom = s->pad, .pad_left = s->pad, .pad_right = s->pad,
		.groups = s->groups,
	};
}

struct scoria_matmul_opts work_matmul(const struct work *work)
{
	return (struct scoria_matmul_opts){
		.size = sizeof(struct scoria_matmul_opts), .type = work->type,
		.out = work->type == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.b_layout = SCORIA_B_NK, .m = work->m, .k = work->k, .n = work->n,
	};
}

double work_macs(const struct work *work)
{
	return (double)work->groups * work->m * work->k * work->n;
}

static size_t output_size(const struct shape *s)
{
	return (s->size + 2 * s->pad - s->kernel) / s->stride + 1;
}

static void set_sizes(struct work *work)
{
	const struct shape *s = work->shape;

	work->groups = is_conv(s) ? s->groups : 1;
	work->m = is_conv(s) ? output_size(s) * output_size(s) : s->m;
	work->k = is_conv(s) ? s->ic / s->groups * s->kernel * s->kernel : s->k;
	work->n = is_conv(s) ? s->oc / s->groups : s->n;
}

static size_t input_values(const struct work *work)
{
	const struct shape *s = work->shape;

	return is_conv(s) ? s->ic * s->size * s->size : s->m * s->k;
}

static float value(const struct work *work, const void *data, size_t i)
{
	return work->type == SCORIA_FP16 ? fp16_to_fp32(((const uint16_t *)data)[i]) :
					   ((const int8_t *)data)[i];
}

/* Input channel @ic at row @y and column @x, which count the padding. */
static float pixel(const struct work *work, size_t ic, size_t y, size_t x)
{
	const struct shape *s = work->shape;

	if (y < s->pad || x < s->pad || y - s->pad >= s->size || x - s->pad >= s->size)
		return 0;
	return value(work, work->input, (ic * s->size + y - s->pad) * s->size + x - s->pad);
}

/* Element @p of the window at output position @i. */
static float gathered(const struct work *work, size_t group, size_t i, size_t p)
{
	const struct shape *s = work->shape;
	size_t taps = s->kernel * s->kernel, ow = output_size(s);
	size_t ic = group * (s->ic / s->groups) + p / taps;

	return pixel(work, ic, i / ow * s->stride + p % taps / s->kernel,
		     i % ow * s->stride + p % s->kernel);
}

static void fill_factors(struct work *work)
{
	size_t i, rows = work->groups * work->m;

	for (i = 0; i < rows * work->k; i++) {
		size_t row = i / work->k;

		work->a[i] = is_conv(work->shape) ?
			gathered(work, row / work->m, row % work->m, i % work->k) :
			value(work, work->input, i);
	}
	for (i = 0; i < work->groups * work->n * work->k; i++)
		work->b[i] = value(work, work->weights, i);
}

static int8_t *as_int8(const float *from, size_t n)
{
	int8_t *to = malloc(n);
	size_t i;

	for (i = 0; to && i < n; i++)
		to[i] = from[i];
	return to;
}

bool work_create(struct work *work, const struct shape *shape, enum scoria_type type)
{
	struct random random = { .state = 1 };
	size_t a, b, c;

	*work = (struct work){ .shape = shape, .type = type };
	set_sizes(work);
	a = work->groups * work->m * work->k;
	b = work->groups * work->n * work->k;
	c = work->groups * work->m * work->n;
	work->input = calloc(input_values(work), scoria_type_size(type));
	work->weights = calloc(b, scoria_type_size(type));
	work->output = calloc(c, sizeof(float));
	work->c = calloc(c, sizeof(float));
	work->a = calloc(a, sizeof(float));
	work->b = calloc(b, sizeof(float));
	if (!work->input || !work->weights || !work->output || !work->c || !work->a || !work->b)
		return false;
	random_fill(&random, type, work->input, input_values(work));
	random_fill(&random, type, work->weights, b);
	fill_factors(work);
	if (type != SCORIA_INT8)
		return true;
	work->a8 = as_int8(work->a, a);
	work->b8 = as_int8(work->b, b);
	return work->a8 && work->b8;
}

void work_free(struct work *work)
{
	free(work->input);
	free(work->weights);
	free(work->output);
	free(work->c);
	free(work->a);
	free(work->b);
	free(work->a8);
	free(work->b8);
}

/* Where the library puts result (@i, @j) of a group: channels first in a convolution. */
static size_t output_index(const struct work *work, size_t group, size_t i, size_t j)
{
	if (is_conv(work->shape))
		return (group * work->n + j) * work->m + i;
	return i * work->n + j;
}

static double number(const void *data, bool is_int, size_t i)
{
	return is_int ? ((const int32_t *)data)[i] : ((const float *)data)[i];
}

bool work_agrees(const struct work *work, bool c_is_int)
{
	bool is_int = work->type == SCORIA_INT8;
	double largest = 0, error = 0;
	size_t i;

	for (i = 0; i < work->groups * work->m * work->n; i++) {
		size_t row = i / work->n, at = output_index(work, row / work->m, row % work->m,
							    i % work->n);
		double ref = number(work->c, c_is_int, i);

		largest = fmax(largest, fabs(ref));
		error = fmax(error, fabs(number(work->output, is_int, at) - ref));
	}
	return c_is_int ? error == 0 : error <= largest * 0x1p-16;
}
