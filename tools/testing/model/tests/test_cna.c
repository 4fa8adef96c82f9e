// SPDX-License-Identifier: MIT
/*
 * CNA: where features come from (programming-model E2, D6, D7), the input
 * converter (C2), padding lanes (E4), CBUF capacity and reuse (E3).
 */
#include <math.h>
#include <stdlib.h>

#include "conv.h"
#include "fp16.h"
#include "tap.h"

struct cna {
	struct conv conv;
	struct rig rig;
	struct task t;
};

static void cna_begin(struct cna *c)
{
	rig_init(&c->rig, NULL);
	conv_init(&c->conv);
	conv_place(&c->conv, &c->rig);
	conv_task(&c->conv, &c->t);
}

static void cna_end(struct cna *c)
{
	conv_free(&c->conv);
	rig_free(&c->rig);
}

/**
 * struct walk - an address rule for features, strides in units
 * @lines:  L of E2: 4 grouped, 1 with GROUP_LINE_OFF
 * @line:   LINE_STRIDE
 * @surf:   SURF_STRIDE
 */
struct walk {
	unsigned int lines;
	uint32_t line;
	uint32_t surf;
};

/* E2, in units from the base, modulo 2^28. */
static uint32_t walk_unit(const struct walk *walk, unsigned int width, unsigned int c1,
			  unsigned int y, unsigned int x)
{
	uint32_t unit = y / walk->lines * walk->line + y % walk->lines * width + x +
			c1 * (width * walk->lines + walk->surf);

	return unit & 0x0fffffff;
}

/* Move the features of @c to where @walk finds them; nothing else is mapped. */
static void place_by_walk(struct cna *c, const struct walk *walk)
{
	unsigned int c2 = type_info[c->conv.in].c2, plane = c->conv.w * c->conv.h;
	unsigned int units = c->conv.c_pad / c2 * plane;
	uint8_t *dense = calloc(units, 16);

	if (!dense)
		return;
	conv_store_x(&c->conv, dense);
	rig_unmap(&c->rig, AT_X);
	for (unsigned int u = 0; u < units; u++) {
		uint32_t at = walk_unit(walk, c->conv.w, u / plane, u % plane / c->conv.w,
					u % c->conv.w);

		memcpy(rig_map(&c->rig, AT_X + 16 * at, 16, 0), dense + 16 * u, 16);
	}
	free(dense);
	if (walk->lines == 1)
		task_set(&c->t, CNA_CONV_CON1, task_get(&c->t, CNA_CONV_CON1) | 1u << 29);
	task_set(&c->t, CNA_DMA_CON1, walk->line);
	task_set(&c->t, CNA_DMA_CON2, walk->surf);
}

static bool walk_works(unsigned int w, unsigned int h, struct walk walk)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = w, .h = h, .c = 48, .oc = 32 }
	};
	bool good;

	cna_begin(&c);
	place_by_walk(&c, &walk);
	good = conv_run(&c.conv, &c.rig, &c.t, "walk");
	cna_end(&c);
	return good;
}

/* A tile of a taller tensor keeps the tensor's strides. */
TEST(grouped_lines_follow_line_and_surf_stride)
{
	EXPECT(walk_works(5, 6, (struct walk){ 4, 20, 5 * (6 - 4) }));
	EXPECT(walk_works(5, 6, (struct walk){ 4, 20, 5 * (40 - 4) }));
	EXPECT(walk_works(5, 9, (struct walk){ 4, 64, 1000 }));
	/* liej6799's stream: LINE_STRIDE 16 instead of 4 for width 1 and height 4 */
	EXPECT(walk_works(1, 4, (struct walk){ 4, 16, 0 }));
}

/* The upper four bits are ignored: allbilly writes 0xfffffffd for H = 1. */
TEST(negative_surf_stride_wraps_at_28_bits)
{
	EXPECT(walk_works(1, 1, (struct walk){ 4, 4, 0x0ffffffd }));
	EXPECT(walk_works(3, 2, (struct walk){ 4, 12, 0x0ffffffa }));
	EXPECT(walk_works(3, 3, (struct walk){ 4, 12, 0x0ffffffd }));
	EXPECT(walk_works(1, 1, (struct walk){ 4, 4, 0xfffffffd }));
}

