// SPDX-License-Identifier: MIT
/*
 * The DPU's arithmetic: BS (ALU, MUL, RELU), BN (MUL, ALU, RELU) and EW
 * (LUT, operation, RELU), in int32 or fp32 (programming-model C5, C6).
 */
#include <math.h>

#include "dpu.h"
#include "fp16.h"
#include "numeric.h"

static bool sign_bit(float f)
{
	return fp32_bits(f) >> 31;
}

static int32_t alu_int(unsigned int algo, int64_t x, int64_t a)
{
	switch (algo) {
	case DPU_ALU_MAX:
		return (int32_t)(x > a ? x : a);
	case DPU_ALU_MIN:
		return (int32_t)(x < a ? x : a);
	case DPU_ALU_ADD:
		return (int32_t)npu_saturate(x + a, 32);
	case DPU_ALU_SUB:
		return (int32_t)npu_saturate(x - a, 32);
	case DPU_ALU_DIV:
		return a ? (int32_t)npu_saturate(x / a, 32) : 0;
	case DPU_ALU_ABS:
		return (int32_t)npu_saturate(x < 0 ? -x : x, 32);
	case DPU_ALU_NEG:
		return (int32_t)npu_saturate(-x, 32);
	}
	return (int32_t)x;	/* floor and ceil of integers */
}

static float alu_float(unsigned int algo, float x, float a)
{
	switch (algo) {
	case DPU_ALU_MAX:
		return (float)npu_fmax(x, a);
	case DPU_ALU_MIN:
		return (float)npu_fmin(x, a);
	case DPU_ALU_ADD:
		return x + a;
	case DPU_ALU_DIV:
		return x / a;
	case DPU_ALU_SUB:
		return x - a;
	case DPU_ALU_ABS:
		return fabsf(x);
	case DPU_ALU_NEG:
		return -x;
	case DPU_ALU_FLOOR:
		return floorf(x);
	case DPU_ALU_CEIL:
		return ceilf(x);
	}
	return x;
}

static void stage_alu(const struct dpu_stage *s, struct dpu_block *b, const uint32_t *operand)
{
	for (unsigned int p = 0; p < b->n; p++) {
		union dpu_lane *lane = b->lane + p * b->group;

		for (unsigned int c = 0; c < b->group; c++) {
			if (b->is_float)
				lane[c].f = npu_canonical(alu_float(s->algo, lane[c].f,
								fp32_from_bits(operand[c])));
			else
				lane[c].i = alu_int(s->algo, lane[c].i, (int32_t)operand[c]);
		}
	}
}

/*
 * The integer operand is taken as signed, as in NVDLA; one test saw it act as
 * unsigned with a value that is both [HW, sign unproven].
 */
static int32_t mul_int(const struct npu_core *core, int64_t x, uint32_t operand,
		       unsigned int shift)
{
	const int64_t factor = npu_is(core, NPU_MUL_SIGN_SIGNED) ? (int16_t)operand :
								    (uint16_t)operand;

	return (int32_t)npu_saturate(npu_shift(core, NPU_TIES_MUL, false, x * factor, shift), 32);
}

static void stage_mul(const struct npu_core *core, const struct dpu_stage *s,
		      struct dpu_block *b, const uint32_t *operand)
{
	for (unsigned int p = 0; p < b->n; p++) {
		union dpu_lane *lane = b->lane + p * b->group;

		for (unsigned int c = 0; c < b->group; c++) {
			const bool negative = lane[c].u >> 31;	/* of int32 and fp32 alike */

			if (s->prelu && !negative)
				continue;
			if (b->is_float)
				lane[c].f = npu_canonical(lane[c].f *
						      fp16_to_fp32((uint16_t)operand[c]));
			else
				lane[c].i = mul_int(core, lane[c].i, operand[c],
						    negative && npu_is(core, NPU_NEG_SHIFT_OWN) ?
						    s->shift_negative : s->shift);
		}
	}
}

static bool above(const struct npu_core *core, const struct dpu_block *b,
		  const union dpu_lane *lane, uint32_t limit)
{
	if (!b->is_float)
		return lane->i > (int32_t)limit;
	/* a NaN counts as above the limit: allbilly's <= and >= rely on it [FIT] */
	if (isnan(lane->f))
		return npu_is(core, NPU_RELUX_NAN_LIMIT);
	return lane->f > fp32_from_bits(limit);
}

static void relu(const struct npu_core *core, struct dpu_block *b, bool relu, bool relux,
		 uint32_t limit)
{
	if (!relu && !relux)
		return;
	for (size_t i = 0; i < (size_t)b->n * b->group; i++) {
		union dpu_lane *lane = &b->lane[i];

		if (relu && lane->u >> 31)
			lane->u = 0;
		if (relux && above(core, b, lane, limit))
			lane->u = limit;
	}
}

/* BS applies its ALU first; the other order breaks allbilly's compares [FIT]. */
static void run_bs(const struct npu_core *core, const struct dpu_stage *s, struct dpu_block *b)
{
	const bool alu_last = npu_is(core, NPU_BS_ORDER_MUL_FIRST);

	if (s->alu && !alu_last)
		stage_alu(s, b, b->bs_alu);
	if (s->mul)
		stage_mul(core, s, b, b->bs_mul);
	if (s->alu && alu_last)
		stage_alu(s, b, b->bs_alu);
	relu(core, b, s->relu, s->relux, s->limit);
}

/* BN applies its multiplier first: index = x MUL + ALU, swept on silicon [HW]. */
static void run_bn(const struct npu_core *core, const struct dpu_stage *s, struct dpu_block *b)
{
	if (s->mul)
		stage_mul(core, s, b, b->bn_mul);
	if (s->alu)
		stage_alu(s, b, b->bn_alu);
	relu(core, b, s->relu, s->relux, s->limit);
}

