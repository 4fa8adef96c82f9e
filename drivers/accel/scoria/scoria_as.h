/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_AS_H
#define SCORIA_AS_H

#include <linux/atomic.h>
#include <linux/iommu.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>

#include <drm/drm_mm.h>

#include "scoria_core.h"

struct scoria_mapping;

/*
 * The NPU knows 32 bits of address. 0 is in no range, because streams write it
 * to what they do not use. Commands have the top, out of reach of buffers.
 */
#define SCORIA_AS_BUFFERS_START		((u64)PAGE_SIZE)
#define SCORIA_AS_COMMANDS_START	0xf0000000ull
#define SCORIA_AS_END			(0x100000000ull - PAGE_SIZE)

enum scoria_as_range {
	SCORIA_AS_BUFFERS,	/* the NPU reads and writes */
	SCORIA_AS_COMMANDS,	/* the NPU only reads */
};

/**
 * struct scoria_as - the NPU's address space of one open file
 *
 * Lives until the last buffer that is mapped in it, the last job that uses it
 * and the last core that has it attached have let go.
 */
struct scoria_as {
	/** @ref: see above. */
	struct kref ref;
	/** @sdev: the device, kept by a reference on its DRM device. */
	struct scoria_device *sdev;
	/** @domain: page tables. */
	struct iommu_domain *domain;

	/**
	 * @lock: covers @mm and changes of the page tables, which touch the IOMMUs
	 * that use them; held while one of these is in reset. Nobody who has it
	 * waits for memory.
	 */
	struct mutex lock;
	/** @mm: addresses, of buffers and of commands. */
	struct drm_mm mm;

	/** @ring: memory for commands. */
	struct {
		/** @ring.lock: covers the list and what is in the chunks. */
		struct mutex lock;
		/** @ring.chunks: memory, see scoria_ring.c. */
		struct list_head chunks;
	} ring;

	/** @closed: the file is gone: cores that are done with it let go. */
	bool closed;

	/** @busy_ns: time that jobs ran, by core. */
	atomic64_t busy_ns[SCORIA_MAX_CORES];
	/** @faults: addresses that the IOMMU did not find. */
	atomic_t faults;
};

/**
 * scoria_as_create() - make an empty address space
 * @sdev: the device, kept by a reference on its DRM device
 *
 * Return: the address space with a reference, or an ERR_PTR().
 */
struct scoria_as *scoria_as_create(struct scoria_device *sdev);

/**
 * scoria_as_get() - take a reference
 * @as: the address space
 *
 * Return: @as.
 */
struct scoria_as *scoria_as_get(struct scoria_as *as);

/**
 * scoria_as_put() - give a reference back
 * @as: the address space
 *
 * The last one frees the address space, which may sleep.
 */
void scoria_as_put(struct scoria_as *as);

/**
 * scoria_as_close() - the file of an address space closes
 * @as: the address space
 *
 * Cores let go of it as soon as they are idle.
 */
void scoria_as_close(struct scoria_as *as);

/**
 * scoria_as_reserve() - choose addresses
 * @as: the address space
 * @node: filled with the addresses
 * @size: bytes
 * @range: what the addresses are for
 *
 * This comes before memory is allocated, which takes longer and more to fail.
 *
 * Return: 0, or -ENOSPC when there is no room.
 */
int scoria_as_reserve(struct scoria_as *as, struct drm_mm_node *node, size_t size,
		      enum scoria_as_range range);

/**
 * scoria_as_release() - give back addresses that were never mapped
 * @as: the address space
 * @node: what scoria_as_reserve() filled
 */
void scoria_as_release(struct scoria_as *as, struct drm_mm_node *node);

/**
 * scoria_as_map() - map memory at addresses that were reserved
 * @as: the address space
 * @node: the addresses
 * @sgt: the memory, of no more bytes than were reserved
 *
 * Return: 0 or a negative errno; the addresses stay reserved then.
 */
int scoria_as_map(struct scoria_as *as, struct drm_mm_node *node, struct sg_table *sgt);

/**
 * scoria_as_unmap() - unmap memory, and give its addresses back
 * @as: the address space
 * @node: the addresses
 */
void scoria_as_unmap(struct scoria_as *as, struct drm_mm_node *node);

/**
 * scoria_as_find() - find the buffer behind addresses of the NPU
 * @as: the address space
 * @addr: the first address
 * @size: bytes
 *
 * Return: the mapping that holds them all, with a reference; NULL if none does.
 */
struct scoria_mapping *scoria_as_find(struct scoria_as *as, u32 addr, u64 size);

/**
 * scoria_as_find_near() - find the buffer behind addresses, most likely the last one found
 * @as: the address space
 * @addr: the first address
 * @size: bytes
 * @map: the last one found or NULL; what holds these instead, with a reference
 *
 * Return: whether one does.
 */
bool scoria_as_find_near(struct scoria_as *as, u32 addr, u64 size, struct scoria_mapping **map);

#endif