/* E2: the clamped formula (SURF 0 for M = 1) finds its channels 4 units apart. */
TEST(clamped_surf_stride_at_height_1_reads_four_units_apart)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 1, .c = 32, .oc = 32 }
	};

	cna_begin(&c);
	task_set(&c.t, CNA_DMA_CON2, 0);
	EXPECT_EQ(NPU_STALLED, rig_run(&c.rig, &c.t, 1));
	EXPECT_EQ(AT_X + 64, c.rig.mem.fault_at);
	cna_end(&c);
}

TEST(ungrouped_lines_follow_line_and_surf_stride)
{
	EXPECT(walk_works(5, 6, (struct walk){ 1, 5, 5 * 5 }));
	EXPECT(walk_works(5, 6, (struct walk){ 1, 77, 1234 }));
	/* a column tile, 5 of 12 wide, of a tensor of height 20 */
	EXPECT(walk_works(5, 6, (struct walk){ 1, 12, 12 * 20 - 5 }));
}

/* D6: row-major A, W = 1, LINE_STRIDE = K bytes / 16, SURF_STRIDE 0. */
TEST(row_major_matrix_is_read_without_repacking)
{
	EXPECT(walk_works(1, 7, (struct walk){ 1, 3, 0 }));
	EXPECT(walk_works(1, 1, (struct walk){ 1, 3, 0 }));
}

/* D7: interleaved pixels, C <= 4; @pitch is the row pitch in pixels. */
static void pixels_task(struct cna *c, unsigned int pitch, uint32_t cvt, uint32_t enable)
{
	const struct conv *conv = &c->conv;
	unsigned int entries = conv->w * conv->h;

	task_set(&c->t, CNA_CONV_CON1, conv->in << 4 | conv->in << 7 | (7 + conv->c) << 12 |
				       1u << 29 | 1u << 30);
	task_set(&c->t, CNA_DATA_SIZE1, (conv->c - 1) << 16 | conv->c_pad);
	task_set(&c->t, CNA_DMA_CON1, pitch);
	task_set(&c->t, CNA_DMA_CON2, pitch * (conv->h - 1));
	task_set(&c->t, CNA_CBUF_CON0, 0xa2);
	task_set(&c->t, CNA_CBUF_CON1, entries);
	task_set(&c->t, CNA_CVT_CON0, cvt);
	task_set(&c->t, CNA_CVT_CON5, enable);
}

/* Only the pixels of each row are mapped, the rest of the pitch is a hole. */
static void place_pixels(struct cna *c, unsigned int pitch)
{
	const struct conv *conv = &c->conv;
	unsigned int bytes = type_info[conv->in].bits / 8 * conv->c;

	rig_unmap(&c->rig, AT_X);
	for (unsigned int y = 0; y < conv->h; y++) {
		uint8_t *row = rig_map(&c->rig, AT_X + y * pitch * bytes,
				       (conv->w * bytes + 15) & ~15u, 0);

		for (unsigned int i = 0; i < conv->w * conv->c; i++)
			type_store(conv->in, row, i, conv->x[(i % conv->c * conv->h + y) * conv->w +
							     i / conv->c]);
	}
}

TEST(fp16_pixels_of_1_to_4_channels)
{
	for (unsigned int channels = 1; channels <= 4; channels++) {
		struct cna c = { .conv = { .in = T_FP16,
					   .out = T_FP32,
					   .w = 13,
					   .h = 6,
					   .c = channels,
					   .oc = 17,
					   .kw = 3,
					   .kh = 2,
					   .left = 1,
					   .ow = 13 } };

		cna_begin(&c);
		place_pixels(&c, 32);
		pixels_task(&c, 32, 1, (1u << channels) - 1);
		EXPECT(conv_run(&c.conv, &c.rig, &c.t, "pixels"));
		cna_end(&c);
	}
}

/*
 * How much of CBUF a first layer's pixel takes is known from one task only: a
 * layer that may not fit its two banks is reported, but comes out right.
 */
