// SPDX-License-Identifier: MIT
/* Sizes that follow from types and channels. */
#include "layer.h"

#include "limits.h"
#include "rk3588_npu.h"

static unsigned int precision_bytes(unsigned int precision)
{
	switch (precision) {
	case NPU_PRECISION_INT8:
		return 1;
	case NPU_PRECISION_FP16:
		return 2;
	default:
		return 4;
	}
}

/* Kernels per group are the array's shape; depthwise takes twice as many (A2, D5). */
static unsigned int group_size(unsigned int in, bool depthwise)
{
	unsigned int kernels = in == NPU_PRECISION_INT8 ? 32 : 16;

	return depthwise ? 2 * kernels : kernels;
}

bool format_init(struct format *fmt, unsigned int in, unsigned int out, bool depthwise)
{
	unsigned int group = group_size(in, depthwise);
	unsigned int surfaces = group * precision_bytes(out) / NPU_UNIT;

	if (surfaces > NPU_MAX_SIZE_E + 1)
		return false;
	*fmt = (struct format){
		.in = in,
		.out = out,
		.depthwise = depthwise,
		.in_bytes = precision_bytes(in),
		.out_bytes = precision_bytes(out),
		.group = group,
		.in_unit = NPU_UNIT / precision_bytes(in),
		.out_unit = NPU_UNIT / precision_bytes(out),
		.surfaces = surfaces,
	};
	return true;
}

uint32_t layer_row_entries(const struct layer *layer, uint32_t w, uint32_t c_pad)
{
	uint32_t units = c_pad / layer->fmt.in_unit;
	uint32_t rest = units % 4;

	/* three units take the room of four (E3) */
	return units / 4 * w + (rest == 3 ? w : (uint32_t)div_up((uint64_t)rest * w, 4));
}

uint64_t layer_weight_bytes(const struct layer *layer, uint32_t c_pad, uint32_t oc_pad)
{
	uint64_t taps = (uint64_t)layer->x.kernel * layer->y.kernel;
	uint64_t channels = layer->fmt.depthwise ? oc_pad : (uint64_t)c_pad * oc_pad;

	return taps * channels * layer->fmt.in_bytes;
}
