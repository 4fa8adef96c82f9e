/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_RING_H
#define SCORIA_RING_H

#include <linux/types.h>

#include <drm/drm_mm.h>

struct scoria_as;
struct scoria_chunk;

/**
 * struct scoria_cmd - room for commands
 * @node:  place in the chunk
 * @chunk: memory that it is part of
 * @words: the commands for the CPU
 * @iova:  and for the NPU
 */
struct scoria_cmd {
	struct drm_mm_node node;
	struct scoria_chunk *chunk;
	__le64 *words;
	u32 iova;
};

void scoria_ring_init(struct scoria_as *as);
void scoria_ring_fini(struct scoria_as *as);

/* Room for @size bytes on a segment's boundary. -ENOSPC when too much is in flight. */
int scoria_ring_alloc(struct scoria_as *as, struct scoria_cmd *cmd, size_t size);
void scoria_ring_free(struct scoria_as *as, struct scoria_cmd *cmd);

/* Make the first @size bytes visible to the NPU. */
void scoria_ring_flush(struct scoria_cmd *cmd, size_t size);

#endif