TEST(pixels_that_may_exceed_their_banks_are_right_and_reported)
{
	struct cna c = { .conv = { .in = T_FP16, .out = T_FP32, .w = 112, .h = 112, .c = 3,
				   .oc = 8 } };

	cna_begin(&c);
	place_pixels(&c, 120);
	pixels_task(&c, 120, 1, 7);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "112x112x3"));
	EXPECT_EQ(1, rig_count(&c.rig, NPU_WARNING, "first layer"));
	cna_end(&c);
}

/* C2: Mesa's first layer turns unsigned x into x - 128; padding is added behind. */
TEST(uint8_pixels_are_converted_to_signed)
{
	struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 16, .h = 6, .c = 1, .oc = 32,
				   .kw = 3, .kh = 3, .left = 1, .top = 1, .ow = 16, .oh = 6,
				   .pad = -9 } };
	uint32_t truncate = 14 << 4 | 14 << 10 | 14 << 16 | 14 << 22;

	cna_begin(&c);
	for (unsigned int i = 0; i < 16 * 6; i++)
		c.conv.x[i] += 128;		/* what memory holds, 0 to 255 */
	place_pixels(&c, 16);
	for (unsigned int i = 0; i < 16 * 6; i++)
		c.conv.x[i] -= 128;		/* what is summed */
	pixels_task(&c, 16, truncate, 0xffff);
	for (unsigned int reg = CNA_CVT_CON1; reg <= CNA_CVT_CON4; reg += 4)
		task_set(&c.t, reg, 0x4000ff80);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "uint8 pixels"));
	cna_end(&c);
}

/*
 * A picture's bytes into an fp16 network: eight channels of fp16 weights for the 16 that a
 * unit of bytes has room for, and padding in what the converter makes of them [?].
 */
TEST(uint8_pixels_feed_fp16_weights)
{
	struct cna c = { .conv = { .in = T_FP16, .out = T_FP32, .w = 16, .h = 6, .c = 3, .oc = 16,
				   .kw = 3, .kh = 3, .left = 1, .top = 1, .ow = 16, .oh = 6,
				   .pad = -2.5 } };
	uint8_t *bytes;

	cna_begin(&c);
	rig_unmap(&c.rig, AT_X);
	bytes = rig_map(&c.rig, AT_X, 3 * 16 * 6, 0);
	for (unsigned int i = 0; i < 3 * 16 * 6; i++) {
		bytes[i] = test_random();
		c.conv.x[i % 3 * 96 + i / 3] = bytes[i] - 117;
	}
	pixels_task(&c, 16, 0, 7);
	task_set(&c.t, CNA_CONV_CON1, (task_get(&c.t, CNA_CONV_CON1) & ~0x70u) | T_INT8 << 4);
	for (unsigned int reg = CNA_CVT_CON1; reg <= CNA_CVT_CON4; reg += 4)
		task_set(&c.t, reg, 1 << 16 | (-117 & 0xffff));
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "uint8 to fp16"));
	EXPECT_EQ(1, rig_count(&c.rig, NPU_WARNING, "IN_PRECISION"));
	cna_end(&c);
}

/**
 * struct cvt - an input converter of one lane
 * @scale: and @offset, @truncate: of the lane
 */
struct cvt {
	int scale;
	int offset;
	unsigned int truncate;
};

static double round_ties(double v, bool up)
{
	return up ? floor(v + 0.5) : nearbyint(v);
}

/* C2, saturated to the type's 8 bits. */
static double cvt_apply(const struct cvt *cvt, bool add_first, bool up, double x)
{
	double y;

	if (add_first)
		y = round_ties(ldexp((x + cvt->offset) * cvt->scale, -(int)cvt->truncate), up);
	else
		y = round_ties(ldexp(x * cvt->scale, -(int)cvt->truncate), up) + cvt->offset;
	return y > 127 ? 127 : y < -128 ? -128 : y;
}

static const struct cvt lanes[4] = {
	{ 3, 5, 1 }, { -1, -7, 0 }, { 129, 100, 8 }, { 1, 0, 2 },
};

