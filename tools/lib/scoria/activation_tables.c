// SPDX-License-Identifier: MIT
/*
 * Functions by lookup tables. A positive function is a product of tables, each
 * right in a part of the domain and constant outside; where a function crosses 0,
 * or needs small results to be as precise as large ones, a gate that is linear
 * there multiplies them. So no table has a 0 to hold (fault R6).
 */
#include <math.h>

#include "activation.h"
#include "split.h"

/* Where the gate is 0, a neighbour tells the quotient. */
#define NEIGHBOUR 0x1p-10

/**
 * struct content - what one pair of tables holds
 * @activation: of which
 * @scale:      it is stretched by this in both directions
 * @divisor:    values are divided by it
 */
struct content {
	const struct activation *activation;
	double scale;
	double divisor;
};

static double gate_value(const struct gate *gate, double x)
{
	return fmin(fmax(x + gate->shift, gate->low), gate->high);
}

/* f / gate */
static double quotient(const struct activation *a, double x)
{
	if (!a->gated)
		return a->f(x);
	if (gate_value(&a->gate, x) == 0)
		x += NEIGHBOUR;
	return a->f(x) / gate_value(&a->gate, x);
}

static double content_value(const void *ctx, double x)
{
	const struct content *content = ctx;

	return quotient(content->activation, x / content->scale) / content->divisor;
}

/* A further pair meets those before it at its end nearer to the first pair's range. */
static double meeting_value(const struct activation *a, unsigned int piece)
{
	if (!piece)
		return 1;
	if (a->pieces[piece].low >= a->pieces[0].high)
		return quotient(a, a->pieces[piece].low);
	return quotient(a, a->pieces[piece].high);
}

static bool add_piece(struct recipe *r, const struct activation *a, double scale,
		      unsigned int piece, enum slot from, enum slot to)
{
	const struct content content = { a, scale, meeting_value(a, piece) };
	const struct lut_range range = {
		.f = content_value,
		.ctx = &content,
		.low = a->pieces[piece].low * scale,
		.middle = a->pieces[piece].middle * scale,
		.high = a->pieces[piece].high * scale,
		.absolute = a->even,
	};
	struct lut *lut = recipe_add_lut(r, from, to);

	if (lut)
		lut_build(lut, &range);
	return lut;
}

struct lut *activation_lut(const struct activation *a)
{
	struct recipe recipe = { .n = 0 };

	if (!add_piece(&recipe, a, 1, 0, SLOT_A, SLOT_OUT))
		return NULL;
	return recipe.luts[0];
}

bool cook_table(struct recipe *r, const struct activation *a, enum slot from, enum slot to)
{
	return add_piece(r, a, 1, 0, from, to);
}

/* BS shifts or limits from below, limits from above and scales; BN does the rest. */
static void add_gate(struct recipe *r, const struct gate *gate, double scale, enum slot from,
		     enum slot tables, enum slot to)
{
	struct pass *pass = recipe_add(r, STEP_MUL, from, tables, to);
	struct pass_stage *low = gate->shift != 0 ? &pass->bn : &pass->bs;

	if (gate->shift != 0)
		pass->bs = (struct pass_stage){ .alu = PASS_ADD, .addend = gate->shift };
	if (isfinite(gate->low)) {
		low->alu = PASS_MAX;
		low->addend = gate->low * scale;
	}
	pass->bs.relux = isfinite(gate->high);
	pass->bs.limit = gate->high * scale;
	if (gate->negative != 0) {
		pass->bs.mul = pass->bn.mul = pass->bs.prelu = true;
		pass->bn.prelu = gate->factor == 0;
		split_factor(gate->negative, &pass->bs.factor, &pass->bn.factor);
	}
	if (gate->factor != 0) {
		pass->bs.factor = gate->negative;
		pass->bn.factor = gate->factor;
	}
}

static bool is_piece(const struct activation *a, unsigned int piece)
{
	return piece < MAX_PIECES && a->pieces[piece].high > a->pieces[piece].low;
}

bool cook_product(struct recipe *r, const struct activation *a, double scale, enum slot from,
		  enum slot to)
{
	enum slot product = SLOT_T0, other = SLOT_T1, swap;
	unsigned int piece;

