// SPDX-License-Identifier: GPL-2.0-only
#include <linux/overflow.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/drm_utils.h>
#include <drm/scoria_accel.h>

#include "scoria_gem.h"
#include "scoria_native.h"

int scoria_native_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_bo_create *args = data;
	struct scoria_bo_info info;
	int ret;

	if (args->flags) {
		drm_dbg(drm, "flags %#x\n", args->flags);
		return -EINVAL;
	}
	ret = scoria_bo_create_handle(drm, file, args->size, &info);
	if (ret)
		return ret;
	args->size = info.size;
	args->handle = info.handle;
	args->address = info.address;
	args->offset = info.offset;
	return 0;
}

int scoria_native_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_scoria_bo_info *args = data;
	struct scoria_mapping *map;
	struct scoria_bo_info info;

	if (args->reserved)
		return -EINVAL;
	map = scoria_mapping_lookup(file, args->handle);
	if (IS_ERR(map))
		return PTR_ERR(map);
	scoria_mapping_describe(map, &info);
	scoria_mapping_put(map);
	args->size = info.size;
	args->address = info.address;
	args->offset = info.offset;
	return 0;
}

static int sync_range(struct scoria_bo *bo, const struct drm_scoria_bo_sync *args)
{
	bool to_device = args->flags & DRM_SCORIA_BO_SYNC_TO_DEVICE;
	u64 end;

	if (!args->size || check_add_overflow(args->offset, args->size, &end) ||
	    end > bo->base.base.size) {
		drm_dbg(bo->base.base.dev, "%llu bytes at %llu of a buffer of %zu\n",
			args->size, args->offset, bo->base.base.size);
		return -EINVAL;
	}
	if (bo->base.base.import_attach)
		return to_device ? scoria_bo_end_cpu(bo) : scoria_bo_begin_cpu(bo);
	scoria_bo_sync(bo, args->offset, args->size,
		       to_device ? DMA_TO_DEVICE : DMA_FROM_DEVICE);
	return 0;
}

int scoria_native_bo_sync(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_scoria_bo_sync *args = data;
	struct scoria_mapping *map;
	int ret;

	if (args->flags != DRM_SCORIA_BO_SYNC_TO_DEVICE &&
	    args->flags != DRM_SCORIA_BO_SYNC_FROM_DEVICE) {
		drm_dbg(drm, "flags %#x\n", args->flags);
		return -EINVAL;
	}
	map = scoria_mapping_lookup(file, args->handle);
	if (IS_ERR(map))
		return PTR_ERR(map);
	ret = sync_range(map->bo, args);
	scoria_mapping_put(map);
	return ret;
}

int scoria_native_bo_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_scoria_bo_wait *args = data;
	struct scoria_mapping *map;
	int ret;

	if (args->flags & ~DRM_SCORIA_BO_WAIT_WRITE) {
		drm_dbg(drm, "flags %#x\n", args->flags);
		return -EINVAL;
	}
	map = scoria_mapping_lookup(file, args->handle);
	if (IS_ERR(map))
		return PTR_ERR(map);
	ret = scoria_bo_wait(map->bo, args->flags & DRM_SCORIA_BO_WAIT_WRITE,
			     drm_timeout_abs_to_jiffies(args->timeout_ns));
	if (!ret)
		ret = scoria_bo_error(map->bo);
	scoria_mapping_put(map);
	return ret;
}
