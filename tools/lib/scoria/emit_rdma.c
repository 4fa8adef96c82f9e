// SPDX-License-Identifier: MIT
/*
 * DPU_RDMA: a convolution reads nothing but vectors over its output channels, the
 * bias and, requantised by channel, multipliers. An engine that is enabled
 * and not fed hangs the core (programming-model B8), so the others are off.
 */
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

#define MODE_DEPTHWISE	3
#define BURST_16	15
#define USE_ALU		1
#define USE_MUL		4
#define EQUAL_WEIGHTS	0x01010101u

static void rdma(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU_RDMA, reg, value);
}

/* The FP16TOFP32 bit is what working fp16 streams have (F2), idle as MRDMA is. */
static void emit_mode(struct stream *stream, const struct format *fmt)
{
	rdma(stream, NPU_DPU_RDMA_FEATURE_MODE_CFG,
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_BURST_LEN, BURST_16) |
	     NPU_DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE |
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN,
		     fmt->out == NPU_PRECISION_FP16) |
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_CONV_MODE,
		     fmt->depthwise ? MODE_DEPTHWISE : 0));
}

static void emit_unused(struct stream *stream)
{
	rdma(stream, NPU_DPU_RDMA_SRC_BASE_ADDR, 0);
	rdma(stream, NPU_DPU_RDMA_ERDMA_CFG, NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE);
	rdma(stream, NPU_DPU_RDMA_EW_BASE_ADDR, 0);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_STRIDE, 0);
	rdma(stream, NPU_DPU_RDMA_SRC_DMA_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_SURF_NOTCH, 0);
	rdma(stream, NPU_DPU_RDMA_PAD_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_WEIGHT, EQUAL_WEIGHTS);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_NOTCH, 0);
}

static void emit_bs_vector(struct stream *stream, uint32_t use, uint32_t address)
{
	rdma(stream, NPU_DPU_RDMA_BRDMA_CFG, npu_set(NPU_DPU_RDMA_BRDMA_CFG_BRDMA_DATA_USE, use));
	rdma(stream, NPU_DPU_RDMA_BS_BASE_ADDR, address);
}

static void emit_bn_vector(struct stream *stream, uint32_t use, uint32_t address)
{
	rdma(stream, NPU_DPU_RDMA_NRDMA_CFG, npu_set(NPU_DPU_RDMA_NRDMA_CFG_NRDMA_DATA_USE, use));
	rdma(stream, NPU_DPU_RDMA_BN_BASE_ADDR, address);
}

/* The bias goes to BS, or behind a multiplication to BN; multipliers go to BN. */
static void emit_vectors(struct stream *stream, const struct layer *layer, const struct tile *tile,
			 const struct areas *areas)
{
	uint32_t bias = areas->bias + tile->bias;

	if (layer->bias && !layer->scale)
		emit_bs_vector(stream, USE_ALU, bias);
	else
		emit_bs_vector(stream, 0, 0);
	if (layer->rescale)
		emit_bn_vector(stream, USE_MUL, areas->scales + tile->scales);
	else if (layer->bias && layer->scale)
		emit_bn_vector(stream, USE_ALU, bias);
	else
		emit_bn_vector(stream, 0, 0);
}

void emit_rdma(struct stream *stream, const struct layer *layer, const struct tile *tile,
	       const struct areas *areas)
{
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_WIDTH,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_WIDTH_WIDTH, tile->ow - 1));
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_HEIGHT,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_HEIGHT_HEIGHT, tile->oh - 1));
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_CHANNEL,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL, tile->oc_pad - 1));
	emit_vectors(stream, layer, tile, areas);
	emit_unused(stream);
	emit_mode(stream, &layer->fmt);
}
