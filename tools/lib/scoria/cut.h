/* SPDX-License-Identifier: MIT */
/* How finely a layer has to be cut so that its tasks fit the hardware. */
#ifndef SCORIA_CUT_H
#define SCORIA_CUT_H

#include "layer.h"

/**
 * struct cut - a way to cut a layer
 * @splits:       parts of the input channels
 * @split_c:      padded channels of a part (depthwise: of a tile)
 * @ow: @oh:      output columns and rows of a tile
 * @oc:           padded output channels of a tile
 * @data_banks: @weight_banks: split of CBUF
 * @resident:     a tile's weights fit their banks whole
 * @price:        in bytes moved, see cut.c; 0 for no cut at all
 */
struct cut {
	uint32_t splits;
	uint32_t split_c;
	uint32_t ow;
	uint32_t oh;
	uint32_t oc;
	uint32_t data_banks;
	uint32_t weight_banks;
	bool resident;
	double price;
};

/* The cheapest cut with all input channels in one pass; price 0 when none fits. */
struct cut cut_whole(const struct layer *layer);

/* The cheapest in two or more parts, whose results the caller adds. */
struct cut cut_split(const struct layer *layer);

/* Cut finer where that keeps cores busy that would have no task. No sum changes. */
void cut_spread(const struct layer *layer, struct cut *cut);

#endif
