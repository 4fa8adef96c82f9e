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

/**
 * to_scoria_bo() - the buffer behind a GEM object
 * @obj: the GEM object
 *
 * Return: the buffer.
 */
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

/**
 * scoria_mapping_from_node() - the mapping behind its addresses
 * @node: the addresses, of the range of buffers
 *
 * Return: the mapping.
 */
static inline struct scoria_mapping *scoria_mapping_from_node(struct drm_mm_node *node)
{
	return container_of(node, struct scoria_mapping, node);
}

/**
 * scoria_mapping_holds() - ask whether a mapping holds addresses of the NPU
 * @map: the mapping, or NULL
 * @addr: the first address
 * @size: bytes
 *
 * Return: whether it holds them all.
 */
static inline bool scoria_mapping_holds(const struct scoria_mapping *map, u32 addr, u64 size)
{
	return map && addr >= map->node.start && addr + size <= map->node.start + map->node.size;
}

/**
 * scoria_mapping_get_unless_zero() - take a reference on a mapping that may be going
 * @map: the mapping
 *
 * Return: @map, NULL when it is going.
 */
struct scoria_mapping *scoria_mapping_get_unless_zero(struct scoria_mapping *map);

/**
 * scoria_mapping_put() - give a reference back
 * @map: the mapping
 *
 * The last one unmaps the buffer, which may sleep.
 */
void scoria_mapping_put(struct scoria_mapping *map);

/**
 * scoria_mapping_is_open() - ask whether the file has a handle of a buffer
 * @map: the mapping
 *
 * Return: whether it has.
 */
bool scoria_mapping_is_open(struct scoria_mapping *map);

/**
 * scoria_mapping_of() - find the mapping of a buffer in an address space
 * @bo: the buffer
 * @as: the address space
 *
 * Return: the mapping with a reference, or ERR_PTR(-ENOENT).
 */
struct scoria_mapping *scoria_mapping_of(struct scoria_bo *bo, struct scoria_as *as);

/**
 * scoria_mapping_lookup() - find the mapping of a handle
 * @file: the open file
 * @handle: a handle of this file
 *
 * Return: the mapping with a reference, or ERR_PTR(-ENOENT).
 */
struct scoria_mapping *scoria_mapping_lookup(struct drm_file *file, u32 handle);

/**
 * scoria_gem_create_object() - allocate the struct of a buffer, for the GEM helpers
 * @drm: the DRM device
 * @size: bytes, not used
 *
 * Return: the object, or an ERR_PTR().
 */
struct drm_gem_object *scoria_gem_create_object(struct drm_device *drm, size_t size);

/**
 * scoria_bo_create() - make a buffer with its pages, not yet mapped anywhere
 * @drm: the DRM device
 * @size: bytes
 *
 * Return: the buffer, or an ERR_PTR().
 */
struct scoria_bo *scoria_bo_create(struct drm_device *drm, size_t size);

/**
 * struct scoria_bo_info - what userspace wants to know of a buffer
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

/**
 * scoria_mapping_describe() - tell what userspace wants to know of a buffer
 * @map: its mapping
 * @info: filled, but for the handle
 */
void scoria_mapping_describe(const struct scoria_mapping *map, struct scoria_bo_info *info);

/**
 * scoria_bo_create_handle() - make a buffer, mapped in the address space of a file
 * @drm: the DRM device
 * @file: the open file
 * @size: bytes
 * @info: filled with what userspace has to know
 *
 * Return: 0, -EINVAL for no bytes, -ENOSPC when there are no addresses, or another
 * negative errno.
 */
int scoria_bo_create_handle(struct drm_device *drm, struct drm_file *file, u64 size,
			    struct scoria_bo_info *info);

/**
 * scoria_bo_sync() - maintain the caches for a range of a buffer
 * @bo: the buffer
 * @offset: first byte
 * @size: bytes
 * @dir: whose the bytes become
 */
void scoria_bo_sync(struct scoria_bo *bo, u64 offset, u64 size, enum dma_data_direction dir);

/**
 * scoria_bo_begin_cpu() - access by the CPU begins
 * @bo: the buffer
 *
 * For imported buffers too.
 *
 * Return: 0 or a negative errno.
 */
int scoria_bo_begin_cpu(struct scoria_bo *bo);

/**
 * scoria_bo_end_cpu() - access by the CPU has ended
 * @bo: the buffer
 *
 * For imported buffers too.
 *
 * Return: 0 or a negative errno.
 */
int scoria_bo_end_cpu(struct scoria_bo *bo);

/**
 * scoria_bo_read() - copy from a buffer
 * @bo: the buffer
 * @offset: first byte; the range lies in the buffer
 * @to: where to
 * @size: bytes
 *
 * Return: 0, or -EINVAL for an imported buffer, whose pages are not ours.
 */
int scoria_bo_read(struct scoria_bo *bo, u64 offset, void *to, size_t size);

/**
 * scoria_bo_equals() - compare with what is in a buffer
 * @bo: the buffer
 * @offset: first byte; the range lies in the buffer
 * @data: what may be there
 * @size: bytes
 *
 * Return: whether it is there; never in an imported buffer.
 */
bool scoria_bo_equals(struct scoria_bo *bo, u64 offset, const void *data, size_t size);

/**
 * scoria_bo_wait() - wait for jobs that use a buffer
 * @bo: the buffer
 * @to_write: for those that read it too, to be able to write it
 * @timeout: in jiffies
 *
 * Return: 0, -ETIMEDOUT, -EBUSY when @timeout is 0, or -ERESTARTSYS.
 */
int scoria_bo_wait(struct scoria_bo *bo, bool to_write, unsigned long timeout);

/**
 * scoria_bo_error() - the error of the job that wrote a buffer last
 * @bo: the buffer
 *
 * Return: a negative errno, 0 when it had none.
 */
int scoria_bo_error(struct scoria_bo *bo);

#endif
