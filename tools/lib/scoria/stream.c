// SPDX-License-Identifier: MIT
/* The body of a convolution's segment: pointers first, then the blocks' registers. */
#include "stream.h"

#include "limits.h"
#include "rk3588_npu.h"

/* More than any segment has, for measuring one. */
#define MAX_WORDS 256

void stream_clear(struct stream *stream, uint32_t target, uint32_t first, uint32_t last)
{
	uint32_t reg;

	for (reg = first; reg <= last; reg += 4)
		stream_write(stream, target, reg, 0);
}

/*
 * DPU and RDMA pointers belong into every segment: without them a chain repeats
 * its first task (B4). Those of CNA and CORE are armed by who kicks the job.
 */
void emit_conv(struct stream *stream, const struct layer *layer, const struct tile *tile,
	       const struct areas *areas)
{
	stream_write(stream, NPU_TARGET_DPU, NPU_DPU_S_POINTER, NPU_S_POINTER_PING_PONG);
	stream_write(stream, NPU_TARGET_DPU_RDMA, NPU_DPU_RDMA_S_POINTER, NPU_S_POINTER_PING_PONG);
	emit_cna(stream, layer, tile, areas);
	emit_core(stream, layer, tile);
	emit_dpu(stream, layer, tile, areas);
	emit_rdma(stream, layer, tile, areas);
}

/* Any task tells. */
uint32_t conv_words(void)
{
	static const struct axis one = { 1, 1, 1, 1, 1, 0 };
	static const struct tile tile = { .w = 1, .h = 1, .c = 1, .c_pad = 16, .ow = 1, .oh = 1,
					  .oc = 1, .oc_pad = 32 };
	static const struct areas areas;
	struct layer layer = { .x = one, .y = one, .c = 1, .oc = 1, .c_align = 16 };
	uint64_t words[MAX_WORDS];
	struct stream stream = { .words = words };

	format_init(&layer.fmt, NPU_PRECISION_INT8, NPU_PRECISION_INT8, false);
	emit_conv(&stream, &layer, &tile, &areas);
	return stream.n;
}
