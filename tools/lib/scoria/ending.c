// SPDX-License-Identifier: MIT
/*
 * Everything behind the sums as the DPU's stages (programming-model C5, C6): BS adds
 * before it multiplies, BN multiplies before it adds, EW looks up a table or takes
 * an operand, and each may end with a ReLU.
 */
#include <math.h>

#include "choices.h"
#include "error.h"
#include "fp16.h"
#include "fusion.h"
#include "recipe.h"
#include "requant.h"
#include "split.h"

/* Fractional bits that integers keep before an operand meets them, at most. */
#define GUARD_BITS	12u

/* Planes below this are read elsewhere if Mesa's floor is the hardware's (F3). */
#define SMALL_PLANE	12

/* Multipliers of converters are int16 (C7). */
#define MAX_CVT_SCALE	32767

static bool is_float(const struct ending *e)
{
	return e->out == SCORIA_FP16 || e->out == SCORIA_FP32;
}

static bool has_function(const struct ending *e, enum scoria_activation function)
{
	return e->fusion.function && e->fusion.act.function == function;
}

bool ending_leaks(const struct ending *e)
{
	return has_function(e, SCORIA_LEAKY_RELU) || has_function(e, SCORIA_PRELU);
}

/* BS and BN are free for it: one adds the bias at most. */
static bool stages_are_free(const struct ending *e)
{
	return e->alpha == 1 && !e->fusion.factors;
}

static bool avoids_operand(const struct layer *layer)
{
	return layer->x.out * layer->y.out < SMALL_PLANE && choose(CHOICE_SMALL_PLANES);
}

/* Where the DPU gives results in two surfaces a group, MRDMA and ERDMA can take turns (F3). */
static bool takes_operand(const struct layer *layer)
{
	return !avoids_operand(layer) && !layer->fmt.depthwise && layer->fmt.surfaces == 2;
}

/* The function can stand in front of an operand or of nothing. */
static bool function_fits(const struct ending *e)
{
	return (ending_leaks(e) || has_function(e, SCORIA_SIGMOID)) && stages_are_free(e) &&
	       (!e->fusion.operand || e->fusion.operand_last);
}

/* What follows a pass has to be a pass, and what follows a table as well. */
static void decide_float(const struct layer *layer, struct ending *e)
{
	struct fusion *f = &e->fusion;
	const bool fits = function_fits(e);

	f->function_place = fits ? PLACE_TASK : PLACE_PASS;
	f->operand_place = takes_operand(layer) ? PLACE_TASK : PLACE_PASS;
	if (f->operand_last && f->function && !(fits && ending_leaks(e)))
		f->operand_place = PLACE_PASS;
}

/* What sums of floats have no stage for; fp16 results have passes for most of it. */
static bool float_needs_cpu(const struct ending *e)
{
	const struct fusion *f = &e->fusion;

	/* BN's factor is fp16 */
	if ((double)fp16_to_fp32(fp32_to_fp16((float)e->alpha)) != e->alpha)
		return true;
	if (e->out == SCORIA_FP32 && f->operand)
		return true;
	return ending_leaks(e) && !function_fits(e) && (f->slopes || e->out == SCORIA_FP32);
}

/* Integers have no passes. */
static bool integer_needs_cpu(const struct layer *layer, const struct ending *e)
{
	const struct fusion *f = &e->fusion;

	if (e->requant && !e->one_shift)
		return true;
	if (f->operand && (avoids_operand(layer) || (f->function && !f->operand_last)))
		return true;
	return f->slopes && (f->operand || e->by_channel);
}

bool ending_needs_cpu(const struct layer *layer, const struct ending *e)
{
	return is_float(e) ? float_needs_cpu(e) : integer_needs_cpu(layer, e);
}

void ending_leave_to_cpu(struct ending *e)
{
	struct fusion *f = &e->fusion;
	const bool table = f->function && !ending_leaks(e);

	f->function_place = table ? PLACE_PASS : PLACE_CPU;
	f->operand_place = table && f->operand_last ? PLACE_PASS : PLACE_CPU;
}

static struct stage *last_stage(struct layer *layer)
{
	return stage_is_active(&layer->bn) ? &layer->bn : &layer->bs;
}

/* @limit as a register has it; a limit of 0 stands for none. */
static void add_relu(struct layer *layer, const struct ending *e, uint32_t limit)
{
	const struct fusion *f = &e->fusion;
	const bool early = f->operand && !f->operand_last;
	struct stage *stage = last_stage(layer);

	if (!e->relu || (early && f->operand_place == PLACE_PASS))
		return;
	if (early) {
		layer->ew.relu = true;
		layer->ew.relux = e->relu_max > 0;
		layer->ew.limit = limit;
		return;
	}
	stage->relu = true;
	stage->relux = e->relu_max > 0;
	stage->limit = limit;
}

static void add_bias(struct stage *stage)
{
	stage->alu = PASS_ADD;
	stage->alu_vector = true;
}

/* The same pair of factors as that of the activation, to which positive values are deaf. */
static void add_leak_float(struct layer *layer, const struct ending *e)
{
	double first, second;

	layer->bn.mul = layer->bn.prelu = true;
	if (e->fusion.slopes) {
		layer->bn.mul_vector = true;
		return;
	}
	split_factor(e->fusion.act.alpha, &first, &second);
	layer->bs.mul = layer->bs.prelu = true;
	layer->bs.factor = fp32_to_fp16((float)first);
	layer->bn.factor = fp32_to_fp16((float)second);
}

