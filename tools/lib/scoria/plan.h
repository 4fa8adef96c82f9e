/* SPDX-License-Identifier: MIT */
/* The planner: the tasks of a layer. */
#ifndef SCORIA_PLAN_H
#define SCORIA_PLAN_H

#include "layer.h"

/**
 * struct plan - the tasks of a layer, and the areas they work on
 * @layer:        what is run
 * @tiles:        in order of execution
 * @n_tiles:      how many
 * @splits:       parts of the input channels. Each writes an output cube of its
 *                own, and the results have to be added.
 * @split_c:      padded channels of a part, the last one may have fewer
 * @in_bytes:     of the input cube
 * @weight_bytes: of the weights of all parts
 * @out_bytes:    of the output cubes of all parts
 * @split_out_bytes: of one output cube
 */
struct plan {
	struct layer layer;
	struct tile *tiles;
	size_t n_tiles;
	uint32_t splits;
	uint32_t split_c;
	uint64_t in_bytes;
	uint64_t weight_bytes;
	uint64_t out_bytes;
	uint64_t split_out_bytes;
};

/*
 * @partial: the same convolution with results that can be added, for input
 * channels in parts; NULL to keep them together.
 *
 * -EOPNOTSUPP when the hardware cannot run the layer however it is cut (the
 * caller then lowers it to a matrix product); -ENOSPC when an area leaves the
 * window; -ENOMEM.
 */
int plan_create(struct plan *plan, const struct layer *layer, const struct layer *partial);
void plan_destroy(struct plan *plan);

#endif
