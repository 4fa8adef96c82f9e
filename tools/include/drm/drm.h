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

struct drm_prime_handle {
	__u32 handle;
	__u32 flags;
	__s32 fd;
};

#define DRM_IOCTL_VERSION	DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE	DRM_IOW(0x09, struct drm_gem_close)
#define DRM_IOCTL_PRIME_HANDLE_TO_FD	DRM_IOWR(0x2d, struct drm_prime_handle)
#define DRM_IOCTL_PRIME_FD_TO_HANDLE	DRM_IOWR(0x2e, struct drm_prime_handle)

#endif
