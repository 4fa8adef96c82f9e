// SPDX-License-Identifier: MIT
/*
 * What every plan must keep to, over random layers: tiles cover the output once,
 * fields hold their values, and both sides of CBUF hold what is put there.
 */
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../../reference/random.h"
#include "../axis.h"
#include "../limits.h"
#include "../plan.h"
#include "rk3588_npu.h"

static struct random numbers = { 17 };

static uint32_t up_to(uint32_t most)
{
	return random_range(&numbers, 1, random_range(&numbers, 1, most));
}

static struct axis random_axis(void)
{
	struct axis axis = { .in = up_to(2500), .kernel = up_to(7), .stride = up_to(7),
			     .dilation = up_to(3) };
	uint32_t after;

	axis.pad = random_range(&numbers, 0, NPU_MAX_PAD);
	after = random_range(&numbers, 0, NPU_MAX_PAD);
	if (axis.in + axis.pad + after < axis_window(&axis))
		axis.kernel = 1;
	axis.out = (axis.in + axis.pad + after - axis_window(&axis)) / axis.stride + 1;
	return axis;
}

static struct layer random_layer(void)
{
	struct layer layer = { .x = random_axis(), .y = random_axis(), .c = up_to(3000),
			       .oc = up_to(9000) };
	bool fp16 = random_next(&numbers) % 2, depthwise = random_next(&numbers) % 4 == 0;

	format_init(&layer.fmt, fp16 ? NPU_PRECISION_FP16 : NPU_PRECISION_INT8,
		    fp16 ? NPU_PRECISION_FP16 : NPU_PRECISION_INT8, depthwise);
	layer.c_align = layer.fmt.in_unit;
	if (depthwise) {
		layer.oc = layer.c;
		layer.c_align = layer.fmt.group;
	}
	return layer;
}

static struct layer partial_of(struct layer layer)
{
	bool fp16 = layer.fmt.in == NPU_PRECISION_FP16;

	format_init(&layer.fmt, layer.fmt.in, fp16 ? NPU_PRECISION_FP32 : NPU_PRECISION_INT32,
		    false);
	return layer;
}

static void check_fields(const struct tile *tile)
{
	EXPECT(tile->w >= 1 && tile->w <= 2047 && tile->h >= 1 && tile->h <= 2047);
	EXPECT(tile->ow >= 1 && tile->ow <= 2047 && tile->oh >= 1 && tile->oh <= 8192);
	EXPECT((uint64_t)tile->ow * tile->oh < 1 << 22);
	EXPECT(tile->c >= 1 && tile->c <= 16384 && tile->c <= tile->c_pad);
	EXPECT(tile->oc >= 1 && tile->oc <= tile->oc_pad && tile->oc_pad <= 8192);
	EXPECT(tile->pad_left <= 15 && tile->pad_top <= 15);
}

/* E3: the rows of the tile, and a kernel group. */
static void check_buffer(const struct layer *layer, const struct tile *tile)
{
	uint64_t rows = (uint64_t)tile->h * layer_row_entries(layer, tile->w, tile->c_pad);
	uint64_t needed = div_up(rows, 512);
	uint64_t group = layer_weight_bytes(layer, tile->c_pad, layer->fmt.depthwise ?
					    tile->oc_pad : layer->fmt.group);

	EXPECT_EQ(12, tile->data_banks + tile->weight_banks);
	EXPECT(tile->data_banks >= 1 && tile->data_banks <= 11);
	EXPECT(needed <= tile->data_banks);
	EXPECT(group <= tile->weight_banks * 32768ull);
	EXPECT(group <= 10 * 32768 || layer->fmt.depthwise);
	if (tile->keep_weights)
		EXPECT(layer_weight_bytes(layer, tile->c_pad, tile->oc_pad) <=
		       tile->weight_banks * 32768ull);
}

/* R5: a bank of slack, unless a window of the widest tile would not fit otherwise. */
static void check_slack(const struct plan *plan)
{
	const struct layer *layer = &plan->layer;
	uint32_t window = min_u32(axis_window(&layer->y), layer->y.in), most = 0, rows = 0, row;
	size_t i;

	for (i = 0; i < plan->n_tiles; i++) {
		const struct tile *tile = &plan->tiles[i];

		row = layer_row_entries(layer, tile->w, tile->c_pad);
		most = row > most ? row : most;
		rows = row * tile->h > rows ? row * tile->h : rows;
	}
	if (div_up(rows, 512) == plan->tiles[0].data_banks)
		EXPECT(window * most > (plan->tiles[0].data_banks - 1u) * 512);
}

