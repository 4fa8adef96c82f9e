/* SPDX-License-Identifier: MIT */
/*
 * Memory that the NPU and the CPU both see. The operations own buffers of
 * their own; these are for callers who write register commands themselves.
 */
#ifndef SCORIA_BUFFER_H
#define SCORIA_BUFFER_H

#include <scoria/device.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scoria_buffer;

enum scoria_sync {
	SCORIA_SYNC_TO_DEVICE = 1,	/* the CPU has written, the NPU will read */
	SCORIA_SYNC_FROM_DEVICE = 2,	/* the NPU has written, the CPU will read */
};

/*
 * @bytes of zeros, aligned to 4096 bytes in both address spaces. NPU address 0
 * is never handed out, so that a base register nobody wrote is noticed.
 *
 * -EINVAL: @bytes is 0; -ENOSPC: the window or the device's memory is full;
 * -ENOMEM.
 */
SCORIA_API int scoria_buffer_create(struct scoria_device *dev, uint64_t bytes,
				    struct scoria_buffer **buffer);

/* No job that uses it may be running. NULL is accepted. */
SCORIA_API void scoria_buffer_destroy(struct scoria_buffer *buffer);

/* Where the CPU sees it; valid until scoria_buffer_destroy(). */
SCORIA_API void *scoria_buffer_map(const struct scoria_buffer *buffer);

/* Where the NPU sees it: what goes into base address registers. */
SCORIA_API uint32_t scoria_buffer_address(const struct scoria_buffer *buffer);

SCORIA_API uint64_t scoria_buffer_size(const struct scoria_buffer *buffer);

/*
 * Make @bytes from @offset visible to the other side. The NPU of the RK3588 is
 * not coherent with the CPU's caches (programming-model I5), and the cost is
 * proportional to @bytes. Does nothing on the model.
 *
 * -EINVAL: the range is not inside the buffer, or no such direction.
 */
SCORIA_API int scoria_buffer_sync(struct scoria_buffer *buffer, uint64_t offset, uint64_t bytes,
				  enum scoria_sync direction);

#ifdef __cplusplus
}
#endif

#endif
