// SPDX-License-Identifier: MIT
/*
 * Tiles from a cut: parts of the input channels, in each ranges of output
 * channels, in each column after column of row tiles, so that weights that are
 * in CBUF serve as many tasks as possible. Strides and addresses are those of
 * the whole cubes (programming-model E2, D5), nothing is copied.
 */
#include "plan.h"

#include <stdlib.h>

#include "axis.h"
#include "choices.h"
#include "cut.h"
#include "error.h"
#include "limits.h"

/* A range of padded channels, and how many of them are real. */
struct range {
	uint32_t from;
	uint32_t padded;
	uint32_t real;
};

/* Of @count real ones padded to @whole, at most @part from @from. */
static struct range range_at(uint32_t from, uint32_t part, uint32_t whole, uint32_t count)
{
	struct range range = { .from = from, .padded = min_u32(part, whole - from) };

	range.real = min_u32(range.padded, count - from);
	return range;
}

static uint64_t plane_bytes(const struct axis *x, const struct axis *y, bool output)
{
	return output ? (uint64_t)x->out * y->out * NPU_UNIT : (uint64_t)x->in * y->in * NPU_UNIT;
}

/* Parts of the input channels one after the other, in each the kernel groups. */
static uint64_t weights_at(const struct layer *layer, const struct range *c,
			   const struct range *oc)
{
	if (layer->fmt.depthwise)
		return layer_weight_bytes(layer, 0, oc->from);
	return layer_weight_bytes(layer, c->from, layer_oc_pad(layer)) +
	       layer_weight_bytes(layer, c->padded, oc->from);
}

/* What the tiles of one range of channels share. */
static struct tile channel_tile(const struct plan *plan, const struct cut *cut,
				const struct range *c, const struct range *oc)
{
	const struct layer *layer = &plan->layer;
	const struct format *fmt = &layer->fmt;
	const struct range *in = fmt->depthwise ? oc : c;

	return (struct tile){
		.in = in->from / fmt->in_unit * plane_bytes(&layer->x, &layer->y, false),
		.weights = weights_at(layer, c, oc),
		.bias = oc->from * sizeof(uint32_t),
		.scales = oc->from * sizeof(uint16_t),
		.out = c->from / cut->split_c * plan->split_out_bytes +
		       (uint64_t)(oc->from / fmt->group) * fmt->surfaces *
		       plane_bytes(&layer->x, &layer->y, true),
		.c = in->real,
		.c_pad = in->padded,
		.oc = oc->real,
		.oc_pad = oc->padded,
		.data_banks = cut->data_banks,
		.weight_banks = cut->weight_banks,
	};
}

static void set_rectangle(struct tile *tile, const struct layer *layer, const struct span *x,
			  const struct span *y)
{
	tile->in += ((uint64_t)y->in * layer->x.in + x->in) * NPU_UNIT;
	tile->out += ((uint64_t)y->out * layer->x.out + x->out) * NPU_UNIT;
	tile->w = x->n_in;
	tile->h = y->n_in;
	tile->pad_left = x->pad;
	tile->pad_top = y->pad;
	tile->ow = x->n_out;
	tile->oh = y->n_out;
	tile->columns = x->n_in != layer->x.in ||
			(layer->y.in < NPU_GROUPED_LINES && choose(CHOICE_LOW_CUBES));
}

static int add_tile(struct plan *plan, const struct tile *tile)
{
	struct tile *tiles;

	/* grow at powers of two */
	if (!(plan->n_tiles & (plan->n_tiles - 1))) {
		size_t room = plan->n_tiles ? 2 * plan->n_tiles : 1;

		tiles = realloc(plan->tiles, room * sizeof(*tiles));
		if (!tiles)
			return error_no_memory();
		plan->tiles = tiles;
	}
	plan->tiles[plan->n_tiles++] = *tile;
	return 0;
}

static int add_column(struct plan *plan, const struct cut *cut, const struct tile *channels,
		      const struct span *x)
{
	const struct layer *layer = &plan->layer;
	uint32_t out;
	int err = 0;

	for (out = 0; out < layer->y.out && !err;) {
		struct span y = axis_span(&layer->y, out, cut->oh);
		struct tile tile = *channels;

		set_rectangle(&tile, layer, x, &y);
		/* the first task of these channels fetches what the others keep */
		tile.keep_weights = cut->resident && (out || x->out);
		err = add_tile(plan, &tile);
		out += y.n_out;
	}
	return err;
}

