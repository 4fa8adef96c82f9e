/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that come from other drivers, and those that go to them. */
#ifndef SCORIA_DMABUF_H
#define SCORIA_DMABUF_H

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "scoria_test.h"

/* A dma-buf of the handle, or -errno. */
static inline int handle_export(int fd, uint32_t handle)
{
	struct drm_prime_handle args = { .handle = handle, .flags = O_RDWR | O_CLOEXEC };
	int ret = drm_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

static inline int handle_import(int fd, int buf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = buf };
	int ret = drm_call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return ret;
}

/* A dma-buf of @size bytes of a memfd, whole pages; or -errno. */
static inline int udmabuf_create(uint64_t size)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	int control = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int ret = control < 0 ? -errno : 0;

	args.memfd = memfd_create("scoria", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (!ret && (ftruncate(args.memfd, size) || fcntl(args.memfd, F_ADD_SEALS, F_SEAL_SHRINK)))
		ret = -errno;
	if (!ret)
		ret = drm_call(control, UDMABUF_CREATE, &args);
	close(args.memfd);
	close(control);
	return ret;
}

/* A dma-buf of the system heap, or -errno. */
static inline int heap_create(uint64_t size)
{
	struct dma_heap_allocation_data args = {
		.len = size, .fd_flags = O_RDWR | O_CLOEXEC,
	};
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	int ret = heap < 0 ? -errno : drm_call(heap, DMA_HEAP_IOCTL_ALLOC, &args);

	close(heap);
	return ret ? ret : (int)args.fd;
}

/* Bracket what the CPU does to the memory of a dma-buf. */
static inline int buf_sync(int buf, uint64_t flags)
{
	struct dma_buf_sync args = { .flags = flags };

	return drm_call(buf, DMA_BUF_IOCTL_SYNC, &args);
}

/* The fences of a dma-buf as a file, or -errno. */
static inline int buf_export_fence(int buf)
{
	struct dma_buf_export_sync_file args = { .flags = DMA_BUF_SYNC_RW };
	int ret = drm_call(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args);

	return ret ? ret : args.fd;
}

#endif
