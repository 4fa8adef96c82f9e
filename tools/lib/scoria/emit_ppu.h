/* SPDX-License-Identifier: MIT */
/* A pooling task in the hardware's terms. */
#ifndef SCORIA_EMIT_PPU_H
#define SCORIA_EMIT_PPU_H

#include <stdbool.h>

#include "stream.h"

/* Codes of POOLING_METHOD (programming-model G). */
enum pool_code {
	POOL_CODE_AVERAGE = 0,
	POOL_CODE_MAX = 1,
	POOL_CODE_MIN = 2,
};

/**
 * struct pool_span - one direction of a task
 * @in: @n_in:   first position of the source and how many
 * @out: @n_out: first position of the result and how many
 * @kernel: @stride: of the windows
 * @before: @after: positions in the padding
 */
struct pool_span {
	uint32_t in;
	uint32_t n_in;
	uint32_t out;
	uint32_t n_out;
	uint32_t kernel;
	uint32_t stride;
	uint32_t before;
	uint32_t after;
};

/* Two fp16 patterns, 2^16 times the factors of an average; 0 for the others. */
struct pool_reciprocal {
	uint16_t x;
	uint16_t y;
};

/**
 * struct pool_task - a task
 * @x: @y:       directions
 * @bytes:       elements are int8 instead of fp16
 * @channels:    a multiple of those in a unit
 * @method:      enum pool_code
 * @reciprocal:  of the divisor
 * @pad_value:   pattern of what is in the padding
 * @src: @dst:   NPU addresses of the first unit read and written
 * @src_line: @src_plane: units from a row or surface of the source to the next
 * @dst_plane:   the same for surfaces of the result
 * @notch:       units between the rows of the result
 */
struct pool_task {
	struct pool_span x;
	struct pool_span y;
	bool bytes;
	uint32_t channels;
	enum pool_code method;
	struct pool_reciprocal reciprocal;
	uint16_t pad_value;
	uint32_t src;
	uint32_t dst;
	uint32_t src_line;
	uint32_t src_plane;
	uint32_t dst_plane;
	uint32_t notch;
};

/* The body of a pooling segment, and its length, which is the same for all. */
void emit_pool(struct stream *stream, const struct pool_task *task);
uint32_t pool_words(void);

#endif
