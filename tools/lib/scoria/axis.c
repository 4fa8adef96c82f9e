// SPDX-License-Identifier: MIT
/* Spans of a convolution direction (programming-model E4, row tiling). */
#include "axis.h"

/*
 * A span has to begin where the window touches the input: the hardware knows
 * padding before the first row, but not a gap.
 */
static uint32_t last_start(const struct axis *axis)
{
	return min_u32((axis->in - 1 + axis->pad) / axis->stride, axis->out - 1);
}

struct span axis_span(const struct axis *axis, uint32_t out, uint32_t n)
{
	uint32_t last = last_start(axis);
	struct span span = { .out = out };
	int64_t first, end;

	span.n_out = min_u32(n, axis->out - out);
	if (out + span.n_out > last)
		span.n_out = axis->out - out;
	first = (int64_t)out * axis->stride - axis->pad;
	end = (int64_t)min_u32(out + span.n_out - 1, last) * axis->stride - axis->pad +
	      axis_window(axis);
	if (end > axis->in)
		end = axis->in;
	if (first < 0) {
		span.pad = -first;
		first = 0;
	}
	span.in = first;
	/* windows that see only padding before the input still get a row of it */
	span.n_in = end > first ? end - first : 1;
	return span;
}

uint32_t axis_outputs(const struct axis *axis, uint32_t room)
{
	uint32_t window = axis_window(axis);

	if (room >= axis->in)
		return axis->out;
	if (room < window)
		return 0;
	return (room - window) / axis->stride + 1;
}
