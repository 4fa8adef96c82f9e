/* SPDX-License-Identifier: MIT */
/*
 * Complete tasks as the recipes of programming-model section H write them; a
 * test changes the registers that it is about with task_set().
 */
#ifndef RECIPE_H
#define RECIPE_H

#include "task.h"

/* BS, BN and EW stages, output converter, registers operands and LUT: neutral. */
void recipe_dpu_neutral(struct task *t);
/* DPU_RDMA with every engine off, H's "RD0". */
void recipe_rdma_off(struct task *t);

/*
 * fp16 in and out through the flying DPU over @units units of 8 channels, H5
 * without an EW operand: every stage passes its input.
 */
void recipe_flying(struct task *t, unsigned int units);

/* The same over one unit from @src to @dst, with @addend added in BS. */
void recipe_flying_add(struct task *t, uint32_t src, uint32_t dst, float addend);

struct pool {
	unsigned int iw, ih, ow, oh, c;
	unsigned int kw, kh, sx, sy;
	unsigned int left, top, right, bottom;
	unsigned int method;	/* 0 average, 1 max, 2 min */
};

/* fp16 pooling from AT_X to AT_Y, H7; @c a multiple of 8. */
void recipe_pool(struct task *t, const struct pool *p);

#endif
