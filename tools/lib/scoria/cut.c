// SPDX-License-Identifier: MIT
/*
 * The search for a cut. A task computes a rectangle of the output for a range of
 * output channels from a range of input channels; its features and, group by
 * group, its weights must fit CBUF. Every cut that could fit is priced in bytes
 * moved, and the cheapest is taken.
 */
#include "cut.h"

#include "axis.h"
#include "choices.h"
#include "limits.h"

/*
 * What a task costs beside its bytes, and what adding a partial result on the
 * CPU costs per byte: about 5 us a task at 8 GB/s per core (programming-model J),
 * and a CPU that reads a cube no faster than a core writes it.
 */
#define TASK_PRICE	40000.0
#define ADD_PRICE	3.0

/* What is cheaper than this is not worth a kick and an interrupt on another core. */
#define SPREAD_PRICE	(4 * TASK_PRICE)

/* Cuts tried beyond the coarsest one that fits; the search has to end. */
#define MORE_COLUMNS	3
#define MORE_SPLITS	24
#define MORE_PARTS	3

/* Widest input of all column tiles, 0 when one is too wide for the registers. */
static uint32_t widest(const struct axis *x, uint32_t ow)
{
	uint32_t most = 0, out = 0;

	while (out < x->out) {
		struct span span = axis_span(x, out, ow);

		if (span.n_in > NPU_MAX_CNA_SIZE || span.n_out > NPU_MAX_CNA_SIZE ||
		    x->out - span.n_out > NPU_MAX_NOTCH)
			return 0;
		if (span.n_in > most)
			most = span.n_in;
		out += span.n_out;
	}
	return most;
}

/* Output rows of a tile, 0 when not even one window fits @banks (E3). */
static uint32_t tile_rows(const struct layer *layer, const struct cut *cut, uint32_t w,
			  uint32_t banks)
{
	uint32_t room = banks * NPU_BANK_ENTRIES / layer_row_entries(layer, w, cut->split_c);
	uint32_t rows = axis_outputs(&layer->y, min_u32(room, NPU_MAX_CNA_SIZE));

	/* a span may get rows of padding added, for which the field needs room */
	return min_u32(rows, NPU_MAX_ATOMICS / cut->ow - NPU_MAX_PAD);
}

static double price(const struct layer *layer, const struct cut *cut, uint32_t w)
{
	uint64_t h = (uint64_t)(cut->oh - 1) * layer->y.stride + axis_window(&layer->y);
	double tiles = (double)div_up(layer->x.out, cut->ow) * div_up(layer->y.out, cut->oh);
	double kernels = div_up(layer_oc_pad(layer), cut->oc);
	double features = tiles * w * (h < layer->y.in ? h : layer->y.in) * cut->split_c *
			  layer->fmt.in_bits / 8;
	double weights = layer_weight_bytes(layer, cut->split_c, cut->oc);
	double out = (double)layer->x.out * layer->y.out * cut->oc * layer->fmt.out_bytes;

	if (!cut->resident)
		weights *= tiles;
	if (cut->splits > 1)
		out *= 1 + ADD_PRICE;
	return cut->splits * kernels * (features + weights + out + tiles * TASK_PRICE);
}

/*
 * Features get the banks that the weights leave. One bank more than they need
 * guards against the corruption of the last rows where they nearly fill the last
 * bank (faults R5); where that bank is missing the exact rule of E3 has to do.
 */
static void try_banks(const struct layer *layer, struct cut *best, struct cut cut, uint32_t w)
{
	cut.data_banks = NPU_BANKS - cut.weight_banks;
	cut.oh = tile_rows(layer, &cut, w, cut.data_banks - 1);
	if (!cut.oh && !choose(CHOICE_WHOLE_BANKS))
		cut.oh = tile_rows(layer, &cut, w, cut.data_banks);
	if (!cut.oh)
		return;
	cut.resident = layer_weight_bytes(layer, cut.split_c, cut.oc) <=
		       (uint64_t)cut.weight_banks * NPU_BANK_BYTES;
	cut.price = price(layer, &cut, w);
	if (!best->price || cut.price < best->price)
		*best = cut;
}

