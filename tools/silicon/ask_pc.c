// SPDX-License-Identifier: MIT
/* Questions about the PC: words, chains, register groups (programming-model B). */
#include "experiment.h"
#include "fp16.h"

#define ONE	0x3c00		/* fp16 */
#define NOWHERE	0x8000		/* an offset in AT_Y that nobody looks at */

/* A BN that multiplies by 1 and adds 1 or, as the task has it, nothing. */
static void routing(struct trial *t)
{
	struct task *task = trial_flying(t, (uint16_t[]){ 0x3e00 }, 1);

	task_set(task, DPU_BN_CFG, 0x20040);
	task_set(task, DPU_BN_ALU, 0x80000000);		/* -0.0 */
	task_set(task, DPU_BN_MUL, ONE << 16);
	/* DPU_RDMA's target; 0x4064 is the DPU's BN_ALU, 0x5064 PAD_CFG, which is not used */
	t->body[t->n_body++] = word(0x2001, 0x4064, fp32_bits(1.0f));
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

static void after_enable(struct trial *t)
{
	store16(trial_at(t, AT_X), 0, ONE);
	/* both groups hold an addend of 3 */
	trial_add(t, 0, NOWHERE, 3);
	trial_add(t, 0, NOWHERE, 3);
	trial_run(t);
	trial_add(t, 0, NOWHERE, 3);
	t->after[t->n_after++] = reg_word(DPU_BS_ALU, fp32_bits(5.0f));
	task_drop(trial_add(t, 0, 0, 0), DPU_BS_ALU);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

static void integer_task(struct trial *t, uint32_t dst)
{
	struct conv conv;
	struct task *task;

	pass_conv(&conv, T_INT8, T_INT32, 2, 16);
	*conv_at(&conv, 0, 0) = 7;
	*conv_at(&conv, 0, 1) = -9;
	conv.qd_off = true;
	task = trial_conv(t, &conv);
	task_set(task, DPU_DST_BASE, AT_Y + dst);
}

static void integer_chains(struct trial *t)
{
	integer_task(t, 0);
	integer_task(t, NOWHERE);
	trial_run(t);
	/* pixels are units of four int32 channels */
	trial_note32(t, AT_Y, 0);
	trial_note32(t, AT_Y, 4);
	trial_note32(t, AT_Y + NOWHERE, 0);
	trial_note32(t, AT_Y + NOWHERE, 4);
}

static void rearming(struct trial *t)
{
	struct task *task;

	store16(trial_at(t, AT_X), 0, ONE);
	store16(trial_at(t, AT_X + 0x1000), 0, 0x4400);
	trial_add(t, 0, 0, 1);
	task = trial_add(t, 0x1000, 0x1000, 1);
	task_drop(task, RDMA_S_POINTER);
	task_drop(task, DPU_S_POINTER);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
	trial_note16(t, AT_Y + 0x1000, 0);
}

static void groups(struct trial *t)
{
	store16(trial_at(t, AT_X), 0, ONE);
	trial_add(t, 0, NOWHERE, 3);
	trial_add(t, 0, NOWHERE, 5);
	task_drop(trial_add(t, 0, 0, 0), DPU_BS_ALU);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

/* Addends that nothing else leaves: what comes of another core's registers is neither. */
static void kick_groups(struct trial *t)
{
	store16(trial_at(t, AT_X), 0, ONE);
	trial_add(t, 0, NOWHERE, 3);
	trial_run(t);
	trial_add(t, 0, NOWHERE, 5);
	trial_run(t);
	task_drop(trial_add(t, 0, 0, 0), DPU_BS_ALU);
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

static void missing_block(struct trial *t)
{
	integer_task(t, 0);
	t->tasks[0].mask = EN_CORE | EN_DPU | EN_RDMA;
	trial_run(t);
	trial_note32(t, AT_Y, 0);
}

/* Four jobs of 48 tasks, fp16 in and two surfaces of fp32 out. */
static void fp32_flying(struct trial *t)
{
	for (unsigned int job = 0; job < 4; job++) {
		for (unsigned int i = 0; i < 48; i++) {
			struct task *task = trial_flying(t, (uint16_t[]){ 0x3e00 }, 1);

			task_set(task, DPU_DATA_FORMAT, 0xa8000002);
			task_set(task, DPU_BS_OW_CFG, 0x126);
			task_set(task, DPU_SURFACE_ADD, 2 << 4);
			task_set(task, DPU_OUT_SCALE, 1);
		}
		trial_run(t);
	}
	trial_note32(t, AT_Y, 0);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_ROUTING, .run = routing, .n = 1, .risky = true, .raw = true,
		.program = "1.5 through a flying task whose BN multiplies by 1; its last word has "
			   "DPU_RDMA's target, the offset of DPU.BN_ALU and the value 1.0",
		.hypotheses = {
			{ NPU_ROUTING_TARGET, GIVES, { 0x3e00 } },
			{ NPU_ROUTING_OFFSET, GIVES, { 0x4100 } },
			{ NPU_ROUTING_STOP, HANGS, { 0 } },
		},
	}, {
		.asks = NPU_AFTER_ENABLE, .run = after_enable, .n = 1, .chains = true, .raw = true,
		.program = "with addend 3 in both groups a chain of two tasks that add to 1.0; behind "
			   "the first enable word BS_ALU becomes 5.0, the second does not write it",
		.hypotheses = {
			{ NPU_AFTER_ENABLE_IGNORED, GIVES, { 0x4400 } },
			{ NPU_AFTER_ENABLE_EXECUTED, GIVES, { 0x4600 } },
		},
	}, {
		.asks = NPU_INTEGER_CHAINS, .run = integer_chains, .n = 4, .chains = true,
		.program = "a chain of two int8 convolutions that pass 7 and -9, QD_EN 0; the results "
			   "of both",
		.hypotheses = {
			{ NPU_INTEGER_CHAINS_RIGHT, GIVES, { 7, -9, 7, -9 } },
			{ NPU_INTEGER_CHAINS_SPOILT, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_REARMING, .run = rearming, .n = 2, .chains = true, .raw = true,
		.program = "a chain of two tasks that add 1 to 1.0 and to 4.0; the second writes no "
			   "S_POINTER",
		.hypotheses = {
			{ NPU_REARMING_NEEDED, GIVES, { 0x4000, 0x4000 } },
			{ NPU_REARMING_ONCE, GIVES, { 0x4000, 0x4500 } },
		},
	}, {
		.asks = NPU_GROUPS, .run = groups, .n = 1,
		.program = "three tasks of one job: the first adds 3, the second 5, the third does not "
			   "write BS_ALU and adds to 1.0",
		.hypotheses = {
			{ NPU_GROUPS_ALTERNATE, GIVES, { 0x4400 } },
			{ NPU_GROUPS_ONE, GIVES, { 0x4600 } },
		},
	}, {
		.asks = NPU_KICK_GROUPS, .run = kick_groups, .n = 1,
		.program = "a job that adds 3, one that adds 5, and one that does not write BS_ALU and "
			   "adds to 1.0; says something only if all three ran on one core",
		.rests_on = { NPU_GROUPS }, .n_rests = 1,
		.hypotheses = {
			{ NPU_KICK_GROUPS_GO_ON, GIVES, { 0x4400 } },
			{ NPU_KICK_GROUPS_RESTART, GIVES, { 0x4600 } },
		},
	}, {
		.asks = NPU_MISSING_BLOCK, .run = missing_block, .n = 1, .risky = true,
		.program = "a convolution whose enable word leaves out CNA; the first result",
		.hypotheses = {
			{ NPU_MISSING_BLOCK_HANGS, HANGS, { 0 } },
			{ NPU_MISSING_BLOCK_COMPLETES, GIVES, { 0xeeeeeeee } },
		},
	}, {
		.asks = NPU_FP32_FLYING, .run = fp32_flying, .n = 1, .risky = true,
		.program = "four jobs of 48 flying tasks from fp16 to fp32; the last result",
		.hypotheses = {
			{ NPU_FP32_FLYING_ENDS, GIVES, { 0x3fc00000 } },
			{ NPU_FP32_FLYING_HANGS, HANGS, { 0 } },
		},
	},
};

const struct family ask_pc = FAMILY(experiments);
