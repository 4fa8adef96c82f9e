// SPDX-License-Identifier: MIT
/* Real multipliers as the output converter and BN take them (programming-model C5, C7). */
#include "requant.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "fp16.h"
#include "limits.h"

int scoria_quantize_scale(double scale, uint32_t *multiplier, uint32_t *shift)
{
	double mantissa;
	int exponent;

	/* 2^14 / 2^63 to (2^15 - 1) / 2^0 */
	if (!(scale >= 0x1p-49 && scale <= NPU_MAX_CVT_SCALE))
		return error_set(EINVAL, "scale = %g: must be in [2^-49, %u]", scale,
				 NPU_MAX_CVT_SCALE);
	mantissa = rint(ldexp(frexp(scale, &exponent), 15));
	if (mantissa > NPU_MAX_CVT_SCALE) {
		mantissa = NPU_MIN_CVT_SCALE;
		exponent++;
	}
	/* at the very top of the range rounding up would need a negative shift */
	if (exponent > 15) {
		mantissa = NPU_MAX_CVT_SCALE;
		exponent = 15;
	}
	*multiplier = mantissa;
	*shift = 15 - exponent;
	return 0;
}

static double scale_of(const struct requant_scales *s, size_t channel)
{
	return (s->scales ? s->scales[channel] : s->scale) * s->factor;
}

int requant_check(const char *what, const struct requant_scales *s)
{
	uint32_t multiplier, shift;
	size_t i;

	if (!s->scales)
		return scoria_quantize_scale(scale_of(s, 0), &multiplier, &shift);
	for (i = 0; i < s->n; i++)
		if (scoria_quantize_scale(scale_of(s, i), &multiplier, &shift))
			return error_set(EINVAL, "%s: scales[%zu] = %g: must be in [2^-49, %u]",
					 what, i, scale_of(s, i), NPU_MAX_CVT_SCALE);
	return 0;
}

static void own_shift(const struct requant_scales *s, struct scoria_requant *channels)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		scoria_quantize_scale(scale_of(s, i), &channels[i].multiplier,
				      &channels[i].shift);
}

/*
 * Results that do not saturate are at most 256 times the step of the output, so
 * 256 times the relative error of a multiplier is how far it can move them.
 */
static bool near_enough(double scale, double rounded)
{
	return fabs(rounded - scale) * 256 <= scale / 2;
}

static bool common_shift(const struct requant_scales *s, struct scoria_requant *channels)
{
	uint32_t multiplier, shift;
	double most = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		most = fmax(most, scale_of(s, i));
	scoria_quantize_scale(most, &multiplier, &shift);
	for (i = 0; i < s->n; i++) {
		double rounded = fmin(rint(ldexp(scale_of(s, i), shift)), NPU_MAX_CVT_SCALE);

		if (!near_enough(scale_of(s, i), ldexp(rounded, -(int)shift)))
			return false;
		channels[i] = (struct scoria_requant){ rounded, shift };
	}
	return true;
}

bool requant_channels(const struct requant_scales *s, struct scoria_requant *channels)
{
	if (s->scales && common_shift(s, channels))
		return true;
	own_shift(s, channels);
	return !s->scales;
}

struct scoria_requant *requant_create(const struct requant_scales *s, bool *one_shift)
{
	struct scoria_requant *channels = calloc(s->n, sizeof(*channels));

	if (channels)
		*one_shift = requant_channels(s, channels);
	return channels;
}

uint32_t relu_pattern(bool is_float, double relu_max)
{
	return is_float ? fp32_bits(relu_max) : (uint32_t)rint(relu_max);
}

double relu_limit(bool is_float, double relu_max)
{
	if (!(relu_max > 0))
		return INFINITY;
	return is_float ? (float)relu_max : rint(relu_max);
}
