// SPDX-License-Identifier: MIT
/* Questions about CNA's features: addresses, converter, padding (programming-model C2, D7, E). */
#include "experiment.h"
#include "fp16.h"
#include "ties.h"

/* CVT_CON1 to CVT_CON4, each a scale and an offset for one lane. */
static void set_lanes(struct task *task, uint32_t scale, const uint32_t *offsets)
{
	for (unsigned int i = 0; i < 4; i++)
		task_set(task, CNA_CVT_CON1 + 4 * i, scale << 16 | offsets[i]);
}

static void ties_cvt(struct trial *t)
{
	struct conv conv;
	struct task *task = halves_task(t, &conv, T_INT32);

	/* signed, multiply first, shift by one in all four lanes */
	task_set(task, CNA_CVT_CON0, 1 << 22 | 1 << 16 | 1 << 10 | 1 << 4 | 8);
	set_lanes(task, 1, (uint32_t[]){ 0, 0, 0, 0 });
	task_set(task, CNA_CVT_CON5, 0xffff);
	trial_run(t);
	halves_note(t, &conv);
}

static void cvt_lanes(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_INT8, T_INT32, 1, 16);
	for (unsigned int c = 0; c < 16; c++)
		*conv_at(&conv, c, 0) = 10;
	task = trial_conv(t, &conv);
	task_set(task, CNA_CVT_CON0, 8);
	set_lanes(task, 1, (uint32_t[]){ 1, 2, 3, 4 });
	task_set(task, CNA_CVT_CON5, 0xffff);
	trial_run(t);
	for (unsigned int c = 0; c < 8; c++)
		trial_note_conv(t, &conv, c, 0);
}

static void cvt_float(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_FP16, T_FP32, 1, 8);
	*conv_at(&conv, 0, 0) = 1.5;
	task = trial_conv(t, &conv);
	task_set(task, CNA_CVT_CON0, 8);
	set_lanes(task, 0x4000, (uint32_t[]){ 0x3c00, 0x3c00, 0x3c00, 0x3c00 });
	task_set(task, CNA_CVT_CON5, 0xff);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
}

/* Four 1x1 rows, LINE_STRIDE 16 where the grouped mode would have 4. */
static void feature_rows(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 4, .c = 16, .oc = 32 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.k[0] = 1;
	task = trial_conv(t, &conv);
	for (unsigned int unit = 0; unit < 16; unit++)
		trial_at(t, AT_X)[16 * unit] = unit + 1;
	task_set(task, CNA_DMA_CON1, 16);
	trial_run(t);
	for (unsigned int h = 0; h < 4; h++)
		trial_note_conv(t, &conv, 0, h);
}

/* Kernel k passes channel 16 k: the first of surface k. */
static void low_height(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 1, .c = 64, .oc = 32 };

	conv_init(&conv);
	zero_conv(&conv);
	for (unsigned int k = 0; k < 4; k++)
		conv.k[k * 64 + 16 * k] = 1;
	trial_conv(t, &conv);	/* SURF_STRIDE is 0x0ffffffd */
	for (unsigned int unit = 0; unit < 16; unit++)
		trial_at(t, AT_X)[16 * unit] = unit + 1;
	trial_run(t);
	for (unsigned int k = 0; k < 4; k++)
		trial_note_conv(t, &conv, k, 0);
}

/* One pixel and one of padding to its left. */
static void pad_lanes(struct trial *t)
{
	static const unsigned int looked_at[] = { 0, 1, 32, 33 };
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 1, .c = 64, .oc = 64,
			     .left = 1, .ow = 2, .oh = 1 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	for (unsigned int c = 0; c < 64; c++)
		conv.k[c * 64 + c] = 1;
	task = trial_conv(t, &conv);
	task_set(task, CNA_PAD_CON1, 0x0201);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note_conv(t, &conv, looked_at[i], 0);
}

static void short_rows(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_INT8, T_INT32, 4, 16);
	for (unsigned int p = 0; p < 4; p++)
		*conv_at(&conv, 0, p) = p + 1;
	task = trial_conv(t, &conv);
	task_set(task, CNA_FC_DATA_SIZE0, 2 << 16 | 4);
	task_set(task, CNA_PAD_CON1, 0x0707);
	trial_run(t);
	for (unsigned int p = 0; p < 4; p++)
		trial_note_conv(t, &conv, 0, p);
}

