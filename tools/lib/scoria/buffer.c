// SPDX-License-Identifier: MIT
/* Memory that CPU and NPU share. */
#include <scoria/buffer.h>

#include <stdlib.h>

#include "check.h"
#include "device.h"
#include "error.h"

int scoria_buffer_create(struct scoria_device *dev, uint64_t bytes, struct scoria_buffer **out)
{
	int err = CHECK_POINTERS("buffer", { "dev", dev }, { "buffer", out });
	struct scoria_buffer *buffer;

	if (err)
		return err;
	if (!bytes)
		return error_set(EINVAL, "buffer: size is 0");
	buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return error_no_memory();
	buffer->dev = dev;
	buffer->size = bytes;
	pthread_mutex_lock(&dev->lock);
	err = dev->ops->alloc(dev, buffer);
	pthread_mutex_unlock(&dev->lock);
	if (err) {
		free(buffer);
		return err;
	}
	*out = buffer;
	return 0;
}

void scoria_buffer_destroy(struct scoria_buffer *buffer)
{
	struct scoria_device *dev;

	if (!buffer)
		return;
	dev = buffer->dev;
	pthread_mutex_lock(&dev->lock);
	dev->ops->free(dev, buffer);
	pthread_mutex_unlock(&dev->lock);
	free(buffer);
}

void *scoria_buffer_map(const struct scoria_buffer *buffer)
{
	return buffer->map;
}

uint32_t scoria_buffer_address(const struct scoria_buffer *buffer)
{
	return buffer->address;
}

uint64_t scoria_buffer_size(const struct scoria_buffer *buffer)
{
	return buffer->size;
}

int scoria_buffer_sync(struct scoria_buffer *buffer, uint64_t offset, uint64_t bytes,
		       enum scoria_sync direction)
{
	int err = CHECK_POINTERS("buffer", POINTER(buffer));
	struct scoria_device *dev;

	if (err)
		return err;
	dev = buffer->dev;
	if (direction != SCORIA_SYNC_TO_DEVICE && direction != SCORIA_SYNC_FROM_DEVICE)
		return error_set(EINVAL, "buffer: there is no direction %d to sync", direction);
	if (offset > buffer->size || bytes > buffer->size - offset)
		return error_set(EINVAL, "buffer: %llu bytes from %llu are not inside its %llu",
				 (unsigned long long)bytes, (unsigned long long)offset,
				 (unsigned long long)buffer->size);
	pthread_mutex_lock(&dev->lock);
	dev->ops->sync(dev, buffer, offset, bytes, direction);
	pthread_mutex_unlock(&dev->lock);
	return 0;
}
