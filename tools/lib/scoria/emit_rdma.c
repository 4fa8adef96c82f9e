// SPDX-License-Identifier: MIT
/*
 * DPU_RDMA of a convolution: vectors over its output channels and, for EW, a cube
 * that lies as the results do. An engine that is enabled and not fed hangs
 * the core (programming-model B8), so those that nobody waits for are off.
 */
#include "limits.h"
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

#define MODE_DEPTHWISE	3
#define BURST_16	15
#define PER_PIXEL	1
#define USE_ALU		1
#define USE_MUL		4
#define EQUAL_WEIGHTS	0x01010101u

/* MRDMA and ERDMA take turns at the surfaces of one cube (F3). */
#define COMB_OPERAND	5

static void rdma(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU_RDMA, reg, value);
}

/*
 * The FP16TOFP32 bit is what working fp16 streams have (F2) where MRDMA is idle, and
 * have not where it helps to fetch an operand (F3).
 */
static uint32_t feature_mode(const struct layer *layer)
{
	const struct format *fmt = &layer->fmt;

	if (layer->ew.op)
		return npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION, fmt->out) |
		       npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_PROC_PRECISION, fmt->out) |
		       npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_COMB_USE, COMB_OPERAND);
	return NPU_DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE |
	       npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN,
		       fmt->out == NPU_PRECISION_FP16) |
	       npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_CONV_MODE,
		       fmt->depthwise ? MODE_DEPTHWISE : 0);
}

static void emit_no_operand(struct stream *stream)
{
	rdma(stream, NPU_DPU_RDMA_SRC_BASE_ADDR, 0);
	rdma(stream, NPU_DPU_RDMA_ERDMA_CFG, NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE);
	rdma(stream, NPU_DPU_RDMA_EW_BASE_ADDR, 0);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_STRIDE, 0);
	rdma(stream, NPU_DPU_RDMA_SRC_DMA_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_SURF_NOTCH, 0);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_NOTCH, 0);
}

/* Columns of the cube that the tile does not have. */
static uint32_t line_notch(const struct layer *layer, const struct tile *tile)
{
	return layer->x.out - tile->ow;
}

/*
 * F3: the even surfaces are MRDMA's, the odd ones ERDMA's, which begins a surface
 * further; both step over two. The notch is what is left of them behind the tile's last
 * pixel: a recorded vendor task has no LINE_NOTCH there.
 */
static void emit_operand(struct stream *stream, const struct layer *layer,
			 const struct tile *tile, const struct areas *areas)
{
	uint32_t surface = layer->x.out * layer->y.out;
	uint32_t notch = 2 * surface - tile->oh * layer->x.out + line_notch(layer, tile);
	uint32_t from = areas->operand + tile->out;

	rdma(stream, NPU_DPU_RDMA_SRC_BASE_ADDR, from);
	rdma(stream, NPU_DPU_RDMA_ERDMA_CFG,
	     npu_set(NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE, PER_PIXEL) |
	     npu_set(NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DATA_SIZE, layer->ew.size));
	rdma(stream, NPU_DPU_RDMA_EW_BASE_ADDR, from + surface * NPU_UNIT);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_STRIDE,
	     npu_set(NPU_DPU_RDMA_EW_SURF_STRIDE_EW_SURF_STRIDE, surface));
	rdma(stream, NPU_DPU_RDMA_SRC_DMA_CFG,
	     npu_set(NPU_DPU_RDMA_SRC_DMA_CFG_LINE_NOTCH_ADDR, line_notch(layer, tile)));
	rdma(stream, NPU_DPU_RDMA_SURF_NOTCH,
	     npu_set(NPU_DPU_RDMA_SURF_NOTCH_SURF_NOTCH_ADDR, notch));
	rdma(stream, NPU_DPU_RDMA_EW_SURF_NOTCH,
	     npu_set(NPU_DPU_RDMA_EW_SURF_NOTCH_EW_SURF_NOTCH, notch));
}

static uint32_t use_of(const struct stage *stage)
{
	return (stage->alu_vector ? USE_ALU : 0) | (stage->mul_vector ? USE_MUL : 0);
}

static uint32_t vector_of(const struct stage *stage, const struct tile *tile,
			  const struct areas *areas)
{
	if (stage->alu_vector)
		return areas->bias + tile->bias;
	return stage->mul_vector ? areas->scales + tile->scales : 0;
}

static void emit_vectors(struct stream *stream, const struct layer *layer, const struct tile *tile,
			 const struct areas *areas)
{
	rdma(stream, NPU_DPU_RDMA_BRDMA_CFG,
	     npu_set(NPU_DPU_RDMA_BRDMA_CFG_BRDMA_DATA_USE, use_of(&layer->bs)));
	rdma(stream, NPU_DPU_RDMA_BS_BASE_ADDR, vector_of(&layer->bs, tile, areas));
	rdma(stream, NPU_DPU_RDMA_NRDMA_CFG,
	     npu_set(NPU_DPU_RDMA_NRDMA_CFG_NRDMA_DATA_USE, use_of(&layer->bn)));
	rdma(stream, NPU_DPU_RDMA_BN_BASE_ADDR, vector_of(&layer->bn, tile, areas));
}

void emit_rdma(struct stream *stream, const struct layer *layer, const struct tile *tile,
	       const struct areas *areas)
{
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_WIDTH,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_WIDTH_WIDTH, tile->ow - 1));
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_HEIGHT,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_HEIGHT_EW_LINE_NOTCH_ADDR,
		     layer->ew.op ? line_notch(layer, tile) : 0) |
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_HEIGHT_HEIGHT, tile->oh - 1));
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_CHANNEL,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL, tile->oc_pad - 1));
	emit_vectors(stream, layer, tile, areas);
	if (layer->ew.op)
		emit_operand(stream, layer, tile, areas);
	else
		emit_no_operand(stream);
	rdma(stream, NPU_DPU_RDMA_PAD_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_WEIGHT, EQUAL_WEIGHTS);
	rdma(stream, NPU_DPU_RDMA_FEATURE_MODE_CFG,
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_BURST_LEN, BURST_16) | feature_mode(layer));
}
