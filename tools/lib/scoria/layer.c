// SPDX-License-Identifier: MIT
/* Sizes that follow from types and channels. */
#include "layer.h"

#include "limits.h"
#include "rk3588_npu.h"

static unsigned int precision_bits(unsigned int precision)
{
	switch (precision) {
	case NPU_PRECISION_INT4:
		return 4;
	case NPU_PRECISION_INT8:
		return 8;
	case NPU_PRECISION_INT16:
	case NPU_PRECISION_FP16:
	case NPU_PRECISION_BF16:
		return 16;
	default:
		return 32;
	}
}

/* Kernels per group are the array's shape; depthwise takes twice as many (A2, D5). */
static unsigned int group_size(unsigned int in, bool depthwise)
{
	unsigned int kernels = in == NPU_PRECISION_INT4 ? 64 : in == NPU_PRECISION_INT8 ? 32 : 16;

	return depthwise ? 2 * kernels : kernels;
}

bool format_init(struct format *fmt, unsigned int in, unsigned int out, bool depthwise)
{
	unsigned int group = group_size(in, depthwise);
	unsigned int out_bytes = precision_bits(out) / 8;
	unsigned int surfaces = group * out_bytes / NPU_UNIT;

	if (surfaces > NPU_MAX_SIZE_E + 1)
		return false;
	*fmt = (struct format){
		.in = in,
		.out = out,
		.depthwise = depthwise,
		.in_bits = precision_bits(in),
		.out_bytes = out_bytes,
		.group = group,
		.channels = in == NPU_PRECISION_TF32 ? NPU_CHANNEL_GROUP / 2 : NPU_CHANNEL_GROUP,
		.in_unit = 8 * NPU_UNIT / precision_bits(in),
		.out_unit = NPU_UNIT / out_bytes,
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

	return taps * channels * layer->fmt.in_bits / 8;
}
