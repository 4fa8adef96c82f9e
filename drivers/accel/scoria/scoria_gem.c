// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: cached shmem objects, since uncached ones are slow for the CPU and
 * fault on unaligned access. A handle maps its buffer in the address space of
 * its file, an imported one as well as one of ours.
 */
#include "scoria_gem.h"

#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "scoria_as.h"
#include "scoria_compat.h"
#include "scoria_drv.h"

/* A dma_buf_* call below needs it. */
SCORIA_IMPORT_NS_DMA_BUF;

static void mapping_release(struct kref *ref)
{
	struct scoria_mapping *map = container_of(ref, struct scoria_mapping, ref);

	scoria_as_unmap(map->as, &map->node);
	scoped_guard(mutex, &map->bo->lock)
		list_del(&map->link);
	drm_gem_object_put(&map->bo->base.base);
	scoria_as_put(map->as);
	kfree(map);
}

struct scoria_mapping *scoria_mapping_get_unless_zero(struct scoria_mapping *map)
{
	return kref_get_unless_zero(&map->ref) ? map : NULL;
}

void scoria_mapping_put(struct scoria_mapping *map)
{
	if (map)
		kref_put(&map->ref, mapping_release);
}

/* With a reference. One that is on its way out is not found. */
static struct scoria_mapping *find_mapping(struct scoria_bo *bo, struct scoria_as *as)
{
	struct scoria_mapping *map;

	lockdep_assert_held(&bo->lock);
	list_for_each_entry(map, &bo->mappings, link)
		if (map->as == as && scoria_mapping_get_unless_zero(map))
			return map;
	return NULL;
}

static int map_bo(struct scoria_bo *bo, struct scoria_as *as, struct drm_mm_node *node)
{
	struct sg_table *sgt;
	int ret = scoria_as_reserve(as, node, bo->base.base.size, SCORIA_AS_BUFFERS);

	if (ret)
		return ret;
	sgt = drm_gem_shmem_get_pages_sgt(&bo->base);
	ret = PTR_ERR_OR_ZERO(sgt);
	if (!ret)
		ret = scoria_as_map(as, node, sgt);
	if (ret)
		scoria_as_release(as, node);
	return ret;
}

static struct scoria_mapping *create_mapping(struct scoria_bo *bo, struct scoria_as *as)
{
	struct scoria_mapping *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!map)
		return ERR_PTR(-ENOMEM);
	ret = map_bo(bo, as, &map->node);
	if (ret) {
		kfree(map);
		return ERR_PTR(ret);
	}
	map->as = scoria_as_get(as);
	map->bo = bo;
	drm_gem_object_get(&bo->base.base);
	/* its addresses can be looked up already: with a count of 0 nobody gets it */
	scoped_guard(mutex, &as->lock)
		kref_init(&map->ref);
	return map;
}

static int scoria_gem_open(struct drm_gem_object *obj, struct drm_file *file)
{
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_bo *bo = to_scoria_bo(obj);
	struct scoria_mapping *map;

	guard(mutex)(&bo->lock);
	map = find_mapping(bo, sfile->as);
	if (!map) {
		map = create_mapping(bo, sfile->as);
		if (IS_ERR(map))
			return PTR_ERR(map);
		list_add(&map->link, &bo->mappings);
	}
	/* the reference is kept once, however many handles there are */
	if (map->handles++)
		kref_put(&map->ref, mapping_release);
	return 0;
}

static void scoria_gem_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_bo *bo = to_scoria_bo(obj);
	struct scoria_mapping *map;
	bool last = false;

	scoped_guard(mutex, &bo->lock) {
		map = find_mapping(bo, sfile->as);
		if (map)
			last = !--map->handles;
	}
	if (last)
		scoria_recent_forget(&sfile->recent, map);
	scoria_mapping_put(map);
	if (last)
		scoria_mapping_put(map);
}

bool scoria_mapping_is_open(struct scoria_mapping *map)
{
	guard(mutex)(&map->bo->lock);
	return map->handles;
}

struct scoria_mapping *scoria_mapping_of(struct scoria_bo *bo, struct scoria_as *as)
{
	guard(mutex)(&bo->lock);
	return find_mapping(bo, as) ? : ERR_PTR(-ENOENT);
}

struct scoria_mapping *scoria_mapping_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_mapping *map;

	if (!obj)
		return ERR_PTR(-ENOENT);
	map = scoria_mapping_of(to_scoria_bo(obj), sfile->as);
	drm_gem_object_put(obj);
	return map;
}

static void scoria_gem_free(struct drm_gem_object *obj)
{
	struct scoria_bo *bo = to_scoria_bo(obj);

	drm_WARN_ON(obj->dev, !list_empty(&bo->mappings));
	dma_fence_put(bo->last_write);
	mutex_destroy(&bo->lock);
	drm_gem_shmem_free(&bo->base);
}

static const struct drm_gem_object_funcs scoria_gem_funcs = {
	.free = scoria_gem_free,
	.open = scoria_gem_open,
	.close = scoria_gem_close,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
};

struct drm_gem_object *scoria_gem_create_object(struct drm_device *drm, size_t size)
{
	struct scoria_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_init(&bo->lock);
	INIT_LIST_HEAD(&bo->mappings);
	bo->base.base.funcs = &scoria_gem_funcs;
	return &bo->base.base;
}

