// SPDX-License-Identifier: MIT
/* Questions about operands that come beside a convolution (programming-model F3, F4). */
#include "experiment.h"
#include "fp16.h"

/*
 * A convolution of zeros over @w x @h pixels and 32 kernels plus an operand: unit n of AT_E is
 * what @even gives, unit n of AT_B what @odd gives. MRDMA starts at AT_E, ERDMA at AT_B.
 */
static void residual(struct trial *t, unsigned int w, unsigned int h, float (*even)(unsigned int),
		     float (*odd)(unsigned int))
{
	struct conv conv = { .in = T_FP16, .out = T_FP16, .w = w, .h = h, .c = 8, .oc = 32 };
	const unsigned int pixels = w * h;
	struct task *task;

	conv_init(&conv);
	zero_conv(&conv);
	task = trial_conv(t, &conv);
	for (unsigned int i = 0; i < 64 * 8; i++) {
		store16(trial_at(t, AT_E), i, fp32_to_fp16(even(i / 8)));
		store16(trial_at(t, AT_B), i, fp32_to_fp16(odd(i / 8)));
	}
	task_set(task, DPU_EW_CFG, 0x108202c0);
	task_set(task, RDMA_SRC_BASE, AT_E);
	task_set(task, RDMA_ERDMA_CFG, 0x40000008);
	task_set(task, RDMA_EW_BASE, AT_B);
	task_set(task, RDMA_EW_SURF_STRIDE, pixels << 4);
	task_set(task, RDMA_SURF_NOTCH, pixels << 4);
	task_set(task, RDMA_EW_SURF_NOTCH, pixels << 4);
	task_set(task, RDMA_FEATURE_MODE_CFG, 0x17d40);
	trial_run(t);
	/* the first pixel of each of four surfaces */
	for (unsigned int surface = 0; surface < 4; surface++)
		trial_note16(t, AT_Y, surface * pixels * 8);
}

static float one(unsigned int unit)
{
	(void)unit;
	return 1;
}

static float two(unsigned int unit)
{
	(void)unit;
	return 2;
}

static void comb_fetch(struct trial *t)
{
	residual(t, 4, 3, one, two);
}

static float counted(unsigned int unit)
{
	return (float)unit + 1;
}

static float counted_from_101(unsigned int unit)
{
	return (float)unit + 101;
}

static void small_planes(struct trial *t)
{
	residual(t, 2, 2, counted, counted_from_101);
}

/* Two rows of two of three pixels, four units behind them, sixteen channels; unit n is n + 1. */
static void line_notch(struct trial *t)
{
	struct task *task;

	task = trial_flying(t, (uint16_t[]){ 0 }, 1);
	for (unsigned int i = 0; i < 16 * 8; i++)
		store16(trial_at(t, AT_X), i, fp32_to_fp16(counted(i / 8)));
	task_set(task, DPU_DST_SURF_STRIDE, 4 << 4);
	task_set(task, DPU_SURFACE_ADD, 4 << 4);
	task_set(task, DPU_WIDTH, 1);
	task_set(task, DPU_HEIGHT, 1);
	task_set(task, DPU_CHANNEL, 0xf000f);
	task_set(task, DPU_WDMA_SIZE_0, 15);
	task_set(task, DPU_WDMA_SIZE_1, 1 << 16 | 1);
	task_set(task, RDMA_WIDTH, 1);
	task_set(task, RDMA_HEIGHT, 1);
	task_set(task, RDMA_CHANNEL, 15);
	task_set(task, RDMA_SRC_DMA_CFG, 1 << 19);
	task_set(task, RDMA_SURF_NOTCH, 4 << 4);
	trial_run(t);
	/* the first pixel of the second row, and of the second surface */
	trial_note16(t, AT_Y, 2 * 8);
	trial_note16(t, AT_Y, 4 * 8);
}

/* 1.0 + 2.0 */
static void comb_flying(struct trial *t)
{
	struct task *task = trial_flying(t, (uint16_t[]){ 0x3c00 }, 1);

	store16(trial_at(t, AT_E), 0, 0x4000);
	task_set(task, DPU_EW_CFG, 0x108202c0);
	task_set(task, RDMA_ERDMA_CFG, 0x40000008);
	task_set(task, RDMA_EW_BASE, AT_E);
	task_set(task, RDMA_EW_SURF_STRIDE, 1 << 4);
	task_set(task, RDMA_FEATURE_MODE_CFG, 0x17849 | 5 << 8);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_COMB_FETCH, .run = comb_fetch, .n = 4, .risky = true,
		.program = "a convolution of zeros plus a residual; MRDMA's memory is all 1.0, ERDMA's "
			   "all 2.0; the first pixel of four surfaces",
		.hypotheses = {
			{ NPU_COMB_FETCH_TURNS, GIVES, { 0x3c00, 0x4000, 0x3c00, 0x4000 } },
			{ NPU_COMB_FETCH_ERDMA, GIVES, { 0x4000, 0x4000, 0x4000, 0x4000 } },
		},
	}, {
		.asks = NPU_SMALL_PLANES, .run = small_planes, .n = 4, .risky = true,
		.program = "the same with 2x2 pixels; unit n of MRDMA's memory is n + 1, of ERDMA's "
			   "n + 101",
		.rests_on = { NPU_COMB_FETCH }, .n_rests = 1,
		.hypotheses = {
			{ NPU_SMALL_PLANES_FREE, GIVES, { 0x3c00, 0x5650, 0x4880, 0x56d0 } },
			{ NPU_SMALL_PLANES_TWELVE, GIVES, { 0x3c00, 0x5650, 0x4e40, 0x57d0 } },
		},
	}, {
		.asks = NPU_LINE_NOTCH, .run = line_notch, .n = 2,
		.program = "a flying task over 2 surfaces of 2x2 pixels, unit n of whose memory is n + 1, "
			   "LINE_NOTCH 1 and SURF_NOTCH 4; the first pixels of the second row and of "
			   "the second surface",
		.hypotheses = {
			{ NPU_LINE_NOTCH_ALONE, GIVES, { 0x4400, 0x4900 } },
			{ NPU_LINE_NOTCH_COUNTS, GIVES, { 0x4400, 0x4980 } },
		},
	}, {
		.asks = NPU_COMB_FLYING, .run = comb_flying, .n = 1, .risky = true,
		.program = "1.0 + 2.0 in a flying task with COMB_USE 5",
		.hypotheses = {
			{ NPU_COMB_FLYING_IGNORED, GIVES, { 0x4200 } },
			{ NPU_COMB_FLYING_HANGS, HANGS, { 0 } },
		},
	},
};

const struct family ask_residual = FAMILY(experiments);
