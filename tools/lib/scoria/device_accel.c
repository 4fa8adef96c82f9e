// SPDX-License-Identifier: MIT
/*
 * The device "accel": an NPU behind the rocket UAPI, which scoria's own driver
 * and the in-tree rocket speak. Only its four ioctls are used here; where the driver
 * has scoria's native interface, device_native.c takes over.
 *
 * A job names every buffer of the device as one that it writes: the library's
 * commands hold addresses, and only written buffers get fences from the in-tree
 * driver (faults U9). So any buffer tells when the last job is done.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "accel_node.h"
#include "error.h"

#define JOB_SECONDS	60	/* the driver gives up on a hung job long before */

/**
 * struct accel - an open node
 * @handles: @addresses: the buffers that exist, @n of them in room for @room
 */
struct accel {
	int fd;
	uint32_t *handles;
	uint32_t *addresses;
	size_t n;
	size_t room;
	uint64_t jobs;
	uint64_t tasks;
};

bool device_accel_present(void)
{
	const int fd = accel_node_open(NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The in-tree driver arms the completion of the DPU whatever a job uses (faults H6). */
static bool awaits_dpu_only(int fd)
{
	struct device_facts facts = { .major = 0 };

	accel_facts(fd, &facts);
	return !facts.rewrites;
}

static int attach(struct scoria_device *dev, int fd)
{
	struct accel *accel = calloc(1, sizeof(*accel));

	if (!accel)
		return error_no_memory();
	accel->fd = fd;
	dev->priv = accel;
	dev->awaits_dpu_only = awaits_dpu_only(fd);
	return 0;
}

static bool wants_rocket(const struct scoria_device_opts *opts)
{
	return opts->interface == SCORIA_INTERFACE_ROCKET;
}

static int accel_open(struct scoria_device *dev, const struct scoria_device_opts *opts)
{
	const char *path = strchr(dev->asked, '/') ? dev->asked : NULL;
	const int fd = accel_node_open(path);
	struct drm_scoria_query_device device;
	int err;

	if (fd < 0)
		return error_set(-fd, "accel: %s: %s", path ? path : "/dev/accel/accel*",
				 fd == -ENODEV ? "no NPU driver that is known" : strerror(-fd));
	if (!wants_rocket(opts) && accel_query(fd, &device))
		err = device_native_attach(dev, fd, device.core_mask, opts->cores);
	else
		err = attach(dev, fd);
	if (err)
		close(fd);
	return err;
}

static void accel_close(struct scoria_device *dev)
{
	struct accel *accel = dev->priv;

	close(accel->fd);
	free(accel->handles);
	free(accel->addresses);
	free(accel);
}

/* Room for one buffer more. */
static int make_room(struct accel *accel)
{
	const size_t room = accel->room ? 2 * accel->room : 16;
	uint32_t *handles, *addresses;

	if (accel->n < accel->room)
		return 0;
	handles = realloc(accel->handles, room * sizeof(*handles));
	if (!handles)
		return error_no_memory();
	accel->handles = handles;
	addresses = realloc(accel->addresses, room * sizeof(*addresses));
	if (!addresses)
		return error_no_memory();
	accel->addresses = addresses;
	accel->room = room;
	return 0;
}

static size_t find(const struct accel *accel, uint32_t address)
{
	size_t i = 0;

	while (accel->addresses[i] != address)
		i++;
	return i;
}

/*
 * The in-tree driver starts each file's addresses at 0, which the library never
 * hands out: a page of its own keeps the place.
 */
static int create_bo(int fd, struct drm_scoria_rocket_create_bo *args)
{
	const uint32_t size = args->size;
	struct drm_scoria_rocket_create_bo keeper;
	int err = accel_call(fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, args);

	if (err || args->dma_address)
		return err;
	accel_close_handle(fd, args->handle);
	keeper = (struct drm_scoria_rocket_create_bo) { .size = 4096 };
	err = accel_call(fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, &keeper);
	if (err)
		return err;
	*args = (struct drm_scoria_rocket_create_bo) { .size = size };
	return accel_call(fd, DRM_IOCTL_SCORIA_ROCKET_CREATE_BO, args);
}

static int accel_alloc(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct accel *accel = dev->priv;
	struct drm_scoria_rocket_create_bo args = { .size = (uint32_t)buffer->size };
	int err = make_room(accel);

	if (err)
		return err;
	if (buffer->size > UINT32_MAX)
		return error_set(ENOSPC, "accel: a buffer has less than 4 GiB");
	err = create_bo(accel->fd, &args);
	if (err)
		return error_set(-err, "accel: no buffer of %llu bytes: %s",
				 (unsigned long long)buffer->size, strerror(-err));
	err = accel_map(accel->fd, buffer, args.offset);
	if (err) {
		accel_close_handle(accel->fd, args.handle);
		return err;
	}
	buffer->address = (uint32_t)args.dma_address;
	accel->handles[accel->n] = args.handle;
	accel->addresses[accel->n++] = buffer->address;
	return 0;
}

static void accel_free(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct accel *accel = dev->priv;
	const size_t i = find(accel, buffer->address);

	munmap(buffer->map, buffer->size);
	accel_close_handle(accel->fd, accel->handles[i]);
	accel->n--;
	accel->handles[i] = accel->handles[accel->n];
	accel->addresses[i] = accel->addresses[accel->n];
}

/* Wait for the jobs that write the buffer, and make it the CPU's. */
static int prep(const struct accel *accel, uint32_t handle)
{
	struct drm_scoria_rocket_prep_bo args = { .handle = handle };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	args.timeout_ns = (now.tv_sec + JOB_SECONDS) * 1000000000ll + now.tv_nsec;
	return accel_call(accel->fd, DRM_IOCTL_SCORIA_ROCKET_PREP_BO, &args);
}

/* rocket's ioctls know whole buffers only (faults M2). */
static void accel_sync(struct scoria_device *dev, struct scoria_buffer *buffer, uint64_t offset,
		       uint64_t bytes, enum scoria_sync direction)
{
	const struct accel *accel = dev->priv;
	struct drm_scoria_rocket_fini_bo fini = {
		.handle = accel->handles[find(accel, buffer->address)],
	};

	(void)offset;
	if (!bytes)
		return;
	if (direction == SCORIA_SYNC_FROM_DEVICE)
		prep(accel, fini.handle);
	else
		accel_call(accel->fd, DRM_IOCTL_SCORIA_ROCKET_FINI_BO, &fini);
}

/* The driver links the tasks itself, so it wants each segment by its address. */
static void fill_tasks(struct drm_scoria_rocket_task *tasks, const struct npu_job *job)
{
	uint32_t address = job->address, words = job->words;

	for (uint32_t i = 0; i < job->tasks; i++) {
		tasks[i] = (struct drm_scoria_rocket_task) {
			.regcmd = address, .regcmd_count = words,
		};
		address += job->pitch + (i ? 0 : job->head_pitch);
		words = job->words - job->head;
	}
}

static int submit_job(struct accel *accel, const struct npu_job *npu_job)
{
	struct drm_scoria_rocket_task *tasks = calloc(npu_job->tasks, sizeof(*tasks));
	struct drm_scoria_rocket_job job = {
		.tasks = (uintptr_t)tasks,
		.task_count = npu_job->tasks,
		.task_struct_size = sizeof(*tasks),
		.out_bo_handles = (uintptr_t)accel->handles,
		.out_bo_handle_count = (uint32_t)accel->n,
	};
	struct drm_scoria_rocket_submit submit = {
		.jobs = (uintptr_t)&job,
		.job_count = 1,
		/* the size that every version of the in-tree driver takes */
		.job_struct_size = DRM_SCORIA_ROCKET_JOB_SIZE_1_0,
	};
	int err;

	if (!tasks)
		return error_no_memory();
	fill_tasks(tasks, npu_job);
	err = accel_call(accel->fd, DRM_IOCTL_SCORIA_ROCKET_SUBMIT, &submit);
	free(tasks);
	if (err)
		return error_set(-err, "accel: the driver refuses the job: %s", strerror(-err));
	accel->jobs++;
	accel->tasks += npu_job->tasks;
	return 0;
}

static int accel_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	struct accel *accel = dev->priv;
	int err;

	for (size_t i = 0; i < n; i++) {
		err = submit_job(accel, &jobs[i]);
		if (err)
			return err;
	}
	err = prep(accel, accel->handles[0]);
	if (err)
		return error_set(-err, "accel: the job failed: %s", strerror(-err));
	return 0;
}

static void accel_stats(struct scoria_device *dev, struct scoria_device_stats *stats)
{
	const struct accel *accel = dev->priv;

	stats->jobs = accel->jobs;
	stats->tasks = accel->tasks;
}

static void rocket_facts(struct scoria_device *dev, struct device_facts *facts)
{
	const struct accel *accel = dev->priv;

	accel_facts(accel->fd, facts);
}

const struct device_ops device_accel_ops = {
	.name = "accel",
	.open = accel_open,
	.close = accel_close,
	.alloc = accel_alloc,
	.free = accel_free,
	.sync = accel_sync,
	.submit = accel_submit,
	.stats = accel_stats,
	.facts = rocket_facts,
};