struct scoria_bo *scoria_bo_create(struct drm_device *drm, size_t size)
{
	struct drm_gem_shmem_object *shmem = drm_gem_shmem_create(drm, size);

	/* shmem says so when it has no memory for an inode; here it means no addresses */
	if (shmem == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	if (IS_ERR(shmem))
		return ERR_CAST(shmem);
	return to_scoria_bo(&shmem->base);
}

void scoria_mapping_describe(const struct scoria_mapping *map, struct scoria_bo_info *info)
{
	struct drm_gem_object *obj = &map->bo->base.base;

	info->size = obj->size;
	info->address = map->node.start;
	info->offset = drm_vma_node_offset_addr(&obj->vma_node);
}

static int describe(struct scoria_bo *bo, struct scoria_as *as, struct scoria_bo_info *info)
{
	struct scoria_mapping *map = scoria_mapping_of(bo, as);

	if (IS_ERR(map))
		return PTR_ERR(map);
	scoria_mapping_describe(map, info);
	scoria_mapping_put(map);
	return 0;
}

int scoria_bo_create_handle(struct drm_device *drm, struct drm_file *file, u64 size,
			    struct scoria_bo_info *info)
{
	struct scoria_file *sfile = file->driver_priv;
	struct scoria_bo *bo;
	int ret;

	if (!size)
		return -EINVAL;
	if (size > SCORIA_AS_COMMANDS_START - SCORIA_AS_BUFFERS_START)
		return -ENOSPC;
	bo = scoria_bo_create(drm, size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	/* maps it; from here on other threads can close the handle */
	ret = drm_gem_handle_create(file, &bo->base.base, &info->handle);
	if (!ret)
		ret = describe(bo, sfile->as, info);
	drm_gem_object_put(&bo->base.base);
	return ret;
}

static void sync_piece(struct device *dev, dma_addr_t addr, size_t size,
		       enum dma_data_direction dir)
{
	if (dir == DMA_TO_DEVICE)
		dma_sync_single_for_device(dev, addr, size, DMA_BIDIRECTIONAL);
	else
		dma_sync_single_for_cpu(dev, addr, size, DMA_BIDIRECTIONAL);
}

void scoria_bo_sync(struct scoria_bo *bo, u64 offset, u64 size, enum dma_data_direction dir)
{
	struct device *dev = bo->base.base.dev->dev;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(bo->base.sgt, sg, i) {
		u64 len = sg_dma_len(sg);
		u64 piece;

		if (!size)
			break;
		if (offset >= len) {
			offset -= len;
			continue;
		}
		piece = min(len - offset, size);
		sync_piece(dev, sg_dma_address(sg) + offset, piece, dir);
		size -= piece;
		offset = 0;
	}
}

int scoria_bo_begin_cpu(struct scoria_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;

	if (obj->import_attach)
		return dma_buf_begin_cpu_access(obj->import_attach->dmabuf, DMA_BIDIRECTIONAL);
	dma_sync_sgtable_for_cpu(obj->dev->dev, bo->base.sgt, DMA_BIDIRECTIONAL);
	return 0;
}

int scoria_bo_end_cpu(struct scoria_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;

	if (obj->import_attach)
		return dma_buf_end_cpu_access(obj->import_attach->dmabuf, DMA_BIDIRECTIONAL);
	dma_sync_sgtable_for_device(obj->dev->dev, bo->base.sgt, DMA_BIDIRECTIONAL);
	return 0;
}

int scoria_bo_read(struct scoria_bo *bo, u64 offset, void *to, size_t size)
{
	if (!bo->base.pages)
		return -EINVAL;
	while (size) {
		size_t piece = min_t(size_t, size, PAGE_SIZE - offset_in_page(offset));

		memcpy_from_page(to, bo->base.pages[offset >> PAGE_SHIFT],
				 offset_in_page(offset), piece);
		to += piece;
		offset += piece;
		size -= piece;
	}
	return 0;
}

bool scoria_bo_equals(struct scoria_bo *bo, u64 offset, const void *data, size_t size)
{
	bool same = bo->base.pages;

	while (size && same) {
		size_t piece = min_t(size_t, size, PAGE_SIZE - offset_in_page(offset));
		void *page = kmap_local_page(bo->base.pages[offset >> PAGE_SHIFT]);

		same = !memcmp(page + offset_in_page(offset), data, piece);
		kunmap_local(page);
		data += piece;
		offset += piece;
		size -= piece;
	}
	return same;
}

/* Fences that have signalled are no longer in the reservation object. */
int scoria_bo_error(struct scoria_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct dma_fence *fence;
	int status = 0;

	dma_resv_lock(obj->resv, NULL);
	fence = dma_fence_get(bo->last_write);
	dma_resv_unlock(obj->resv);
	if (fence)
		status = dma_fence_get_status(fence);
	dma_fence_put(fence);
	return min(status, 0);
}

int scoria_bo_wait(struct scoria_bo *bo, bool to_write, unsigned long timeout)
{
	long ret = dma_resv_wait_timeout(bo->base.base.resv, dma_resv_usage_rw(to_write), true,
					 timeout);

	if (ret < 0)
		return ret;
	if (!ret)
		return timeout ? -ETIMEDOUT : -EBUSY;
	return 0;
}
