/* SPDX-License-Identifier: MIT */
/* Output cubes to the caller's arrays (programming-model D5). */
#ifndef SCORIA_UNPACK_H
#define SCORIA_UNPACK_H

#include "fusion.h"
#include "plan.h"

/**
 * struct epilogue - what the CPU does to sums that it has to finish itself
 * @ending:  what follows them
 * @bias:    int32_t or float per output channel, or NULL
 * @channel: that the first one is among those of @ending
 * @operand: of PLACE_CPU; it lies as the destination does. Else NULL
 */
struct epilogue {
	const struct ending *ending;
	const void *bias;
	size_t channel;
	const void *operand;
};

/**
 * struct destination - an array of the caller, strides in elements
 * @data:  element of channel 0, row 0, column 0
 * @c: @h: @w: from a channel, a row, a column to the next
 * @flip:  0x80 for uint8 results, which the NPU gives as int8
 */
struct destination {
	void *data;
	size_t c;
	size_t h;
	size_t w;
	uint8_t flip;
};

/*
 * The first @rows rows of the output of @plan. Where the layer is unfinished its
 * parts are added and @epilogue is applied, else the hardware has done it.
 */
void unpack(const struct destination *to, const void *cubes, const struct plan *plan,
	    const struct epilogue *epilogue, uint32_t rows);

#endif
