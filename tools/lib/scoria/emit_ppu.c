// SPDX-License-Identifier: MIT
/* PPU and PPU_RDMA: pooling of a cube in memory (programming-model G, recipe H7). */
#include "emit_ppu.h"

#include "limits.h"
#include "npu_field.h"
#include "rk3588_npu.h"

#define BURST_4		3u
/* IN_PRECISION of PPU_RDMA by element size (G). */
#define ELEMENT_8	1u
#define ELEMENT_16	2u

static void ppu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_PPU, reg, value);
}

static void rdma(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_PPU_RDMA, reg, value);
}

static void emit_cubes(struct stream *stream, const struct pool_task *task)
{
	ppu(stream, NPU_PPU_DATA_CUBE_IN_WIDTH, task->x.n_in - 1);
	ppu(stream, NPU_PPU_DATA_CUBE_IN_HEIGHT, task->y.n_in - 1);
	ppu(stream, NPU_PPU_DATA_CUBE_IN_CHANNEL, task->channels - 1);
	ppu(stream, NPU_PPU_DATA_CUBE_OUT_WIDTH, task->x.n_out - 1);
	ppu(stream, NPU_PPU_DATA_CUBE_OUT_HEIGHT, task->y.n_out - 1);
	ppu(stream, NPU_PPU_DATA_CUBE_OUT_CHANNEL, task->channels - 1);
}

static void emit_window(struct stream *stream, const struct pool_task *task)
{
	ppu(stream, NPU_PPU_OPERATION_MODE_CFG,
	    npu_set(NPU_PPU_OPERATION_MODE_CFG_NOTCH_ADDR, task->notch) |
	    NPU_PPU_OPERATION_MODE_CFG_FLYING_MODE |
	    npu_set(NPU_PPU_OPERATION_MODE_CFG_POOLING_METHOD, task->method));
	ppu(stream, NPU_PPU_POOLING_KERNEL_CFG,
	    npu_set(NPU_PPU_POOLING_KERNEL_CFG_KERNEL_STRIDE_HEIGHT, task->y.stride - 1) |
	    npu_set(NPU_PPU_POOLING_KERNEL_CFG_KERNEL_STRIDE_WIDTH, task->x.stride - 1) |
	    npu_set(NPU_PPU_POOLING_KERNEL_CFG_KERNEL_HEIGHT, task->y.kernel - 1) |
	    npu_set(NPU_PPU_POOLING_KERNEL_CFG_KERNEL_WIDTH, task->x.kernel - 1));
	ppu(stream, NPU_PPU_RECIP_KERNEL_WIDTH, task->reciprocal.x);
	ppu(stream, NPU_PPU_RECIP_KERNEL_HEIGHT, task->reciprocal.y);
	ppu(stream, NPU_PPU_POOLING_PADDING_CFG,
	    npu_set(NPU_PPU_POOLING_PADDING_CFG_PAD_BOTTOM, task->y.after) |
	    npu_set(NPU_PPU_POOLING_PADDING_CFG_PAD_RIGHT, task->x.after) |
	    npu_set(NPU_PPU_POOLING_PADDING_CFG_PAD_TOP, task->y.before) |
	    npu_set(NPU_PPU_POOLING_PADDING_CFG_PAD_LEFT, task->x.before));
	ppu(stream, NPU_PPU_PADDING_VALUE_1_CFG, task->pad_value);
	ppu(stream, NPU_PPU_PADDING_VALUE_2_CFG, 0);
}

static void emit_destination(struct stream *stream, const struct pool_task *task)
{
	ppu(stream, NPU_PPU_DST_BASE_ADDR, task->dst);
	ppu(stream, NPU_PPU_DST_SURF_STRIDE,
	    npu_set(NPU_PPU_DST_SURF_STRIDE_DST_SURF_STRIDE, task->dst_plane));
	ppu(stream, NPU_PPU_DATA_FORMAT,
	    npu_set(NPU_PPU_DATA_FORMAT_INDEX_ADD, task->dst_plane) |
	    npu_set(NPU_PPU_DATA_FORMAT_PROC_PRECISION,
		    task->bytes ? NPU_PRECISION_INT8 : NPU_PRECISION_FP16));
	ppu(stream, NPU_PPU_MISC_CTRL, npu_set(NPU_PPU_MISC_CTRL_BURST_LEN, BURST_4));
}

static void emit_source(struct stream *stream, const struct pool_task *task)
{
	rdma(stream, NPU_PPU_RDMA_CUBE_IN_WIDTH, task->x.n_in - 1);
	rdma(stream, NPU_PPU_RDMA_CUBE_IN_HEIGHT, task->y.n_in - 1);
	rdma(stream, NPU_PPU_RDMA_CUBE_IN_CHANNEL, task->channels - 1);
	rdma(stream, NPU_PPU_RDMA_SRC_BASE_ADDR, task->src);
	rdma(stream, NPU_PPU_RDMA_SRC_LINE_STRIDE,
	     npu_set(NPU_PPU_RDMA_SRC_LINE_STRIDE_SRC_LINE_STRIDE, task->src_line));
	rdma(stream, NPU_PPU_RDMA_SRC_SURF_STRIDE,
	     npu_set(NPU_PPU_RDMA_SRC_SURF_STRIDE_SRC_SURF_STRIDE, task->src_plane));
	rdma(stream, NPU_PPU_RDMA_DATA_FORMAT,
	     npu_set(NPU_PPU_RDMA_DATA_FORMAT_IN_PRECISION,
		     task->bytes ? ELEMENT_8 : ELEMENT_16));
}

/* Both pointers belong into every segment, as those of the DPU do (B4). */
void emit_pool(struct stream *stream, const struct pool_task *task)
{
	stream_write(stream, NPU_TARGET_PPU, NPU_PPU_S_POINTER, NPU_S_POINTER_PING_PONG);
	stream_write(stream, NPU_TARGET_PPU_RDMA, NPU_PPU_RDMA_S_POINTER, NPU_S_POINTER_PING_PONG);
	emit_cubes(stream, task);
	emit_window(stream, task);
	emit_destination(stream, task);
	emit_source(stream, task);
}

uint32_t pool_words(void)
{
	static const struct pool_task any = { .channels = 8 };
	uint64_t words[64];
	struct stream stream = { .words = words };

	emit_pool(&stream, &any);
	return stream.n;
}
