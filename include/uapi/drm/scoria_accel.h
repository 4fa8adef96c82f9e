/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
#ifndef __DRM_UAPI_SCORIA_ACCEL_H__
#define __DRM_UAPI_SCORIA_ACCEL_H__

#include <drm/drm.h>

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Rules
 *
 * The DRM driver name is "rocket", because the name is the identity of an
 * interface: what the in-tree rocket driver offers, this driver offers with the
 * same numbers, layouts and meaning. Ioctls of our own start at 0x20. Whoever
 * has to tell the two drivers apart looks for "scoria" in the description that
 * DRM_IOCTL_VERSION gives.
 *
 * Layout
 *   Structs are naturally aligned, of a size that is a multiple of 8 bytes, and
 *   have no holes: what looks like one is a reserved field.
 *
 * Growth
 *   Structs grow at their end. One that is shorter than the kernel's is taken
 *   as if zeros followed; one that is longer is accepted when the bytes that
 *   the kernel does not know are zero, and refused with -E2BIG otherwise. This
 *   holds for ioctl arguments and for structs in arrays, whose stride the
 *   caller gives.
 *
 * Reserved fields and unknown flags
 *   Must be zero; -EINVAL otherwise.
 *
 * Handles and addresses
 *   GEM handles are those of the file. An NPU address belongs to the file too:
 *   every open file has an address space of its own.
 *
 * Threads
 *   Every ioctl may be called from several threads at once. Jobs of one file
 *   that were submitted by one thread start in the order of submission.
 *
 * Errors of every ioctl
 *   -EFAULT  a pointer of the caller cannot be read or written
 *   -EINVAL  a reserved field or an unknown flag is set, or a count or a size
 *            is out of the range given with the field
 *   -E2BIG   a struct is longer than the kernel's and its tail is not zero
 *   -ENODEV  the device is gone
 *   -ENOMEM  no memory
 *   -EINTR   a signal came before anything was done; call again
 */

/**
 * DOC: Versions
 *
 * 1.0  the four ioctls of rocket; structs may grow
 * 1.1  &drm_scoria_rocket_job.flags with DRM_SCORIA_ROCKET_JOB_BATCHED
 */

/* The ioctls of rocket. Its own header may be included beside this one. */
#define DRM_SCORIA_ROCKET_CREATE_BO	0x00
#define DRM_SCORIA_ROCKET_SUBMIT	0x01
#define DRM_SCORIA_ROCKET_PREP_BO	0x02
#define DRM_SCORIA_ROCKET_FINI_BO	0x03

/* The first ioctl of ours. */
#define DRM_SCORIA_NATIVE_BASE		0x20

/**
 * struct drm_scoria_rocket_create_bo - make a buffer and map it for the NPU
 *
 * The buffer is zeroed, cached for the CPU, and mapped at one address of the
 * file until the last job that uses it is done and its handle is closed.
 *
 * Errors: -EINVAL when @size is 0; -ENOSPC when the address space of the file
 * (4 GiB, of which the kernel keeps the last 256 MiB and the first page) has
 * no room.
 */
struct drm_scoria_rocket_create_bo {
	/** @size: Input: bytes, rounded up to whole pages. */
	__u32 size;

	/** @handle: Output: GEM handle. */
	__u32 handle;

	/** @dma_address: Output: NPU address, never 0. */
	__u64 dma_address;

	/** @offset: Output: offset for mmap() on the file. */
	__u64 offset;
};

/**
 * struct drm_scoria_rocket_prep_bo - wait for jobs, and make a buffer the CPU's
 *
 * Waits until no job uses the buffer, then makes what the NPU wrote visible to
 * the CPU.
 *
 * Errors: -ENOENT for an unknown handle; -ETIMEDOUT when jobs still run at
 * @timeout_ns, -EBUSY when that had passed already at the call.
 *
 * A job that wrote the buffer last and failed gives its own error: -EIO when
 * it hung, -EFAULT when it used an address that is not mapped or met an error
 * of the bus, -ENODEV when its core went away, -ESRCH when it never ran because
 * its process was killed.
 */
struct drm_scoria_rocket_prep_bo {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @reserved: Must be zero. */
	__u32 reserved;