	if (!add_piece(r, a, scale, 0, from, SLOT_T0))
		return false;
	if (a->gated) {
		add_gate(r, &a->gate, scale, from, SLOT_T0, SLOT_T1);
		product = SLOT_T1;
		other = SLOT_T0;
	}
	for (piece = 1; is_piece(a, piece); piece++) {
		if (!add_piece(r, a, scale, piece, from, SLOT_T2))
			return false;
		recipe_add(r, STEP_MUL, product, SLOT_T2, other);
		swap = product;
		product = other;
		other = swap;
	}
	recipe_add(r, STEP_MERGE_NAN, from, product, to);
	return true;
}

bool cook_tables(struct recipe *r, const struct activation *a,
		 const struct scoria_activation_opts *o)
{
	(void)o;
	return cook_product(r, a, 1, SLOT_A, SLOT_OUT);
}

bool cook_elu(struct recipe *r, const struct activation *a,
	      const struct scoria_activation_opts *o)
{
	struct activation scaled = *a;

	scaled.gate.negative = o->alpha;
	return cook_product(r, &scaled, 1, SLOT_A, SLOT_OUT);
}

bool cook_celu(struct recipe *r, const struct activation *a,
	       const struct scoria_activation_opts *o)
{
	return cook_product(r, a, o->alpha, SLOT_A, SLOT_OUT);
}

/* pi/2 - asin(x) */
bool cook_acos(struct recipe *r, const struct activation *a,
	       const struct scoria_activation_opts *o)
{
	(void)o;
	if (!cook_product(r, a, 1, SLOT_A, SLOT_T3))
		return false;
	recipe_add(r, STEP_NOT, SLOT_T3, SLOT_NONE, SLOT_OUT)->bn.addend = M_PI_2;
	return true;
}

/* 1 / sqrt(x); the one is a broadcast input */
bool cook_rsqrt(struct recipe *r, const struct activation *a,
		const struct scoria_activation_opts *o)
{
	(void)o;
	if (!cook_product(r, a, 1, SLOT_A, SLOT_T3))
		return false;
	recipe_add(r, STEP_DIV, SLOT_B, SLOT_T3, SLOT_OUT);
	return true;
}

/* SLOT_T1 := x - 2 pi n, with the nearest n; infinite for infinity */
static bool add_reduction(struct recipe *r)
{
	struct lut *lut = recipe_add_lut(r, SLOT_A, SLOT_T0);
	double first, second;
	struct pass *pass;

	if (!lut)
		return false;
	lut_identity(lut, 1);
	split_factor(0.5 * M_1_PI, &lut->scale, &lut->factor);
	split_factor(2 * M_PI, &first, &second);
	pass = recipe_add(r, STEP_ADD, SLOT_T0, SLOT_A, SLOT_T1);
	pass->bs = (struct pass_stage){ .mul = true, .factor = -first };
	pass->bn = (struct pass_stage){ .mul = true, .factor = second };
	return true;
}

/* r sin(r)/r; the table is 0 from pi on, so that infinity becomes NaN */
bool cook_sin(struct recipe *r, const struct activation *a,
	      const struct scoria_activation_opts *o)
{
	(void)o;
	if (!add_reduction(r) || !cook_table(r, a, SLOT_T1, SLOT_T2))
		return false;
	recipe_add(r, STEP_MUL, SLOT_T1, SLOT_T2, SLOT_OUT);
	return true;
}

/* -sin(|r| - pi/2) */
bool cook_cos(struct recipe *r, const struct activation *a,
	      const struct scoria_activation_opts *o)
{
	(void)o;
	if (!add_reduction(r))
		return false;
	recipe_add(r, STEP_ABS, SLOT_T1, SLOT_NONE, SLOT_T3)->bn =
		(struct pass_stage){ .alu = PASS_ADD, .addend = -M_PI_2 };
	if (!cook_table(r, a, SLOT_T3, SLOT_T2))
		return false;
	recipe_add(r, STEP_MUL, SLOT_T3, SLOT_T2, SLOT_OUT)->bs =
		(struct pass_stage){ .mul = true, .factor = -1 };
	return true;
}
