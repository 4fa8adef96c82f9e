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

/**
 * scoria_ring_init() - prepare the memory for commands of an address space
 * @as: the address space
 */
void scoria_ring_init(struct scoria_as *as);

/**
 * scoria_ring_fini() - free the memory for commands of an address space
 * @as: the address space
 */
void scoria_ring_fini(struct scoria_as *as);

/**
 * scoria_ring_alloc() - allocate memory for commands, on a segment's boundary
 * @as: the address space
 * @cmd: filled with the memory
 * @size: bytes
 *
 * Return: 0, -ENOSPC when too much is in flight, or -ENOMEM.
 */
int scoria_ring_alloc(struct scoria_as *as, struct scoria_cmd *cmd, size_t size);

/**
 * scoria_ring_free() - free memory for commands
 * @as: the address space
 * @cmd: the memory
 *
 * The NPU must be done with it.
 */
void scoria_ring_free(struct scoria_as *as, struct scoria_cmd *cmd);

/**
 * scoria_ring_flush() - make commands visible to the NPU
 * @cmd: the memory
 * @size: bytes from the start on
 */
void scoria_ring_flush(struct scoria_cmd *cmd, size_t size);

#endif