/* All output channels in one task, or as many as stay in CBUF from tile to tile. */
static void try_kernels(const struct layer *layer, struct cut *best, struct cut cut, uint32_t w)
{
	uint64_t group_bytes = layer_weight_bytes(layer, cut.split_c, layer->fmt.group);
	uint32_t all = min_u32(layer_oc_pad(layer), NPU_MAX_OUT_CHANNELS);
	uint32_t groups;

	cut.weight_banks = div_up(group_bytes, NPU_BANK_BYTES);
	for (; cut.weight_banks <= NPU_MAX_DATA_BANKS; cut.weight_banks++) {
		groups = (uint64_t)cut.weight_banks * NPU_BANK_BYTES / group_bytes;
		cut.oc = min_u32(all, groups * layer->fmt.group);
		try_banks(layer, best, cut, w);
		if (cut.oc == all)
			break;
		cut.oc = all;
		try_banks(layer, best, cut, w);
	}
}

/*
 * Depthwise channels never mix, so ranges of them are output tiles. A task has
 * the features and all weights of its range in CBUF (H4).
 */
static void try_channels(const struct layer *layer, struct cut *best, struct cut cut, uint32_t w)
{
	uint32_t groups = min_u32(layer_oc_pad(layer), NPU_MAX_OUT_CHANNELS) / layer->fmt.group;

	for (; groups; groups /= 2) {
		cut.oc = groups * layer->fmt.group;
		cut.split_c = cut.oc;
		cut.weight_banks = div_up(layer_weight_bytes(layer, 0, cut.oc), NPU_BANK_BYTES);
		if (cut.weight_banks <= NPU_MAX_DATA_BANKS)
			try_banks(layer, best, cut, w);
	}
}

static void try_columns(const struct layer *layer, struct cut *best, struct cut cut)
{
	uint32_t n, w, last = 0, tries = 0;

	/* a tile's width and the gap beside it have their limits */
	if (layer->x.out > NPU_MAX_CNA_SIZE + NPU_MAX_NOTCH)
		return;
	for (n = 1; n <= layer->x.out && tries <= MORE_COLUMNS; n++) {
		cut.ow = div_up(layer->x.out, n);
		w = cut.ow == last ? 0 : widest(&layer->x, cut.ow);
		last = cut.ow;
		if (!w)
			continue;
		if (layer->fmt.depthwise)
			try_channels(layer, best, cut, w);
		else
			try_kernels(layer, best, cut, w);
		if (best->price)
			tries++;
	}
}

/* What follows the last window: the hardware takes it from the output's size. */
static int64_t pad_after(const struct axis *axis)
{
	return (int64_t)(axis->out - 1) * axis->stride + axis_window(axis) - axis->pad - axis->in;
}

static bool fits_registers(const struct axis *axis)
{
	return axis->kernel <= NPU_MAX_KERNEL && axis->stride <= NPU_MAX_STRIDE &&
	       axis->pad <= NPU_MAX_PAD && pad_after(axis) <= NPU_MAX_PAD &&
	       axis->dilation <= NPU_MAX_DILATION;
}

static bool fits_weights(const struct layer *layer, uint32_t c_pad)
{
	return layer_weight_bytes(layer, c_pad, layer->fmt.group) <= NPU_MAX_GROUP_BYTES;
}

static uint32_t most_channels(const struct layer *layer)
{
	return layer->c_most ? layer->c_most : UINT32_MAX;
}

struct cut cut_whole(const struct layer *layer)
{
	uint32_t c_pad = layer->fmt.depthwise ? layer->fmt.group : layer_c_pad(layer);
	struct cut cut = { .splits = 1, .split_c = c_pad };
	struct cut best = { 0 };

	if (fits_registers(&layer->x) && fits_registers(&layer->y) &&
	    fits_weights(layer, c_pad) && c_pad <= most_channels(layer))
		try_columns(layer, &best, cut);
	return best;
}

