// SPDX-License-Identifier: MIT
/* Questions about weights in memory (programming-model D2, D3). */
#include "experiment.h"
#include "fp16.h"

static void weight_tail(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 4, .c = 48, .oc = 32 };

	conv_init(&conv);
	zero_conv(&conv);
	*conv_at(&conv, 32, 0) = 1;
	for (unsigned int k = 0; k < 32; k++)
		conv.k[k * 48 + 32] = k + 1;
	trial_conv(t, &conv);
	trial_run(t);
	for (unsigned int k = 0; k < 4; k++)
		trial_note_conv(t, &conv, k, 0);
}

static void weight_size1(struct trial *t)
{
	static const unsigned int kernels[] = { 0, 32, 33 };
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 1, .c = 32, .oc = 64 };
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	conv.x[0] = 1;
	for (unsigned int k = 0; k < 64; k++)
		conv.k[k * 32] = k + 1;
	task = trial_conv(t, &conv);
	task_set(task, CNA_WEIGHT_SIZE1, 16);
	trial_run(t);
	for (unsigned int i = 0; i < 3; i++)
		trial_note_conv(t, &conv, kernels[i], 0);
}

/* The last 16 of 80 channels; a second tap weighs ten times the first. */
static void dw_tail(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_INT8, .depthwise = true, .w = 2, .h = 4,
			     .c = 80, .kw = 2 };

	conv_init(&conv);
	zero_conv(&conv);
	for (unsigned int i = 0; i < 80 * 8; i++)
		conv.x[i] = 1;
	for (unsigned int c = 64; c < 66; c++) {
		conv.k[c * 2] = c - 63;
		conv.k[c * 2 + 1] = 10 * (c - 63);
	}
	trial_conv(t, &conv);
	trial_run(t);
	trial_note_conv(t, &conv, 64, 0);
	trial_note_conv(t, &conv, 65, 0);
}

/* A depthwise fp16 task turned to bf16; weight n of memory is n + 1. */
static void dw_group(struct trial *t)
{
	struct conv conv = { .in = T_FP16, .out = T_FP32, .depthwise = true, .w = 2, .h = 1,
			     .c = 32, .kw = 2 };
	struct task *task;

	conv_init(&conv);
	task = trial_conv(t, &conv);
	for (unsigned int i = 0; i < 64; i++) {
		store16(trial_at(t, AT_X), i, fp32_to_bf16(1.0f));
		store16(trial_at(t, AT_W), i, fp32_to_bf16((float)i + 1));
	}
	task_set(task, CNA_CONV_CON1, 3 | T_BF16 << 4 | T_BF16 << 7);
	task_set(task, CORE_MISC_CFG, T_BF16 << 8 | 3);
	task_set(task, DPU_DATA_FORMAT, (uint32_t)T_FP32 << 29 | T_BF16 << 26 | T_BF16);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 1, 0);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_WEIGHT_TAIL, .run = weight_tail, .n = 4,
		.program = "48 int8 channels of which channel 32 is 1; its weights are 1, 2, 3 ... in "
			   "memory that has no gaps; kernels 0 to 3",
		.hypotheses = {
			{ NPU_WEIGHT_TAIL_COMPACT, GIVES, { 1, 2, 3, 4 } },
			{ NPU_WEIGHT_TAIL_WHOLE, GIVES, { 1, 3, 5, 7 } },
		},
	}, {
		.asks = NPU_WEIGHT_SIZE1, .run = weight_size1, .n = 3,
		.program = "64 int8 kernels of 32 bytes with weights 1, 2, 3 ... and WEIGHT_SIZE1 16; "
			   "kernels 0, 32 and 33",
		.hypotheses = {
			{ NPU_WEIGHT_SIZE1_IGNORED, GIVES, { 1, 33, 34 } },
			{ NPU_WEIGHT_SIZE1_PITCH, GIVES, { 1, 17, 18 } },
		},
	}, {
		.asks = NPU_DW_TAIL, .run = dw_tail, .n = 2,
		.program = "a depthwise int8 convolution of 80 channels and two taps that weigh 1 and 10 "
			   "in channel 64, 2 and 20 in channel 65",
		.hypotheses = {
			{ NPU_DW_TAIL_COMPACT, GIVES, { 11, 22 } },
			{ NPU_DW_TAIL_WHOLE, GIVES, { 1, 2 } },
		},
	}, {
		.asks = NPU_DW_GROUP, .run = dw_group, .n = 2, .risky = true,
		.program = "a depthwise bf16 convolution of 32 channels and two taps, weight n of memory "
			   "is n + 1; channels 0 and 1 as fp32",
		.hypotheses = {
			{ NPU_DW_GROUP_TWICE, GIVES, { 0x42080000, 0x42100000 } },
			{ NPU_DW_GROUP_ONCE, GIVES, { 0x41900000, 0x41a00000 } },
		},
	},
};

const struct family ask_weights = FAMILY(experiments);
