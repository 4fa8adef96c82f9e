// SPDX-License-Identifier: MIT
/* Tolerances of the op table (contractions). */
#include "compare.h"

#include <float.h>
#include <math.h>

#include "fp16.h"

/* Halfway from the largest fp16 to the next: from here on rounding gives infinity. */
#define FP16_OVERFLOW	65520.0

/* Bits of an fp32 that a tf32 does not have. */
#define TF32_CUT	0x1fffu

/* Half a step of fp16 subnormals: no rounding can do better there. */
#define FP16_HALF_STEP	0x1p-25

double compare_value(enum scoria_type type, const void *data, size_t index)
{
	switch (type) {
	case SCORIA_FP16:
		return fp16_to_fp32(((const uint16_t *)data)[index]);
	case SCORIA_FP32:
		return ((const float *)data)[index];
	case SCORIA_INT8:
		return ((const int8_t *)data)[index];
	case SCORIA_UINT8:
		return ((const uint8_t *)data)[index];
	case SCORIA_BF16:
		return bf16_to_fp32(((const uint16_t *)data)[index]);
	case SCORIA_TF32:
		return fp32_from_bits(((const uint32_t *)data)[index] & ~TF32_CUT);
	case SCORIA_INT4:
		return ((((const uint8_t *)data)[index] & 15) ^ 8) - 8;
	case SCORIA_INT16:
		return ((const int16_t *)data)[index];
	case SCORIA_INT64:
		return ((const int64_t *)data)[index];
	default:
		return ((const int32_t *)data)[index];
	}
}

static bool is_float(enum scoria_type type)
{
	return type == SCORIA_FP16 || type == SCORIA_FP32;
}

/* The part of the tolerance that needs no sum of magnitudes. */
static double rounding(const struct compare *compare, double ref)
{
	if (compare->rule == COMPARE_WITHIN)
		return compare->tolerance;
	if (compare->type == SCORIA_FP16)
		return fabs(ref) * 0x1p-10 + FP16_HALF_STEP;
	return fabs(ref) * 0x1p-23;
}

static double overflow(const struct compare *compare)
{
	return compare->type == SCORIA_FP16 ? FP16_OVERFLOW : FLT_MAX;
}

/* Where one of the two is not finite, there is no distance. */
static bool special_matches(const struct compare *compare, double got, double ref, double tolerance)
{
	if (isnan(got) || isnan(ref))
		return isnan(got) && isnan(ref);
	if (isinf(got) && isinf(ref))
		return got == ref;
	if (isinf(ref))
		return false;
	/* what may round to infinity and what may not overlap in the tolerance */
	return signbit(got) == signbit(ref) && fabs(ref) + tolerance >= overflow(compare);
}

static bool close_enough(struct compare *compare, size_t index, double got, double ref)
{
	double error = fabs(got - ref), tolerance;

	if (compare->rule == COMPARE_EXACT)
		return got == ref || (isnan(got) && isnan(ref));
	if (!is_float(compare->type) && compare->rule != COMPARE_WITHIN)
		return compare->rule == COMPARE_MEAN ? error <= 0.5 + fabs(ref) * 0x1p-10 :
						       got == ref;
	tolerance = rounding(compare, ref);
	if (isfinite(got) && isfinite(ref) && error <= tolerance) {
		compare->max_used = fmax(compare->max_used, tolerance ? error / tolerance : 0);
		return true;
	}
	if (compare->magnitude && isfinite(ref))
		tolerance += compare->terms * 0x1p-24 * compare->magnitude(compare->ctx, index);
	if (!isfinite(got) || !isfinite(ref))
		return special_matches(compare, got, ref, tolerance);
	if (!(error <= tolerance))
		return false;
	compare->max_used = fmax(compare->max_used, error / tolerance);
	return true;
}

void compare_add(struct compare *compare, const void *data, size_t index, double ref)
{
	double got = compare_value(compare->type, data, index);

	compare->count++;
	if (isfinite(got) && isfinite(ref))
		compare->max_error = fmax(compare->max_error, fabs(got - ref));
	if (close_enough(compare, index, got, ref))
		return;
	if (!compare->bad++) {
		compare->first_bad = index;
		compare->first_got = got;
		compare->first_ref = ref;
	}
}
