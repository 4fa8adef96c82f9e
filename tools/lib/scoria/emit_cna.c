// SPDX-License-Identifier: MIT
/* CNA: features and weights into CBUF (programming-model E, recipes H1 to H4). */
#include "limits.h"
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stream.h"

#define MODE_DEPTHWISE 3

static void cna(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_CNA, reg, value);
}

/* The vendor's pacing of feature rows; it has no effect on results (E3). */
static uint32_t grains(const struct layer *layer, const struct tile *tile)
{
	return min_u32(tile->h + layer->y.kernel, NPU_MAX_GRAINS);
}

static void emit_mode(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	const struct format *fmt = &layer->fmt;

	cna(stream, NPU_CNA_CONV_CON1,
	    npu_set(NPU_CNA_CONV_CON1_GROUP_LINE_OFF, tile->columns) |
	    npu_set(NPU_CNA_CONV_CON1_PROC_PRECISION, fmt->in) |
	    npu_set(NPU_CNA_CONV_CON1_IN_PRECISION, fmt->in) |
	    npu_set(NPU_CNA_CONV_CON1_CONV_MODE, fmt->depthwise ? MODE_DEPTHWISE : 0));
	cna(stream, NPU_CNA_CONV_CON2,
	    npu_set(NPU_CNA_CONV_CON2_FEATURE_GRAINS, grains(layer, tile)));
	cna(stream, NPU_CNA_CONV_CON3,
	    npu_set(NPU_CNA_CONV_CON3_ATROUS_Y_DILATION, layer->y.dilation - 1) |
	    npu_set(NPU_CNA_CONV_CON3_ATROUS_X_DILATION, layer->x.dilation - 1) |
	    npu_set(NPU_CNA_CONV_CON3_CONV_Y_STRIDE, layer->y.stride) |
	    npu_set(NPU_CNA_CONV_CON3_CONV_X_STRIDE, layer->x.stride));
}

static void emit_sizes(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	uint64_t weight_bytes = layer_weight_bytes(layer, tile->c_pad, tile->oc_pad);
	uint32_t kernels = layer->fmt.depthwise ? 1 : tile->oc_pad;

	cna(stream, NPU_CNA_DATA_SIZE0,
	    npu_set(NPU_CNA_DATA_SIZE0_DATAIN_WIDTH, tile->w) |
	    npu_set(NPU_CNA_DATA_SIZE0_DATAIN_HEIGHT, tile->h));
	cna(stream, NPU_CNA_DATA_SIZE1,
	    npu_set(NPU_CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL, tile->c - 1) |
	    npu_set(NPU_CNA_DATA_SIZE1_DATAIN_CHANNEL, tile->c_pad));
	cna(stream, NPU_CNA_DATA_SIZE2, npu_set(NPU_CNA_DATA_SIZE2_DATAOUT_WIDTH, tile->ow));
	cna(stream, NPU_CNA_DATA_SIZE3,
	    npu_set(NPU_CNA_DATA_SIZE3_DATAOUT_ATOMICS, tile->ow * tile->oh));
	cna(stream, NPU_CNA_WEIGHT_SIZE0, weight_bytes);
	cna(stream, NPU_CNA_WEIGHT_SIZE1,
	    npu_set(NPU_CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL,
		    weight_bytes / kernels));
	cna(stream, NPU_CNA_WEIGHT_SIZE2,
	    npu_set(NPU_CNA_WEIGHT_SIZE2_WEIGHT_WIDTH, layer->x.kernel) |
	    npu_set(NPU_CNA_WEIGHT_SIZE2_WEIGHT_HEIGHT, layer->y.kernel) |
	    npu_set(NPU_CNA_WEIGHT_SIZE2_WEIGHT_KERNELS, kernels));
}

static void emit_cbuf(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	cna(stream, NPU_CNA_CBUF_CON0,
	    npu_set(NPU_CNA_CBUF_CON0_WEIGHT_REUSE, tile->keep_weights) |
	    npu_set(NPU_CNA_CBUF_CON0_WEIGHT_BANK, tile->weight_banks) |
	    npu_set(NPU_CNA_CBUF_CON0_DATA_BANK, tile->data_banks));
	cna(stream, NPU_CNA_CBUF_CON1,
	    npu_set(NPU_CNA_CBUF_CON1_DATA_ENTRIES,
		    layer_row_entries(layer, tile->w, tile->c_pad)));
}

