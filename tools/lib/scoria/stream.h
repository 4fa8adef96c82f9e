/* SPDX-License-Identifier: MIT */
/*
 * Register command streams (programming-model B1). One segment is a task: chain.h
 * links them.
 */
#ifndef SCORIA_STREAM_H
#define SCORIA_STREAM_H

#include <stdint.h>

#include "layer.h"

#define STREAM_TRAILER	4u

struct stream {
	uint64_t *words;
	uint32_t n;
};

static inline void stream_write(struct stream *stream, uint32_t target, uint32_t reg,
				uint32_t value)
{
	stream->words[stream->n++] = (uint64_t)target << 48 | (uint64_t)value << 16 | reg;
}

/* Set every register from @first to @last to 0. */
void stream_clear(struct stream *stream, uint32_t target, uint32_t first, uint32_t last);

/* Every register that each block reads for one convolution task. */
void emit_cna(struct stream *stream, const struct layer *layer, const struct tile *tile,
	      const struct areas *areas);
void emit_core(struct stream *stream, const struct layer *layer, const struct tile *tile);
void emit_dpu(struct stream *stream, const struct layer *layer, const struct tile *tile,
	      const struct areas *areas);
void emit_rdma(struct stream *stream, const struct layer *layer, const struct tile *tile,
	       const struct areas *areas);

/*
 * The body of a convolution's segment. Every task writes the same registers, so
 * all bodies have conv_words() commands.
 */
void emit_conv(struct stream *stream, const struct layer *layer, const struct tile *tile,
	       const struct areas *areas);
uint32_t conv_words(void);

#endif