/* An int8 convolution through the converter with each lane set differently. */
static bool converter_works(bool add_first, bool up, bool is_signed, uint32_t enable)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 5, .c = 16, .oc = 32 }
	};
	uint32_t con0 = is_signed << 3 | up << 2 | add_first << 1;
	bool good;

	cna_begin(&c);
	for (unsigned int lane = 0; lane < 4; lane++) {
		con0 |= lanes[lane].truncate << (4 + 6 * lane);
		task_set(&c.t, CNA_CVT_CON1 + 4 * lane,
			 (uint32_t)lanes[lane].scale << 16 | (lanes[lane].offset & 0xffff));
	}
	task_set(&c.t, CNA_CVT_CON0, con0);
	task_set(&c.t, CNA_CVT_CON5, enable);
	for (unsigned int i = 0; i < 16 * 20; i++) {
		double *x = &c.conv.x[i];
		double raw = !is_signed && *x < 0 ? *x + 256 : *x;

		if (enable >> i / 20 & 1)
			*x = cvt_apply(&lanes[i / 20 % 4], add_first, up, raw);
	}
	good = conv_run(&c.conv, &c.rig, &c.t, "converter");
	cna_end(&c);
	return good;
}

/* C2 [?]: four lanes repeat over the unit, lane = channel mod 4. */
TEST(converter_multiplies_then_adds_by_lane)
{
	EXPECT(converter_works(false, false, true, 0xffff));
	EXPECT(converter_works(false, true, true, 0xffff));
	EXPECT(converter_works(false, false, false, 0xffff));
}

TEST(converter_adds_then_multiplies_by_lane)
{
	EXPECT(converter_works(true, false, true, 0xffff));
	EXPECT(converter_works(true, true, false, 0xffff));
}

TEST(converter_leaves_disabled_lanes_alone)
{
	EXPECT(converter_works(false, false, true, 0x1234));
}

/* Sum of a window whose padding positions hold @low or @high by lane. */
static double padded_sum(const struct conv *conv, unsigned int oc, unsigned int oy, unsigned int ox,
			 double (*pad_of)(unsigned int c))
{
	struct conv lane = *conv;
	double sum = 0;

	lane.depthwise = true;	/* one channel at a time */
	for (unsigned int c = 0; c < conv->c; c++) {
		if (conv->depthwise && c != oc)
			continue;
		lane.pad = pad_of(c);
		lane.k = conv->depthwise ? conv->k :
			 conv->k + (size_t)oc * conv->c * conv->kh * conv->kw;
		sum += conv_sum(&lane, c, oy, ox);
	}
	return sum;
}

static double pad_even_odd(unsigned int c)
{
	return c % 2 ? -50 : 90;
}

static double pad_depthwise(unsigned int c)
{
	return c % 64 < 32 && c % 2 ? -50 : 90;
}

/* E4: two bytes of PAD_CON1, 90 in byte 0 and -50 in byte 1. */
static void check_pad_lanes(struct cna *c, double (*pad_of)(unsigned int c), unsigned int shift)
{
	cna_begin(c);
	task_set(&c->t, CNA_PAD_CON1, 0xce5a);
	task_set(&c->t, DPU_OUT_SHIFT, shift);
	EXPECT_EQ(NPU_IDLE, rig_run(&c->rig, &c->t, 1));
	for (unsigned int oc = 0; oc < c->conv.oc; oc++)
		for (unsigned int p = 0; p < c->conv.ow * c->conv.oh; p++) {
			unsigned int oy = p / c->conv.ow, ox = p % c->conv.ow;
			double sum = padded_sum(&c->conv, oc, oy, ox, pad_of);

			EXPECT_EQ(nearbyint(ldexp(sum, -(int)shift)),
				  conv_output(&c->conv, oc, oy, ox));
		}
	cna_end(c);
}

TEST(pad_bytes_alternate_over_channels_of_a_direct_convolution)
{
	struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 3, .c = 32, .oc = 32,
				   .kw = 3, .kh = 3, .left = 1, .top = 1, .ow = 3, .oh = 3 } };

	check_pad_lanes(&c, pad_even_odd, 0);
}

