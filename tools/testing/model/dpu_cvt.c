// SPDX-License-Identifier: MIT
/* The output converter: lanes to elements in units (programming-model C7). */
#include <math.h>
#include <string.h>

#include "dpu.h"
#include "fp16.h"
#include "numeric.h"

#define FP16_SIGN	0x8000u
#define FP16_EXPONENT	0x7c00u
#define FP16_LARGEST	0x7bffu
#define FP16_NAN	0x7c01u		/* what a NaN narrows to [FIT] */
#define FP16_QUIET_NAN	0x7e00u

/*
 * MINUS_EXP is subtracted from the exponent field, modulo 32, with no special
 * case for zero, subnormals, inf or NaN. This one rule explains every spike
 * of the public LUT notes [FIT].
 */
static uint16_t minus_exp(const struct npu_core *core, uint16_t h, unsigned int n)
{
	if (npu_is(core, NPU_MINUS_EXP_GUARDED) && !(h & ~FP16_SIGN))
		return h;
	return (h & ~FP16_EXPONENT) | ((h - (n << 10)) & FP16_EXPONENT);
}

static uint16_t narrow(const struct npu_core *core, float f)
{
	uint16_t h;

	if (isnan(f))
		return npu_is(core, NPU_NAN_FP16_X7C01) ? FP16_NAN : FP16_QUIET_NAN;
	h = fp32_to_fp16(f);
	if ((h & ~FP16_SIGN) == FP16_EXPONENT && !isinf(f) &&
	    npu_is(core, NPU_FP16_OVERFLOW_LARGEST))
		return (h & FP16_SIGN) | FP16_LARGEST;
	return h;
}

/* Half of an fp32 pattern: the low one [FIT]. */
static uint32_t half_pattern(const struct npu_core *core, uint32_t bits)
{
	return npu_is(core, NPU_RAW_FP16_LOW) ? bits & 0xffff : bits >> 16;
}

static uint32_t float_element(const struct npu_core *core, const struct dpu *dpu,
			      union dpu_lane lane, bool with_minus_exp)
{
	switch (dpu->out) {
	case NPU_PRECISION_FP16:
		/* a raw lane is in fp16 already */
		if (!dpu->cvt.to_fp16)
			return dpu->raw_float ? lane.u & 0xffff : half_pattern(core, lane.u);
		return minus_exp(core, narrow(core, lane.f),
				 with_minus_exp ? dpu->cvt.minus_exp : 0);
	case NPU_PRECISION_BF16:	/* never tried on a board [?] */
		if (!dpu->cvt.to_fp16)
			return lane.u & 0xffff;
		return npu_is(core, NPU_BF16_OUT_EVEN) ? fp32_to_bf16(lane.f) : lane.u >> 16;
	}
	return lane.u;
}

static int64_t scaled(const struct npu_core *core, const struct dpu *dpu, int64_t x, bool add_first)
{
	const struct dpu_cvt *cvt = &dpu->cvt;
	const int64_t scale = npu_is(core, NPU_CVT_SIGN_SIGNED) ? cvt->scale :
								   (uint16_t)cvt->scale;
	const int64_t product = add_first ? (x + cvt->offset) * scale : x * scale;
	const int64_t offset = add_first ? 0 : cvt->offset;

	if (precision_is_float(dpu->out) && npu_is(core, NPU_INT_TO_FP32_CUTS))
		return (product >> (cvt->shift < 62 ? cvt->shift : 62)) + offset;
	return npu_shift(core, NPU_TIES_OUT, cvt->up, product, cvt->shift) + offset;
}

/*
 * Integers that a LUT left in float processing only take the offset; scale and
 * shift have never been seen to act there. The type has no effect on integers that
 * leave as floats [HW].
 */
static int64_t integer_value(const struct npu_core *core, const struct dpu *dpu,
			     const struct dpu_block *b, int64_t x)
{
	if (b->lut_done && npu_is(core, NPU_LUT_SCALE_IGNORED))
		return x + dpu->cvt.offset;
	return scaled(core, dpu, x, dpu->cvt.add_first &&
				    (b->lut_done || !precision_is_float(dpu->out)));
}

static uint32_t element(const struct npu_core *core, const struct dpu *dpu,
			const struct dpu_block *b, union dpu_lane lane)
{
	int64_t y;

	if (precision_is_float(dpu->out)) {
		if (!b->is_float)
			lane.f = (float)npu_saturate(integer_value(core, dpu, b, lane.i), 32);
		/* MINUS_EXP does not act on integer processing [HW] */
		return float_element(core, dpu, lane, dpu->is_float);
	}
	if (b->is_float)	/* floats to integers: nearest even, saturated [?] */
		y = npu_saturate_double(npu_is(core, NPU_FLOAT_TO_INT_EVEN) ?
					rint((double)lane.f) : trunc((double)lane.f), 32);
	else
		y = integer_value(core, dpu, b, lane.i);
	return (uint32_t)npu_saturate(y, precision_bits(dpu->out));
}

/* Channels above ORIG_CHANNEL leave as OFFSET_PEND, which is 0 in practice [HW, TRM]. */
void dpu_convert(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const unsigned int bits = precision_bits(dpu->out);
	const unsigned int lanes = precision_lanes(dpu->out);

	for (unsigned int u = 0; u < div_up(b->group, lanes); u++)
		memset(b->units[u], 0, b->n * NPU_UNIT);
	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int c = 0; c < b->group && b->c0 + c < dpu->channels; c++) {
			const bool real = b->c0 + c < dpu->real_channels;
			const uint32_t e = real ? element(core, dpu, b, b->lane[p * b->group + c]) :
						  dpu->fill;

			unit_put(b->units[c / lanes] + p * NPU_UNIT, bits, c % lanes, e);
		}
}
