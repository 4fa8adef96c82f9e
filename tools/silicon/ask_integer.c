// SPDX-License-Identifier: MIT
/* Questions about the DPU on integers: BS, EW and the output converter (C5, C6, C7). */
#include "experiment.h"
#include "ties.h"

#define BS_MUL		0x42u	/* BS_CFG: the multiplier alone */
#define BS_VECTORS	0x20140u	/* ALU add from memory, and the multiplier */

static void ties_out(struct trial *t)
{
	struct conv conv;

	task_set(halves_task(t, &conv, T_INT8), DPU_OUT_SHIFT, 1);
	trial_run(t);
	halves_note(t, &conv);
}

/* BS multiplies by @operand and shifts by @shift, negative products by @negative. */
static void bs_multiplies(struct task *task, uint32_t operand, uint32_t shift, uint32_t negative)
{
	task_set(task, DPU_BS_CFG, BS_MUL);
	task_set(task, DPU_BS_MUL, operand << 16 | shift << 8);
	task_set(task, DPU_DATA_FORMAT, task_get(task, DPU_DATA_FORMAT) | negative << 4);
}

static void ties_mul(struct trial *t)
{
	struct conv conv;

	bs_multiplies(halves_task(t, &conv, T_INT32), 1, 1, 1);
	trial_run(t);
	halves_note(t, &conv);
}

/* Pixels of channel 0 as int32, or in @out. */
static struct task *numbers_task(struct trial *t, struct conv *conv, enum type out, const int *x,
				 unsigned int n)
{
	pass_conv(conv, T_INT8, out, n, 16);
	for (unsigned int p = 0; p < n; p++)
		*conv_at(conv, 0, p) = x[p];
	return trial_conv(t, conv);
}

static void note_numbers(struct trial *t, const struct conv *conv, unsigned int n)
{
	trial_run(t);
	for (unsigned int p = 0; p < n; p++)
		trial_note_conv(t, conv, 0, p);
}

static void mul_sign(struct trial *t)
{
	struct conv conv;

	bs_multiplies(numbers_task(t, &conv, T_INT32, (int[]){ 1, 2 }, 2), 0x8001, 0, 0);
	note_numbers(t, &conv, 2);
}

static void neg_shift(struct trial *t)
{
	struct conv conv;

	bs_multiplies(numbers_task(t, &conv, T_INT32, (int[]){ 8, -8, 16, -16 }, 4), 1, 1, 3);
	note_numbers(t, &conv, 4);
}

static void cvt_sign(struct trial *t)
{
	struct conv conv;

	task_set(numbers_task(t, &conv, T_INT32, (int[]){ 1, 2 }, 2), DPU_OUT_SCALE, 0x8001);
	note_numbers(t, &conv, 2);
}

static void int_to_fp32(struct trial *t)
{
	struct conv conv;

	task_set(numbers_task(t, &conv, T_FP32, (int[]){ 3, 7, -3, -1 }, 4), DPU_OUT_SHIFT, 2);
	note_numbers(t, &conv, 4);
}

/* (x + ALU) MUL for every channel, x being 1; word n of BRDMA's memory is n + 1. */
static void brdma_layout(struct trial *t)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_INT8, T_INT32, 1, 32);
	for (unsigned int c = 0; c < 32; c++)
		*conv_at(&conv, c, 0) = 1;
	task = trial_conv(t, &conv);
	for (unsigned int i = 0; i < 64; i++)
		store32(trial_at(t, AT_B), i, i + 1);
	task_set(task, DPU_BS_CFG, BS_VECTORS);
	task_set(task, DPU_BS_MUL, 1);
	task_set(task, RDMA_BRDMA_CFG, (1 | 4) << 1);
	task_set(task, RDMA_BS_BASE, AT_B);
	trial_run(t);
	for (unsigned int c = 0; c < 8; c++)
		trial_note_conv(t, &conv, c, 0);
}

/* A flying task of one unit in an integer type; AT_E has the operand. */
static struct task *integer_flying(struct trial *t, enum type type, uint32_t ew_cfg,
				   uint32_t erdma_cfg)
{
	const unsigned int last = 128 / type_info[type].bits - 1;
	struct task *task = trial_flying(t, NULL, 0);

	recipe_flying(task, 1);
	task_set(task, DPU_DATA_FORMAT, (uint32_t)type << 29 | type << 26);
	task_set(task, DPU_CHANNEL, last << 16 | last);
	task_set(task, DPU_WDMA_SIZE_0, last);
	task_set(task, DPU_EW_CFG, ew_cfg);
	task_set(task, DPU_OUT_SCALE, 1);
	task_set(task, RDMA_CHANNEL, last);
	task_set(task, RDMA_ERDMA_CFG, erdma_cfg);
	task_set(task, RDMA_EW_BASE, AT_E);
	task_set(task, RDMA_EW_SURF_STRIDE, 1 << 4);
	task_set(task, RDMA_FEATURE_MODE_CFG, 0x7801 | type << 15);
	return task;
}

