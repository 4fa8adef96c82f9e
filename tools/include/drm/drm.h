/* SPDX-License-Identifier: MIT */
/*
 * The few facts of the DRM interface that the library and the selftests need. Debian ships the
 * whole header in libdrm-dev only, which nothing else here would use.
 */
#ifndef SCORIA_TOOLS_DRM_H
#define SCORIA_TOOLS_DRM_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <stddef.h>

#define DRM_IOCTL_BASE		'd'
#define DRM_COMMAND_BASE	0x40
#define DRM_IO(nr)		_IO(DRM_IOCTL_BASE, nr)
#define DRM_IOR(nr, type)	_IOR(DRM_IOCTL_BASE, nr, type)
#define DRM_IOW(nr, type)	_IOW(DRM_IOCTL_BASE, nr, type)
#define DRM_IOWR(nr, type)	_IOWR(DRM_IOCTL_BASE, nr, type)

struct drm_version {
	int version_major;
	int version_minor;
	int version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct drm_gem_close {
	__u32 handle;
	__u32 pad;
};

struct drm_gem_flink {
	__u32 handle;
	__u32 name;
};

#define DRM_CAP_DUMB_BUFFER		0x1
#define DRM_CAP_PRIME			0x5
#define DRM_CAP_TIMESTAMP_MONOTONIC	0x6
#define DRM_CAP_SYNCOBJ			0x13
#define DRM_CAP_SYNCOBJ_TIMELINE	0x14

struct drm_get_cap {
	__u64 capability;
	__u64 value;
};

struct drm_prime_handle {
	__u32 handle;
	__u32 flags;
	__s32 fd;
};

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

#define DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL		(1 << 0)
#define DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT	(1 << 1)

/* @timeout_nsec is a time of CLOCK_MONOTONIC. */
struct drm_syncobj_wait {
	__u64 handles;
	__s64 timeout_nsec;
	__u32 count_handles;
	__u32 flags;
	__u32 first_signaled;
	__u32 pad;
};

struct drm_syncobj_timeline_wait {
	__u64 handles;
	__u64 points;
	__s64 timeout_nsec;
	__u32 count_handles;
	__u32 flags;
	__u32 first_signaled;
	__u32 pad;
};

struct drm_syncobj_timeline_array {
	__u64 handles;
	__u64 points;
	__u32 count_handles;
	__u32 flags;
};

#define DRM_IOCTL_VERSION	DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE	DRM_IOW(0x09, struct drm_gem_close)
#define DRM_IOCTL_GEM_FLINK	DRM_IOWR(0x0a, struct drm_gem_flink)
#define DRM_IOCTL_GET_CAP	DRM_IOWR(0x0c, struct drm_get_cap)
#define DRM_IOCTL_PRIME_HANDLE_TO_FD	DRM_IOWR(0x2d, struct drm_prime_handle)
#define DRM_IOCTL_PRIME_FD_TO_HANDLE	DRM_IOWR(0x2e, struct drm_prime_handle)
#define DRM_IOCTL_SYNCOBJ_CREATE	DRM_IOWR(0xbf, struct drm_syncobj_create)
#define DRM_IOCTL_SYNCOBJ_DESTROY	DRM_IOWR(0xc0, struct drm_syncobj_destroy)
#define DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD	DRM_IOWR(0xc1, struct drm_syncobj_handle)
#define DRM_IOCTL_SYNCOBJ_WAIT		DRM_IOWR(0xc3, struct drm_syncobj_wait)
#define DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT	DRM_IOWR(0xca, struct drm_syncobj_timeline_wait)
#define DRM_IOCTL_SYNCOBJ_QUERY		DRM_IOWR(0xcb, struct drm_syncobj_timeline_array)
#define DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL	DRM_IOWR(0xcd, struct drm_syncobj_timeline_array)

#endif
