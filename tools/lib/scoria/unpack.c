// SPDX-License-Identifier: MIT
/* Results to the caller, added up on the way when they came in parts. */
#include "unpack.h"

#include <string.h>

#include "epilogue.h"
#include "limits.h"
#include "units.h"

/* Pixels that are unpacked surface by surface before the next ones are. */
#define BLOCK 64u

/**
 * struct run - pixels with one stride in the caller's array
 * @plan:   what was run
 * @to:     where they go
 * @cube:   first pixel in the first surface
 * @offset: of the first pixel in @to, in elements
 * @stride: from a pixel to the next in @to
 * @n:      at most BLOCK
 */
struct run {
	const struct plan *plan;
	const struct destination *to;
	const uint8_t *cube;
	size_t offset;
	size_t stride;
	uint32_t n;
};

static void get_lane8(uint8_t *to, const uint8_t *from, size_t stride, uint32_t n, uint8_t flip)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * stride] = from[i * NPU_UNIT] ^ flip;
}

static void get_lane16(uint16_t *to, const uint16_t *from, size_t stride, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * stride] = from[i * (NPU_UNIT / 2)];
}

static void get_lane32(uint32_t *to, const uint32_t *from, size_t stride, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * stride] = from[i * (NPU_UNIT / 4)];
}

static void get_lane(const struct run *run, const uint8_t *from, uint32_t c)
{
	size_t at = run->offset + c * run->to->c;

	switch (run->plan->layer.fmt.out_bytes) {
	case 1:
		get_lane8((uint8_t *)run->to->data + at, from, run->stride, run->n,
			  run->to->flip);
		break;
	case 2:
		get_lane16((uint16_t *)run->to->data + at, (const uint16_t *)from, run->stride,
			   run->n);
		break;
	default:
		get_lane32((uint32_t *)run->to->data + at, (const uint32_t *)from, run->stride,
			   run->n);
	}
}

/* Channels that lie side by side in both arrays are copied a unit at a time. */
static void get_units(const struct run *run, const uint8_t *from, uint32_t c, uint32_t lanes)
{
	uint32_t size = run->plan->layer.fmt.out_bytes, i, j;
	size_t bytes = (size_t)lanes * size;
	uint8_t *to = (uint8_t *)run->to->data + (run->offset + c) * size;

	for (i = 0; i < run->n; i++, from += NPU_UNIT, to += run->stride * size) {
		if (bytes == NPU_UNIT) {
			unit_copy(to, from, run->to->flip);
			continue;
		}
		memcpy(to, from, bytes);
		for (j = 0; j < bytes; j++)
			to[j] ^= run->to->flip;
	}
}

/* Whole units of pixels that lie side by side, in squares; returns how many pixels. */
static uint32_t get_squares(const struct run *run, const uint8_t *from, uint32_t c)
{
	const uint32_t size = run->plan->layer.fmt.out_bytes, unit = run->plan->layer.fmt.out_unit;
	uint8_t *to = (uint8_t *)run->to->data + (run->offset + c * run->to->c) * size;
	uint32_t i;

	for (i = 0; i + unit <= run->n; i += unit)
		units_transpose(to + i * size, run->to->c * size, from + i * NPU_UNIT, NPU_UNIT,
				size, run->to->flip);
	return i;
}

/* The lanes of a unit, one after the other where they make no squares. */
static void get_lanes(const struct run *run, const uint8_t *from, uint32_t c, uint32_t lanes)
{
	const struct format *fmt = &run->plan->layer.fmt;
	struct run rest = *run;
	uint32_t done = 0, i;

	if (run->stride == 1 && lanes == fmt->out_unit && lanes * fmt->out_bytes == NPU_UNIT)
		done = get_squares(run, from, c);
	rest.offset += done * run->stride;
	rest.n -= done;
	for (i = 0; i < lanes; i++)
		get_lane(&rest, from + done * NPU_UNIT + i * fmt->out_bytes, c + i);
}

static uint64_t plane_bytes(const struct plan *plan)
{
	return (uint64_t)plan->layer.x.out * plan->layer.y.out * NPU_UNIT;
}

static void get_run(const struct run *run)
{
	const struct layer *layer = &run->plan->layer;
	uint64_t plane = plane_bytes(run->plan);
	uint32_t unit = layer->fmt.out_unit, c;

	for (c = 0; c < layer->oc; c += unit) {
		const uint8_t *from = run->cube + c / unit * plane;
		uint32_t lanes = min_u32(unit, layer->oc - c);

		if (run->to->c == 1)
			get_units(run, from, c, lanes);
		else
			get_lanes(run, from, c, lanes);
	}
}

/* Partial results are fp32, int32 or int16. */
static void add_run(const struct run *run, const struct epilogue *epilogue)
{
	const struct plan *plan = run->plan;
	const struct format *fmt = &plan->layer.fmt;
	struct sums sums = { .n = run->n, .type = fmt->out };
	uint64_t plane = plane_bytes(plan);
	uint32_t c, s;

	for (c = 0; c < plan->layer.oc; c++) {
		const uint8_t *from = run->cube + c / fmt->out_unit * plane +
				      c % fmt->out_unit * fmt->out_bytes;

		sums_clear(&sums);
		for (s = 0; s < plan->splits; s++)
			sums_add(&sums, from + s * plan->split_out_bytes);
		sums_store(&sums, epilogue, c, run->to->data, run->offset + c * run->to->c,
			   run->stride);
	}
}

static void get_pixels(const struct destination *to, const uint8_t *cube, const struct plan *plan,
		       const struct epilogue *epilogue, size_t offset, size_t stride, uint64_t n)
{
	struct run run = { .plan = plan, .to = to, .stride = stride };
	uint64_t p;

	for (p = 0; p < n; p += BLOCK) {
		run.cube = cube + p * NPU_UNIT;
		run.offset = offset + p * stride;
		run.n = n - p < BLOCK ? n - p : BLOCK;
		if (plan->layer.unfinished)
			add_run(&run, epilogue);
		else
			get_run(&run);
	}
}

void unpack(const struct destination *to, const void *cubes, const struct plan *plan,
	    const struct epilogue *epilogue, uint32_t rows)
{
	uint32_t w = plan->layer.x.out, y;

	if (w == 1) {
		get_pixels(to, cubes, plan, epilogue, 0, to->h, rows);
		return;
	}
	for (y = 0; y < rows; y++)
		get_pixels(to, (const uint8_t *)cubes + (uint64_t)y * w * NPU_UNIT, plan, epilogue,
			   y * to->h, to->w, w);
}
