/* SPDX-License-Identifier: MIT */
/*
 * A convolution in the hardware's terms, and the tasks it is cut into. A matrix
 * product is a 1x1 convolution over an image one pixel wide.
 */
#ifndef SCORIA_LAYER_H
#define SCORIA_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stage.h"

/**
 * struct format - types and what follows from them (programming-model A2, D2, D5)
 * @in:        NPU_PRECISION_ of features and weights
 * @out:       NPU_PRECISION_ of the output
 * @depthwise: every output channel has one input channel
 * @in_bits:   per element
 * @out_bytes: per element
 * @group:     kernels (depthwise: channels) that leave the array together
 * @channels:  of a group of weights of direct convolutions
 * @in_unit:   input channels per 16-byte unit
 * @out_unit:  output channels per unit
 * @surfaces:  output surfaces of one group, size_e + 1
 */
struct format {
	uint8_t in;
	uint8_t out;
	bool depthwise;
	uint8_t in_bits;
	uint8_t out_bytes;
	uint8_t group;
	uint8_t channels;
	uint8_t in_unit;
	uint8_t out_unit;
	uint8_t surfaces;
};

/* false when the hardware has no such path. */
bool format_init(struct format *fmt, unsigned int in, unsigned int out, bool depthwise);

/**
 * struct axis - one direction of a convolution window
 * @in:     input size
 * @out:    output size
 * @kernel: taps
 * @stride: between windows
 * @dilation: between taps
 * @pad:    padding before the first element
 */
struct axis {
	uint32_t in;
	uint32_t out;
	uint32_t kernel;
	uint32_t stride;
	uint32_t dilation;
	uint32_t pad;
};

/**
 * struct layer - a convolution over one input cube to one output cube
 * @fmt:         types
 * @x: @y:       horizontal and vertical direction
 * @c: @oc:      real channels
 * @cores:       that its tasks should keep busy, 0 or 1 for any number of tasks
 * @c_align:     input channels are padded to a multiple of this
 * @c_most:      padded channels that one task may sum over, 0 for any number
 * @pad_value:   pattern for PAD_CON1: what positions in the padding hold
 * @use_cpend:   add @ow_op times the sum of the window's features (C4)
 * @ow_op:       minus the weight zero point, as stored
 * @bs: @bn: @ew: what follows the sums. Vectors of an ALU are in the area "bias",
 *               those of a multiplier in the area "scales": no two stages have the
 *               same kind, and none has both kinds, of which the order in memory
 *               is not known (C5)
 * @out_offset: @out_scale: @out_shift: output converter of int8 results (C7)
 * @unfinished:  the results are sums that the CPU finishes
 */
struct layer {
	struct format fmt;
	struct axis x;
	struct axis y;
	uint32_t c;
	uint32_t oc;
	uint32_t cores;
	uint32_t c_align;
	uint32_t c_most;
	uint16_t pad_value;
	bool use_cpend;
	int16_t ow_op;
	struct stage bs;
	struct stage bn;
	struct ew ew;
	int32_t out_offset;
	uint32_t out_scale;
	uint32_t out_shift;
	bool unfinished;
};

/**
 * struct tile - one task
 * @in: @weights: @bias: @scales: @out: bytes from the start of the layer's areas;
 *          what EW reads lies in its area as the results lie in theirs
 * @w: @h: @c: @c_pad: input rectangle and channels
 * @pad_left: @pad_top: padding that its windows reach into
 * @ow: @oh: @oc: @oc_pad: output rectangle and channels
 * @data_banks: @weight_banks: split of CBUF
 * @columns:      lines are not read in groups: the rectangle is narrower than the
 *                cube and rows do not follow each other without gaps, or for caution
 * @keep_weights: those of the task before are in CBUF already, whole
 */
struct tile {
	uint64_t in;
	uint64_t weights;
	uint64_t bias;
	uint64_t scales;
	uint64_t out;
	uint32_t w;
	uint32_t h;
	uint32_t c;
	uint32_t c_pad;
	uint32_t pad_left;
	uint32_t pad_top;
	uint32_t ow;
	uint32_t oh;
	uint32_t oc;
	uint32_t oc_pad;
	uint8_t data_banks;
	uint8_t weight_banks;
	bool columns;
	bool keep_weights;
};

/* NPU addresses of a layer's areas. */
struct areas {
	uint32_t in;
	uint32_t weights;
	uint32_t bias;
	uint32_t scales;
	uint32_t operand;
	uint32_t out;
};

static inline uint64_t div_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static inline uint64_t align_up(uint64_t a, uint64_t b)
{
	return div_up(a, b) * b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t layer_c_pad(const struct layer *layer)
{
	return align_up(layer->c, layer->c_align);
}

static inline uint32_t layer_oc_pad(const struct layer *layer)
{
	return align_up(layer->oc, layer->fmt.group);
}

/* DATA_ENTRIES: 64-byte entries of CBUF that a row takes (E3). */
uint32_t layer_row_entries(const struct layer *layer, uint32_t w, uint32_t c_pad);

/* Bytes of the weights of @oc_pad kernels over @c_pad channels (D2, D3). */
uint64_t layer_weight_bytes(const struct layer *layer, uint32_t c_pad, uint32_t oc_pad);

#endif
