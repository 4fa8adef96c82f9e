// SPDX-License-Identifier: MIT
/* Questions about the flying DPU on floats (programming-model C5, C6, C7, E5, F4). */
#include "experiment.h"
#include "fp16.h"

#define FLOATS(...) (const uint16_t[]){ __VA_ARGS__ }, \
	sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t)

/* EW with @ew_cfg and fp16 operands of AT_E, or of the registers. */
static void set_operation(struct task *task, uint32_t ew_cfg, uint32_t erdma_cfg)
{
	task_set(task, DPU_EW_CFG, ew_cfg);
	task_set(task, RDMA_ERDMA_CFG, erdma_cfg);
	task_set(task, RDMA_EW_BASE, AT_E);
	task_set(task, RDMA_EW_SURF_STRIDE, 2 << 4);
}

static void bs_order(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0x4200));

	task_set(task, DPU_BS_CFG, 0x20040);
	task_set(task, DPU_BS_ALU, fp32_bits(1.0f));
	task_set(task, DPU_BS_MUL, 0x4000u << 16);
	trial_note_lanes(t, 1);
}

static void relux_nan(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0x7e00, 0x4700, 0x3c00));

	task_set(task, DPU_BS_CFG, 0xd2);	/* RELUX alone */
	task_set(task, DPU_BS_RELUX, fp32_bits(6.0f));
	trial_note_lanes(t, 3);
}

/* 5/3, 5/7, -5/3, 1/3 */
static void div_round(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0x4500, 0x4500, 0xc500, 0x3c00));

	set_operation(task, 0x108303c0, 0x40000008);
	store16(trial_at(t, AT_E), 0, 0x4200);
	store16(trial_at(t, AT_E), 1, 0x4700);
	store16(trial_at(t, AT_E), 2, 0x4200);
	store16(trial_at(t, AT_E), 3, 0x4200);
	for (unsigned int i = 4; i < 8; i++)
		store16(trial_at(t, AT_E), i, 0x3c00);
	task_set(task, DPU_OUT_SCALE, 1);
	task_set(task, RDMA_FEATURE_MODE_CFG, 0x17841);
	trial_note_lanes(t, 4);
}

/* Adds EW_OP_VALUE_n, the fp16 n + 1, to 0. */
static void ew_values(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0, 0, 0, 0, 0, 0, 0, 0));

	task_set(task, DPU_EW_CFG, 0x10820280);
	for (unsigned int i = 0; i < 8; i++)
		task_set(task, DPU_EW_OP_VALUE_0 + 4 * i, fp32_to_fp16((float)i + 1));
	trial_note_lanes(t, 8);
}

/* Two pixels of zeros; unit 0 of the operand is 1.0, unit 1 is 2.0. */
static void erdma_channel(struct trial *t)
{
	static const uint16_t zeros[16];
	struct task *task = trial_flying(t, zeros, 16);

	set_operation(task, 0x008202c0, 0x00000008);
	for (unsigned int i = 0; i < 16; i++)
		store16(trial_at(t, AT_E), i, i < 8 ? 0x3c00 : 0x4000);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
	trial_note16(t, AT_Y, 8);
}

static void nan_fp16(struct trial *t)
{
	trial_flying(t, FLOATS(0x7e00, 0x3c00));
	trial_note_lanes(t, 2);
}

/* 59999.. + 60000 */
static void fp16_overflow(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0x7b53, 0x3c00));

	task_set(task, DPU_BS_CFG, 0x20050);
	task_set(task, DPU_BS_ALU, fp32_bits(60000.0f));
	trial_note_lanes(t, 1);
}

static void minus_exp(struct trial *t)
{
	task_set(trial_flying(t, FLOATS(0, 0x3e00)), DPU_OUT_SHIFT, 15 << 12);
	trial_note_lanes(t, 2);
}

static void raw_fp16(struct trial *t)
{
	task_set(trial_flying(t, FLOATS(0x3c07, 0x3c00)), DPU_OUT_SCALE, 1);
	trial_note_lanes(t, 2);
}

/* 0.5, 1.5, 2.5, -1.5, 1.75 to int8 */
static void float_to_int(struct trial *t)
{
	struct task *task = trial_flying(t, FLOATS(0x3800, 0x3e00, 0x4100, 0xbe00, 0x3f00));

	task_set(task, DPU_DATA_FORMAT, 0x08000002);
	task_set(task, DPU_OUT_SCALE, 1);
	trial_run(t);
	for (unsigned int i = 0; i < 5; i++)
		trial_note8(t, AT_Y, i);
}

/* 1 + 12, 20 and 14 times 2^-10; bf16 has steps of 2^-7. */
static void bf16_out(struct trial *t)
{
	task_set(trial_flying(t, FLOATS(0x3c0c, 0x3c14, 0x3c0e)), DPU_DATA_FORMAT, 0x68000002);
	trial_note_lanes(t, 3);
}