struct cut cut_split(const struct layer *layer)
{
	uint32_t c_pad = layer_c_pad(layer), last = c_pad, unit = layer->fmt.channels, tries = 0;
	uint32_t n = div_up(c_pad, most_channels(layer));
	struct cut best = { 0 };

	if (!fits_registers(&layer->x) || !fits_registers(&layer->y))
		return best;
	for (n = n < 2 ? 2 : n; n <= div_up(c_pad, unit) && tries < MORE_SPLITS; n++) {
		struct cut cut = { 0 };

		cut.split_c = align_up(div_up(c_pad, n), unit);
		cut.splits = div_up(c_pad, cut.split_c);
		if (cut.split_c == last || cut.splits < 2 || !fits_weights(layer, cut.split_c) ||
		    cut.split_c > most_channels(layer))
			continue;
		last = cut.split_c;
		try_columns(layer, &best, cut);
		tries++;
	}
	return best;
}

static uint32_t n_rows(const struct layer *layer, const struct cut *cut)
{
	return div_up(layer->y.out, cut->oh);
}

static uint32_t n_kernels(const struct layer *layer, const struct cut *cut)
{
	return div_up(layer_oc_pad(layer), cut->oc);
}

static uint64_t n_tasks(const struct layer *layer, const struct cut *cut)
{
	return div_up(layer->x.out, cut->ow) * cut->splits * n_rows(layer, cut) *
	       n_kernels(layer, cut);
}

/* Every core reads all weights, and rows that windows on both sides of a cut see. */
static struct cut spread_rows(const struct layer *layer, struct cut cut, uint32_t parts)
{
	parts = div_up(parts, n_tasks(layer, &cut) / n_rows(layer, &cut));
	cut.oh = min_u32(cut.oh, div_up(layer->y.out, parts));
	return cut;
}

/* Every core reads all features, unless they are depthwise. */
static struct cut spread_kernels(const struct layer *layer, struct cut cut, uint32_t parts)
{
	const uint32_t groups = layer_oc_pad(layer) / layer->fmt.group;

	parts = div_up(parts, n_tasks(layer, &cut) / n_kernels(layer, &cut));
	cut.oc = min_u32(cut.oc, div_up(groups, parts) * layer->fmt.group);
	if (layer->fmt.depthwise)
		cut.split_c = cut.oc;
	return cut;
}

/*
 * What the core with most tasks moves. Those whose tasks share weights that stay in CBUF
 * still have to fetch them once each.
 */
static double longest(const struct layer *layer, const struct cut *cut, uint32_t cores)
{
	const uint64_t tasks = n_tasks(layer, cut);
	double moved = price(layer, cut, widest(&layer->x, cut->ow));

	if (cut->resident && tasks > n_kernels(layer, cut) * cut->splits)
		moved += (cores - 1.0) * layer_weight_bytes(layer, cut->split_c, cut->oc);
	return moved / tasks * div_up(tasks, cores);
}

static void take_shorter(const struct layer *layer, struct cut *best, const struct cut *cut,
			 uint32_t cores)
{
	if (longest(layer, cut, cores) < longest(layer, best, cores))
		*best = *cut;
}

/* Few tasks leave cores idle, and some more than there are cores leave them so in the end. */
void cut_spread(const struct layer *layer, struct cut *cut)
{
	uint32_t worth = cut->price / SPREAD_PRICE < NPU_MAX_CORES ?
			 cut->price / SPREAD_PRICE : NPU_MAX_CORES;
	uint32_t cores = min_u32(layer->cores, worth), parts;
	const struct cut whole = *cut;

	if (cores < 2 || n_tasks(layer, cut) > MORE_PARTS * cores)
		return;
	for (parts = cores; parts <= MORE_PARTS * cores; parts++) {
		const struct cut rows = spread_rows(layer, whole, parts);
		const struct cut kernels = spread_kernels(layer, whole, parts);

		take_shorter(layer, cut, &rows, cores);
		take_shorter(layer, cut, &kernels, cores);
	}
}
