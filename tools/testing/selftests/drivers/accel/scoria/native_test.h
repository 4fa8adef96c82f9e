/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the native ioctls share, beside scoria_test.h. */
#ifndef NATIVE_TEST_H
#define NATIVE_TEST_H

#include <drm/drm.h>
#include <linux/sync_file.h>

#include "scoria_test.h"

#define NO_WORDS	ARRAY_SIZE(job_words)
#define CORE_0		1u

/* A program of @n tasks in an array. The number, or -errno. */
static inline int program_create(int fd, const struct drm_scoria_task *tasks, uint32_t n)
{
	struct drm_scoria_program_create args = {
		.tasks = (uintptr_t)tasks, .task_count = n, .task_stride = sizeof(*tasks),
	};
	int ret = drm_call(fd, DRM_IOCTL_SCORIA_PROGRAM_CREATE, &args);

	return ret ? ret : (int)args.program;
}

static inline int program_destroy(int fd, uint32_t program)
{
	struct drm_scoria_program_destroy args = { .program = program };

	return drm_call(fd, DRM_IOCTL_SCORIA_PROGRAM_DESTROY, &args);
}

/* The matmul as a program of one task, out of its buffer for commands. */
static inline int program_of(int fd, struct matmul *matmul)
{
	const struct drm_scoria_task task = {
		.words = (uintptr_t)matmul_words(matmul), .word_count = NO_WORDS,
	};

	return program_create(fd, &task, 1);
}

/* The matmul @n times in one program; -errno on failure. */
static inline int program_repeat(int fd, struct matmul *matmul, uint32_t n)
{
	struct drm_scoria_task *tasks = calloc(n, sizeof(*tasks));
	int ret;

	for (uint32_t i = 0; i < n; i++)
		tasks[i] = (struct drm_scoria_task) {
			.words = (uintptr_t)matmul_words(matmul), .word_count = NO_WORDS,
		};
	ret = program_create(fd, tasks, n);
	free(tasks);
	return ret;
}

static inline int queue_create(int fd, int32_t priority, uint32_t core_mask)
{
	struct drm_scoria_queue_create args = { .priority = priority, .core_mask = core_mask };
	int ret = drm_call(fd, DRM_IOCTL_SCORIA_QUEUE_CREATE, &args);

	return ret ? ret : (int)args.queue;
}

static inline int queue_destroy(int fd, uint32_t queue)
{
	struct drm_scoria_queue_destroy args = { .queue = queue };

	return drm_call(fd, DRM_IOCTL_SCORIA_QUEUE_DESTROY, &args);
}

/* A submit of one job with everything that its structs point to. */
struct run {
	struct drm_scoria_submit submit;
	struct drm_scoria_job job;
	struct drm_scoria_job_bo bos[JOB_N_REGIONS];
	struct drm_scoria_sync in;
	struct drm_scoria_sync out;
};

static inline void run_prepare(struct run *run, uint32_t queue, uint32_t program,
			       const struct matmul *matmul)
{
	*run = (struct run) {
		.submit = {
			.queue = queue, .jobs = (uintptr_t)&run->job, .job_count = 1,
			.job_stride = sizeof(run->job), .in_syncs = (uintptr_t)&run->in,
			.out_syncs = (uintptr_t)&run->out, .sync_stride = sizeof(run->in),
		},
		.job = {
			.program = program, .bos = (uintptr_t)run->bos,
			.bo_count = JOB_N_REGIONS, .bo_stride = sizeof(run->bos[0]),
		},
	};
	for (int i = 0; i < JOB_N_REGIONS; i++)
		run->bos[i] = (struct drm_scoria_job_bo) {
			.handle = matmul->region[i].handle,
			.flags = i == JOB_OUTPUT ? DRM_SCORIA_BO_WRITE : DRM_SCORIA_BO_READ,
		};
}

static inline int run_submit(int fd, struct run *run)
{
	return drm_call(fd, DRM_IOCTL_SCORIA_SUBMIT, &run->submit);
}

/* One run of @program, whose buffers are the matmul's. */
static inline int native_submit(int fd, uint32_t queue, uint32_t program,
				const struct matmul *matmul)
{
	struct run run;

	run_prepare(&run, queue, program, matmul);
	return run_submit(fd, &run);
}