static int add_rectangles(struct plan *plan, const struct cut *cut, const struct tile *channels)
{
	const struct layer *layer = &plan->layer;
	uint32_t out;
	int err = 0;

	for (out = 0; out < layer->x.out && !err;) {
		struct span x = axis_span(&layer->x, out, cut->ow);

		err = add_column(plan, cut, channels, &x);
		out += x.n_out;
	}
	return err;
}

static int add_channels(struct plan *plan, const struct cut *cut, const struct range *c)
{
	const struct layer *layer = &plan->layer;
	uint32_t whole = layer_oc_pad(layer), from;
	int err = 0;

	for (from = 0; from < whole && !err; from += cut->oc) {
		struct range oc = range_at(from, cut->oc, whole, layer->oc);
		struct tile tile = channel_tile(plan, cut, c, &oc);

		err = add_rectangles(plan, cut, &tile);
	}
	return err;
}

/* A depthwise layer has its input channels in the loop over output channels. */
static int add_tiles(struct plan *plan, const struct cut *cut)
{
	const struct layer *layer = &plan->layer;
	uint32_t whole = layer_c_pad(layer), from;
	struct range c = { 0 };
	int err = 0;

	if (layer->fmt.depthwise)
		return add_channels(plan, cut, &c);
	for (from = 0; from < whole && !err; from += cut->split_c) {
		c = range_at(from, cut->split_c, whole, layer->c);
		err = add_channels(plan, cut, &c);
	}
	return err;
}

static int set_areas(struct plan *plan)
{
	const struct layer *layer = &plan->layer;
	uint64_t in_surfaces = layer_c_pad(layer) / layer->fmt.in_unit;
	uint64_t out_surfaces = (uint64_t)layer_oc_pad(layer) / layer->fmt.group *
				layer->fmt.surfaces;
	uint64_t in_plane = plane_bytes(&layer->x, &layer->y, false);
	uint64_t out_plane = plane_bytes(&layer->x, &layer->y, true);

	if (in_plane > NPU_WINDOW || out_plane > NPU_WINDOW ||
	    in_surfaces > NPU_WINDOW / in_plane ||
	    out_surfaces > NPU_WINDOW / out_plane / plan->splits)
		return error_set(ENOSPC, "plan: %u x %u x %u to %u x %u x %u does not fit the NPU's 4 GiB",
				 layer->c, layer->y.in, layer->x.in, layer->oc, layer->y.out,
				 layer->x.out);
	plan->in_bytes = in_surfaces * in_plane;
	plan->split_out_bytes = out_surfaces * out_plane;
	plan->out_bytes = plan->split_out_bytes * plan->splits;
	plan->weight_bytes = layer_weight_bytes(layer, layer_c_pad(layer), layer_oc_pad(layer));
	if (plan->weight_bytes > NPU_WINDOW)
		return error_set(ENOSPC, "plan: %llu bytes of weights do not fit the NPU's 4 GiB",
				 (unsigned long long)plan->weight_bytes);
	return 0;
}

int plan_create(struct plan *plan, const struct layer *layer, const struct layer *partial)
{
	struct cut cut = cut_whole(layer);
	struct cut split = { 0 };
	int err;

	if (partial)
		split = cut_split(partial);
	*plan = (struct plan){ .layer = *layer };
	if (split.price && (!cut.price || split.price < cut.price)) {
		plan->layer = *partial;
		cut = split;
	}
	if (!cut.price)
		return error_set(EOPNOTSUPP, "plan: no cut of this window fits the hardware");
	cut_spread(&plan->layer, &cut);
	plan->splits = cut.splits;
	plan->split_c = cut.split_c;
	err = set_areas(plan);
	if (!err)
		err = add_tiles(plan, &cut);
	if (err)
		plan_destroy(plan);
	return err;
}

void plan_destroy(struct plan *plan)
{
	free(plan->tiles);
	plan->tiles = NULL;
	plan->n_tiles = 0;
}
