// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for commands: what was checked must not change any more, so it lies in
 * pages of the kernel that the NPU can only read and that userspace cannot map.
 * It belongs to the address space and not to the core, because what one process
 * runs is not for another to read.
 *
 * One chunk serves the jobs of most programs and stays; more come with need and
 * go when they are empty. Jobs on different cores end in any order, so that
 * room in a chunk is given out by an allocator and not in a circle.
 */
#include "scoria_ring.h"

#include <linux/iosys-map.h>
#include <linux/slab.h>

#include "scoria_as.h"
#include "scoria_compat.h"
#include "scoria_device.h"
#include "scoria_gem.h"
#include "scoria_segment.h"

#define CHUNK_SIZE	SZ_256K

struct scoria_chunk {
	struct list_head link;
	struct scoria_bo *bo;
	struct iosys_map vmap;
	struct drm_mm_node node;	/* in the address space */
	struct drm_mm mm;		/* offsets in the chunk */
};

void scoria_ring_init(struct scoria_as *as)
{
	mutex_init(&as->ring.lock);
	INIT_LIST_HEAD(&as->ring.chunks);
}

static int chunk_map(struct scoria_as *as, struct scoria_chunk *chunk, size_t size)
{
	struct sg_table *sgt;
	int ret = scoria_as_reserve(as, &chunk->node, size, SCORIA_AS_COMMANDS);

	if (ret)
		return ret;
	sgt = drm_gem_shmem_get_pages_sgt(&chunk->bo->base);
	ret = PTR_ERR_OR_ZERO(sgt);
	if (!ret)
		ret = scoria_compat_gem_vmap(&chunk->bo->base.base, &chunk->vmap);
	if (ret)
		goto err_release;
	ret = scoria_as_map(as, &chunk->node, sgt);
	if (ret)
		goto err_vunmap;
	return 0;

err_vunmap:
	scoria_compat_gem_vunmap(&chunk->bo->base.base, &chunk->vmap);
err_release:
	scoria_as_release(as, &chunk->node);
	return ret;
}

static struct scoria_chunk *chunk_create(struct scoria_as *as, size_t size)
{
	struct scoria_chunk *chunk = kzalloc(sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!chunk)
		return ERR_PTR(ret);
	chunk->bo = scoria_bo_create(&as->sdev->drm, size);
	if (IS_ERR(chunk->bo)) {
		ret = PTR_ERR(chunk->bo);
		goto err_free;
	}
	ret = chunk_map(as, chunk, size);
	if (ret)
		goto err_put;
	drm_mm_init(&chunk->mm, 0, size);
	return chunk;

err_put:
	drm_gem_object_put(&chunk->bo->base.base);
err_free:
	kfree(chunk);
	return ERR_PTR(ret);
}

static void chunk_destroy(struct scoria_as *as, struct scoria_chunk *chunk)
{
	drm_mm_takedown(&chunk->mm);
	scoria_as_unmap(as, &chunk->node);
	scoria_compat_gem_vunmap(&chunk->bo->base.base, &chunk->vmap);
	drm_gem_object_put(&chunk->bo->base.base);
	kfree(chunk);
}

void scoria_ring_fini(struct scoria_as *as)
{
	struct scoria_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &as->ring.chunks, link)
		chunk_destroy(as, chunk);
	mutex_destroy(&as->ring.lock);
}

static int chunk_alloc(struct scoria_chunk *chunk, struct scoria_cmd *cmd, size_t size)
{
	int ret = drm_mm_insert_node_generic(&chunk->mm, &cmd->node, size,
					     SCORIA_SEGMENT_ALIGN, 0, DRM_MM_INSERT_BEST);

	if (ret)
		return ret;
	cmd->chunk = chunk;
	cmd->words = chunk->vmap.vaddr + cmd->node.start;
	cmd->iova = chunk->node.start + cmd->node.start;
	return 0;
}

int scoria_ring_alloc(struct scoria_as *as, struct scoria_cmd *cmd, size_t size)
{
	struct scoria_chunk *chunk;

	if (size > SCORIA_AS_END - SCORIA_AS_COMMANDS_START)
		return -ENOSPC;
	guard(mutex)(&as->ring.lock);
	list_for_each_entry(chunk, &as->ring.chunks, link)
		if (!chunk_alloc(chunk, cmd, size))
			return 0;
	chunk = chunk_create(as, max_t(size_t, CHUNK_SIZE, PAGE_ALIGN(size)));
	if (IS_ERR(chunk))
		return PTR_ERR(chunk);
	list_add_tail(&chunk->link, &as->ring.chunks);
	return chunk_alloc(chunk, cmd, size);
}

/* An empty chunk, unless it is the only one and of the usual size. */
static bool chunk_stays(struct scoria_as *as, const struct scoria_chunk *chunk)
{
	return chunk->node.size == CHUNK_SIZE && list_is_singular(&as->ring.chunks);
}

void scoria_ring_free(struct scoria_as *as, struct scoria_cmd *cmd)
{
	struct scoria_chunk *chunk = cmd->chunk;

	if (!chunk)
		return;
	guard(mutex)(&as->ring.lock);
	drm_mm_remove_node(&cmd->node);
	cmd->chunk = NULL;
	if (drm_mm_clean(&chunk->mm) && !chunk_stays(as, chunk)) {
		list_del(&chunk->link);
		chunk_destroy(as, chunk);
	}
}

void scoria_ring_flush(struct scoria_cmd *cmd, size_t size)
{
	scoria_bo_sync(cmd->chunk->bo, cmd->node.start, size, DMA_TO_DEVICE);
}
