// SPDX-License-Identifier: MIT
/*
 * The lookup table of EW (programming-model C9): two tables of 513 entries,
 * linear between entries, a slope outside.
 *
 * Interpolation and slopes round down: run so, rocket-userspace's gates print
 * the errors that its boards showed [FIT].
 */
#include <math.h>

#include "dpu.h"
#include "numeric.h"

enum position { UNDER, INSIDE, OVER };

/**
 * struct table - LE or LO with its registers
 * @entry:  513 values
 * @start, end: inputs of the first and the last entry
 * @select: entries are 2^select inputs apart
 * @under_scale ... @over_shift: slopes outside
 */
struct table {
	const int16_t *entry;
	int32_t start;
	int32_t end;
	unsigned int select;
	int32_t under_scale;
	int32_t over_scale;
	unsigned int under_shift;
	unsigned int over_shift;
};

/* Sixteen bits of a slope, signed [?] */
static int32_t factor(const struct npu_core *core, uint32_t bits)
{
	return npu_is(core, NPU_LUT_SLOPE_SIGN_SIGNED) ? (int16_t)bits : (int32_t)bits;
}

static void decode_table(struct npu_core *core, bool lo, struct table *t)
{
	const uint32_t scale = npu_reg(core, lo ? NPU_DPU_LUT_LO_SLOPE_SCALE :
						  NPU_DPU_LUT_LE_SLOPE_SCALE);
	const uint32_t shift = npu_reg(core, lo ? NPU_DPU_LUT_LO_SLOPE_SHIFT :
						  NPU_DPU_LUT_LE_SLOPE_SHIFT);

	t->entry = core->lut.table[lo];
	t->start = (int32_t)npu_reg(core, lo ? NPU_DPU_LUT_LO_START : NPU_DPU_LUT_LE_START);
	t->end = (int32_t)npu_reg(core, lo ? NPU_DPU_LUT_LO_END : NPU_DPU_LUT_LE_END);
	t->select = lo ? FIELD(core, DPU_LUT_INFO, LUT_LO_INDEX_SELECT) :
			 FIELD(core, DPU_LUT_INFO, LUT_LE_INDEX_SELECT);
	/* the two pairs of registers have the same bits */
	t->under_scale = factor(core,
		npu_get(NPU_DPU_LUT_LE_SLOPE_SCALE_LUT_LE_SLOPE_UFLOW_SCALE, scale));
	t->over_scale = factor(core,
		npu_get(NPU_DPU_LUT_LE_SLOPE_SCALE_LUT_LE_SLOPE_OFLOW_SCALE, scale));
	t->under_shift = npu_get(NPU_DPU_LUT_LE_SLOPE_SHIFT_LUT_LE_SLOPE_UFLOW_SHIFT, shift);
	t->over_shift = npu_get(NPU_DPU_LUT_LE_SLOPE_SHIFT_LUT_LE_SLOPE_OFLOW_SHIFT, shift);
}

static enum position position(const struct table *t, int64_t i)
{
	return i <= t->start ? UNDER : i >= t->end ? OVER : INSIDE;
}

/* @x / 2^@shift in the way that the switch of @nearest and @zero stands for */
static int64_t shifted(const struct npu_core *core, int64_t x, unsigned int shift,
		       enum npu_value nearest, enum npu_value zero)
{
	if (npu_is(core, nearest) && shift)
		x += INT64_C(1) << (shift - 1);
	if (npu_is(core, zero) && x < 0)
		return -(-x >> shift);
	return x >> shift;
}

static int64_t slope(const struct npu_core *core, int64_t distance, int32_t scale,
		     unsigned int shift)
{
	return shifted(core, distance * scale, shift, NPU_LUT_SLOPE_NEAREST, NPU_LUT_SLOPE_ZERO);
}

static int64_t interpolate(const struct npu_core *core, const struct table *t, int64_t i)
{
	const int64_t x = i - t->start;
	const unsigned int select = t->select < 32 ? t->select : 32;
	const int64_t step = INT64_C(1) << select;
	const int64_t k = x >> select;
	const int64_t f = x & (step - 1);

	if (k >= LUT_ENTRIES - 1)	/* END beyond the last entry */
		return t->entry[LUT_ENTRIES - 1];
	return shifted(core, t->entry[k] * (step - f) + t->entry[k + 1] * f, select,
		       NPU_LUT_BETWEEN_NEAREST, NPU_LUT_BETWEEN_ZERO);
}

static int32_t look_up(const struct npu_core *core, const struct table *t, int64_t i)
{
	int64_t q;

	switch (position(t, i)) {
	case UNDER:
		q = t->entry[0] + slope(core, i - t->start, t->under_scale, t->under_shift);
		break;
	case OVER:
		q = t->entry[LUT_ENTRIES - 1] +
		    slope(core, i - t->end, t->over_scale, t->over_shift);
		break;
	default:
		q = interpolate(core, t, i);
	}
	return (int32_t)npu_saturate(q, 32);
}

/* Which table answers; the priorities are 0 for LE, 1 for LO [NVDLA]. */
static bool use_lo(const struct npu_core *core, uint32_t cfg, enum position le, enum position lo)
{
	if (le == INSIDE && lo != INSIDE)
		return false;
	if (lo == INSIDE && le != INSIDE)
		return true;
	if (le == UNDER && lo == UNDER)
		return npu_get(NPU_DPU_LUT_CFG_LUT_UFLOW_PRIORITY, cfg);
	if (le == OVER && lo == OVER)
		return npu_get(NPU_DPU_LUT_CFG_LUT_OFLOW_PRIORITY, cfg);
	return npu_get(NPU_DPU_LUT_CFG_LUT_HYBRID_PRIORITY, cfg) ==
	       npu_is(core, NPU_LUT_PRIORITY_LE);
}

/* Floats become integers to nearest even [SRC]; a NaN counts as 0 [?]. */
static int64_t index_of(const struct npu_core *core, const struct dpu_block *b,
			const union dpu_lane *lane)
{
	const double x = (double)lane->f;

	if (!b->is_float)
		return lane->i;
	if (isnan(x))
		return npu_is(core, NPU_LUT_NAN_ZERO) ? 0 :
		       npu_is(core, NPU_LUT_NAN_BELOW) ? INT32_MIN : INT32_MAX;
	if (npu_is(core, NPU_LUT_INDEX_EVEN))
		return npu_saturate_double(rint(x), 32);
	return npu_saturate_double(floor(npu_is(core, NPU_LUT_INDEX_UP) ? x + 0.5 : x), 32);
}

/* Replace every lane by its table value, an integer. */
void dpu_lut(struct npu_core *core, struct dpu_block *b)
{
	const uint32_t cfg = npu_reg(core, NPU_DPU_LUT_CFG);
	struct table le, lo;

	decode_table(core, false, &le);
	decode_table(core, true, &lo);
	for (size_t n = 0; n < (size_t)b->n * b->group; n++) {
		union dpu_lane *lane = &b->lane[n];
		const int64_t i = index_of(core, b, lane);
		const bool lo_answers = use_lo(core, cfg, position(&le, i), position(&lo, i));

		lane->i = look_up(core, lo_answers ? &lo : &le, i);
	}
	b->lut_done = b->is_float;
	b->is_float = false;
}
