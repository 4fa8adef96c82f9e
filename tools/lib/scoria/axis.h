/* SPDX-License-Identifier: MIT */
/* One direction of a convolution cut into spans of output positions. */
#ifndef SCORIA_AXIS_H
#define SCORIA_AXIS_H

#include "layer.h"

/**
 * struct span - output positions and the input that their windows see
 * @out: @n_out: first output and how many
 * @in: @n_in:   first input and how many, at least one
 * @pad:         positions before @in that the first window reaches into
 */
struct span {
	uint32_t out;
	uint32_t n_out;
	uint32_t in;
	uint32_t n_in;
	uint32_t pad;
};

/* Input positions from the first to the last tap. */
static inline uint32_t axis_window(const struct axis *axis)
{
	return axis->dilation * (axis->kernel - 1) + 1;
}

/*
 * The span of about @n outputs that begins at @out. It is longer when outputs
 * that see padding only would be left for the next one.
 */
struct span axis_span(const struct axis *axis, uint32_t out, uint32_t n);

/* Outputs of which no span needs more than @room inputs, 0 when one needs more. */
uint32_t axis_outputs(const struct axis *axis, uint32_t room);

#endif