static void check_areas(const struct plan *plan, const struct tile *tile)
{
	const struct layer *layer = &plan->layer;
	uint64_t surface = (uint64_t)layer->x.in * layer->y.in * 16;
	uint64_t plane = (uint64_t)layer->x.out * layer->y.out * 16;

	EXPECT(tile->in + (tile->c_pad / layer->fmt.in_unit - 1) * surface +
	       ((uint64_t)(tile->h - 1) * layer->x.in + tile->w) * 16 <= plan->in_bytes);
	EXPECT(tile->out + ((uint64_t)tile->oc_pad / layer->fmt.group * layer->fmt.surfaces - 1) *
	       plane + ((uint64_t)(tile->oh - 1) * layer->x.out + tile->ow) * 16 <=
	       plan->out_bytes);
	EXPECT(tile->weights + layer_weight_bytes(layer, tile->c_pad, tile->oc_pad) <=
	       plan->weight_bytes);
}

/* As many outputs as there are, in every part: with check_areas(), none twice. */
static void check_coverage(const struct plan *plan)
{
	uint64_t outputs = 0;
	size_t i;

	for (i = 0; i < plan->n_tiles; i++)
		outputs += (uint64_t)plan->tiles[i].ow * plan->tiles[i].oh *
			   plan->tiles[i].oc_pad;
	EXPECT_EQ((uint64_t)plan->layer.x.out * plan->layer.y.out * layer_oc_pad(&plan->layer) *
		  plan->splits, outputs);
}

static bool check_plan(const struct layer *layer, const struct layer *partial)
{
	struct plan plan;
	size_t i;

	if (plan_create(&plan, layer, partial))
		return false;
	check_coverage(&plan);
	check_slack(&plan);
	for (i = 0; i < plan.n_tiles && !tap_failed; i++) {
		check_fields(&plan.tiles[i]);
		check_buffer(&plan.layer, &plan.tiles[i]);
		check_areas(&plan, &plan.tiles[i]);
	}
	plan_destroy(&plan);
	return true;
}

TEST(plans_of_random_layers_keep_to_the_limits)
{
	int planned = 0, i;

	for (i = 0; i < 1000 && !tap_failed; i++) {
		struct layer layer = random_layer(), partial = partial_of(layer);

		planned += check_plan(&layer, layer.fmt.depthwise ? NULL : &partial);
	}
	/* most fit; those that do not are too large for the window */
	EXPECT(planned > 300);
}

static struct layer square_layer(uint32_t size, uint32_t channels)
{
	const struct axis axis = { .in = size, .out = size, .kernel = 3, .stride = 1,
				   .dilation = 1, .pad = 1 };
	struct layer layer = { .x = axis, .y = axis, .c = channels, .oc = channels, .cores = 3 };

	format_init(&layer.fmt, NPU_PRECISION_FP16, NPU_PRECISION_FP16, false);
	layer.c_align = layer.fmt.in_unit;
	return layer;
}

/*
 * Memory is what cores share, so the larger one of features and weights is read once. Four
 * tasks would keep one of three cores busy for twice as long as the others.
 */
TEST(cores_divide_what_is_larger_and_equally)
{
	const struct layer weights = square_layer(7, 512), features = square_layer(56, 64);
	struct plan plan;
	uint64_t bytes = 0;
	size_t i;

	ASSERT(!plan_create(&plan, &weights, NULL));
	EXPECT_EQ(0, plan.n_tiles % 3);
	for (i = 0; i < plan.n_tiles; i++)
		bytes += layer_weight_bytes(&weights, plan.tiles[i].c_pad, plan.tiles[i].oc_pad);
	EXPECT_EQ(plan.weight_bytes, bytes);
	plan_destroy(&plan);
	ASSERT(!plan_create(&plan, &features, NULL));
	EXPECT_EQ(0, plan.n_tiles % 3);
	for (i = 0; i < plan.n_tiles; i++)
		EXPECT_EQ(64, plan.tiles[i].oc);
	plan_destroy(&plan);
}

/* Every output is in one span, and every tap that is not padding in its input. */
TEST(spans_of_an_axis_see_all_taps)
{
	int i;

	for (i = 0; i < 5000 && !tap_failed; i++) {
		struct axis axis = random_axis();
		uint32_t n = up_to(axis.out), out = 0;

		while (out < axis.out) {
			struct span span = axis_span(&axis, out, n);
			int64_t first = (int64_t)out * axis.stride - axis.pad, at, o, k;

			EXPECT(span.out == out && span.n_out >= 1 && span.n_in >= 1);
			EXPECT(span.in + span.n_in <= axis.in);
			EXPECT_EQ(first, (int64_t)span.in - span.pad);
			for (o = 0; o < span.n_out; o++)
				for (k = 0; k < axis.kernel; k++) {
					at = first + o * axis.stride + k * axis.dilation;
					if (at < 0 || at >= axis.in)
						continue;
					EXPECT(at >= span.in && at < span.in + span.n_in);
				}
			out += span.n_out;
		}
		EXPECT_EQ(axis.out, out);
	}
}

TEST_MAIN()
