// SPDX-License-Identifier: MIT
/* Rounding of the NPU's shifts (programming-model C1). */
#include "npu.h"
#include "numeric.h"

/* Whether @x / 2^@shift, exactly between two integers, goes to the upper one. */
static bool tie_goes_up(const struct npu_core *core, bool up, int64_t floor)
{
	if (up || core->options.ties == NPU_TIES_UP)
		return true;
	if (core->options.ties == NPU_TIES_AWAY)
		return floor >= 0;
	return floor & 1;
}

int64_t npu_shift(const struct npu_core *core, bool up, int64_t x, unsigned int shift)
{
	int64_t floor, rest, half;

	if (!shift)
		return x;
	if (shift > 62)		/* below one half */
		return 0;
	floor = x >> shift;
	rest = x - floor * (INT64_C(1) << shift);
	half = INT64_C(1) << (shift - 1);
	if (rest > half || (rest == half && tie_goes_up(core, up, floor)))
		floor++;
	return floor;
}