static void ew_int32(struct trial *t)
{
	integer_flying(t, T_INT32, 0x10c202c0, 0x4000000c);
	store32(trial_at(t, AT_X), 0, 0x3f800000);
	store32(trial_at(t, AT_E), 0, 0x3f800000);
	trial_run(t);
	trial_note32(t, AT_Y, 0);
}

static void ew_int_mul(struct trial *t)
{
	static const int x[] = { 6, -6, 10 }, e[] = { 5, 5, 10 };
	struct task *task = integer_flying(t, T_INT8, 0x104003c4, 0x40000004);

	task_set(task, DPU_DATA_FORMAT, 1 << 16);	/* shift of negative products */
	task_set(task, DPU_EW_SCALE, 1 << 22 | 1);
	for (unsigned int i = 0; i < 3; i++) {
		trial_at(t, AT_X)[i] = (uint8_t)x[i];
		trial_at(t, AT_E)[i] = (uint8_t)e[i];
	}
	trial_run(t);
	for (unsigned int i = 0; i < 3; i++)
		trial_note8(t, AT_Y, i);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_TIES_OUT, .run = ties_out, .n = N_HALVES,
		.program = "1, 3, -1, -3, 5, -5, 2, -2 through the int8 output converter, shifted by one",
		.hypotheses = TIES_HYPOTHESES(TIES_OUT),
	}, {
		.asks = NPU_TIES_MUL, .run = ties_mul, .n = N_HALVES,
		.program = "1, 3, -1, -3, 5, -5, 2, -2 times 1 in BS, shifted by one",
		.hypotheses = TIES_HYPOTHESES(TIES_MUL),
	}, {
		.asks = NPU_MUL_SIGN, .run = mul_sign, .n = 2,
		.program = "1 and 2 in BS times 0x8001",
		.hypotheses = {
			{ NPU_MUL_SIGN_SIGNED, GIVES, { -32767, -65534 } },
			{ NPU_MUL_SIGN_UNSIGNED, GIVES, { 32769, 65538 } },
		},
	}, {
		.asks = NPU_NEG_SHIFT, .run = neg_shift, .n = 4,
		.program = "8, -8, 16, -16 in BS, SHIFT_VALUE 1, that of negative products 3",
		.hypotheses = {
			{ NPU_NEG_SHIFT_OWN, GIVES, { 4, -1, 8, -2 } },
			{ NPU_NEG_SHIFT_SAME, GIVES, { 4, -4, 8, -8 } },
		},
	}, {
		.asks = NPU_BRDMA_LAYOUT, .run = brdma_layout, .n = 8, .risky = true,
		.program = "(1 + ALU) MUL with both operands from BRDMA, whose word n is n + 1; the "
			   "first eight channels",
		.rests_on = { NPU_BS_ORDER }, .n_rests = 1,
		.hypotheses = {
			{ NPU_BRDMA_LAYOUT_FOURS, GIVES, { 10, 0, 24, 0, 88, 0, 120, 0 } },
			{ NPU_BRDMA_LAYOUT_PLANAR, GIVES, { 66, 0, 136, 0, 210, 0, 288, 0 } },
		},
	}, {
		.asks = NPU_EW_INT32, .run = ew_int32, .n = 1, .risky = true,
		.program = "a flying int32 task that adds 0x3f800000, which is 1.0, to itself",
		.hypotheses = {
			{ NPU_EW_INT32_FLOAT, GIVES, { 0x40000000 } },
			{ NPU_EW_INT32_INTEGER, GIVES, { 0x7f000000 } },
		},
	}, {
		.asks = NPU_EW_INT_MUL, .run = ew_int_mul, .n = 3, .risky = true,
		.program = "a flying int8 task that multiplies 6, -6, 10 by 5, 5, 10 and shifts by one",
		.hypotheses = {
			{ NPU_EW_INT_MUL_WORKS, GIVES, { 15, -15, 50 } },
			{ NPU_EW_INT_MUL_PASSES, GIVES, { 6, -6, 10 } },
		},
	}, {
		.asks = NPU_CVT_SIGN, .run = cvt_sign, .n = 2,
		.program = "1 and 2 through the int32 output converter with scale 0x8001",
		.hypotheses = {
			{ NPU_CVT_SIGN_SIGNED, GIVES, { -32767, -65534 } },
			{ NPU_CVT_SIGN_UNSIGNED, GIVES, { 32769, 65538 } },
		},
	}, {
		.asks = NPU_INT_TO_FP32, .run = int_to_fp32, .n = 4,
		.program = "3, 7, -3, -1 from int8 to fp32, shifted by two",
		.rests_on = { NPU_TIES_OUT }, .n_rests = 1,
		.hypotheses = {
			{ NPU_INT_TO_FP32_ROUNDS, GIVES,
			  { 0x3f800000, 0x40000000, 0xbf800000, 0 } },
			{ NPU_INT_TO_FP32_CUTS, GIVES,
			  { 0, 0x3f800000, 0xbf800000, 0xbf800000 } },
		},
	},
};

const struct family ask_integer = FAMILY(experiments);
