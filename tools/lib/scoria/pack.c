// SPDX-License-Identifier: MIT
/* The caller's arrays into the NPU's layouts. */
#include "pack.h"

#include <string.h>

#include "limits.h"
#include "units.h"

/* Pixels that are packed surface by surface before the next ones are. */
#define BLOCK 64u

/* One channel of @n pixels: every lane of a unit is written by one such loop. */
static void put_lane8(uint8_t *to, const uint8_t *from, size_t stride, uint32_t n, uint8_t flip)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * NPU_UNIT] = from[i * stride] ^ flip;
}

static void put_lane16(uint16_t *to, const uint16_t *from, size_t stride, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * (NPU_UNIT / 2)] = from[i * stride];
}

static void put_lane32(uint32_t *to, const uint32_t *from, size_t stride, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i * (NPU_UNIT / 4)] = from[i * stride];
}

/* Even lanes are the low nibbles (D2); an even one comes first and clears the other. */
static void put_lane4(uint8_t *to, const uint8_t *from, size_t stride, uint32_t n, bool odd)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (odd)
			to[i * NPU_UNIT] |= from[i * stride] << 4;
		else
			to[i * NPU_UNIT] = from[i * stride] & 0xf;
}

static void put_lane(uint8_t *unit, const struct format *fmt, const struct strided *from,
		     uint32_t lane, size_t offset, size_t stride, uint32_t n)
{
	uint8_t *to = unit + lane * fmt->in_bits / 8;

	switch (fmt->in_bits) {
	case 4:
		put_lane4(to, (const uint8_t *)from->data + offset, stride, n, lane % 2);
		break;
	case 8:
		put_lane8(to, (const uint8_t *)from->data + offset, stride, n, from->flip);
		break;
	case 16:
		put_lane16((uint16_t *)to, (const uint16_t *)from->data + offset, stride, n);
		break;
	default:
		put_lane32((uint32_t *)to, (const uint32_t *)from->data + offset, stride, n);
	}
}

/* Channels that lie side by side in both arrays are copied a unit at a time. */
static void put_units(uint8_t *to, const struct format *fmt, const struct strided *from,
		      size_t offset, size_t stride, uint32_t n, uint32_t lanes)
{
	size_t size = fmt->in_bits / 8, bytes = lanes * size, i, j;
	const uint8_t *source = (const uint8_t *)from->data + offset * size;

	for (i = 0; i < n; i++, to += NPU_UNIT, source += stride * size) {
		if (bytes == NPU_UNIT) {
			unit_copy(to, source, from->flip);
			continue;
		}
		memcpy(to, source, bytes);
		for (j = 0; j < bytes; j++)
			to[j] ^= from->flip;
	}
}

/* Whole units of pixels that lie side by side, in squares; returns how many pixels. */
static uint32_t put_squares(uint8_t *to, const struct format *fmt, const struct strided *from,
			    size_t offset, uint32_t n)
{
	const size_t size = fmt->in_bits / 8;
	const uint8_t *source = (const uint8_t *)from->data + offset * size;
	uint32_t i;

	for (i = 0; i + fmt->in_unit <= n; i += fmt->in_unit)
		units_transpose(to + i * NPU_UNIT, NPU_UNIT, source + i * size, from->c * size,
				size, from->flip);
	return i;
}

/* @n pixels, @stride elements apart in the source, of the unit that starts at channel @c. */
static void put_pixels(uint8_t *to, const struct layer *layer, const struct strided *from,
		       size_t offset, size_t stride, uint32_t n, uint32_t c)
{
	const struct format *fmt = &layer->fmt;
	uint32_t lanes = c < layer->c ? min_u32(fmt->in_unit, layer->c - c) : 0;
	uint32_t done = 0, i;

	if (lanes < fmt->in_unit)
		memset(to, 0, (size_t)n * NPU_UNIT);
	if (from->c == 1 && from->repeat == 1 && fmt->in_bits >= 8) {
		put_units(to, fmt, from, offset + from->first + c, stride, n, lanes);
		return;
	}
	if (stride == 1 && from->repeat == 1 && fmt->in_bits >= 8 &&
	    lanes * fmt->in_bits / 8 == NPU_UNIT)
		done = put_squares(to, fmt, from, offset + (from->first + c) * from->c, n);
	for (i = 0; i < lanes; i++)
		put_lane(to + done * NPU_UNIT, fmt, from, i,
			 offset + (from->first + c + i) / from->repeat * from->c + done * stride,
			 stride, n - done);
}

