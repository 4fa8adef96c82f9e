/* SPDX-License-Identifier: MIT */
/*
 * fp16 numbers through the flying DPU, eight a unit: what the tests of its
 * stages, converters and tables have in common.
 */
#ifndef FLYING_H
#define FLYING_H

#include "recipe.h"
#include "rig.h"

#define FLYING_MAX 512		/* numbers, a multiple of 8 */

struct flying {
	struct rig rig;
	struct task t;
	unsigned int n;
	uint8_t *x, *e, *y;
};

/* recipe_flying() over @n fp16 bit patterns, repeated to fill whole units. */
void flying_begin(struct flying *f, const uint16_t *x, unsigned int n);
/* An operand for ERDMA, with the EW word of programming-model F1 @ew_cfg. */
void flying_operand(struct flying *f, const uint16_t *e, uint32_t ew_cfg);
/* Run; false after a message when the task does not complete. */
bool flying_run(struct flying *f);
uint16_t flying_out(const struct flying *f, unsigned int i);
void flying_end(struct flying *f);

/* Words of BS_CFG and BN_CFG: only the ALU, only the multiplier, both; no ReLU. */
enum {
	STAGE_ALU_MAX = 0x00050,
	STAGE_ALU_MIN = 0x10050,
	STAGE_ALU_ADD = 0x20050,
	STAGE_ALU_SUB = 0x40050,
	STAGE_MUL = 0x00042,
	STAGE_ADD_MUL = 0x20040,
	STAGE_SUB_MUL = 0x40040,
	STAGE_PRELU = 0x00062,
	STAGE_RELU_ON = 0x00040,	/* a bypass: xor it in to have the ReLU */
	STAGE_RELUX = 0x00080,
	STAGE_ALU_SRC_VECTOR = 0x00100,
};

#endif
