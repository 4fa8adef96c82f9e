/* SPDX-License-Identifier: MIT */
/*
 * Between the caller's arrays and the layouts of the NPU (programming-model D1
 * to D5). A cube is an array of surfaces, a surface an array of pixels, a pixel
 * one 16-byte unit of consecutive channels.
 */
#ifndef SCORIA_PACK_H
#define SCORIA_PACK_H

#include "layer.h"
#include "plan.h"

/**
 * struct strided - an array of the caller, strides in elements
 * @data:    element of channel 0, row 0, column 0
 * @c: @h: @w: from a channel, a row, a column to the next
 * @repeat:  times that each channel counts, one after the other
 * @first:   number, so counted, of the cube's first channel
 * @flip:    0x80 for uint8, which the NPU sees as int8 minus 128; else 0
 */
struct strided {
	const void *data;
	size_t c;
	size_t h;
	size_t w;
	uint32_t repeat;
	uint32_t first;
	uint8_t flip;
};

/*
 * @rows rows of the input of @layer to its cube. Channels that are there for
 * alignment only become 0. Rows from @rows on are left alone.
 */
void pack_features(void *cube, const struct layer *layer, const struct strided *from,
		   uint32_t rows);

/*
 * The same to a cube that lies as the output of @layer does. Surfaces of channels that
 * are there for alignment only become 0.
 */
void pack_operand(void *cube, const struct layer *layer, const struct strided *from,
		  uint32_t rows);

/**
 * struct window - a convolution that is lowered to a matrix product
 * @x: @y:  directions
 * @pad:    what positions in the padding count as, as the caller stores it
 */
struct window {
	struct axis x;
	struct axis y;
	uint16_t pad;
};

/*
 * Gather the windows of @pixels output pixels from @first into the cube of
 * @layer, one pixel a row. Its channels are channel, tap row, tap column of
 * @from, the last fastest.
 */
void pack_windows(void *cube, const struct layer *layer, const struct window *window,
		  const struct strided *from, uint64_t first, uint32_t pixels);

/**
 * struct weights - weights of the caller, strides in elements
 * @data:     kernel 0, channel 0, tap 0
 * @o: @c: @y: @x: from a kernel, channel, tap row, tap column to the next
 * @flip:     as in struct strided
 * @diagonal: kernel k has weights for channel k alone
 * @fill:     what stands where no weight is, as the NPU sees it
 */
struct weights {
	const void *data;
	size_t o;
	size_t c;
	size_t y;
	size_t x;
	uint8_t flip;
	bool diagonal;
	uint8_t fill;
};

/* All parts, kernel groups and channel groups of a planned layer (D2, D3). */
void pack_weights(void *to, const struct plan *plan, const struct weights *from);

#endif
