/* SPDX-License-Identifier: MIT */
/* What the library needs of DRM's syncobjs, see drm.h. */
#ifndef SCORIA_TOOLS_DRM_SYNCOBJ_H
#define SCORIA_TOOLS_DRM_SYNCOBJ_H

#include <drm/drm.h>

struct drm_syncobj_create {
	__u32 handle;
	__u32 flags;
};

struct drm_syncobj_destroy {
	__u32 handle;
	__u32 pad;
};

#define DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE	(1 << 0)

struct drm_syncobj_handle {
	__u32 handle;
	__u32 flags;
	__s32 fd;
	__u32 pad;
};

#define DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL	(1 << 0)

struct drm_syncobj_wait {
	__u64 handles;
	__s64 timeout_nsec;	/* a point of CLOCK_MONOTONIC */
	__u32 count_handles;
	__u32 flags;
	__u32 first_signaled;
	__u32 pad;
};

#define DRM_IOCTL_SYNCOBJ_CREATE	DRM_IOWR(0xbf, struct drm_syncobj_create)
#define DRM_IOCTL_SYNCOBJ_DESTROY	DRM_IOWR(0xc0, struct drm_syncobj_destroy)
#define DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD	DRM_IOWR(0xc1, struct drm_syncobj_handle)
#define DRM_IOCTL_SYNCOBJ_WAIT		DRM_IOWR(0xc3, struct drm_syncobj_wait)

#endif
