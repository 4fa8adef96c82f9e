// SPDX-License-Identifier: MIT
#include "accel_node.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"

#define MAX_NODES 64

int accel_call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : 0;
}

static bool speaks_rocket(int fd)
{
	char name[8] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !accel_call(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "rocket");
}

static int open_path(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (speaks_rocket(fd))
		return fd;
	close(fd);
	return -ENODEV;
}

int accel_node_open(const char *path)
{
	int error = -ENODEV;

	for (int i = 0; i < MAX_NODES && !path; i++) {
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "/dev/accel/accel%d", i);
		fd = open_path(name);
		if (fd >= 0)
			return fd;
		/* one that may not be opened tells more than that there is none */
		if (fd != -ENOENT && fd != -ENODEV)
			error = fd;
	}
	return path ? open_path(path) : error;
}

void accel_close_handle(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	accel_call(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

bool accel_query(int fd, struct drm_scoria_query_device *device)
{
	struct drm_scoria_query query = {
		.type = DRM_SCORIA_QUERY_DEVICE,
		.size = sizeof(*device),
		.data = (uintptr_t)device,
	};

	*device = (struct drm_scoria_query_device) { 0 };
	return !accel_call(fd, DRM_IOCTL_SCORIA_QUERY, &query);
}

int accel_map(int fd, struct scoria_buffer *buffer, uint64_t offset)
{
	buffer->map = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)offset);
	if (buffer->map == MAP_FAILED)
		return error_set(errno, "accel: mapping a buffer: %s", strerror(errno));
	return 0;
}