/* The recorded depthwise task: byte 1 only on odd channels of the first 32 of 64. */
TEST(pad_bytes_of_a_depthwise_convolution_as_recorded)
{
	struct cna c = { .conv = { .in = T_INT8, .out = T_INT8, .depthwise = true, .w = 3, .h = 3,
				   .c = 128, .kw = 3, .kh = 3, .left = 1, .top = 1, .ow = 3,
				   .oh = 3 } };

	check_pad_lanes(&c, pad_depthwise, 11);
}

/*
 * Faults R5, E3: M = 144 with K = 7 * 32 fills 32256 bytes, less than a bank,
 * but rows round up to 4 entries each, so that only 128 of them fit one bank.
 */
TEST(r5_rows_beyond_the_data_banks_are_garbage)
{
	for (unsigned int banks = 1; banks <= 2; banks++) {
		struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 144, .c = 224,
					   .oc = 32 } };
		unsigned int wrong = 0;

		cna_begin(&c);
		task_set(&c.t, CNA_CBUF_CON0, (12 - banks) << 4 | banks);
		EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, &c.t, 1));
		for (unsigned int y = 0; y < 144; y++) {
			bool same = conv_sum(&c.conv, 5, y, 0) == conv_output(&c.conv, 5, y, 0);

			wrong += !same;
			if (y < 128)
				EXPECT(same);
		}
		EXPECT_EQ(banks == 1, wrong > 0);
		EXPECT_EQ(banks == 1, rig_count(&c.rig, NPU_WARNING, "") > 0);
		cna_end(&c);
	}
}

TEST(rows_that_just_fit_the_data_banks_are_right)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 128, .c = 224, .oc = 32 }
	};

	cna_begin(&c);
	task_set(&c.t, CNA_CBUF_CON0, 0xb1);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "128 rows in one bank"));
	EXPECT_EQ(0, rig_count(&c.rig, NPU_WARNING, ""));
	cna_end(&c);
}

/* E3: weights stream by kernel groups, so all of them need not fit. */
TEST(weights_larger_than_cbuf_stream)
{
	struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 4, .c = 1024,
				   .oc = 480 } };

	cna_begin(&c);
	ASSERT(c.conv.k_bytes > 12 * 32768);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "480 kernels of 1024 bytes"));
	cna_end(&c);
}

/* D2: allbilly's streams with WEIGHT_SIZE1 = total / 256 are right on boards. */
TEST(weight_size_1_does_not_define_the_layout)
{
	struct cna c = { .conv = {
				 .in = T_FP16, .out = T_FP32, .w = 1, .h = 4, .c = 40, .oc = 20 } };

	cna_begin(&c);
	task_set(&c.t, CNA_WEIGHT_SIZE1, c.conv.k_bytes / 256);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "WEIGHT_SIZE1"));
	cna_end(&c);
}

/*
 * Two tasks; the second claims to find its features (bit 12) or weights
 * (bit 13) in CBUF while memory holds others: the old ones count.
 */
static void check_reuse(uint32_t bit)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 32, .oc = 32 }
	};
	enum npu_dma dma = bit == 1u << 12 ? NPU_DMA_FEATURE : NPU_DMA_WEIGHT;
	uint16_t address = dma == NPU_DMA_FEATURE ? CNA_FEATURE_DATA_ADDR : CNA_DCOMP_ADDR0;
	size_t bytes;
	struct task chain[2];

	cna_begin(&c);
	bytes = dma == NPU_DMA_FEATURE ? c.conv.x_bytes : c.conv.k_bytes;
	chain[0] = c.t;
	chain[1] = c.t;
	task_set(&chain[0], DPU_DST_BASE, AT_B);
	rig_map(&c.rig, AT_B, c.conv.y_bytes, 0xee);
	rig_map(&c.rig, AT_E, bytes, 0x11);
	task_set(&chain[1], address, AT_E);
	task_set(&chain[1], CNA_CBUF_CON0, 0xb1 | bit);
	EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, chain, 2));
	EXPECT_EQ(conv_sum(&c.conv, 3, 1, 2), conv_output(&c.conv, 3, 1, 2));
	EXPECT(!memcmp(c.conv.y, sparse_mem_at(&c.rig.mem, AT_B), c.conv.y_bytes));
	EXPECT_EQ(bytes, npu_core_counters(c.rig.core)->bytes[dma]);
	/* and without the claim they do not */
	task_set(&chain[1], CNA_CBUF_CON0, 0xb1);
	EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, chain, 2));
	EXPECT(memcmp(c.conv.y, sparse_mem_at(&c.rig.mem, AT_B), c.conv.y_bytes));
	cna_end(&c);
}