/* 1.0 + 1 in 65536 elements. */
static void max_width(struct trial *t)
{
	static const unsigned int looked_at[] = { 0, 32768, 65481, 65482, 65500, 65535 };
	struct task *task = trial_task(t);

	for (unsigned int i = 0; i < 65536; i++)
		store16(trial_at(t, AT_X), i, 0x3c00);
	recipe_flying(task, 8192);
	task_set(task, DPU_BS_CFG, 0x20050);
	task_set(task, DPU_BS_ALU, fp32_bits(1.0f));
	trial_run(t);
	for (unsigned int i = 0; i < 6; i++)
		trial_note16(t, AT_Y, looked_at[i]);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_BS_ORDER, .run = bs_order, .n = 1,
		.program = "3.0 through a BS that adds 1.0 and multiplies by 2.0",
		.hypotheses = {
			{ NPU_BS_ORDER_ALU_FIRST, GIVES, { 0x4800 } },
			{ NPU_BS_ORDER_MUL_FIRST, GIVES, { 0x4700 } },
		},
	}, {
		.asks = NPU_RELUX_NAN, .run = relux_nan, .n = 3,
		.program = "a NaN, 7.0 and 1.0 through RELUX with limit 6.0",
		.hypotheses = {
			{ NPU_RELUX_NAN_LIMIT, GIVES, { 0x4600, 0x4600, 0x3c00 } },
			{ NPU_RELUX_NAN_KEPT, GIVES, { 0x7c01, 0x4600, 0x3c00 } },
		},
	}, {
		.asks = NPU_DIV_ROUND, .run = div_round, .n = 4,
		.program = "5/3, 5/7, -5/3 and 1/3 in EW",
		.hypotheses = {
			{ NPU_DIV_ROUND_NEAREST, GIVES, { 0x3eab, 0x39b7, 0xbeab, 0x3555 } },
			{ NPU_DIV_ROUND_CUT, GIVES, { 0x3eaa, 0x39b6, 0xbeaa, 0x3555 } },
		},
	}, {
		.asks = NPU_EW_VALUES, .run = ew_values, .n = 8,
		.program = "0 plus register operands that are fp16 1.0 to 8.0",
		.hypotheses = {
			{ NPU_EW_VALUES_LANES, GIVES,
			  { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800 } },
			{ NPU_EW_VALUES_FIRST, GIVES,
			  { 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00 } },
		},
	}, {
		.asks = NPU_ERDMA_CHANNEL, .run = erdma_channel, .n = 2, .risky = true,
		.program = "two pixels of 0 plus an operand in ERDMA_DATA_MODE 0, whose first unit is 1.0 "
			   "and whose second is 2.0",
		.hypotheses = {
			{ NPU_ERDMA_CHANNEL_VECTOR, GIVES, { 0x3c00, 0x3c00 } },
			{ NPU_ERDMA_CHANNEL_PIXELS, GIVES, { 0x3c00, 0x4000 } },
		},
	}, {
		.asks = NPU_NAN_FP16, .run = nan_fp16, .n = 2,
		.program = "0x7e00 and 1.0 from fp16 through fp32 to fp16",
		.hypotheses = {
			{ NPU_NAN_FP16_X7C01, GIVES, { 0x7c01, 0x3c00 } },
			{ NPU_NAN_FP16_X7E00, GIVES, { 0x7e00, 0x3c00 } },
		},
	}, {
		.asks = NPU_FP16_OVERFLOW, .run = fp16_overflow, .n = 1,
		.program = "60000 + 60000 to fp16",
		.hypotheses = {
			{ NPU_FP16_OVERFLOW_INF, GIVES, { 0x7c00 } },
			{ NPU_FP16_OVERFLOW_LARGEST, GIVES, { 0x7bff } },
		},
	}, {
		.asks = NPU_MINUS_EXP, .run = minus_exp, .n = 2,
		.program = "0 and 1.5 to fp16 with MINUS_EXP 15",
		.hypotheses = {
			{ NPU_MINUS_EXP_FIELD, GIVES, { 0x4400, 0x0200 } },
			{ NPU_MINUS_EXP_GUARDED, GIVES, { 0, 0x0200 } },
		},
	}, {
		.asks = NPU_RAW_FP16, .run = raw_fp16, .n = 2,
		.program = "1 + 7/1024 and 1.0 to fp16 with FP32TOFP16_EN 0",
		.hypotheses = {
			{ NPU_RAW_FP16_LOW, GIVES, { 0xe000, 0 } },
			{ NPU_RAW_FP16_HIGH, GIVES, { 0x3f80, 0x3f80 } },
		},
	}, {
		.asks = NPU_FLOAT_TO_INT, .run = float_to_int, .n = 5, .risky = true,
		.program = "0.5, 1.5, 2.5, -1.5 and 1.75 through a flying task from fp16 to int8",
		.hypotheses = {
			{ NPU_FLOAT_TO_INT_EVEN, GIVES, { 0, 2, 2, -2, 2 } },
			{ NPU_FLOAT_TO_INT_CUT, GIVES, { 0, 1, 2, -1, 1 } },
		},
	}, {
		.asks = NPU_BF16_OUT, .run = bf16_out, .n = 3,
		.program = "1 + 12, 20 and 14 times 2^-10 from fp16 to bf16",
		.hypotheses = {
			{ NPU_BF16_OUT_EVEN, GIVES, { 0x3f82, 0x3f82, 0x3f82 } },
			{ NPU_BF16_OUT_CUT, GIVES, { 0x3f81, 0x3f82, 0x3f81 } },
		},
	}, {
		.asks = NPU_MAX_WIDTH, .run = max_width, .n = 6,
		.program = "1.0 + 1.0 in 65536 elements; six of them, four at the end",
		.hypotheses = {
			{ NPU_MAX_WIDTH_RIGHT, GIVES,
			  { 0x4000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000 } },
			{ NPU_MAX_WIDTH_LOSES, OTHERWISE, { 0 } },
		},
	},
};

const struct family ask_float = FAMILY(experiments);
