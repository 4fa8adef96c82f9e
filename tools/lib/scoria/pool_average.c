// SPDX-License-Identifier: MIT
/*
 * Averages over windows that the PPU does not have. The MAC array sums them row by row,
 * where they overlap, or whole: a product with a band of ones gives neighbouring windows
 * at once. The CPU adds the rows of a window, and divides.
 */
#include "pool_average.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scoria/matmul.h>

#include "error.h"
#include "fp16.h"

#define FP16_ONE	0x3c00

/* Rows of input are copied until they take about as much as this. */
#define COPY_BUDGET	(16ull << 20)

/* Longer sums come in parts; those of int8 stay far from int32's end. */
#define MAX_PART	65536u

/* Kernels of a product are computed in groups of so many (programming-model A2). */
#define GROUP		32u

/**
 * struct pool_average - see pool_average.h
 * @o: @oh: @ow: what is pooled
 * @columns:  neighbouring windows of one segment
 * @segments: of a band, for @columns windows each
 * @length:   elements of a line of a segment
 * @lines: @bands: rows of input in a band: all of a window, and a band a row of windows,
 *            or one, and a band a row of input
 * @parts:    of a segment; then @columns and @lines are 1, and @length is that of a part
 * @channels: of one run
 * @rows:     their parts, one after the other
 * @sums:     @columns of each part, float or int32_t
 */
struct pool_average {
	struct scoria_pool_opts o;
	size_t oh;
	size_t ow;
	size_t columns;
	size_t segments;
	size_t length;
	size_t lines;
	size_t bands;
	size_t parts;
	size_t channels;
	void *rows;
	void *sums;
	struct scoria_matmul_plan *plan;
	struct scoria_matmul_weights *ones;
};

static enum scoria_type type_of(const struct pool_average *a)
{
	return a->o.type == SCORIA_FP16 ? SCORIA_FP16 : SCORIA_INT8;
}

/* Windows that overlap share a segment, which is about twice as long as one of them. */
static void cut(struct pool_average *a)
{
	const struct scoria_pool_opts *o = &a->o;
	size_t columns = align_up(o->kw / o->stride_x + 1, GROUP);

	if (o->stride_x >= o->kw || o->kw > MAX_PART)
		columns = 1;
	a->columns = columns < a->ow ? columns : a->ow;
	a->segments = div_up(a->ow, a->columns);
	a->length = (a->columns - 1) * o->stride_x + o->kw;
	a->parts = o->kw > MAX_PART ? div_up(o->kw, MAX_PART) : 1;
	if (a->parts > 1)
		a->length = MAX_PART;
	a->lines = o->stride_y >= o->kh && a->length <= MAX_PART / o->kh ? o->kh : 1;
	a->bands = a->lines > 1 ? a->oh : o->h;
}

static size_t parts_of_channel(const struct pool_average *a)
{
	return a->bands * a->segments * a->parts;
}

static size_t part_elements(const struct pool_average *a)
{
	return a->lines * a->length;
}

/* Element p of a line counts for the windows that it is in, or for the only one. */
static void put_ones(const struct pool_average *a, void *line, size_t size)
{
	size_t i, p, end;

	for (i = 0; i < a->columns; i++) {
		end = a->parts > 1 ? a->length : i * a->o.stride_x + a->o.kw;
		for (p = i * a->o.stride_x; p < end; p++)
			if (size == 1)
				((uint8_t *)line)[p * a->columns + i] = 1;
			else
				((uint16_t *)line)[p * a->columns + i] = FP16_ONE;
	}
}

static int create_ones(struct pool_average *a)
{
	const size_t size = scoria_type_size(type_of(a)), line = a->length * a->columns * size;
	uint8_t *ones = calloc(a->lines, line);
	size_t i;
	int err;

	if (!ones)
		return error_no_memory();
	for (i = 0; i < a->lines; i++)
		put_ones(a, ones + i * line, size);
	err = scoria_matmul_weights_create(a->plan, ones, &a->ones);
	free(ones);
	return err;
}

static int create_product(struct scoria_device *dev, struct pool_average *a)
{
	const size_t size = scoria_type_size(type_of(a));
	size_t channel = parts_of_channel(a) * part_elements(a) * size;
	struct scoria_matmul_opts opts = {
		.size = sizeof(opts),
		.type = type_of(a),
		.out = type_of(a) == SCORIA_FP16 ? SCORIA_FP32 : SCORIA_INT32,
		.k = part_elements(a),
		.n = a->columns,
	};
	int err;

	a->channels = COPY_BUDGET / channel ? COPY_BUDGET / channel : 1;
	if (a->channels > a->o.c)
		a->channels = a->o.c;
	opts.m = a->channels * parts_of_channel(a);
	a->rows = calloc(opts.m, opts.k * size);
	a->sums = calloc(opts.m, opts.n * sizeof(float));
	if (!a->rows || !a->sums)
		return error_no_memory();
	err = scoria_matmul_plan_create(dev, &opts, &a->plan);
	return err ? err : create_ones(a);
}

