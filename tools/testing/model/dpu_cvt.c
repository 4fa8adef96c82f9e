// SPDX-License-Identifier: MIT
/* The output converter: lanes to elements in units (programming-model C7). */
#include <math.h>
#include <string.h>

#include "dpu.h"
#include "fp16.h"
#include "numeric.h"

#define FP16_EXPONENT	0x7c00u
#define FP16_NAN	0x7c01u		/* what a NaN narrows to [FIT] */

/*
 * MINUS_EXP is subtracted from the exponent field, modulo 32, with no special
 * case for zero, subnormals, inf or NaN. This one rule explains every spike
 * of the public LUT notes [FIT].
 */
static uint16_t minus_exp(uint16_t h, unsigned int n)
{
	return (h & ~FP16_EXPONENT) | ((h - (n << 10)) & FP16_EXPONENT);
}

static uint16_t narrow(float f)
{
	return isnan(f) ? FP16_NAN : fp32_to_fp16(f);
}

static uint32_t float_element(const struct dpu *dpu, union dpu_lane lane, bool with_minus_exp)
{
	switch (dpu->out) {
	case NPU_PRECISION_FP16:
		if (!dpu->cvt.to_fp16)	/* the low half of the fp32 pattern [FIT] */
			return lane.u & 0xffff;
		return minus_exp(narrow(lane.f), with_minus_exp ? dpu->cvt.minus_exp : 0);
	case NPU_PRECISION_BF16:	/* never tried on a board [?] */
		return dpu->cvt.to_fp16 ? fp32_to_bf16(lane.f) : lane.u & 0xffff;
	}
	return lane.u;
}

static int64_t scaled(const struct npu_core *core, const struct dpu_cvt *cvt, int64_t x)
{
	if (cvt->add_first)
		return npu_shift(core, cvt->up, (x + cvt->offset) * cvt->scale, cvt->shift);
	return npu_shift(core, cvt->up, x * cvt->scale, cvt->shift) + cvt->offset;
}

/*
 * Integers that a LUT left in float processing only take the offset; scale and
 * shift have never been seen to act there.
 */
static int64_t integer_value(const struct npu_core *core, const struct dpu *dpu,
			     const struct dpu_block *b, int64_t x)
{
	return b->lut_done ? x + dpu->cvt.offset : scaled(core, &dpu->cvt, x);
}

static uint32_t element(const struct npu_core *core, const struct dpu *dpu,
			const struct dpu_block *b, union dpu_lane lane)
{
	int64_t y;

	if (precision_is_float(dpu->out)) {
		if (!b->is_float)
			lane.f = (float)npu_saturate(integer_value(core, dpu, b, lane.i), 32);
		/* MINUS_EXP does not act on integer processing [HW] */
		return float_element(dpu, lane, dpu->is_float);
	}
	if (b->is_float)	/* floats to integers: nearest even, saturated [?] */
		y = isnan(lane.f) ? 0 : npu_saturate_double(rint((double)lane.f), 32);
	else
		y = integer_value(core, dpu, b, lane.i);
	return (uint32_t)npu_saturate(y, precision_bits(dpu->out));
}

/* Channels above ORIG_CHANNEL leave as OFFSET_PEND, which is 0 in practice [HW, TRM]. */
void dpu_convert(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b)
{
	const unsigned int bits = precision_bits(dpu->out);
	const unsigned int lanes = precision_lanes(dpu->out);

	for (unsigned int u = 0; u < b->group / lanes; u++)
		memset(b->units[u], 0, b->n * NPU_UNIT);
	for (unsigned int p = 0; p < b->n; p++)
		for (unsigned int c = 0; c < b->group && b->c0 + c < dpu->channels; c++) {
			const bool real = b->c0 + c < dpu->real_channels;
			const uint32_t e = real ? element(core, dpu, b, b->lane[p * b->group + c]) :
						  dpu->fill;

			unit_put(b->units[c / lanes] + p * NPU_UNIT, bits, c % lanes, e);
		}
}
