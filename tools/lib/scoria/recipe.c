// SPDX-License-Identifier: MIT
/* The steps, see recipe.h. */
#include "recipe.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Multiplier of BS or BN; PRELU leaves what is positive alone. */
#define TIMES(x)	.mul = true, .factor = (x)
#define ABSOLUTE	{ .prelu = true, TIMES(-1) }
#define PLUS(x)		.alu = PASS_ADD, .addend = (x)
#define UP_TO(x)	.relux = true, .limit = (x)
#define LARGEST		65504

static const struct pass steps[] = {
	[STEP_ADD] = { .ew = PASS_ADD },
	[STEP_SUB] = { .ew = PASS_SUB },
	[STEP_MUL] = { .ew = PASS_MUL },
	[STEP_MAX] = { .ew = PASS_MAX },
	[STEP_MIN] = { .ew = PASS_MIN },
	[STEP_DIV] = { .type = PASS_FP16_RAW, .ew = PASS_DIV },
	[STEP_NEG] = { .bs = { TIMES(-1) } },
	[STEP_ABS] = { .bs = ABSOLUTE },
	[STEP_NEG_ABS] = { .bs = ABSOLUTE, .bn = { TIMES(-1) } },
	[STEP_NOT] = { .bn = { TIMES(-1), PLUS(1) } },
	/* the product makes a negative NaN positive, or ReLU would clear it */
	[STEP_RELU] = { .bs = { TIMES(1), .relu = true } },
	/* 0 for x > 0, else 1; then 1 minus that */
	[STEP_ABOVE] = { .bs = { TIMES(-INFINITY), .relu = true, UP_TO(1) },
			 .bn = { TIMES(-1), PLUS(1) } },
	/* -|x| + e is not above 0 unless it is NaN */
	[STEP_UNORDERED] = { .bs = ABSOLUTE, .bn = { TIMES(-1) }, .ew = PASS_ADD,
			     .ew_relu = true, .ew_relux = true, .ew_limit = 1 },
	[STEP_ORDER] = { .bs = { TIMES(INFINITY), .relu = true, UP_TO(1) }, .ew = PASS_SUB },
	[STEP_EQUAL] = { .bs = ABSOLUTE, .bn = { TIMES(-INFINITY), .relu = true, UP_TO(1) },
			 .ew = PASS_SUB },
	/* ReLU of -|x| is 0 or NaN */
	[STEP_MERGE_NAN] = { .bs = ABSOLUTE, .bn = { TIMES(-1), .relu = true }, .ew = PASS_ADD },
	[STEP_FLOOR] = { .bs = { TIMES(-INFINITY), .relu = true, UP_TO(1) },
			 .bn = { TIMES(1), PLUS(-1) }, .ew = PASS_ADD },
	[STEP_CEIL] = { .bs = { TIMES(-INFINITY), .relu = true, UP_TO(1) },
			.bn = { TIMES(-1), PLUS(1) }, .ew = PASS_ADD },
	[STEP_TRUNC] = { .bs = { TIMES(INFINITY), .relu = true, UP_TO(1) },
			 .bn = { TIMES(1), PLUS(-1) }, .ew = PASS_ADD },
	[STEP_ABS_SUB] = { .bs = ABSOLUTE, .ew = PASS_SUB },
	[STEP_SIGN] = { .bs = { TIMES(INFINITY), .relu = true, UP_TO(1) },
			.bn = { TIMES(2), PLUS(-1) }, .ew = PASS_MUL },
	/* the smallest |x| times the largest factor is above the limit */
	[STEP_MASK] = { .bs = ABSOLUTE, .bn = { TIMES(LARGEST), UP_TO(RECIPE_MASK) } },
	[STEP_UNMASK] = { .bn = { TIMES(-1), PLUS(RECIPE_MASK) } },
	[STEP_MASK_BYTES] = { .type = PASS_INT8, .ew = PASS_MUL, .operand_factor = 1,
			      .out_factor = 1 },
	[STEP_ADD_BYTES] = { .type = PASS_INT8, .ew = PASS_ADD, .operand_factor = 1,
			     .out_factor = 1 },
	[STEP_CLAMP] = { .bs = { .alu = PASS_MAX }, .bn = { .alu = PASS_MIN } },
};

struct pass *recipe_add(struct recipe *recipe, enum step step, enum slot main, enum slot operand,
			enum slot to)
{
	struct pass *pass = &recipe->passes[recipe->n++];

	/* a result in place of an operand is corrupt on boards (F3) */
	assert(recipe->n <= RECIPE_MAX && to != main && to != operand);
	*pass = steps[step];
	pass->main = main;
	pass->operand = operand;
	pass->to = to;
	return pass;
}

struct lut *recipe_add_lut(struct recipe *recipe, enum slot main, enum slot to)
{
	struct lut *lut = calloc(1, sizeof(*lut));
	struct pass *pass = &recipe->passes[recipe->n++];

	assert(recipe->n <= RECIPE_MAX && to != main && recipe->n_luts < RECIPE_MAX_LUTS);
	*pass = (struct pass){ .lut = lut, .main = main, .operand = SLOT_NONE, .to = to };
	recipe->luts[recipe->n_luts++] = lut;
	return lut;
}

bool recipe_add_round(struct recipe *recipe, enum slot main, enum slot to, bool absolute)
{
	struct lut *lut = recipe_add_lut(recipe, main, to);

	if (!lut)
		return false;
	lut_identity(lut, 1);
	lut->absolute = absolute;
	return true;
}

void recipe_destroy(struct recipe *recipe)
{
	while (recipe->n_luts)
		free(recipe->luts[--recipe->n_luts]);
}
