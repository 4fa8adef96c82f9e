/* SPDX-License-Identifier: MIT */
/* Transposed convolution as ordinary ones, one for every residue of the strides. */
#ifndef SCORIA_PHASE_H
#define SCORIA_PHASE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct transposed - one direction of a transposed convolution
 * @in: @out:    sizes
 * @kernel: @stride: @dilation: of the kernel's copies
 * @crop:        outputs that are cut off at the start
 */
struct transposed {
	uint32_t in;
	uint32_t out;
	uint32_t kernel;
	uint32_t stride;
	uint32_t dilation;
	uint32_t crop;
};

/**
 * struct phase - the outputs of one residue, as a convolution with stride 1
 * @first: @count: first output, and how many, a stride apart
 * @tap: @tap_step: @taps: first tap that they see, the next, how many
 * @empty:    they see none; the others then stand for one tap of weight zero
 * @dilation: between the taps in the input
 * @before: @after: padding of the input
 * @skip:     results in front of the first output
 */
struct phase {
	uint32_t first;
	uint32_t count;
	uint32_t tap;
	uint32_t tap_step;
	uint32_t taps;
	bool empty;
	uint32_t dilation;
	uint32_t before;
	uint32_t after;
	uint32_t skip;
};

struct phase phase_of(const struct transposed *t, uint32_t residue);

#endif
