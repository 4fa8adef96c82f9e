// SPDX-License-Identifier: MIT
/*
 * DPU: zero point correction, bias, ReLU, multipliers by channel, output conversion
 * and the way to memory (programming-model C4 to C7, D5, F1).
 */
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

#define MODE_DEPTHWISE	3
#define BURST_16	15
#define TO_MEMORY	2
#define ALU_ADD		2

static void dpu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU, reg, value);
}

/* tf32 products arrive as fp32, and the DPU has no code of its own for them (A2). */
static uint32_t dpu_precision(const struct format *fmt)
{
	return fmt->in == NPU_PRECISION_TF32 ? NPU_PRECISION_FP32 : fmt->in;
}

/* Both signs are shifted alike (C5). */
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
	    npu_set(NPU_DPU_DATA_FORMAT_BN_MUL_SHIFT_VALUE_NEG, layer->rescale_shift) |
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

/* BN multiplies, so what follows a multiplication is there as well. */
static bool uses_bn(const struct layer *layer)
{
	return layer->rescale || layer->scale;
}

static void emit_bs(struct stream *stream, const struct layer *layer)
{
	bool bias = layer->bias && !layer->scale;
	bool relu = layer->relu && !uses_bn(layer);
	uint32_t cfg = NPU_DPU_BS_CFG_BS_MUL_BYPASS;

	if (bias)
		cfg |= npu_set(NPU_DPU_BS_CFG_BS_ALU_ALGO, ALU_ADD) | NPU_DPU_BS_CFG_BS_ALU_SRC;
	else
		cfg |= NPU_DPU_BS_CFG_BS_ALU_BYPASS;
	if (!relu)
		cfg |= NPU_DPU_BS_CFG_BS_RELU_BYPASS;
	else if (layer->relux)
		cfg |= NPU_DPU_BS_CFG_BS_RELUX_EN;
	if (!bias && !relu)
		cfg |= NPU_DPU_BS_CFG_BS_BYPASS;
	dpu(stream, NPU_DPU_BS_CFG, cfg);
	dpu(stream, NPU_DPU_BS_ALU_CFG, 0);
	dpu(stream, NPU_DPU_BS_MUL_CFG, 0);
	dpu(stream, NPU_DPU_BS_RELUX_CMP_VALUE, relu ? layer->relu_max : 0);
}

static uint32_t bn_cfg(const struct layer *layer)
{
	uint32_t cfg = 0;

	if (!uses_bn(layer))
		return NPU_DPU_BN_CFG_BN_RELU_BYPASS | NPU_DPU_BN_CFG_BN_MUL_BYPASS |
		       NPU_DPU_BN_CFG_BN_ALU_BYPASS | NPU_DPU_BN_CFG_BN_BYPASS;
	if (layer->scale && layer->bias)
		cfg |= npu_set(NPU_DPU_BN_CFG_BN_ALU_ALGO, ALU_ADD) | NPU_DPU_BN_CFG_BN_ALU_SRC;
	else
		cfg |= NPU_DPU_BN_CFG_BN_ALU_BYPASS;
	if (!layer->relu)
		cfg |= NPU_DPU_BN_CFG_BN_RELU_BYPASS;
	else if (layer->relux)
		cfg |= NPU_DPU_BN_CFG_BN_RELUX_EN;
	return cfg;
}

/*
 * BN multiplies before it adds (C5): by a vector over channels that NRDMA brings, or
 * by a number, after which it adds the bias that NRDMA brings.
 */
static void emit_bn(struct stream *stream, const struct layer *layer)
{
	dpu(stream, NPU_DPU_BN_CFG, bn_cfg(layer));
	dpu(stream, NPU_DPU_BN_ALU_CFG, 0);
	dpu(stream, NPU_DPU_BN_MUL_CFG,
	    npu_set(NPU_DPU_BN_MUL_CFG_BN_MUL_OPERAND, layer->scale ? layer->scale_by : 0) |
	    npu_set(NPU_DPU_BN_MUL_CFG_BN_MUL_SHIFT_VALUE, layer->rescale_shift) |
	    npu_set(NPU_DPU_BN_MUL_CFG_BN_MUL_SRC, layer->rescale));
	dpu(stream, NPU_DPU_BN_RELUX_CMP_VALUE, uses_bn(layer) ? layer->relu_max : 0);
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

/* EW stands aside (EW0). */
static void emit_ew(struct stream *stream)
{
	dpu(stream, NPU_DPU_EW_CFG,
	    NPU_DPU_EW_CFG_EW_RELU_BYPASS | NPU_DPU_EW_CFG_EW_OP_CVT_BYPASS |
	    NPU_DPU_EW_CFG_EW_LUT_BYPASS | NPU_DPU_EW_CFG_EW_OP_BYPASS |
	    NPU_DPU_EW_CFG_EW_BYPASS);
	dpu(stream, NPU_DPU_EW_CVT_OFFSET_VALUE, 0);
	dpu(stream, NPU_DPU_EW_CVT_SCALE_VALUE,
	    npu_set(NPU_DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SCALE, 1));
	dpu(stream, NPU_DPU_EW_RELUX_CMP_VALUE, 0);
	stream_clear(stream, NPU_TARGET_DPU, NPU_DPU_EW_OP_VALUE_0, NPU_DPU_EW_OP_VALUE_7);
	stream_clear(stream, NPU_TARGET_DPU, NPU_DPU_LUT_ACCESS_CFG, NPU_DPU_LUT_LO_SLOPE_SHIFT);
}

static void emit_out_converter(struct stream *stream, const struct layer *layer)
{
	dpu(stream, NPU_DPU_OUT_CVT_OFFSET, layer->out_offset);
	dpu(stream, NPU_DPU_OUT_CVT_SCALE,
	    npu_set(NPU_DPU_OUT_CVT_SCALE_FP32TOFP16_EN, layer->fmt.out == NPU_PRECISION_FP16) |
	    npu_set(NPU_DPU_OUT_CVT_SCALE_OUT_CVT_SCALE, layer->out_scale));
	dpu(stream, NPU_DPU_OUT_CVT_SHIFT,
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
	emit_bs(stream, layer);
	emit_surfaces(stream, layer, tile);
	emit_bn(stream, layer);
	emit_ew(stream);
	emit_out_converter(stream, layer);
	emit_destination(stream, layer, tile, areas);
}
