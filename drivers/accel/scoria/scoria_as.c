// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces. Every open file has its own IOMMU domain, so that processes
 * can neither see nor disturb each other's data.
 */
#include "scoria_as.h"

#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "scoria_device.h"
#include "scoria_exec.h"
#include "scoria_gem.h"
#include "scoria_irq.h"
#include "scoria_ring.h"

static struct iommu_domain *domain_create(struct scoria_device *sdev)
{
	struct scoria_core *core = scoria_device_any_core(sdev);
	struct iommu_domain *domain;
	struct device *dev;

	if (!core)
		return ERR_PTR(-ENODEV);
	dev = scoria_core_get_device(core);
	domain = iommu_paging_domain_alloc(dev);
	put_device(dev);
	return domain;
}

struct scoria_as *scoria_as_create(struct scoria_device *sdev)
{
	struct scoria_as *as = kzalloc(sizeof(*as), GFP_KERNEL_ACCOUNT);
	struct iommu_domain *domain;

	if (!as)
		return ERR_PTR(-ENOMEM);
	domain = domain_create(sdev);
	if (IS_ERR(domain)) {
		kfree(as);
		return ERR_CAST(domain);
	}
	kref_init(&as->ref);
	drm_dev_get(&sdev->drm);
	as->sdev = sdev;
	as->domain = domain;
	mutex_init(&as->lock);
	drm_mm_init(&as->mm, SCORIA_AS_BUFFERS_START, SCORIA_AS_END - SCORIA_AS_BUFFERS_START);
	scoria_ring_init(as);
	iommu_set_fault_handler(domain, scoria_irq_iommu_fault, as);
	return as;
}

struct scoria_as *scoria_as_get(struct scoria_as *as)
{
	kref_get(&as->ref);
	return as;
}

static void as_destroy(struct kref *ref)
{
	struct scoria_as *as = container_of(ref, struct scoria_as, ref);
	struct scoria_device *sdev = as->sdev;

	scoria_ring_fini(as);
	drm_mm_takedown(&as->mm);
	mutex_destroy(&as->lock);
	iommu_domain_free(as->domain);
	kfree(as);
	drm_dev_put(&sdev->drm);
}

void scoria_as_put(struct scoria_as *as)
{
	if (as)
		kref_put(&as->ref, as_destroy);
}

void scoria_as_close(struct scoria_as *as)
{
	WRITE_ONCE(as->closed, true);
	for (unsigned int i = 0; i < SCORIA_MAX_CORES; i++)
		scoria_exec_request_pump(&as->sdev->cores[i]);
	scoria_as_put(as);
}

/*
 * The DRM device has no IOMMU of its own and no offset to memory, so that its
 * DMA addresses are physical ones. Pages of imported buffers must not be asked
 * for, and may not exist. Page tables are allocated without waiting, because a
 * reset waits for the lock (the driver of the IOMMU does so anyway).
 */
static int map_sgt(struct scoria_as *as, u64 start, struct sg_table *sgt, size_t size, int prot)
{
	struct scatterlist *sg;
	size_t done = 0;
	unsigned int i;
	int ret = 0;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		size_t len = min_t(size_t, sg_dma_len(sg), size - done);

		if (!len)
			break;
		if (!IS_ALIGNED(sg_dma_address(sg) | len, PAGE_SIZE))
			ret = -EINVAL;
		else
			ret = iommu_map(as->domain, start + done, sg_dma_address(sg), len,
					prot, GFP_NOWAIT);
		if (ret)
			break;
		done += len;
	}
	if (!ret && done != size)
		ret = -EINVAL;
	if (ret && done)
		iommu_unmap(as->domain, start, done);
	return ret;
}

int scoria_as_reserve(struct scoria_as *as, struct drm_mm_node *node, size_t size,
		      enum scoria_as_range range)
{
	u64 start = SCORIA_AS_BUFFERS_START;
	u64 end = SCORIA_AS_COMMANDS_START;

	if (range == SCORIA_AS_COMMANDS) {
		start = SCORIA_AS_COMMANDS_START;
		end = SCORIA_AS_END;
	}
	guard(mutex)(&as->lock);
	return drm_mm_insert_node_in_range(&as->mm, node, size, PAGE_SIZE, range, start, end,
					   DRM_MM_INSERT_BEST);
}

void scoria_as_release(struct scoria_as *as, struct drm_mm_node *node)
{
	guard(mutex)(&as->lock);
	drm_mm_remove_node(node);
}

int scoria_as_map(struct scoria_as *as, struct drm_mm_node *node, struct sg_table *sgt)
{
	int prot = IOMMU_READ;

	if (node->color == SCORIA_AS_BUFFERS)
		prot |= IOMMU_WRITE;
	guard(mutex)(&as->lock);
	return map_sgt(as, node->start, sgt, node->size, prot);
}

void scoria_as_unmap(struct scoria_as *as, struct drm_mm_node *node)
{
	size_t unmapped;

	guard(mutex)(&as->lock);
	unmapped = iommu_unmap(as->domain, node->start, node->size);
	drm_WARN_ON(&as->sdev->drm, unmapped != node->size);
	drm_mm_remove_node(node);
}

struct scoria_mapping *scoria_as_find(struct scoria_as *as, u32 addr, u64 size)
{
	struct drm_mm_node *node;

	guard(mutex)(&as->lock);
	drm_mm_for_each_node_in_range(node, &as->mm, addr, (u64)addr + 1) {
		if (node->color != SCORIA_AS_BUFFERS || addr < node->start ||
		    addr + size > node->start + node->size)
			return NULL;
		return scoria_mapping_get_unless_zero(scoria_mapping_from_node(node));
	}
	return NULL;
}

bool scoria_as_find_near(struct scoria_as *as, u32 addr, u64 size, struct scoria_mapping **map)
{
	if (scoria_mapping_holds(*map, addr, size))
		return true;
	scoria_mapping_put(*map);
	*map = scoria_as_find(as, addr, size);
	return *map;
}