TEST(data_reuse_takes_features_left_in_cbuf)
{
	check_reuse(1u << 12);
}

TEST(weight_reuse_takes_weights_left_in_cbuf)
{
	check_reuse(1u << 13);
}

/* Each of these is unsupported when not zero: said once a core, not once a task. */
TEST(unmodelled_fields_are_reported_once)
{
	static const struct {
		uint16_t reg;
		uint32_t bits;
		const char *name;
	} fields[] = {
		{ CNA_CONV_CON1, 1u << 16, "DECONV" },
		{ CNA_CONV_CON3, 1u << 28, "NN_MODE" },
		{ CNA_DATA_SIZE3, 2u << 22, "SURF_MODE" },
		{ CNA_DCOMP_CTRL, 1, "DECOMP_CONTROL" },
		{ CNA_DCOMP_AMOUNT15, 1, "DCOMP_AMOUNT15" },
		{ CNA_FC_CON0, 1, "FC_SKIP_EN" },
	};

	for (unsigned int f = 0; f < 6; f++) {
		struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16,
					   .oc = 32 } };

		cna_begin(&c);
		task_set(&c.t, fields[f].reg, task_get(&c.t, fields[f].reg) | fields[f].bits);
		for (unsigned int i = 0; i < 3; i++)
			rig_run(&c.rig, &c.t, 1);
		if (rig_count(&c.rig, NPU_NOTE, fields[f].name) != 1)
			TAP_FAIL("%s: reported %u times", fields[f].name,
				 rig_count(&c.rig, NPU_NOTE, fields[f].name));
		cna_end(&c);
	}
}

/* E1: FC_DATA_BANK must be 0. */
TEST(fc_data_bank_spoils_a_convolution)
{
	for (unsigned int bank = 0; bank < 2; bank++) {
		struct cna c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16,
					   .oc = 32 } };

		cna_begin(&c);
		task_set(&c.t, CNA_CBUF_CON0, task_get(&c.t, CNA_CBUF_CON0) | bank << 8);
		EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, &c.t, 1));
		EXPECT_EQ(bank, rig_count(&c.rig, NPU_WARNING, "FC_DATA_BANK"));
		EXPECT_EQ(!bank, conv_sum(&c.conv, 3, 1, 2) == conv_output(&c.conv, 3, 1, 2));
		cna_end(&c);
	}
}

TEST(plain_convolution_gives_no_report)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16, .oc = 32 }
	};

	cna_begin(&c);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "plain"));
	EXPECT_EQ(0, c.rig.n_reports);
	cna_end(&c);
}

/* D7 has NONALIGN_DMA only beside ARGB_IN; alone it changes nothing, aloud [?]. */
TEST(unaligned_fetch_of_whole_units_is_plain_and_reported)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16, .oc = 32 }
	};

	cna_begin(&c);
	task_set(&c.t, CNA_CONV_CON1, task_get(&c.t, CNA_CONV_CON1) | 1u << 30);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "NONALIGN_DMA"));
	EXPECT_EQ(1, rig_count(&c.rig, NPU_WARNING, "NONALIGN_DMA"));
	cna_end(&c);
}

TEST(features_not_mapped_stall_with_a_read_error)
{
	struct cna c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16, .oc = 32 }
	};

	cna_begin(&c);
	rig_unmap(&c.rig, AT_X);
	EXPECT_EQ(NPU_STALLED, rig_run(&c.rig, &c.t, 1));
	EXPECT(rig_raw_status(&c.rig) & INT_DMA_READ_ERROR);
	EXPECT_EQ(0, rig_raw_status(&c.rig) & INT_DPU);
	EXPECT_EQ(0xee, c.conv.y[0]);
	cna_end(&c);
}

TEST_MAIN()
