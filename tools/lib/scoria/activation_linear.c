// SPDX-License-Identifier: MIT
/* Functions of straight pieces, and those that the divider gives: no tables. */
#include <math.h>

#include "activation.h"
#include "fp16.h"
#include "split.h"

bool cook_relu(struct recipe *r, const struct activation *a,
	       const struct scoria_activation_opts *o)
{
	(void)a;
	(void)o;
	recipe_add(r, STEP_RELU, SLOT_A, SLOT_NONE, SLOT_OUT);
	return true;
}

/* RELUX takes NaN for something large, so it has to come back. */
bool cook_relux(struct recipe *r, const struct activation *a,
		const struct scoria_activation_opts *o)
{
	struct pass *pass = recipe_add(r, STEP_RELU, SLOT_A, SLOT_NONE, SLOT_T0);

	(void)a;
	pass->bs.relux = true;
	pass->bs.limit = o->alpha;
	recipe_add(r, STEP_MERGE_NAN, SLOT_A, SLOT_T0, SLOT_OUT);
	return true;
}

bool cook_leaky(struct recipe *r, const struct activation *a,
		const struct scoria_activation_opts *o)
{
	struct pass *pass = recipe_add(r, STEP_ABS, SLOT_A, SLOT_NONE, SLOT_OUT);

	(void)a;
	pass->bn = pass->bs;
	split_factor(o->alpha, &pass->bs.factor, &pass->bn.factor);
	return true;
}

/* min(x, 0) */
static struct pass *add_negative_part(struct recipe *r, enum step step, enum slot operand,
				      enum slot to)
{
	struct pass *pass = recipe_add(r, step, SLOT_A, operand, to);

	pass->bs = (struct pass_stage){ .mul = true, .factor = -1, .relu = true };
	pass->bn = (struct pass_stage){ .mul = true, .factor = -1 };
	return pass;
}

/* max(x, 0) and the operand */
static void add_positive_part(struct recipe *r, enum step step, enum slot operand, enum slot to)
{
	recipe_add(r, step, SLOT_A, operand, to)->bs =
		(struct pass_stage){ .mul = true, .factor = 1, .relu = true };
}

bool cook_prelu(struct recipe *r, const struct activation *a,
		const struct scoria_activation_opts *o)
{
	(void)a;
	(void)o;
	add_negative_part(r, STEP_MUL, SLOT_B, SLOT_T0);
	add_positive_part(r, STEP_ADD, SLOT_T0, SLOT_OUT);
	return true;
}

bool cook_hardtanh(struct recipe *r, const struct activation *a,
		   const struct scoria_activation_opts *o)
{
	struct pass *pass = recipe_add(r, STEP_CLAMP, SLOT_A, SLOT_NONE, SLOT_T0);

	(void)a;
	pass->bs.addend = o->lo;
	pass->bn.addend = o->hi;
	recipe_add(r, STEP_MERGE_NAN, SLOT_A, SLOT_T0, SLOT_OUT);
	return true;
}

/* clamp((x + 3) / 6, 0, 1), with a limit that the second factor turns into 1 */
static void set_hardsigmoid(struct pass *pass)
{
	double first, second;

	split_factor(1.0 / 6, &first, &second);
	pass->bs = (struct pass_stage){ .alu = PASS_ADD, .addend = 3, .mul = true, .factor = first,
					.relu = true, .relux = true, .limit = 1 / second };
	pass->bn = (struct pass_stage){ .mul = true, .factor = second };
}

bool cook_hardsigmoid(struct recipe *r, const struct activation *a,
		      const struct scoria_activation_opts *o)
{
	(void)a;
	(void)o;
	set_hardsigmoid(recipe_add(r, STEP_ABS, SLOT_A, SLOT_NONE, SLOT_T0));
	recipe_add(r, STEP_MERGE_NAN, SLOT_A, SLOT_T0, SLOT_OUT);
	return true;
}

/*
 * x hardsigmoid(x) is rounded once, and x is kept above -4 as max(x, 0) -
 * min(max(-x, 0), 4), which is exact and leaves NaN: 0 times -inf would be NaN.
 */
bool cook_hardswish(struct recipe *r, const struct activation *a,
		    const struct scoria_activation_opts *o)
{
	(void)a;
	(void)o;
	recipe_add(r, STEP_NEG, SLOT_A, SLOT_NONE, SLOT_T0)->bs =
		(struct pass_stage){ .mul = true, .factor = -1, .relu = true, .relux = true,
				     .limit = 4 };
	add_positive_part(r, STEP_SUB, SLOT_T0, SLOT_T1);
	set_hardsigmoid(recipe_add(r, STEP_MUL, SLOT_A, SLOT_T1, SLOT_OUT));
	return true;
}

/* From 2^15 on it is 1 for fp16, and infinity must not meet infinity. */
bool cook_softsign(struct recipe *r, const struct activation *a,
		   const struct scoria_activation_opts *o)
{
	struct pass *pass = recipe_add(r, STEP_CLAMP, SLOT_A, SLOT_NONE, SLOT_T0);

	(void)a;
	(void)o;
	pass->bs.addend = -0x1p15;
	pass->bn.addend = 0x1p15;
	pass = recipe_add(r, STEP_ABS, SLOT_T0, SLOT_NONE, SLOT_T1);
	pass->bn = (struct pass_stage){ .alu = PASS_ADD, .addend = 1 };
	recipe_add(r, STEP_DIV, SLOT_T0, SLOT_T1, SLOT_T2);
	recipe_add(r, STEP_MERGE_NAN, SLOT_A, SLOT_T2, SLOT_OUT);
	return true;
}

/* The one is a broadcast input. */
bool cook_reciprocal(struct recipe *r, const struct activation *a,
		     const struct scoria_activation_opts *o)
{
	(void)a;
	(void)o;
	recipe_add(r, STEP_DIV, SLOT_B, SLOT_A, SLOT_OUT);
	return true;
}

/* max(x, 0) + T(|x|) */
bool cook_softplus(struct recipe *r, const struct activation *a,
		   const struct scoria_activation_opts *o)
{
	(void)o;
	if (!cook_table(r, a, SLOT_A, SLOT_T0))
		return false;
	add_positive_part(r, STEP_ADD, SLOT_T0, SLOT_OUT);
	return true;
}

/* min(x, 0) - T(|x|) */
bool cook_logsigmoid(struct recipe *r, const struct activation *a,
		     const struct scoria_activation_opts *o)
{
	(void)o;
	if (!cook_table(r, a, SLOT_A, SLOT_T0))
		return false;
	add_negative_part(r, STEP_SUB, SLOT_T0, SLOT_OUT);
	return true;
}
