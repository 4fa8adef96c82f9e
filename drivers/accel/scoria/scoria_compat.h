/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that this driver builds for: 6.12 to 7.3. */
#ifndef SCORIA_COMPAT_H
#define SCORIA_COMPAT_H

#include <linux/dma-fence.h>
#include <linux/version.h>

#include <drm/drm_gem.h>
#include <drm/gpu_scheduler.h>

/* struct drm_driver lost its date in 6.14. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define SCORIA_DRIVER_DATE	.date = "20261130",
#else
#define SCORIA_DRIVER_DATE
#endif

/* The name of a symbol namespace became a string in 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define SCORIA_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#else
#define SCORIA_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#endif

/*
 * drm_sched_job_init() takes the client's id since 6.17, and since some release
 * of the stable series before: its type tells.
 */
typedef int (*scoria_job_init_fn)(struct drm_sched_job *job, struct drm_sched_entity *entity,
				  u32 credits, void *owner);
typedef int (*scoria_job_init_id_fn)(struct drm_sched_job *job, struct drm_sched_entity *entity,
				     u32 credits, void *owner, u64 client_id);

static inline int scoria_compat_sched_job_init(struct drm_sched_job *job,
					       struct drm_sched_entity *entity, u64 client_id)
{
	void *fn = drm_sched_job_init;

	if (__same_type(&drm_sched_job_init, scoria_job_init_id_fn))
		return ((scoria_job_init_id_fn)fn)(job, entity, 1, NULL, client_id);
	return ((scoria_job_init_fn)fn)(job, entity, 1, NULL);
}

/* The unmarked name is the one that takes the reservation lock since 6.16. */
static inline int scoria_compat_gem_vmap(struct drm_gem_object *obj, struct iosys_map *map)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	return drm_gem_vmap_unlocked(obj, map);
#else
	return drm_gem_vmap(obj, map);
#endif
}

static inline void scoria_compat_gem_vunmap(struct drm_gem_object *obj, struct iosys_map *map)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	drm_gem_vunmap_unlocked(obj, map);
#else
	drm_gem_vunmap(obj, map);
#endif
}

/* DRM_GPU_SCHED_STAT_NOMINAL got its present name in 6.17. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define SCORIA_SCHED_STAT_RESET		DRM_GPU_SCHED_STAT_NOMINAL
#else
#define SCORIA_SCHED_STAT_RESET		DRM_GPU_SCHED_STAT_RESET
#endif

/*
 * Fences of the scheduler that somebody kept ask it for its name, long after the
 * device has gone. Since 6.17 nobody asks once they have signalled.
 */
#define SCORIA_FENCES_FORGET_SCHED	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0))

/*
 * Fences need their operations until they are freed, which can be after the module
 * has gone. Newer kernels, 7.3 for sure, take them away when the fence has
 * signalled; older ones can be given those of a fence of their own.
 */
static inline void scoria_compat_fence_detach(struct dma_fence *fence,
					      const struct dma_fence *other)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
	fence->ops = other->ops;
#endif
}

#endif
