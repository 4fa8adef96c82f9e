/* SPDX-License-Identifier: MIT */
/* One direction of a pooling: what is packed, and the passes over it. */
#ifndef SCORIA_POOL_LINE_H
#define SCORIA_POOL_LINE_H

#include <stdbool.h>

#include "emit_ppu.h"
#include "layer.h"

/**
 * struct pool_line - see above
 * @window:  as it was asked for; its pad is what is before the first element
 * @clip:    windows that reach into the padding count the rest only
 * @steps:   one a pass; in the first, in is the number of packed positions
 * @n_steps: passes
 * @from:    element that is packed at each position, -1 for padding
 * @gathered: every window is packed by itself, one after the other; with @clip
 *           its elements come first
 */
struct pool_line {
	struct axis window;
	bool clip;
	struct axis *steps;
	uint32_t n_steps;
	int32_t *from;
	bool gathered;
};

/*
 * Both directions, with the same number of passes. @x and @y have window and clip
 * set. -ENOSPC when what is packed leaves the window; -ENOMEM.
 */
int pool_lines_create(struct pool_line *x, struct pool_line *y);
void pool_line_destroy(struct pool_line *line);

/* Elements under the window of output @out. */
uint32_t pool_line_taps(const struct pool_line *line, uint32_t out);

/* The span of a task of pass @step that begins at @out, of @most outputs. */
struct pool_span pool_line_span(const struct pool_line *line, uint32_t step, uint32_t out,
				uint32_t most);

#endif
