/* SPDX-License-Identifier: MIT */
/* Passes in a row, and the steps that operations are put together from. */
#ifndef SCORIA_RECIPE_H
#define SCORIA_RECIPE_H

#include <stddef.h>

#include "pass.h"

#define RECIPE_MAX	24u
#define RECIPE_MAX_LUTS	8u

/**
 * struct recipe - an operation
 * @passes: @n: in order
 * @luts: @n_luts: the tables that passes refer to; they belong to the recipe
 */
struct recipe {
	struct pass passes[RECIPE_MAX];
	size_t n;
	struct lut *luts[RECIPE_MAX_LUTS];
	size_t n_luts;
};

/*
 * What one pass computes from its main operand x and its other operand e. Only
 * what programs have run on boards is used: EW's ALU and multiplier, PRELU with
 * -1 for |x|, products with infinity, of which 0 inf = NaN counts as above the
 * limit of RELUX and as positive (programming-model C5, F4).
 */
enum step {
	STEP_ADD,		/* x + e */
	STEP_SUB,		/* x - e */
	STEP_MUL,		/* x e */
	STEP_MAX,
	STEP_MIN,
	STEP_DIV,		/* x / e */
	STEP_NEG,		/* -x */
	STEP_ABS,		/* |x| */
	STEP_NEG_ABS,		/* -|x| */
	STEP_NOT,		/* 1 - x */
	STEP_RELU,		/* max(x, 0), NaN stays */
	STEP_ABOVE,		/* 1 when x > 0, else 0, for NaN as well */
	STEP_UNORDERED,		/* 1 when x or e, which is not above 0, is NaN, else 0 */
	STEP_ORDER,		/* 1 when x >= 0 or NaN, else 0; minus e */
	STEP_EQUAL,		/* 1 when x = 0 or NaN, else 0; minus e */
	STEP_MERGE_NAN,		/* NaN when x is, else e */
	STEP_FLOOR,		/* e - 1 when x > 0, else e */
	STEP_CEIL,		/* e + 1 when x > 0, else e */
	STEP_TRUNC,		/* e - 1 when x < 0, else e */
	STEP_ABS_SUB,		/* |x| - e */
	STEP_SIGN,		/* -e when x < 0, else e */
	STEP_MASK,		/* RECIPE_MASK when x is not 0, NaN included, else 0 */
	STEP_UNMASK,		/* RECIPE_MASK - x */
	STEP_MASK_BYTES,	/* every byte of x times that of e */
	STEP_ADD_BYTES,		/* every byte of x plus that of e */
	STEP_CLAMP,		/* limits are for the caller to set: BS MAX, BN MIN */
};

/* An fp16 number of which both bytes are 1. */
#define RECIPE_MASK (257 * 0x1p-24)

/* Append a step; the pass is the caller's to adjust until the next call. */
struct pass *recipe_add(struct recipe *recipe, enum step step, enum slot main, enum slot operand,
			enum slot to);

/* Append a look-up in a table that the caller fills in, NULL without memory. */
struct lut *recipe_add_lut(struct recipe *recipe, enum slot main, enum slot to);

/* x to the nearest integer, ties to even; NaN becomes 0. False without memory. */
bool recipe_add_round(struct recipe *recipe, enum slot main, enum slot to, bool absolute);

/* The tables go. */
void recipe_destroy(struct recipe *recipe);

#endif