int pool_average_create(struct scoria_device *dev, const struct pool_shape *shape,
			struct pool_average **out)
{
	struct pool_average *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return error_no_memory();
	*a = (struct pool_average){ .o = shape->o, .oh = shape->oh, .ow = shape->ow };
	cut(a);
	err = create_product(dev, a);
	if (err) {
		pool_average_destroy(a);
		return err;
	}
	*out = a;
	return 0;
}

void pool_average_destroy(struct pool_average *a)
{
	if (!a)
		return;
	scoria_matmul_weights_destroy(a->ones);
	scoria_matmul_plan_destroy(a->plan);
	free(a->sums);
	free(a->rows);
	free(a);
}

int pool_average_info(const struct pool_average *a, struct scoria_plan_info *info)
{
	struct scoria_plan_info all = { .size = sizeof(all) };
	const uint64_t runs = a->o.batch * div_up(a->o.c, a->channels);

	scoria_matmul_plan_info(a->plan, &all);
	all.tasks *= runs;
	all.jobs *= runs;
	all.runs *= runs;
	return info_copy("plan information", info, sizeof(info->size), &all, sizeof(all));
}

/*
 * Element @i of a part: what is not finite counts as 0, because 0 times it would reach
 * windows beside it; see add_specials().
 */
static bool copy_element(const struct pool_average *a, void *to, size_t i, const void *image,
			 size_t at)
{
	uint16_t x;

	if (a->o.type != SCORIA_FP16) {
		((uint8_t *)to)[i] = ((const uint8_t *)image)[at] ^
				     (a->o.type == SCORIA_UINT8 ? 0x80 : 0);
		return true;
	}
	x = ((const uint16_t *)image)[at];
	((uint16_t *)to)[i] = fp16_is_finite(x) ? x : 0;
	return fp16_is_finite(x);
}

/* @length elements from @first of the row that begins at @at; false if one is not finite. */
static bool copy_line(const struct pool_average *a, void *to, int64_t first, size_t length,
		      const void *image, size_t at, size_t stride)
{
	bool finite = true;
	size_t i;

	for (i = 0; i < length; i++)
		if (first + (int64_t)i >= 0 && first + (int64_t)i < (int64_t)a->o.w)
			finite &= copy_element(a, to, i, image, at + (first + i) * stride);
	return finite;
}

/* One line of all segments, of the row that begins at @at. */
static bool copy_row(const struct pool_average *a, uint8_t *to, const void *image, size_t at,
		     size_t stride)
{
	const struct scoria_pool_opts *o = &a->o;
	const size_t bytes = part_elements(a) * scoria_type_size(o->type);
	size_t segment, part, length;
	bool finite = true;
	int64_t first;

	for (segment = 0; segment < a->segments; segment++)
		for (part = 0; part < a->parts; part++, to += bytes) {
			first = (int64_t)(segment * a->columns * o->stride_x + part * a->length) -
				(int64_t)o->pad_left;
			length = a->length;
			if (a->parts > 1 && (part + 1) * a->length > o->kw)
				length = o->kw - part * a->length;
			finite &= copy_line(a, to, first, length, image, at, stride);
		}
	return finite;
}

static bool copy_channel(const struct pool_average *a, size_t row, size_t c, const void *image)
{
	const struct pool_strides s = pool_strides(a->o.layout, a->o.c, a->o.h, a->o.w);
	const size_t size = scoria_type_size(a->o.type), line = a->length * size;
	const size_t band = a->segments * a->parts * part_elements(a) * size;
	const size_t step = a->lines > 1 ? a->o.stride_y : 1, pad = a->lines > 1 ? a->o.pad_top : 0;
	uint8_t *to = (uint8_t *)a->rows + row * a->bands * band;
	bool finite = true;
	size_t i, l, y;

	memset(to, 0, a->bands * band);
	for (i = 0; i < a->bands; i++, to += band)
		for (l = 0; l < a->lines; l++) {
			y = i * step + l - pad;
			if (y < a->o.h)
				finite &= copy_row(a, to + l * line, image, c * s.c + y * s.y, s.x);
		}
	return finite;
}

/* The part of a window that is inside the input, in one direction. */
struct range {
	size_t from;
	size_t n;
};

static struct range inside(size_t out, size_t kernel, size_t stride, size_t pad, size_t in)
{
	int64_t first = (int64_t)(out * stride) - (int64_t)pad;
	int64_t end = first + (int64_t)kernel;

