// SPDX-License-Identifier: MIT
/* Questions about CORE: sums and what is added to them (programming-model C3, C4, C8). */
#include "experiment.h"
#include "ties.h"

#define OW_BYPASS	2u	/* OD_BYPASS of BS_OW_CFG */
#define OW_MEMORY	1u	/* OW_SRC */

static void ties_clip(struct trial *t)
{
	struct conv conv;
	struct task *task = halves_task(t, &conv, T_INT32);

	task_set(task, CORE_CLIP_TRUNCATE, 1);
	trial_run(t);
	halves_note(t, &conv);
}

/* 2^24 + x - 2^24, x being 1 and 3. */
static void float_sum(struct trial *t)
{
	struct conv conv;

	pass_conv(&conv, T_FP16, T_FP32, 2, 16);
	for (unsigned int p = 0; p < 2; p++) {
		*conv_at(&conv, 0, p) = 4096;
		*conv_at(&conv, 1, p) = 2 * p + 1;
		*conv_at(&conv, 2, p) = 4096;
	}
	conv.k[0] = 4096;
	conv.k[1] = 1;
	conv.k[2] = -4096;
	trial_conv(t, &conv);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 0, 1);
}

static void core_subnormal(struct trial *t)
{
	struct conv conv;

	pass_conv(&conv, T_FP16, T_FP32, 2, 8);
	*conv_at(&conv, 0, 0) = 0x1p-24;
	*conv_at(&conv, 0, 1) = 0x1p-14;
	trial_conv(t, &conv);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 0, 1);
}

static void int16_out(struct trial *t)
{
	struct conv conv = { .in = T_INT16, .out = T_INT32, .w = 1, .h = 4, .c = 32, .oc = 32 };

	conv_init(&conv);
	zero_conv(&conv);
	conv.x[0] = 1000;
	conv.k[0] = 1;
	conv.k[16 * 32] = 2;
	trial_conv(t, &conv);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 16, 0);
}

static void int8_fp16(struct trial *t)
{
	struct conv conv = { .in = T_INT8, .out = T_FP16, .w = 1, .h = 4, .c = 32, .oc = 64 };

	conv_init(&conv);
	zero_conv(&conv);
	conv.x[0] = 7;
	conv.k[0] = 1;
	conv.k[32 * 32] = 2;
	trial_conv(t, &conv);
	trial_run(t);
	trial_note_conv(t, &conv, 0, 0);
	trial_note_conv(t, &conv, 32, 0);
}

/* QD_EN's sum takes part with factor @ow; a pixel has @x in its 32 channels. */
static struct task *qd_task(struct trial *t, struct conv *conv, const int *x, uint32_t ow)
{
	struct task *task;

	pass_conv(conv, T_INT8, T_INT32, 1, 32);
	for (unsigned int c = 0; c < 32; c++)
		*conv_at(conv, c, 0) = x[c];
	task = trial_conv(t, conv);
	task_set(task, DPU_BS_OW_CFG, task_get(task, DPU_BS_OW_CFG) & ~OW_BYPASS);
	task_set(task, DPU_OW_OP, ow);
	return task;
}

static void note_four(struct trial *t, const struct conv *conv)
{
	trial_run(t);
	for (unsigned int c = 0; c < 4; c++)
		trial_note_conv(t, conv, c, 0);
}

static void qd_sum(struct trial *t)
{
	int x[32] = { 1, 2, 3, 4 };
	struct conv conv;
	struct task *task;

	for (unsigned int c = 4; c < 32; c++)
		x[c] = 1;
	task = qd_task(t, &conv, x, 3);
	task_set(task, CNA_DATA_SIZE1, 3 << 16 | 32);
	note_four(t, &conv);
}

static void qd_clip(struct trial *t)
{
	struct conv conv;
	struct task *task = qd_task(t, &conv, (int[32]){ 8 }, 1);

	task_set(task, CORE_CLIP_TRUNCATE, 1);
	note_four(t, &conv);
}