	/**
	 * @timeout_ns: Input: end of the wait in nanoseconds of CLOCK_MONOTONIC;
	 * what lies in the past, zero included, does not wait.
	 */
	__s64 timeout_ns;
};

/**
 * struct drm_scoria_rocket_fini_bo - make a buffer the NPU's
 *
 * Makes what the CPU wrote visible to the NPU.
 *
 * Errors: -ENOENT for an unknown handle.
 */
struct drm_scoria_rocket_fini_bo {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @reserved: Must be zero. */
	__u32 reserved;
};

/**
 * struct drm_scoria_rocket_task - register commands of one task
 *
 * The kernel copies the commands when the job is submitted, checks the copy
 * and runs the copy. It writes the links between tasks and the S_POINTER
 * registers itself, so that whatever the stream has there is without effect.
 */
struct drm_scoria_rocket_task {
	/** @regcmd: Input: NPU address of the commands, a multiple of 8. */
	__u32 regcmd;

	/**
	 * @regcmd_count: Input: number of 64-bit commands with the trailer, 1 to
	 * 131072; all in one buffer of this file.
	 */
	__u32 regcmd_count;
};

/** DRM_SCORIA_ROCKET_JOB_BATCHED - run the tasks back to back, as always here */
#define DRM_SCORIA_ROCKET_JOB_BATCHED	(1 << 0)

/**
 * struct drm_scoria_rocket_job - tasks that run one after the other on one core
 */
struct drm_scoria_rocket_job {
	/** @tasks: Input: pointer to an array of &struct drm_scoria_rocket_task. */
	__u64 tasks;

	/** @in_bo_handles: Input: pointer to __u32 handles of buffers read. */
	__u64 in_bo_handles;

	/** @out_bo_handles: Input: pointer to __u32 handles of buffers written. */
	__u64 out_bo_handles;

	/** @task_count: Input: number of tasks, 1 to 65536. */
	__u32 task_count;

	/** @task_struct_size: Input: bytes from one task to the next, 8 or more. */
	__u32 task_struct_size;

	/** @in_bo_handle_count: Input: number of buffers read, up to 65536. */
	__u32 in_bo_handle_count;

	/** @out_bo_handle_count: Input: number of buffers written, up to 65536. */
	__u32 out_bo_handle_count;

	/** @flags: Input: DRM_SCORIA_ROCKET_JOB_*; since 1.1. */
	__u32 flags;

	/** @reserved: Must be zero. */
	__u32 reserved;
};

/** Size of &struct drm_scoria_rocket_job in version 1.0, the least accepted. */
#define DRM_SCORIA_ROCKET_JOB_SIZE_1_0	40

/**
 * struct drm_scoria_rocket_submit - queue jobs
 *
 * Jobs are taken in order. The first that is refused ends the call with its
 * error; the jobs before it have been queued and run, it and those behind it
 * do not. A job waits for earlier jobs that write what it reads or writes, or
 * read what it writes.
 *
 * Errors: -ENOENT for an unknown handle; -EINVAL for commands that lie outside
 * the file's buffers, or that would write a register which a stream must not
 * write, name an address outside the file's buffers, or start no block that
 * ends a task; -ENOSPC when the jobs in flight fill the room for commands.
 */
struct drm_scoria_rocket_submit {
	/** @jobs: Input: pointer to an array of &struct drm_scoria_rocket_job. */
	__u64 jobs;

	/** @job_count: Input: number of jobs; 0 does nothing. */
	__u32 job_count;

	/** @job_struct_size: Input: bytes from one job to the next, 40 or more. */
	__u32 job_struct_size;

	/** @reserved: Must be zero. */
	__u64 reserved;
};

#define DRM_IOCTL_SCORIA_ROCKET_CREATE_BO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_ROCKET_CREATE_BO, \
		 struct drm_scoria_rocket_create_bo)
#define DRM_IOCTL_SCORIA_ROCKET_SUBMIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_ROCKET_SUBMIT, struct drm_scoria_rocket_submit)
#define DRM_IOCTL_SCORIA_ROCKET_PREP_BO \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_ROCKET_PREP_BO, struct drm_scoria_rocket_prep_bo)
#define DRM_IOCTL_SCORIA_ROCKET_FINI_BO \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_ROCKET_FINI_BO, struct drm_scoria_rocket_fini_bo)

#if defined(__cplusplus)
}
#endif

#endif
