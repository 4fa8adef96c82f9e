/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_GEM_H
#define SCORIA_GEM_H

#include <linux/dma-direction.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_mm.h>

struct dma_fence;
struct scoria_as;

/**
 * struct scoria_bo - memory that the NPU can reach
 */
struct scoria_bo {
	/** @base: pages, their DMA mapping, and the GEM object. */
	struct drm_gem_shmem_object base;
	/** @lock: covers @mappings. */
	struct mutex lock;
	/** @mappings: one for each address space that has a handle. */
	struct list_head mappings;
	/**
	 * @last_write: finished fence of the job that writes it last, or NULL,
	 * from which waiters learn the error. Under the reservation lock.
	 */
	struct dma_fence *last_write;
};

static inline struct scoria_bo *to_scoria_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct scoria_bo, base);
}

/**
 * struct scoria_mapping - a buffer in an address space
 * @ref:     one by the handle, one by each job and program that uses it
 * @as:      with a reference
 * @bo:      with a reference
 * @node:    addresses
 * @link:    in the buffer's list
 * @handles: handles of the file; under the buffer's lock
 */
struct scoria_mapping {
	struct kref ref;
	struct scoria_as *as;
	struct scoria_bo *bo;
	struct drm_mm_node node;
	struct list_head link;
	unsigned int handles;
};

static inline struct scoria_mapping *scoria_mapping_from_node(struct drm_mm_node *node)
{
	return container_of(node, struct scoria_mapping, node);
}

struct scoria_mapping *scoria_mapping_get_unless_zero(struct scoria_mapping *map);
void scoria_mapping_put(struct scoria_mapping *map);

/* The mapping of a buffer in an address space, with a reference; -ENOENT if there is none. */
struct scoria_mapping *scoria_mapping_of(struct scoria_bo *bo, struct scoria_as *as);

/* The mapping of a handle of this file, with a reference; -ENOENT if there is none. */
struct scoria_mapping *scoria_mapping_lookup(struct drm_file *file, u32 handle);

struct drm_gem_object *scoria_gem_create_object(struct drm_device *drm, size_t size);

/* A buffer with its pages, not yet mapped anywhere. */
struct scoria_bo *scoria_bo_create(struct drm_device *drm, size_t size);

/**
 * struct scoria_bo_info - what userspace wants to know of a new buffer
 * @size:    in whole pages
 * @handle:  GEM handle
 * @address: for the NPU
 * @offset:  for mmap()
 */
struct scoria_bo_info {
	u64 size;
	u32 handle;
	u64 address;
	u64 offset;
};

/* A buffer of @size bytes with a handle, mapped in the address space of the file. */
int scoria_bo_create_handle(struct drm_device *drm, struct drm_file *file, u64 size,
			    struct scoria_bo_info *info);

/* Cache maintenance on a range; @dir says whose the bytes become. */
void scoria_bo_sync(struct scoria_bo *bo, u64 offset, u64 size, enum dma_data_direction dir);

/* What precedes and follows access by the CPU, for imported buffers too. */
int scoria_bo_begin_cpu(struct scoria_bo *bo);
int scoria_bo_end_cpu(struct scoria_bo *bo);

/* Copy from the buffer. -EINVAL for an imported one, whose pages are not ours. */
int scoria_bo_read(struct scoria_bo *bo, u64 offset, void *to, size_t size);

/*
 * Wait @timeout jiffies for jobs that write the buffer, or, to be able to write
 * it, for those that read it too: 0, -ETIMEDOUT, -EBUSY or -ERESTARTSYS.
 */
int scoria_bo_wait(struct scoria_bo *bo, bool to_write, unsigned long timeout);

/* The error of the job that wrote the buffer last, 0 when it had none. */
int scoria_bo_error(struct scoria_bo *bo);

#endif