static void ow_src(struct trial *t)
{
	struct conv conv;
	struct task *task = qd_task(t, &conv, (int[32]){ 1 }, 100);

	for (unsigned int c = 0; c < 32; c++)
		store16(trial_at(t, AT_B), c, c + 1);
	task_set(task, DPU_BS_OW_CFG, task_get(task, DPU_BS_OW_CFG) | OW_MEMORY);
	task_set(task, RDMA_BRDMA_CFG, 2 << 1);
	task_set(task, RDMA_BS_BASE, AT_B);
	note_four(t, &conv);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_TIES_CLIP, .run = ties_clip, .n = N_HALVES,
		.program = "1, 3, -1, -3, 5, -5, 2, -2 as accumulators, CLIP_TRUNCATE 1",
		.hypotheses = TIES_HYPOTHESES(TIES_CLIP),
	}, {
		.asks = NPU_FLOAT_SUM, .run = float_sum, .n = 2,
		.program = "fp16 sums 2^24 + 1 - 2^24 and 2^24 + 3 - 2^24 as fp32",
		.hypotheses = {
			{ NPU_FLOAT_SUM_ONCE, GIVES, { 0x3f800000, 0x40400000 } },
			{ NPU_FLOAT_SUM_STEPS, GIVES, { 0, 0x40800000 } },
		},
	}, {
		.asks = NPU_CORE_SUBNORMAL, .run = core_subnormal, .n = 2,
		.program = "fp16 2^-24 and 2^-14, times 1, as fp32",
		.hypotheses = {
			{ NPU_CORE_SUBNORMAL_KEPT, GIVES, { 0x33800000, 0x38800000 } },
			{ NPU_CORE_SUBNORMAL_ZERO, GIVES, { 0, 0x38800000 } },
		},
	}, {
		.asks = NPU_QD_SUM, .run = qd_sum, .n = 4,
		.program = "int8 channels 1, 2, 3, 4 and 28 ones beyond DATAIN_CHANNEL_REAL, OW_OP 3",
		.hypotheses = {
			{ NPU_QD_SUM_PADDED, GIVES, { 115, 116, 117, 118 } },
			{ NPU_QD_SUM_REAL, GIVES, { 31, 32, 33, 34 } },
			{ NPU_QD_SUM_NONE, GIVES, { 1, 2, 3, 4 } },
		},
	}, {
		.asks = NPU_QD_CLIP, .run = qd_clip, .n = 4,
		.program = "int8 channels 8, 0, 0, 0, OW_OP 1, CLIP_TRUNCATE 1",
		.rests_on = { NPU_QD_SUM }, .n_rests = 1,
		.hypotheses = {
			{ NPU_QD_CLIP_CUT, GIVES, { 8, 4, 4, 4 } },
			{ NPU_QD_CLIP_WHOLE, GIVES, { 12, 8, 8, 8 } },
		},
	}, {
		.asks = NPU_OW_SRC, .run = ow_src, .n = 4, .risky = true,
		.program = "int8 channels 1, 0, 0, 0, OW_SRC 1, OW_OP 100, factors 1, 2, 3, 4 at BRDMA",
		.rests_on = { NPU_QD_SUM }, .n_rests = 1,
		.hypotheses = {
			{ NPU_OW_SRC_MEMORY, GIVES, { 2, 2, 3, 4 } },
			{ NPU_OW_SRC_REGISTER, GIVES, { 101, 100, 100, 100 } },
		},
	}, {
		.asks = NPU_INT16_OUT, .run = int16_out, .n = 2,
		.program = "an int16 convolution of 32 kernels; kernel 0 weighs 1000 by 1, kernel 16 by 2",
		.hypotheses = {
			{ NPU_INT16_OUT_ALL, GIVES, { 1000, 2000 } },
			{ NPU_INT16_OUT_FIRST, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_INT8_FP16, .run = int8_fp16, .n = 2,
		.program = "an int8 convolution of 64 kernels to fp16; kernel 0 weighs 7 by 1, kernel 32 "
			   "by 2",
		.hypotheses = {
			{ NPU_INT8_FP16_ALL, GIVES, { 0x4700, 0x4b00 } },
			{ NPU_INT8_FP16_FIRST, OTHERWISE, { 0 } },
		},
	},
};

const struct family ask_core = FAMILY(experiments);
