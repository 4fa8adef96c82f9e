// SPDX-License-Identifier: MIT
#include "zero_points.h"

#include "error.h"

void zero_points_describe(struct layer *layer, const struct zero_points *zp)
{
	uint8_t pad = stored_zero_point(zp->type, zp->input);

	layer->pad_value = pad << 8 | pad;	/* lanes take either byte (E4) */
	layer->ow_op = -stored_zero_point(zp->type, zp->weight);
	layer->use_cpend = layer->ow_op != 0;
}

/*
 * bias' = bias - input * sum(w - weight), zero points as stored. The hardware adds it to
 * sums of at most 128 * sum|w - weight|; neither that nor the result may leave int32.
 */
int zero_points_fold(const char *what, const struct zero_points *zp,
		     const struct kernel_sums *sums, int32_t bias, size_t channel,
		     int32_t *folded)
{
	int64_t value = bias - stored_zero_point(zp->type, zp->input) * sums->plain;
	int64_t most = (value < 0 ? -value : value) + 128 * sums->magnitude;

	if (most > INT32_MAX)
		return error_set(EOVERFLOW, "%s: output channel %zu can reach %lld with these weights and bias, int32 ends at 2^31 - 1",
				 what, channel, (long long)most);
	*folded = value;
	return 0;
}