	if (first < 0)
		first = 0;
	if (end > (int64_t)in)
		end = in;
	return (struct range){ first, end - first };
}

/* A window: its channel in the image and in the run, its place, and what is inside. */
struct window {
	size_t c;
	size_t row;
	size_t oy;
	size_t ox;
	struct range y;
	struct range x;
};

static double sum_at(const struct pool_average *a, size_t index)
{
	if (a->o.type == SCORIA_FP16)
		return (double)((const float *)a->sums)[index];
	return ((const int32_t *)a->sums)[index];
}

/* Of the parts of one band. */
static double sum_of_band(const struct pool_average *a, const struct window *w, size_t band)
{
	const size_t segment = w->ox / a->columns, column = w->ox % a->columns;
	const size_t first = ((w->row * a->bands + band) * a->segments + segment) * a->parts;
	double sum = 0;
	size_t part;

	for (part = first; part < first + a->parts; part++)
		sum += sum_at(a, part * a->columns + column);
	return sum;
}

static double sum_of(const struct pool_average *a, const struct window *w)
{
	double sum = 0;
	size_t y;

	if (a->lines > 1)
		return sum_of_band(a, w, w->oy);
	for (y = w->y.from; y < w->y.from + w->y.n; y++)
		sum += sum_of_band(a, w, y);
	return sum;
}

/* Infinities and NaN of a window, which its sum left out. */
static double add_specials(const struct pool_average *a, const struct window *w,
			   const uint16_t *image, double sum)
{
	const struct pool_strides s = pool_strides(a->o.layout, a->o.c, a->o.h, a->o.w);
	size_t y, x;

	for (y = w->y.from; y < w->y.from + w->y.n; y++)
		for (x = w->x.from; x < w->x.from + w->x.n; x++) {
			uint16_t value = image[w->c * s.c + y * s.y + x * s.x];

			if (!fp16_is_finite(value))
				sum += (double)fp16_to_fp32(value);
		}
	return sum;
}

static double mean(const struct pool_average *a, const struct window *w, double sum)
{
	const struct scoria_pool_opts *o = &a->o;
	double elements = (double)w->y.n * w->x.n, all = (double)o->kh * o->kw;

	if (o->type == SCORIA_UINT8)
		sum += 128 * elements;
	if (!o->count_include_pad)
		return sum / elements;
	return (sum + o->pad_value * (all - elements)) / all;
}

static void store(const struct pool_average *a, const struct window *w, double value, void *image)
{
	const struct scoria_pool_opts *o = &a->o;
	const struct pool_strides s = pool_strides(o->layout, o->c, a->oh, a->ow);
	size_t at = w->c * s.c + w->oy * s.y + w->ox * s.x;

	if (o->type == SCORIA_FP16)
		((uint16_t *)image)[at] = fp32_to_fp16((float)value);
	else
		((uint8_t *)image)[at] = (int)round(value);
}

static void finish_channel(const struct pool_average *a, struct window *w, const void *input,
			   void *output, bool finite)
{
	const struct scoria_pool_opts *o = &a->o;
	double sum;

	for (w->oy = 0; w->oy < a->oh; w->oy++) {
		w->y = inside(w->oy, o->kh, o->stride_y, o->pad_top, o->h);
		for (w->ox = 0; w->ox < a->ow; w->ox++) {
			w->x = inside(w->ox, o->kw, o->stride_x, o->pad_left, o->w);
			sum = sum_of(a, w);
			if (!finite)
				sum = add_specials(a, w, input, sum);
			store(a, w, mean(a, w, sum), output);
		}
	}
}

static int run_channels(struct pool_average *a, const void *input, void *output, size_t first)
{
	const size_t n = a->o.c - first < a->channels ? a->o.c - first : a->channels;
	bool finite = true;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		finite &= copy_channel(a, i, first + i, input);
	err = scoria_matmul_run(a->plan, a->ones, a->rows, a->sums);
	for (i = 0; i < n && !err; i++)
		finish_channel(a, &(struct window){ .c = first + i, .row = i }, input, output,
			       finite);
	return err;
}

int pool_average_run(struct pool_average *a, const void *input, void *output)
{
	const struct scoria_pool_opts *o = &a->o;
	const size_t size = scoria_type_size(o->type);
	size_t image, first;
	int err = 0;

	for (image = 0; image < o->batch && !err; image++)
		for (first = 0; first < o->c && !err; first += a->channels)
			err = run_channels(a, (const uint8_t *)input + image * o->c * o->h * o->w *
					   size, (uint8_t *)output + image * o->c * a->oh * a->ow *
					   size, first);
	return err;
}
