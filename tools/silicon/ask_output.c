// SPDX-License-Identifier: MIT
/* Questions about where the DPU writes (programming-model D5, D6, F1). */
#include "experiment.h"

/* Sixteen fp16 channels 1 to 16 to four surfaces of fp32, SIZE_E for two. */
static void size_e(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_FP16, T_FP32, 1, 16);
	for (unsigned int c = 0; c < 16; c++)
		*conv_at(&conv, c, 0) = c + 1;
	task = trial_conv(t, &conv);
	task_set(task, DPU_BS_OW_CFG, 0x126);
	trial_run(t);
	/* surfaces have four pixels */
	for (unsigned int surface = 0; surface < 4; surface++)
		trial_note32(t, AT_Y, 4 * 4 * surface);
}

/* 32 depthwise channels 1 to 32; a surface has four of them. */
static void dw_fp32(struct trial *t)
{
	static const unsigned int channels[] = { 0, 12, 16, 28 };
	struct conv conv = { .in = T_FP16, .out = T_FP32, .depthwise = true, .w = 1, .h = 4,
			     .c = 32 };

	conv_init(&conv);
	zero_conv(&conv);
	for (unsigned int c = 0; c < 32; c++) {
		*conv_at(&conv, c, 0) = c + 1;
		conv.k[c] = 1;
	}
	trial_conv(t, &conv);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note_conv(t, &conv, channels[i], 0);
}

/* Kernels 0 and 16 give 3 and 6; surfaces are one unit apart, SURF_ADD is 16 units. */
static void out_groups(struct trial *t)
{
	struct conv conv = { .in = T_FP16, .out = T_FP32, .w = 1, .h = 1, .c = 32, .oc = 32 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.x[0] = 3;
	conv.k[0] = 1;
	conv.k[16 * 32] = 2;
	task = trial_conv(t, &conv);
	task_set(task, DPU_SURFACE_ADD, 16 << 4);
	trial_run(t);
	trial_note32(t, AT_Y, 0);
	trial_note32(t, AT_Y, 4 * 4);
	trial_note32(t, AT_Y, 4 * 16);
}

/* Channel c of pixel p is 16 p + c + 1; four surfaces are one unit apart. */
static void write_order(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_FP16, T_FP32, 1, 16);
	for (unsigned int c = 0; c < 16; c++)
		for (unsigned int p = 0; p < 4; p++)
			*conv_at(&conv, c, p) = 16 * p + c + 1;
	task = trial_conv(t, &conv);
	task_set(task, DPU_DST_SURF_STRIDE, 1 << 4);
	trial_run(t);
	for (unsigned int unit = 1; unit < 4; unit++)
		trial_note32(t, AT_Y, 4 * unit);
}

#define COLUMNS	448

/* Two rows of 448 columns, row-major (D6); column n of row y is (y + 1) (1 + n mod 7). */
static void notch_groups(struct trial *t)
{
	static const unsigned int columns[] = { 0, 415, 416, 447 };
	struct conv conv = { .in = T_FP16, .out = T_FP32, .w = 1, .h = 2, .c = 32, .oc = COLUMNS };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.x[0] = 1;
	conv.x[1] = 2;
	for (unsigned int n = 0; n < COLUMNS; n++)
		conv.k[n * 32] = 1 + n % 7;
	task = trial_conv(t, &conv);
	task_set(task, DPU_DST_SURF_STRIDE, 1 << 4);
	task_set(task, DPU_SURFACE_ADD, 4 << 4);
	task_set(task, DPU_NOTCH, (COLUMNS / 4 - 1) * 0x10001);
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note32(t, AT_Y, COLUMNS + columns[i]);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_SIZE_E, .run = size_e, .n = 4,
		.program = "16 fp16 channels 1 to 16 to fp32 with SIZE_E 1; the first of each surface",
		.hypotheses = {
			{ NPU_SIZE_E_UNWRITTEN, GIVES,
			  { 0x3f800000, 0x40a00000, 0xeeeeeeee, 0xeeeeeeee } },
			{ NPU_SIZE_E_WRITTEN, GIVES,
			  { 0x3f800000, 0x40a00000, 0x41100000, 0x41500000 } },
		},
	}, {
		.asks = NPU_DW_FP32, .run = dw_fp32, .n = 4,
		.program = "32 depthwise fp16 channels 1 to 32 to fp32 with SIZE_E 7; channels 0, 12, 16 "
			   "and 28",
		.hypotheses = {
			{ NPU_DW_FP32_EIGHT, GIVES,
			  { 0x3f800000, 0x41500000, 0x41880000, 0x41e80000 } },
			{ NPU_DW_FP32_FOUR, GIVES,
			  { 0x3f800000, 0x41500000, 0xeeeeeeee, 0xeeeeeeee } },
		},
	}, {
		.asks = NPU_OUT_GROUPS, .run = out_groups, .n = 3,
		.program = "two kernel groups that give 3 and 6 as fp32, DST_SURF_STRIDE 1, SURF_ADD 16; "
			   "units 0, 4 and 16",
		.hypotheses = {
			{ NPU_OUT_GROUPS_SURF_ADD, GIVES, { 0x40400000, 0xeeeeeeee, 0x40c00000 } },
			{ NPU_OUT_GROUPS_SURFACES, GIVES, { 0x40400000, 0x40c00000, 0xeeeeeeee } },
		},
	}, {
		.asks = NPU_WRITE_ORDER, .run = write_order, .n = 3,
		.program = "four pixels of 16 channels, 16 p + c + 1, to surfaces that are one unit "
			   "apart; units 1, 2 and 3",
		.hypotheses = {
			{ NPU_WRITE_ORDER_PIXELS, GIVES, { 0x41880000, 0x42040000, 0x42440000 } },
			{ NPU_WRITE_ORDER_SURFACES, GIVES, { 0x40a00000, 0x41100000, 0x41500000 } },
		},
	}, {
		.asks = NPU_NOTCH_GROUPS, .run = notch_groups, .n = 4,
		.program = "two rows of 448 fp32 columns written row-major; columns 0, 415, 416 and 447 "
			   "of the second",
		.hypotheses = {
			{ NPU_NOTCH_GROUPS_ANY, GIVES,
			  { 0x40000000, 0x40c00000, 0x41000000, 0x41600000 } },
			{ NPU_NOTCH_GROUPS_THIRTEEN, OTHERWISE, { 0 } },
		},
	},
};

const struct family ask_output = FAMILY(experiments);