/* As emit_pass.c reaches a table. */
static int add_table(struct layer *layer, struct fusion *f)
{
	if (!f->lut)
		f->lut = activation_lut(f->function);
	if (!f->lut)
		return error_no_memory();
	if (f->lut->scale != 1) {
		layer->bs.mul = true;
		layer->bs.factor = fp32_to_fp16((float)f->lut->scale);
	}
	layer->bn.mul = true;
	layer->bn.factor = fp32_to_fp16((float)f->lut->factor);
	layer->bn.alu = PASS_ADD;
	layer->bn.addend = fp32_bits(-0.0f);
	layer->ew.lut = f->lut;
	return 0;
}

static void add_operand_float(struct layer *layer, const struct fusion *f)
{
	layer->ew = (struct ew){
		.op = f->operand == SCORIA_OPERAND_MUL ? PASS_MUL : PASS_ADD,
		.size = EW_SIZE_16,
		/* the adder wants fp32, the multiplier fp16 (C6) */
		.convert = f->operand != SCORIA_OPERAND_MUL,
		.scale = 1,
	};
}

static int describe_float(struct layer *layer, struct ending *e)
{
	struct fusion *f = &e->fusion;

	if (f->factors)
		layer->bs.mul = layer->bs.mul_vector = true;
	if (e->alpha != 1) {
		layer->bn.mul = true;
		layer->bn.factor = fp32_to_fp16((float)e->alpha);
	}
	if (e->bias)
		add_bias(stages_are_free(e) ? &layer->bs : &layer->bn);
	if (f->operand && f->operand_place == PLACE_TASK)
		add_operand_float(layer, f);
	add_relu(layer, e, e->relu_max > 0 ? relu_pattern(true, e->relu_max) : 0);
	if (!f->function || f->function_place != PLACE_TASK)
		return 0;
	if (!ending_leaks(e))
		return add_table(layer, f);
	add_leak_float(layer, e);
	return 0;
}

/* Negative sums are shifted by more than positive ones, of which PRELU takes none. */
static void add_leak_integer(struct layer *layer, const struct ending *e)
{
	uint32_t multiplier, shift;

	if (e->fusion.slopes) {
		layer->bn = (struct stage){ .mul = true, .mul_vector = true, .prelu = true,
					    .shift_negative = ENDING_SLOPE_BITS };
		return;
	}
	scoria_quantize_scale(e->fusion.act.alpha, &multiplier, &shift);
	layer->bs.mul = layer->bs.prelu = true;
	layer->bs.factor = multiplier;
	layer->bs.shift_negative = shift;
}

static void add_multipliers(struct layer *layer, uint32_t shift)
{
	layer->bn = (struct stage){ .mul = true, .mul_vector = true, .shift = shift,
				    .shift_negative = shift };
}

uint32_t ending_guard_bits(const struct ending *e, uint32_t shift)
{
	uint32_t k = min_u32(GUARD_BITS, shift);

	while (e->fusion.operand == SCORIA_OPERAND_ADD && k &&
	       ldexp(e->fusion.operand_scale, k) > MAX_CVT_SCALE)
		k--;
	return k;
}

static int add_operand_integer(struct layer *layer, const struct ending *e, uint32_t k)
{
	const struct fusion *f = &e->fusion;
	uint32_t multiplier = 1, shift = 0;
	int err = 0;

	if (f->operand == SCORIA_OPERAND_ADD)
		err = scoria_quantize_scale(ldexp(f->operand_scale, k), &multiplier, &shift);
	layer->ew = (struct ew){
		.op = f->operand == SCORIA_OPERAND_MUL ? PASS_MUL : PASS_ADD,
		.size = EW_SIZE_8,
		.convert = true,
		.add_first = true,
		.offset = -f->operand_zp,
		.scale = multiplier,
		.shift = shift,
	};
	return err;
}

/* BN where channels differ, a limit is in output units or an operand follows. */
static int describe_requantisation(struct layer *layer, const struct ending *e)
{
	const uint32_t shift = e->requant->shift;
	uint32_t k = 0;
	int err = 0;

	layer->out_offset = e->zero_point;
	if (e->fusion.operand) {
		k = ending_guard_bits(e, shift);
		add_multipliers(layer, shift - k);
		err = add_operand_integer(layer, e, k);
		layer->out_shift = k;
	} else if (e->by_channel || e->relu_max > 0) {
		add_multipliers(layer, shift);
	} else {
		layer->out_scale = e->requant->multiplier;
		layer->out_shift = shift;
	}
	add_relu(layer, e, e->relu_max > 0 ?
		 (uint32_t)fmin(ldexp(rint(e->relu_max), k), INT32_MAX) : 0);
	return err;
}

static int describe_integer(struct layer *layer, struct ending *e)
{
	e->fusion.operand_place = e->fusion.function_place = PLACE_TASK;
	if (e->bias)
		add_bias(&layer->bs);
	if (ending_leaks(e))
		add_leak_integer(layer, e);
	if (e->requant)
		return describe_requantisation(layer, e);
	add_relu(layer, e, e->relu_max > 0 ? relu_pattern(false, e->relu_max) : 0);
	return 0;
}

int ending_describe(struct layer *layer, struct ending *e)
{
	layer->out_scale = 1;
	if (!is_float(e))
		return describe_integer(layer, e);
	decide_float(layer, e);
	return describe_float(layer, e);
}

uint16_t ending_multiplier(const struct ending *e, size_t channel)
{
	if (e->fusion.factors)
		return e->fusion.factors[channel];
	if (e->fusion.slopes)
		return e->fusion.slopes[channel];
	return e->requant ? e->requant[channel].multiplier : 0;
}
