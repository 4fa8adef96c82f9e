// SPDX-License-Identifier: MIT
/* Pooling input to fp16 cubes and back (programming-model D1, G). */
#include <math.h>
#include <string.h>

#include "fp16.h"
#include "limits.h"
#include "pool.h"

#define LANES (NPU_UNIT / 2)

/* A row of one lane. Elements at @from[i] * @stride, @fill where that is negative. */
static void put_row16(uint16_t *to, const uint16_t *data, const struct pool_line *x, size_t stride,
		      uint16_t fill)
{
	for (uint32_t i = 0; i < x->steps[0].in; i++)
		to[i * LANES] = x->from[i] < 0 ? fill : data[x->from[i] * stride];
}

static void put_row8(uint16_t *to, const uint8_t *data, const struct pool_line *x, size_t stride,
		     uint16_t fill, const uint16_t *table)
{
	for (uint32_t i = 0; i < x->steps[0].in; i++)
		to[i * LANES] = x->from[i] < 0 ? fill : table[data[x->from[i] * stride]];
}

static void put_fill(uint16_t *to, uint32_t n, uint16_t fill)
{
	for (uint32_t i = 0; i < n; i++)
		to[i * LANES] = fill;
}

/* The fp16 patterns of all bytes: integers up to 2048 are exact. */
static void make_table(uint16_t *table, enum scoria_type type)
{
	for (int i = 0; i < 256; i++)
		table[i] = fp32_to_fp16(type == SCORIA_INT8 ? (int8_t)i : i);
}

static void put_channel(const struct scoria_pool_plan *plan, uint16_t *to, const uint8_t *data,
			const struct pool_strides *s, const uint16_t *table)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	size_t size = scoria_type_size(o->type);
	uint16_t fill = pool_pad_value(o);
	uint32_t width = plan->x.steps[0].in, y;

	for (y = 0; y < plan->y.steps[0].in; y++, to += (size_t)width * LANES) {
		int32_t from = plan->y.from[y];
		const uint8_t *row = data + (from < 0 ? 0 : from * s->y * size);

		if (from < 0)
			put_fill(to, width, fill);
		else if (o->type == SCORIA_FP16)
			put_row16(to, (const uint16_t *)row, &plan->x, s->x, fill);
		else
			put_row8(to, row, &plan->x, s->x, fill, table);
	}
}

void pool_pack(const struct scoria_pool_plan *plan, const void *image, uint32_t first)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	const struct pool_strides s = pool_strides(o->layout, o->c, o->h, o->w);
	size_t plane = (size_t)plan->x.steps[0].in * plan->y.steps[0].in * LANES;
	uint16_t *cube = scoria_buffer_map(plan->work[0]);
	uint16_t table[256];
	uint32_t c;

	make_table(table, o->type);
	for (c = 0; c < plan->channels; c++) {
		uint16_t *to = cube + c / LANES * plane + c % LANES;

		if (first + c < o->c)
			put_channel(plan, to, (const uint8_t *)image + (first + c) * s.c *
				    scoria_type_size(o->type), &s, table);
		else
			put_fill(to, plane / LANES, 0);
	}
}

static void get_row(void *to, enum scoria_type type, size_t at, size_t stride,
		    const uint16_t *from, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++, at += stride, from += LANES) {
		if (type == SCORIA_FP16)
			((uint16_t *)to)[at] = *from;
		else
			/* between the least and the largest input, so it fits */
			((uint8_t *)to)[at] = (int)roundf(fp16_to_fp32(*from));
	}
}

void pool_unpack(const struct scoria_pool_plan *plan, void *image, uint32_t first)
{
	const struct scoria_pool_opts *o = &plan->shape.o;
	uint32_t oh = plan->shape.oh, ow = plan->shape.ow, c, y;
	const struct pool_strides s = pool_strides(o->layout, o->c, oh, ow);
	const uint16_t *cube = scoria_buffer_map(plan->work[plan->x.n_steps % 2]);

	for (c = 0; c < plan->channels && first + c < o->c; c++)
		for (y = 0; y < oh; y++) {
			const uint16_t *from = cube + ((size_t)c / LANES * oh + y) * ow * LANES +
					       c % LANES;

			get_row(image, o->type, (first + c) * s.c + y * s.y, s.x, from, ow);
		}
}