static inline int bo_wait_until(int fd, uint32_t handle, uint32_t flags, int64_t timeout_ns)
{
	struct drm_scoria_bo_wait args = {
		.handle = handle, .flags = flags, .timeout_ns = timeout_ns,
	};

	return drm_call(fd, DRM_IOCTL_SCORIA_BO_WAIT, &args);
}

static inline int bo_wait(int fd, const struct bo *bo)
{
	return bo_wait_until(fd, bo->handle, 0, now_ns() + JOB_SECONDS * NS_PER_S);
}

static inline int bo_sync(int fd, const struct bo *bo, uint32_t flags)
{
	struct drm_scoria_bo_sync args = { .handle = bo->handle, .flags = flags, .size = bo->size };

	return drm_call(fd, DRM_IOCTL_SCORIA_BO_SYNC, &args);
}

/* The matmul's result is in; the CPU may look at it. */
static inline int native_finish(int fd, const struct matmul *matmul)
{
	int ret = bo_wait(fd, &matmul->region[JOB_OUTPUT]);

	return ret ? ret : bo_sync(fd, &matmul->region[JOB_OUTPUT],
				   DRM_SCORIA_BO_SYNC_FROM_DEVICE);
}

/* 0 when a fresh matmul computes in @queue; -1 when it is wrong; else -errno. */
static inline int native_runs(int fd, uint32_t queue)
{
	struct matmul matmul;
	int program, ret = matmul_create(fd, &matmul);

	if (ret)
		return ret;
	program = program_of(fd, &matmul);
	ret = program < 0 ? program : native_submit(fd, queue, program, &matmul);
	if (!ret)
		ret = native_finish(fd, &matmul);
	if (!ret && !matmul_is_right(&matmul))
		ret = -1;
	if (program > 0)
		program_destroy(fd, program);
	matmul_destroy(fd, &matmul);
	return ret;
}

/* A matmul whose output holds sentinels again. */
static inline int matmul_reset(int fd, struct matmul *matmul)
{
	memset(matmul->region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
	return bo_sync(fd, &matmul->region[JOB_OUTPUT], DRM_SCORIA_BO_SYNC_TO_DEVICE);
}

static inline uint32_t syncobj_create(int fd)
{
	struct drm_syncobj_create args = { 0 };

	return drm_call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args) ? 0 : args.handle;
}

/* Wait for the point of a timeline, or with 0 for a binary syncobj. */
static inline int syncobj_wait_until(int fd, uint32_t handle, uint64_t point, int64_t timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return drm_call(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

static inline int syncobj_wait(int fd, uint32_t handle, uint64_t point)
{
	return syncobj_wait_until(fd, handle, point, now_ns() + JOB_SECONDS * NS_PER_S);
}

/* The last point of a timeline that has signalled. */
static inline uint64_t syncobj_point(int fd, uint32_t handle)
{
	uint64_t point = 0;
	struct drm_syncobj_timeline_array args = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
	};

	return drm_call(fd, DRM_IOCTL_SYNCOBJ_QUERY, &args) ? ~0ull : point;
}

/* An export of the fence in a binary syncobj; -errno without. */
static inline int sync_file_of(int fd, uint32_t handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	int ret = drm_call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

/* 1 when it has signalled, 0 when not yet, or the error that it signalled with. */
static inline int sync_file_status(int file)
{
	struct sync_file_info info = { .name = "" };

	return ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

/*
 * When the one fence of @file signalled, as the kernel noted it and not as somebody
 * who waits found out; INT64_MAX when it has not, -errno on failure.
 */
static inline int64_t sync_file_time(int file)
{
	struct sync_fence_info fence = { .status = 0 };
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};

	if (ioctl(file, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	return fence.status ? (int64_t)fence.timestamp_ns : INT64_MAX;
}

/* The ioctl with @size bytes of @arg. */
static inline int call_sized(int fd, unsigned long request, void *arg, unsigned int size)
{
	return drm_call(fd, _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size),
			arg);
}

/* A bit for each core that there is; 0 when the driver does not say. */
static inline uint32_t core_mask(int fd)
{
	struct drm_scoria_query_device device = { .core_mask = 0 };
	struct drm_scoria_query args = {
		.type = DRM_SCORIA_QUERY_DEVICE, .size = sizeof(device),
		.data = (uintptr_t)&device,
	};

	return drm_call(fd, DRM_IOCTL_SCORIA_QUERY, &args) ? 0 : device.core_mask;
}

#endif
