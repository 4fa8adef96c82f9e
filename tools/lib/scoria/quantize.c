// SPDX-License-Identifier: MIT
/* Real multipliers as the output converter and BN take them (programming-model C5, C7). */
#include <math.h>

#include "conv2d.h"
#include "error.h"
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

static void own_shift(const struct scoria_conv2d_opts *o, struct scoria_requant *channels)
{
	size_t i;

	for (i = 0; i < o->oc; i++)
		scoria_quantize_scale(o->scales ? o->scales[i] : o->scale, &channels[i].multiplier,
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

static bool common_shift(const struct scoria_conv2d_opts *o, struct scoria_requant *channels)
{
	uint32_t multiplier, shift;
	double most = 0;
	size_t i;

	for (i = 0; i < o->oc; i++)
		most = fmax(most, o->scales[i]);
	scoria_quantize_scale(most, &multiplier, &shift);
	for (i = 0; i < o->oc; i++) {
		double rounded = fmin(rint(ldexp(o->scales[i], shift)), NPU_MAX_CVT_SCALE);

		if (!near_enough(o->scales[i], ldexp(rounded, -(int)shift)))
			return false;
		channels[i] = (struct scoria_requant){ rounded, shift };
	}
	return true;
}

bool conv2d_requant(const struct scoria_conv2d_opts *o, struct scoria_requant *channels)
{
	if (o->scales && common_shift(o, channels))
		return true;
	own_shift(o, channels);
	return !o->scales;
}

int scoria_conv2d_requant(const struct scoria_conv2d_opts *opts, struct scoria_requant *channels)
{
	struct conv2d_shape shape;
	int err = conv2d_check(&shape, opts);

	if (err)
		return err;
	if (!conv2d_is_requantised(&shape.o))
		return error_set(EINVAL, "conv2d: out = %s: only int8 and uint8 are requantised",
				 scoria_type_name(shape.o.out));
	conv2d_requant(&shape.o, channels);
	return 0;
}