/* Features arrive in the type that is multiplied: converter bypassed (C2, CVT0). */
static void emit_converter(struct stream *stream)
{
	uint32_t reg;

	cna(stream, NPU_CNA_CVT_CON0,
	    NPU_CNA_CVT_CON0_DATA_SIGN | NPU_CNA_CVT_CON0_CVT_TYPE | NPU_CNA_CVT_CON0_CVT_BYPASS);
	for (reg = NPU_CNA_CVT_CON1; reg <= NPU_CNA_CVT_CON4; reg += 4)
		cna(stream, reg, npu_set(NPU_CNA_CVT_CON1_CVT_SCALE0, 1));
	cna(stream, NPU_CNA_CVT_CON5, 0);
	cna(stream, NPU_CNA_FC_CON0, 0);
	cna(stream, NPU_CNA_FC_CON1, 0);
	cna(stream, NPU_CNA_FC_CON2, 0);
}

/*
 * E2. Rows of a whole cube come in groups of four lines; a rectangle narrower
 * than the cube needs the ungrouped mode, whose row pitch is free. Both stride
 * registers wrap at 28 bits, and cubes with less than four rows rely on that.
 */
static void emit_strides(struct stream *stream, const struct layer *layer, const struct tile *tile)
{
	uint32_t surface = layer->x.in * layer->y.in;
	uint32_t lines = tile->columns ? layer->x.in : NPU_GROUPED_LINES * layer->x.in;
	uint32_t skip = tile->columns ? surface - tile->w : surface - lines;

	cna(stream, NPU_CNA_DMA_CON1, lines & NPU_STRIDE_MASK);
	cna(stream, NPU_CNA_DMA_CON2, skip & NPU_STRIDE_MASK);
}

static void emit_fetch(struct stream *stream, const struct layer *layer, const struct tile *tile,
		       const struct areas *areas)
{
	cna(stream, NPU_CNA_PAD_CON0,
	    npu_set(NPU_CNA_PAD_CON0_PAD_LEFT, tile->pad_left) |
	    npu_set(NPU_CNA_PAD_CON0_PAD_TOP, tile->pad_top));
	cna(stream, NPU_CNA_FEATURE_DATA_ADDR, areas->in + tile->in);
	cna(stream, NPU_CNA_DMA_CON0,
	    NPU_CNA_DMA_CON0_WEIGHT_BURST_LEN | NPU_CNA_DMA_CON0_DATA_BURST_LEN);
	emit_strides(stream, layer, tile);
	cna(stream, NPU_CNA_FC_DATA_SIZE0,
	    npu_set(NPU_CNA_FC_DATA_SIZE0_DMA_WIDTH, tile->w) |
	    npu_set(NPU_CNA_FC_DATA_SIZE0_DMA_HEIGHT, tile->h));
	cna(stream, NPU_CNA_FC_DATA_SIZE1,
	    npu_set(NPU_CNA_FC_DATA_SIZE1_DMA_CHANNEL, tile->c_pad));
	/* dense weights: no decompression (DC0) */
	cna(stream, NPU_CNA_DCOMP_CTRL, 0);
	cna(stream, NPU_CNA_DCOMP_REGNUM, 0);
	cna(stream, NPU_CNA_DCOMP_ADDR0, areas->weights + tile->weights);
	stream_clear(stream, NPU_TARGET_CNA, NPU_CNA_DCOMP_AMOUNT0, NPU_CNA_DCOMP_AMOUNT15);
	cna(stream, NPU_CNA_PAD_CON1, layer->pad_value);
}

void emit_cna(struct stream *stream, const struct layer *layer, const struct tile *tile,
	      const struct areas *areas)
{
	emit_mode(stream, layer, tile);
	emit_sizes(stream, layer, tile);
	emit_cbuf(stream, layer, tile);
	emit_converter(stream);
	emit_fetch(stream, layer, tile, areas);
}
