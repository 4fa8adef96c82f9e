// SPDX-License-Identifier: MIT
/* CORE: the multiplier array and its accumulator (programming-model E1, B4). */
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

static void core(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_CORE, reg, value);
}

void emit_core(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	/* chains of integer tasks without QD_EN were seen to compute garbage (B4) */
	core(stream, NPU_CORE_MISC_CFG,
	     npu_set(NPU_CORE_MISC_CFG_PROC_PRECISION, layer->fmt.in) |
	     npu_set(NPU_CORE_MISC_CFG_DW_EN, layer->fmt.depthwise) |
	     NPU_CORE_MISC_CFG_QD_EN);
	core(stream, NPU_CORE_DATAOUT_SIZE_0,
	     npu_set(NPU_CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT, tile->oh - 1) |
	     npu_set(NPU_CORE_DATAOUT_SIZE_0_DATAOUT_WIDTH, tile->ow - 1));
	core(stream, NPU_CORE_DATAOUT_SIZE_1,
	     npu_set(NPU_CORE_DATAOUT_SIZE_1_DATAOUT_CHANNEL, tile->oc_pad - 1));
	core(stream, NPU_CORE_CLIP_TRUNCATE, 0);
	core(stream, NPU_CORE_UNKNOWN_3030, 0);
}
