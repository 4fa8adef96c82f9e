// SPDX-License-Identifier: MIT
/*
 * DPU: zero point correction, what follows the sums, output conversion and the way to
 * memory (programming-model C4 to C7, D5, F1).
 */
#include "lut.h"
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

#define MODE_DEPTHWISE	3
#define BURST_16	15
#define TO_MEMORY	2

static void dpu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU, reg, value);
}

/* tf32 products arrive as fp32, and the DPU has no code of its own for them (A2). */
static uint32_t dpu_precision(const struct format *fmt)
{
	return fmt->in == NPU_PRECISION_TF32 ? NPU_PRECISION_FP32 : fmt->in;
}

static void emit_format(struct stream *stream, const struct layer *layer)
{
	const struct format *fmt = &layer->fmt;

	dpu(stream, NPU_DPU_FEATURE_MODE_CFG,
	    npu_set(NPU_DPU_FEATURE_MODE_CFG_BURST_LEN, BURST_16) |
	    npu_set(NPU_DPU_FEATURE_MODE_CFG_CONV_MODE, fmt->depthwise ? MODE_DEPTHWISE : 0) |
	    npu_set(NPU_DPU_FEATURE_MODE_CFG_OUTPUT_MODE, TO_MEMORY));
	dpu(stream, NPU_DPU_DATA_FORMAT,
	    npu_set(NPU_DPU_DATA_FORMAT_OUT_PRECISION, fmt->out) |
	    npu_set(NPU_DPU_DATA_FORMAT_IN_PRECISION, dpu_precision(fmt)) |
	    npu_set(NPU_DPU_DATA_FORMAT_BN_MUL_SHIFT_VALUE_NEG, layer->bn.shift_negative) |
	    npu_set(NPU_DPU_DATA_FORMAT_BS_MUL_SHIFT_VALUE_NEG, layer->bs.shift_negative) |
	    npu_set(NPU_DPU_DATA_FORMAT_PROC_PRECISION, dpu_precision(fmt)));
	dpu(stream, NPU_DPU_OFFSET_PEND, 0);
}

static void emit_cube(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	uint32_t notch = layer->x.out - tile->ow;

	dpu(stream, NPU_DPU_DATA_CUBE_WIDTH, npu_set(NPU_DPU_DATA_CUBE_WIDTH_WIDTH, tile->ow - 1));
	dpu(stream, NPU_DPU_DATA_CUBE_HEIGHT,
	    npu_set(NPU_DPU_DATA_CUBE_HEIGHT_HEIGHT, tile->oh - 1));
	dpu(stream, NPU_DPU_DATA_CUBE_NOTCH_ADDR,
	    npu_set(NPU_DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_1, notch) |
	    npu_set(NPU_DPU_DATA_CUBE_NOTCH_ADDR_NOTCH_ADDR_0, notch));
	dpu(stream, NPU_DPU_DATA_CUBE_CHANNEL,
	    npu_set(NPU_DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL, tile->oc - 1) |
	    npu_set(NPU_DPU_DATA_CUBE_CHANNEL_CHANNEL, tile->oc_pad - 1));
}

/* All three size_e alike (D5); the correction of C4 shares the register. */
static void emit_surfaces(struct stream *stream, const struct layer *layer,
			  const struct tile *tile)
{
	uint32_t size_e = layer->fmt.surfaces - 1;

	dpu(stream, NPU_DPU_BS_OW_CFG,
	    npu_set(NPU_DPU_BS_OW_CFG_SIZE_E_2, size_e) |
	    npu_set(NPU_DPU_BS_OW_CFG_SIZE_E_1, size_e) |
	    npu_set(NPU_DPU_BS_OW_CFG_SIZE_E_0, size_e) |
	    npu_set(NPU_DPU_BS_OW_CFG_OD_BYPASS, !layer->use_cpend));
	dpu(stream, NPU_DPU_BS_OW_OP, npu_set(NPU_DPU_BS_OW_OP_OW_OP, (uint16_t)layer->ow_op));
	dpu(stream, NPU_DPU_WDMA_SIZE_0,
	    npu_set(NPU_DPU_WDMA_SIZE_0_CHANNEL_WDMA, tile->oc_pad - 1));
	dpu(stream, NPU_DPU_WDMA_SIZE_1,
	    npu_set(NPU_DPU_WDMA_SIZE_1_HEIGHT_WDMA, tile->oh - 1) |
	    npu_set(NPU_DPU_WDMA_SIZE_1_WIDTH_WDMA, tile->ow - 1));
}

static void emit_out_converter(struct stream *stream, const struct layer *layer)
{
	const struct lut *lut = layer->ew.lut;

	dpu(stream, NPU_DPU_OUT_CVT_OFFSET, layer->out_offset);
	dpu(stream, NPU_DPU_OUT_CVT_SCALE,
	    npu_set(NPU_DPU_OUT_CVT_SCALE_FP32TOFP16_EN, layer->fmt.out == NPU_PRECISION_FP16) |
	    npu_set(NPU_DPU_OUT_CVT_SCALE_OUT_CVT_SCALE, layer->out_scale));
	dpu(stream, NPU_DPU_OUT_CVT_SHIFT,
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_CVT_TYPE, lut != NULL) |
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_MINUS_EXP, lut ? lut->minus_exp : 0) |
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_OUT_CVT_SHIFT, layer->out_shift));
}

/* Every surface has its full plane: the planar layout of D5. */
static void emit_destination(struct stream *stream, const struct layer *layer,
			     const struct tile *tile, const struct areas *areas)
{
	uint32_t plane = layer->x.out * layer->y.out;

	dpu(stream, NPU_DPU_DST_BASE_ADDR, areas->out + tile->out);
	dpu(stream, NPU_DPU_DST_SURF_STRIDE,
	    npu_set(NPU_DPU_DST_SURF_STRIDE_DST_SURF_STRIDE, plane));
	dpu(stream, NPU_DPU_SURFACE_ADD,
	    npu_set(NPU_DPU_SURFACE_ADD_SURF_ADD, plane * layer->fmt.surfaces));
	dpu(stream, NPU_DPU_UNKNOWN_40C4, 0);
}

void emit_dpu(struct stream *stream, const struct layer *layer, const struct tile *tile,
	      const struct areas *areas)
{
	emit_format(stream, layer);
	emit_cube(stream, layer, tile);
	emit_stage(stream, &layer->bs, NPU_DPU_BS_CFG);
	emit_surfaces(stream, layer, tile);
	emit_stage(stream, &layer->bn, NPU_DPU_BN_CFG);
	emit_ew(stream, &layer->ew);
	emit_out_converter(stream, layer);
	emit_lut(stream, layer->ew.lut);
	emit_destination(stream, layer, tile, areas);
}
