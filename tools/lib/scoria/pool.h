/* SPDX-License-Identifier: MIT */
/* Pooling: what its checks, its plan and its run share. */
#ifndef SCORIA_POOL_INTERNAL_H
#define SCORIA_POOL_INTERNAL_H

#include <scoria/pool.h>

#include "chain.h"
#include "pool_line.h"

struct pool_average;
struct pool_depthwise;

/* Checked options with all defaults filled in, and the output's size. */
struct pool_shape {
	struct scoria_pool_opts o;
	uint32_t oh;
	uint32_t ow;
};

/**
 * struct scoria_pool_plan - see pool.h
 * @shape:    what is computed
 * @x: @y:    directions
 * @channels: of a run, padded
 * @work:     cubes: a pass reads one and writes the other, the first reads [0]
 * @chain:    the tasks of a run
 * @average:  for windows that the PPU does not have, else NULL
 * @depthwise: for averages of int8 that are a convolution, else NULL; none but @shape is
 *            used besides either
 */
struct scoria_pool_plan {
	struct pool_shape shape;
	struct pool_line x;
	struct pool_line y;
	uint32_t channels;
	struct scoria_buffer *work[2];
	struct chain chain;
	struct pool_average *average;
	struct pool_depthwise *depthwise;
};

int pool_check(struct pool_shape *shape, const struct scoria_pool_opts *opts);

/* Elements from a channel, a row, a column to the next. */
struct pool_strides {
	size_t c;
	size_t y;
	size_t x;
};

static inline struct pool_strides pool_strides(enum scoria_layout layout, size_t c, size_t h,
					       size_t w)
{
	if (layout == SCORIA_NHWC)
		return (struct pool_strides){ 1, w * c, c };
	return (struct pool_strides){ h * w, w, 1 };
}

/* What positions in the padding hold, as fp16. */
uint16_t pool_pad_value(const struct scoria_pool_opts *o);

/* The pair of factors whose product comes nearest to 1 / (@kw * @kh), which is above 1. */
struct pool_reciprocal pool_reciprocal(uint32_t kw, uint32_t kh);

/**
 * struct pool_cubes - what a run works on
 * @chain:    where its segments go, from @first_task on
 * @bytes:    they hold int8, as tensors do, instead of fp16; for max and min
 * @channels: a multiple of 8, or of 16
 * @address:  a pass reads one and writes the other, the first reads [0]
 */
struct pool_cubes {
	const struct chain *chain;
	uint64_t first_task;
	bool bytes;
	uint32_t channels;
	uint32_t address[2];
};

/* Write the segments of a run; returns how many. */
uint64_t pool_emit(const struct scoria_pool_plan *plan, const struct pool_cubes *cubes);
uint64_t pool_tasks(const struct scoria_pool_plan *plan);

/* Channels from @first of @image to work[0], results back from the last cube. */
void pool_pack(const struct scoria_pool_plan *plan, const void *image, uint32_t first);
void pool_unpack(const struct scoria_pool_plan *plan, void *image, uint32_t first);

#endif