/* Two rows of 16 one-channel fp16 pixels, with LINE_STRIDE 24 (D7). */
static void argb_pitch(struct trial *t)
{
	static const unsigned int pixels[] = { 0, 1, 16, 17 };
	struct conv conv = { .in = T_FP16, .out = T_FP32, .w = 16, .h = 2, .c = 1, .oc = 16 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.k[0] = 1;
	task = trial_conv(t, &conv);
	for (unsigned int i = 0; i < 512; i++)
		store16(trial_at(t, AT_X), i, fp32_to_fp16((float)i + 1));
	task_set(task, CNA_CONV_CON1, 1u << 30 | 1 << 29 | 8 << 12 | 0x120);
	task_set(task, CNA_CBUF_CON1, 16 * 2);
	task_set(task, CNA_CVT_CON0, 1);
	task_set(task, CNA_CVT_CON5, 0xffff);
	task_set(task, CNA_DMA_CON1, 24);
	task_set(task, CNA_DMA_CON2, 24);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note_conv(t, &conv, 0, pixels[i]);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_TIES_CVT, .run = ties_cvt, .n = N_HALVES,
		.program = "1, 3, -1, -3, 5, -5, 2, -2 through the converter, shifted by one",
		.hypotheses = TIES_HYPOTHESES(TIES_CVT),
	}, {
		.asks = NPU_CVT_LANES, .run = cvt_lanes, .n = 8,
		.program = "int8 channels of 10 through a converter that adds 1, 2, 3 and 4; the first "
			   "eight channels",
		.hypotheses = {
			{ NPU_CVT_LANES_REPEAT, GIVES, { 11, 12, 13, 14, 11, 12, 13, 14 } },
			{ NPU_CVT_LANES_LAST, GIVES, { 11, 12, 13, 14, 14, 14, 14, 14 } },
			{ NPU_CVT_LANES_NONE, GIVES, { 11, 12, 13, 14, 10, 10, 10, 10 } },
		},
	}, {
		.asks = NPU_CVT_FLOAT, .run = cvt_float, .n = 1,
		.program = "fp16 1.5 through the converter with scale 0x4000 and offset 0x3c00, as fp16 "
			   "2.0 and 1.0",
		.hypotheses = {
			{ NPU_CVT_FLOAT_PASSES, GIVES, { 0x3fc00000 } },
			{ NPU_CVT_FLOAT_CONVERTS, GIVES, { 0x40800000 } },
		},
	}, {
		.asks = NPU_FEATURE_ROWS, .run = feature_rows, .n = 4,
		.program = "four rows of one pixel with LINE_STRIDE 16; unit n of memory holds n + 1",
		.hypotheses = {
			{ NPU_FEATURE_ROWS_BLOCKS, GIVES, { 1, 2, 3, 4 } },
			{ NPU_FEATURE_ROWS_QUARTERS, GIVES, { 1, 5, 9, 13 } },
		},
	}, {
		.asks = NPU_LOW_HEIGHT, .run = low_height, .n = 4,
		.program = "one pixel of four surfaces, SURF_STRIDE 0x0ffffffd; unit n of memory holds "
			   "n + 1",
		.rests_on = { NPU_FEATURE_ROWS }, .n_rests = 1,
		.hypotheses = {
			{ NPU_LOW_HEIGHT_WRAPS, GIVES, { 1, 2, 3, 4 } },
			{ NPU_LOW_HEIGHT_CLAMPS, GIVES, { 1, 5, 9, 13 } },
		},
	}, {
		.asks = NPU_PAD_LANES, .run = pad_lanes, .n = 4,
		.program = "padding of 64 int8 channels with PAD_CON1 0x0201; channels 0, 1, 32 and 33",
		.hypotheses = {
			{ NPU_PAD_LANES_PARITY, GIVES, { 1, 2, 1, 2 } },
			{ NPU_PAD_LANES_LOW, GIVES, { 1, 1, 1, 1 } },
			{ NPU_PAD_LANES_HALVES, GIVES, { 1, 2, 1, 1 } },
		},
	}, {
		.asks = NPU_SHORT_ROWS, .run = short_rows, .n = 4,
		.program = "four int8 pixels 1, 2, 3, 4 of which DMA_WIDTH fetches two, padding 7",
		.hypotheses = {
			{ NPU_SHORT_ROWS_PADDING, GIVES, { 1, 2, 7, 7 } },
			{ NPU_SHORT_ROWS_READ, GIVES, { 1, 2, 3, 4 } },
		},
	}, {
		.asks = NPU_ARGB_PITCH, .run = argb_pitch, .n = 4,
		.program = "two rows of 16 pixels of one fp16 channel with LINE_STRIDE 24; element n of "
			   "memory holds n + 1; the first two pixels of both rows",
		.hypotheses = {
			{ NPU_ARGB_PITCH_PIXELS, GIVES,
			  { 0x3f800000, 0x40000000, 0x41c80000, 0x41d00000 } },
			{ NPU_ARGB_PITCH_UNITS, GIVES,
			  { 0x3f800000, 0x40000000, 0x43410000, 0x43420000 } },
		},
	},
};

const struct family ask_cna = FAMILY(experiments);