/* A run of pixels with one stride, in blocks that stay in the CPU's cache. */
static void put_run(uint8_t *cube, const struct layer *layer, const struct strided *from,
		    size_t offset, size_t stride, uint64_t n)
{
	uint64_t plane = (uint64_t)layer->x.in * layer->y.in * NPU_UNIT, p;
	uint32_t units = layer_c_pad(layer) / layer->fmt.in_unit, unit;

	for (p = 0; p < n; p += BLOCK) {
		uint32_t count = n - p < BLOCK ? n - p : BLOCK;

		for (unit = 0; unit < units; unit++)
			put_pixels(cube + unit * plane + p * NPU_UNIT, layer, from,
				   offset + p * stride, stride, count, unit * layer->fmt.in_unit);
	}
}

void pack_features(void *cube, const struct layer *layer, const struct strided *from,
		   uint32_t rows)
{
	uint32_t w = layer->x.in, y;

	if (w == 1) {
		put_run(cube, layer, from, 0, from->h, rows);
		return;
	}
	for (y = 0; y < rows; y++)
		put_run((uint8_t *)cube + (uint64_t)y * w * NPU_UNIT, layer, from, y * from->h,
			from->w, w);
}

void pack_operand(void *cube, const struct layer *layer, const struct strided *from,
		  uint32_t rows)
{
	const struct layer mirror = {
		.fmt = { .in_bits = 8 * layer->fmt.out_bytes, .in_unit = layer->fmt.out_unit },
		.x = { .in = layer->x.out },
		.y = { .in = layer->y.out },
		.c = layer->oc,
		.c_align = layer->fmt.group,
	};

	pack_features(cube, &mirror, from, rows);
}

/* Position in the input of tap @k of output @out, -1 in the padding. */
static int64_t tap(const struct axis *axis, uint32_t out, uint32_t k)
{
	int64_t at = (int64_t)out * axis->stride + (int64_t)k * axis->dilation - axis->pad;

	return at < 0 || at >= axis->in ? -1 : at;
}

static void put_element(uint8_t *to, const struct format *fmt, const struct strided *from,
			uint16_t pad, size_t offset, bool inside)
{
	if (fmt->in_bits == 8)
		*to = (inside ? ((const uint8_t *)from->data)[offset] : pad) ^ from->flip;
	else
		memcpy(to, inside ? (const uint16_t *)from->data + offset : &pad, sizeof(pad));
}

/* One channel of the lowered cube: one tap of one input channel, for all pixels. */
static void put_tap(uint8_t *to, const struct layer *layer, const struct window *window,
		    const struct strided *from, uint32_t k, uint64_t first, uint32_t pixels)
{
	uint32_t kx = k % window->x.kernel;
	uint32_t ky = k / window->x.kernel % window->y.kernel;
	size_t channel = (from->first + k / window->x.kernel / window->y.kernel) * from->c;
	uint32_t ox = first % window->x.out, oy = first / window->x.out, i;

	for (i = 0; i < pixels; i++, to += NPU_UNIT) {
		int64_t x = tap(&window->x, ox, kx), y = tap(&window->y, oy, ky);
		bool inside = x >= 0 && y >= 0;

		put_element(to, &layer->fmt, from, window->pad,
			    inside ? channel + y * from->h + x * from->w : 0, inside);
		if (++ox == window->x.out) {
			ox = 0;
			oy++;
		}
	}
}

void pack_windows(void *cube, const struct layer *layer, const struct window *window,
		  const struct strided *from, uint64_t first, uint32_t pixels)
{
	uint64_t plane = (uint64_t)layer->y.in * NPU_UNIT;
	uint32_t unit = layer->fmt.in_unit, size = layer->fmt.in_bits / 8, k;

	/* alignment may leave whole units empty beside a part of the last */
	for (k = layer->c / unit; k < layer_c_pad(layer) / unit; k++)
		memset((uint8_t *)cube + k * plane, 0, plane);
	for (k = 0; k < layer->c; k++)
		put_tap((uint8_t *)cube + k / unit * plane + k % unit * size, layer, window, from,
			k, first, pixels);
}