/* The operand of lane @i as stored, from ERDMA or from the eight registers. */
static uint32_t stored_operand(const struct npu_core *core, const struct dpu_ew *ew,
			       const struct dpu_block *b, size_t i)
{
	if (ew->memory)
		return b->operand[i];
	/* eight registers, eight lanes of a 16-bit unit, whatever SIZE_E is [?] */
	return ew->value[npu_is(core, NPU_EW_VALUES_LANES) ? (b->c0 + i % b->group) % 8 : 0];
}

static int64_t sign_extend(uint32_t e, unsigned int bits)
{
	const uint32_t top = 1u << (bits - 1);
	const uint32_t low = bits < 32 ? e & ((1u << bits) - 1) : e;

	return (int64_t)(low ^ top) - top;
}

/*
 * Integer operand: signed, of the programmed size; a register holds 32 bits.
 * 32-bit operands from memory do not add as integers, see ew_int().
 */
static int64_t operand_int(const struct npu_core *core, const struct dpu_ew *ew, uint32_t stored)
{
	const unsigned int bits = ew->memory ? 4u << ew->size : 32;
	int64_t e = sign_extend(stored, bits);

	if (!ew->convert || !ew->memory)
		return e;
	if (ew->add_first)
		return npu_shift(core, NPU_TIES_MUL, ew->up, (e + ew->offset) * ew->scale,
				 ew->shift);
	return npu_shift(core, NPU_TIES_MUL, ew->up, e * ew->scale, ew->shift) + ew->offset;
}

/*
 * A 32-bit operand added in integer processing gave what adding the two bit
 * patterns as floats gives [HW, rocket-userspace].
 */
static int32_t ew_add_patterns(int32_t x, uint32_t e)
{
	return (int32_t)fp32_bits(npu_canonical(fp32_from_bits((uint32_t)x) + fp32_from_bits(e)));
}

static int32_t ew_int(const struct npu_core *core, const struct dpu_ew *ew, int32_t x,
		      uint32_t stored)
{
	const int64_t e = npu_saturate(operand_int(core, ew, stored), 32);

	if (ew->mul) {
		const unsigned int shift = x < 0 ? ew->truncate_negative : ew->truncate;

		if ((ew->prelu && x >= 0) || npu_is(core, NPU_EW_INT_MUL_PASSES))
			return x;
		return (int32_t)npu_saturate(npu_shift(core, NPU_TIES_MUL, ew->up, x * e, shift),
					     32);
	}
	if (ew->memory && ew->size == 3 && ew->algo == DPU_ALU_ADD &&
	    npu_is(core, NPU_EW_INT32_FLOAT))
		return ew_add_patterns(x, stored);
	return alu_int(ew->algo, x, e);
}

/*
 * Float operand: fp16 when its size is 16 bits, else fp32. The adder wants
 * fp32, so without the converter it sees the 16 bits as they are [SRC]; the
 * multiplier takes fp16 as it is.
 */
static float operand_float(const struct dpu_ew *ew, uint32_t stored)
{
	if (ew->size != 2)
		return fp32_from_bits(stored);
	if (ew->mul || ew->convert)
		return fp16_to_fp32((uint16_t)stored);
	return fp32_from_bits(stored & 0xffff);
}

static float ew_float(const struct dpu_ew *ew, float x, uint32_t stored)
{
	const float e = operand_float(ew, stored);

	if (!ew->mul)
		return alu_float(ew->algo, x, e);
	return ew->prelu && !sign_bit(x) ? x : x * e;
}

/* Division of fp16 runs on unwidened operands and leaves fp16 (C6); its rounding [?]. */
static uint32_t ew_div_fp16(const struct npu_core *core, uint32_t x, uint32_t stored)
{
	const float quotient = npu_canonical(fp16_to_fp32((uint16_t)x) /
					     fp16_to_fp32((uint16_t)stored));
	const uint16_t nearest = fp32_to_fp16(quotient);

	if (npu_is(core, NPU_DIV_ROUND_CUT) && fabsf(fp16_to_fp32(nearest)) > fabsf(quotient))
		return nearest - 1u;
	return nearest;
}

static void ew_operate(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const struct dpu_ew *ew = &dpu->ew;
	const bool div16 = dpu->raw_float && b->is_float && !ew->mul && ew->algo == DPU_ALU_DIV;

	for (size_t i = 0; i < (size_t)b->n * b->group; i++) {
		const uint32_t stored = stored_operand(core, ew, b, i);
		union dpu_lane *lane = &b->lane[i];

		if (div16)
			lane->u = ew_div_fp16(core, lane->u, stored);
		else if (b->is_float)
			lane->f = npu_canonical(ew_float(ew, lane->f, stored));
		else
			lane->i = ew_int(core, ew, lane->i, stored);
	}
}

/* The table comes before the operation [FIT, C9]. */
static void run_ew(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const bool lut_last = npu_is(core, NPU_LUT_ORDER_OP_FIRST);

	if (dpu->ew.lut && !lut_last)
		dpu_lut(core, b);
	if (dpu->ew.op)
		ew_operate(core, dpu, b);
	if (dpu->ew.lut && lut_last)
		dpu_lut(core, b);
	relu(core, b, dpu->ew.relu, dpu->ew.relux, dpu->ew.limit);
}

void dpu_stages(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	run_bs(core, &dpu->bs, b);
	run_bn(core, &dpu->bn, b);
	run_ew(core, dpu, b);
}
