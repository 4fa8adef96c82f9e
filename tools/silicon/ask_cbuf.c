// SPDX-License-Identifier: MIT
/* Questions about room in CBUF (programming-model D7, E3). */
#include "experiment.h"

/* 144 rows of 14 units: 9 entries of 4 KiB too many for a bank when rows are rounded up. */
static void cbuf_rows(struct trial *t)
{
	static const unsigned int rows[] = { 0, 127, 128, 143 };
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 144, .c = 224, .oc = 32 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.k[0] = 1;
	for (unsigned int h = 0; h < 144; h++)
		conv.x[h] = h % 100 + 1;
	task = trial_conv(t, &conv);
	task_set(task, CNA_CBUF_CON0, 11 << 4 | 1);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note_conv(t, &conv, 0, rows[i]);
}

/* Kernel 0 adds channel 32, of the third unit, to channel 0. */
static void cbuf_three(struct trial *t)
{
	static const unsigned int pixels[] = { 0, 5, 10, 15 };
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 48, .oc = 32 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.k[0] = 1;
	conv.k[32] = 1;
	for (unsigned int p = 0; p < 16; p++) {
		conv.x[p] = p + 1;
		conv.x[32 * 16 + p] = 5 * (p + 1);
	}
	task = trial_conv(t, &conv);
	task_set(task, CNA_CBUF_CON1, 3);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note_conv(t, &conv, 0, pixels[i]);
}

/* 32 kernels of 2 KiB through one weight bank of 32 KiB. */
static void weight_banks(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 4, .c = 2048, .oc = 32 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	*conv_at(&conv, 0, 0) = 1;
	*conv_at(&conv, 2047, 0) = 1;
	conv.k[0] = 1;
	conv.k[2047] = 2;
	conv.k[31 * 2048] = 3;
	conv.k[31 * 2048 + 2047] = 4;
	task = trial_conv(t, &conv);
	task_set(task, CNA_CBUF_CON0, 1 << 4 | 1);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 31, 0);
}

/* 3x3 ones over ones. */
static void grains(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 8, .h = 16, .c = 32, .oc = 32,
			     .kw = 3, .kh = 3 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	for (unsigned int tap = 0; tap < 9; tap++)
		conv.k[tap] = 1;
	for (unsigned int p = 0; p < 8 * 16; p++)
		conv.x[p] = 1;
	task = trial_conv(t, &conv);
	task_set(task, CNA_CONV_CON2, 1 << 4);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 0, 6 * 14 - 1);
}

/* 65 rows of 64 one-channel pixels: 8 KiB in memory, above a bank at 8 bytes a pixel. */
static void argb_room(struct trial *t)
{
	struct conv conv = { .in = T_FP16, .out = T_FP16, .w = 64, .h = 65, .c = 1, .oc = 16 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.k[0] = 1;
	task = trial_conv(t, &conv);
	for (unsigned int i = 0; i < 64 * 65; i++)
		store16(trial_at(t, AT_X), i, 0x4200);
	task_set(task, CNA_CONV_CON1, 1u << 30 | 1 << 29 | 8 << 12 | 0x120);
	task_set(task, CNA_CBUF_CON0, 11 << 4 | 1);
	task_set(task, CNA_CBUF_CON1, 64 * 65);
	task_set(task, CNA_CVT_CON0, 1);
	task_set(task, CNA_CVT_CON5, 0xffff);
	task_set(task, CNA_DMA_CON1, 64);
	task_set(task, CNA_DMA_CON2, 64 * 64);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 0, 64 * 64);
	trial_note_conv(t, &conv, 0, 64 * 65 - 1);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_ARGB_ROOM, .run = argb_room, .n = 3,
		.program = "64x65 pixels of one fp16 channel, all 3.0, with one data bank; the first and "
			   "the last row",
		.rests_on = { NPU_ARGB_PITCH }, .n_rests = 1,
		.hypotheses = {
			{ NPU_ARGB_ROOM_PACKED, GIVES, { 0x4200, 0x4200, 0x4200 } },
			{ NPU_ARGB_ROOM_FOUR, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_CBUF_ROWS, .run = cbuf_rows, .n = 4,
		.program = "144 rows of 224 int8 channels, row n holds n mod 100 + 1, with one data bank; "
			   "rows 0, 127, 128 and 143",
		.hypotheses = {
			{ NPU_CBUF_ROWS_ENTRIES, OTHERWISE, { 0 } },
			{ NPU_CBUF_ROWS_PACKED, GIVES, { 1, 28, 29, 44 } },
		},
	}, {
		.asks = NPU_CBUF_THREE, .run = cbuf_three, .n = 4,
		.program = "4x4 pixels of 48 int8 channels with three entries a row; the sum of channels "
			   "0 and 32 in four pixels",
		.hypotheses = {
			{ NPU_CBUF_THREE_THREE, GIVES, { 6, 36, 66, 96 } },
			{ NPU_CBUF_THREE_FOUR, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_WEIGHT_BANKS, .run = weight_banks, .n = 2, .risky = true,
		.program = "32 int8 kernels of 2048 channels with one weight bank; kernels 0 and 31",
		.hypotheses = {
			{ NPU_WEIGHT_BANKS_ENOUGH, GIVES, { 3, 7 } },
			{ NPU_WEIGHT_BANKS_SPOIL, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_GRAINS, .run = grains, .n = 2, .risky = true,
		.program = "a 3x3 int8 convolution of ones over 8x16 ones with FEATURE_GRAINS 1; the "
			   "first and the last pixel",
		.hypotheses = {
			{ NPU_GRAINS_PACE, GIVES, { 9, 9 } },
			{ NPU_GRAINS_SPOIL, OTHERWISE, { 0 } },
		},
	},
};

const struct family ask_cbuf = FAMILY(experiments);
