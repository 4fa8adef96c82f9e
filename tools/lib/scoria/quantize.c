// SPDX-License-Identifier: MIT
/* Real multipliers as the output converter takes them (programming-model C7). */
#include <scoria/conv2d.h>

#include <math.h>

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
