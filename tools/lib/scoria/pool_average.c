// SPDX-License-Identifier: MIT
/*
 * Averages over windows that the PPU does not have: the CPU gathers every window
 * into a row, the MAC array sums the rows, the CPU divides.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fp16.h"
#include "pool.h"
#include "row_sums.h"

/* Rows are gathered until they take about as much as this. */
#define GATHER_BUDGET (16ull << 20)

static uint64_t n_windows(const struct scoria_pool_plan *plan)
{
	return (uint64_t)plan->shape.o.c * plan->shape.oh * plan->shape.ow;
}

uint64_t pool_average_runs(const struct scoria_pool_plan *plan)
{
	return plan->shape.o.batch * div_up(n_windows(plan), plan->windows);
}

int pool_average_create(struct scoria_device *dev, struct scoria_pool_plan *plan)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	enum scoria_type type = o->type == SCORIA_FP16 ? SCORIA_FP16 : SCORIA_INT8;
	uint64_t taps = (uint64_t)o->kh * o->kw, most;

	if (taps > INT32_MAX)
		return error_set(ENOSPC, "pool: an average over %zu x %zu elements does not fit the NPU's 4 GiB",
				 o->kh, o->kw);
	most = GATHER_BUDGET / (taps * scoria_type_size(type));
	if (most > n_windows(plan))
		most = n_windows(plan);
	plan->windows = most ? most : 1;
	plan->gathered = calloc(plan->windows, taps * scoria_type_size(type));
	if (!plan->gathered)
		return error_no_memory();
	return row_sums_create(dev, type, plan->windows, taps, taps, &plan->sums);
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

/* Window number @n of an image: channel, row, column, the last fastest. */
struct window {
	size_t c;
	size_t oy;
	size_t ox;
	struct range y;
	struct range x;
};

static struct window window_at(const struct scoria_pool_plan *plan, uint64_t n)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	struct window w = {
		.ox = n % plan->shape.ow,
		.oy = n / plan->shape.ow % plan->shape.oh,
		.c = n / plan->shape.ow / plan->shape.oh,
	};

	w.y = inside(w.oy, o->kh, o->stride_y, o->pad_top, o->h);
	w.x = inside(w.ox, o->kw, o->stride_x, o->pad_left, o->w);
	return w;
}

static void gather_row(void *to, const struct scoria_pool_opts *o, const void *image, size_t at,
		       size_t stride, size_t n)
{
	uint8_t flip = o->type == SCORIA_UINT8 ? 0x80 : 0;
	size_t i;

	if (o->type == SCORIA_FP16)
		for (i = 0; i < n; i++)
			((uint16_t *)to)[i] = ((const uint16_t *)image)[at + i * stride];
	else
		for (i = 0; i < n; i++)
			((uint8_t *)to)[i] = ((const uint8_t *)image)[at + i * stride] ^ flip;
}

static void gather(const struct scoria_pool_plan *plan, const struct window *w, const void *image,
		   uint8_t *row)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	const struct pool_strides s = pool_strides(o->layout, o->c, o->h, o->w);
	size_t size = scoria_type_size(o->type), y;

	memset(row, 0, o->kh * o->kw * size);
	for (y = 0; y < w->y.n; y++, row += w->x.n * size)
		gather_row(row, o, image, w->c * s.c + (w->y.from + y) * s.y + w->x.from * s.x, s.x,
			   w->x.n);
}

static double mean(const struct scoria_pool_plan *plan, const struct window *w, double sum)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	double elements = (double)w->y.n * w->x.n, all = (double)o->kh * o->kw;

	if (o->type == SCORIA_UINT8)
		sum += 128 * elements;
	if (!o->count_include_pad)
		return sum / elements;
	return (sum + o->pad_value * (all - elements)) / all;
}

static void store(const struct scoria_pool_plan *plan, const struct window *w, double value,
		  void *image)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	const struct pool_strides s = pool_strides(o->layout, o->c, plan->shape.oh, plan->shape.ow);
	size_t at = w->c * s.c + w->oy * s.y + w->ox * s.x;

	if (o->type == SCORIA_FP16)
		((uint16_t *)image)[at] = fp32_to_fp16((float)value);
	else
		((uint8_t *)image)[at] = (int)rint(value);
}

static int run_windows(struct scoria_pool_plan *plan, const void *input, void *output,
		       uint64_t first, uint32_t n, double *sums)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	size_t row = o->kh * o->kw * scoria_type_size(o->type);
	struct window w;
	uint32_t i;
	int err;

	for (i = 0; i < n; i++) {
		w = window_at(plan, first + i);
		gather(plan, &w, input, (uint8_t *)plan->gathered + i * row);
	}
	err = row_sums_run(plan->sums, plan->gathered, sums);
	for (i = 0; i < n && !err; i++) {
		w = window_at(plan, first + i);
		store(plan, &w, mean(plan, &w, sums[i]), output);
	}
	return err;
}

int pool_average_run(struct scoria_pool_plan *plan, const void *input, void *output)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	size_t size = scoria_type_size(o->type), image;
	uint64_t all = n_windows(plan), first;
	double *sums = calloc(plan->windows, sizeof(*sums));
	int err = sums ? 0 : error_no_memory();

	for (image = 0; image < o->batch && !err; image++)
		for (first = 0; first < all && !err; first += plan->windows) {
			uint32_t n = all - first < plan->windows ? all - first : plan->windows;

			err = run_windows(plan, (const uint8_t *)input +
					  image * o->c * o->h * o->w * size,
					  (uint8_t *)output + image * all * size, first, n, sums);
		}
	free(sums);
	return err;
}
