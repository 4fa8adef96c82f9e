// SPDX-License-Identifier: MIT
/* Rounding of the NPU's shifts (programming-model C1). */
#include "npu.h"
#include "numeric.h"

/* Whether @x / 2^@shift, exactly between two integers, goes to the upper one. */
static bool tie_goes_up(enum npu_value ties, bool up, int64_t floor)
{
	if (up)
		return true;
	switch (ties) {
	case NPU_TIES_OUT_UP:
	case NPU_TIES_MUL_UP:
	case NPU_TIES_CVT_UP:
	case NPU_TIES_CLIP_UP:
		return true;
	case NPU_TIES_OUT_AWAY:
	case NPU_TIES_MUL_AWAY:
	case NPU_TIES_CVT_AWAY:
	case NPU_TIES_CLIP_AWAY:
		return floor >= 0;
	default:
		return floor & 1;
	}
}

static bool cuts(enum npu_value ties)
{
	return ties == NPU_TIES_OUT_CUT || ties == NPU_TIES_MUL_CUT ||
	       ties == NPU_TIES_CVT_CUT || ties == NPU_TIES_CLIP_CUT;
}

int64_t npu_shift(const struct npu_core *core, enum npu_switch ties, bool up, int64_t x,
		  unsigned int shift)
{
	const enum npu_value value = core->options.choices.value[ties];
	int64_t floor, rest, half;

	if (!shift)
		return x;
	if (shift > 62)		/* below one half */
		return 0;
	floor = x >> shift;
	rest = x - floor * (INT64_C(1) << shift);
	half = INT64_C(1) << (shift - 1);
	if (!up && cuts(value))
		return floor;
	if (rest > half || (rest == half && tie_goes_up(value, up, floor)))
		floor++;
	return floor;
}
