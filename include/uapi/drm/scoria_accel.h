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
 *   holds for ioctl arguments, whose size is part of the ioctl's number, for
 *   structs in arrays, whose stride the caller gives, and the other way round for
 *   answers of DRM_IOCTL_SCORIA_QUERY.
 *
 * Reserved fields and unknown flags
 *   Must be zero; -EINVAL otherwise.
 *
 * Handles and addresses
 *   GEM handles are those of the file. An NPU address belongs to the file too:
 *   every open file has an address space of its own.
 *
 * Handles of programs and queues
 *   Numbers of the file, from 1 on, given out in a circle: one comes again only
 *   after 2^32 others. 0 is no program; as a queue it is the one that every file
 *   has from the start, in which the jobs of rocket's ioctls run.
 *
 * Lifetime
 *   A job in flight keeps all that it needs: its program may be destroyed and
 *   the handles of its buffers closed, and it runs to its end. A program keeps
 *   the buffers that its commands address. Closing the file waits until its jobs
 *   have been given to a core; a process that exits waits no longer than a second
 *   for them, and one that was killed not at all: the rest is dropped.
 *
 * Threads
 *   Every ioctl may be called from several threads at once. Jobs of one queue
 *   start and end in the order of submission; jobs of different queues in any,
 *   unless buffers or syncobjs order them.
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
 *
 * These are versions of rocket's interface. Who finds "scoria" in the description
 * has the native ioctls too, and asks DRM_IOCTL_SCORIA_QUERY what they can do.
 */

/* The ioctls of rocket. Its own header may be included beside this one. */
#define DRM_SCORIA_ROCKET_CREATE_BO	0x00
#define DRM_SCORIA_ROCKET_SUBMIT	0x01
#define DRM_SCORIA_ROCKET_PREP_BO	0x02
#define DRM_SCORIA_ROCKET_FINI_BO	0x03

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
 * and runs the copy; a job whose commands are those of an earlier one runs the
 * copy of then. It writes the links between tasks and the S_POINTER registers
 * itself, so that whatever the stream has there is without effect.
 */
struct drm_scoria_rocket_task {
	/** @regcmd: Input: NPU address of the commands, a multiple of 8. */
	__u32 regcmd;

	/**
	 * @regcmd_count: Input: number of 64-bit commands with the trailer, 1 to
	 * 131060; all in one buffer of this file.
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

/* Ioctls of ours. */
#define DRM_SCORIA_QUERY		0x20
#define DRM_SCORIA_BO_CREATE		0x21
#define DRM_SCORIA_BO_SYNC		0x22
#define DRM_SCORIA_BO_WAIT		0x23
#define DRM_SCORIA_PROGRAM_CREATE	0x24
#define DRM_SCORIA_PROGRAM_DESTROY	0x25
#define DRM_SCORIA_QUEUE_CREATE		0x26
#define DRM_SCORIA_QUEUE_DESTROY	0x27
#define DRM_SCORIA_SUBMIT		0x28
#define DRM_SCORIA_BO_INFO		0x29

/**
 * enum drm_scoria_query_type - what DRM_IOCTL_SCORIA_QUERY can answer
 */
enum drm_scoria_query_type {
	/** @DRM_SCORIA_QUERY_DEVICE: &struct drm_scoria_query_device */
	DRM_SCORIA_QUERY_DEVICE,

	/** @DRM_SCORIA_QUERY_LIMITS: &struct drm_scoria_query_limits */
	DRM_SCORIA_QUERY_LIMITS,
};

/**
 * struct drm_scoria_query - ask for facts about the device
 *
 * Never waits for jobs or for the hardware.
 *
 * Errors: -EINVAL for a type that the kernel does not know.
 */
struct drm_scoria_query {
	/** @type: Input: &enum drm_scoria_query_type. */
	__u32 type;

	/**
	 * @size: Input: bytes at @data, up to 4096; 0 asks for nothing but the
	 * size. Output: bytes of the answer that the kernel knows. A caller that
	 * has less gets the beginning, one that has more gets zeros behind it.
	 */
	__u32 size;

	/** @data: Input: pointer to the answer's struct. */
	__u64 data;
};

/**
 * struct drm_scoria_query_device - what the device is
 */
struct drm_scoria_query_device {
	/** @hw_version: VERSION + VERSION_NUM[15:0] of the PC: 0x46495245 on an RK3588. */
	__u32 hw_version;

	/** @core_mask: bit i is set when core i is there; it can go at any time. */
	__u32 core_mask;

	/** @clock_hz: clock that all cores run at, or did when one was powered last. */
	__u64 clock_hz;

	/** @address_start: lowest NPU address that a buffer can have, never 0. */
	__u64 address_start;

	/** @address_end: end of the NPU addresses that buffers can have. */
	__u64 address_end;

	/** @features: what the native ioctls can do beyond their first version: nothing yet. */
	__u64 features;
};

/**
 * struct drm_scoria_query_limits - how much of what the kernel takes
 */
struct drm_scoria_query_limits {
	/** @program_tasks: tasks of a program. */
	__u32 program_tasks;

	/** @task_words: command words of a task. */
	__u32 task_words;

	/** @kick_tasks: tasks that run without the CPU in between. */
	__u32 kick_tasks;

	/** @programs: programs that a file can have at a time. */
	__u32 programs;

	/** @queues: queues that a file can have at a time, beside queue 0. */
	__u32 queues;

	/** @submit_jobs: jobs of a submit. */
	__u32 submit_jobs;

	/** @submit_syncs: entries of each of a submit's two arrays of syncobjs. */
	__u32 submit_syncs;

	/** @job_bos: entries of a job's array of buffers. */
	__u32 job_bos;

	/** @default_timeout_ms: time that a kick of one task has when the job says nothing. */
	__u32 default_timeout_ms;

	/** @task_timeout_ms: and that each further task of the kick adds. */
	__u32 task_timeout_ms;

	/** @max_timeout_ms: most that a job can ask for. */
	__u32 max_timeout_ms;

	/** @ban_threshold: jobs in a row that must fail for their queue to be banned. */
	__u32 ban_threshold;

	/** @min_priority: lowest priority of a queue. */
	__s32 min_priority;

	/** @max_priority: highest that this process may give a queue. */
	__s32 max_priority;
};

/**
 * struct drm_scoria_bo_create - make a buffer and map it for the NPU
 *
 * The buffer is zeroed, cached for the CPU, and mapped at one address of the
 * file until its handle is closed and the last job and the last program that
 * use it are gone. DRM_IOCTL_GEM_CLOSE closes the handle. Memory that the CPU
 * wrote reaches the NPU, and the other way round, through DRM_IOCTL_SCORIA_BO_SYNC.
 *
 * Errors: -EINVAL when @size is 0; -ENOSPC when no hole in the NPU's addresses
 * of the file is as long.
 */
struct drm_scoria_bo_create {
	/** @size: Input: bytes. Output: the same, rounded up to whole pages. */
	__u64 size;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @handle: Output: GEM handle. */
	__u32 handle;

	/** @address: Output: NPU address, never 0, in the first 4 GiB. */
	__u64 address;

	/** @offset: Output: offset for mmap() on the file. */
	__u64 offset;
};

/**
 * struct drm_scoria_bo_info - ask where a buffer is
 *
 * For buffers that DRM_IOCTL_PRIME_FD_TO_HANDLE made a handle of, which tells no address.
 * They are mapped as those of DRM_IOCTL_SCORIA_BO_CREATE, in each file that imports one
 * at an address of its own, and commands may address them. Rocket's SUBMIT takes no
 * commands out of them.
 *
 * Errors: -ENOENT for an unknown handle.
 */
struct drm_scoria_bo_info {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @reserved: Must be zero. */
	__u32 reserved;

	/** @size: Output: bytes, whole pages. */
	__u64 size;

	/** @address: Output: NPU address, never 0, in the first 4 GiB. */
	__u64 address;

	/** @offset: Output: offset for mmap() on the file. */
	__u64 offset;
};

/** DRM_SCORIA_BO_SYNC_TO_DEVICE - what the CPU wrote becomes visible to the NPU */
#define DRM_SCORIA_BO_SYNC_TO_DEVICE	(1 << 0)
/** DRM_SCORIA_BO_SYNC_FROM_DEVICE - what the NPU wrote becomes visible to the CPU */
#define DRM_SCORIA_BO_SYNC_FROM_DEVICE	(1 << 1)

/**
 * struct drm_scoria_bo_sync - cache maintenance on a part of a buffer
 *
 * Costs time in proportion to @size and does not wait for jobs. Caches have
 * lines of 64 bytes: of a line that lies in the range in part, the CPU's writes
 * beside the range are kept, but the NPU's may be lost when the CPU has written
 * to the line too. An imported buffer is synchronized as a whole, by its exporter.
 *
 * Errors: -ENOENT for an unknown handle; -EINVAL when @size is 0 or the range is
 * not within the buffer, or when @flags has not exactly one of the two.
 */
struct drm_scoria_bo_sync {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @flags: Input: one of DRM_SCORIA_BO_SYNC_*. */
	__u32 flags;

	/** @offset: Input: first byte. */
	__u64 offset;

	/** @size: Input: number of bytes. */
	__u64 size;
};

/** DRM_SCORIA_BO_WAIT_WRITE - wait until the buffer may be written, for jobs that read it too */
#define DRM_SCORIA_BO_WAIT_WRITE	(1 << 0)

/**
 * struct drm_scoria_bo_wait - wait for jobs that use a buffer
 *
 * Without flags, waits for jobs that write it. Moves no data between caches:
 * see DRM_IOCTL_SCORIA_BO_SYNC.
 *
 * Errors: -ENOENT for an unknown handle; -ETIMEDOUT when jobs still run at
 * @timeout_ns, -EBUSY when that had passed already at the call.
 *
 * A job that wrote the buffer last and failed gives its own error, to every
 * waiter and every time, until another job has written the buffer:
 *
 *   -EIO        it ran into its timeout
 *   -EFAULT     it used an address that is not mapped, or met an error of the bus
 *   -ECANCELED  it did not run, because a job before it in its submit failed or
 *               its queue was banned
 *   -ENODEV     its core went away
 *   -ESRCH      it did not run, because its queue was destroyed or its process
 *               killed
 */
struct drm_scoria_bo_wait {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @flags: Input: DRM_SCORIA_BO_WAIT_*. */
	__u32 flags;

	/**
	 * @timeout_ns: Input: end of the wait in nanoseconds of CLOCK_MONOTONIC;
	 * what lies in the past, zero included, does not wait.
	 */
	__s64 timeout_ns;
};

/**
 * enum drm_scoria_reason - why commands are refused
 *
 * `scoria decode --reason NUMBER` prints one in words.
 */
enum drm_scoria_reason {
	/** @DRM_SCORIA_REASON_NONE: they are not. */
	DRM_SCORIA_REASON_NONE,

	/** @DRM_SCORIA_REASON_TARGET: no block has this target. */
	DRM_SCORIA_REASON_TARGET,

	/** @DRM_SCORIA_REASON_OUTSIDE_BLOCK: the register is not in the target's block. */
	DRM_SCORIA_REASON_OUTSIDE_BLOCK,

	/** @DRM_SCORIA_REASON_NO_REGISTER: there is no such register. */
	DRM_SCORIA_REASON_NO_REGISTER,

	/** @DRM_SCORIA_REASON_READ_ONLY: the register is read-only. */
	DRM_SCORIA_REASON_READ_ONLY,

	/** @DRM_SCORIA_REASON_HOST_ONLY: only the kernel may write the register. */
	DRM_SCORIA_REASON_HOST_ONLY,

	/** @DRM_SCORIA_REASON_ENABLE_OFFSET: an enable word with an unknown offset. */
	DRM_SCORIA_REASON_ENABLE_OFFSET,

	/** @DRM_SCORIA_REASON_ENABLE_MASK: an enable word for no block, or an unknown one. */
	DRM_SCORIA_REASON_ENABLE_MASK,

	/** @DRM_SCORIA_REASON_AFTER_TRAILER: a register is written behind the link. */
	DRM_SCORIA_REASON_AFTER_TRAILER,

	/** @DRM_SCORIA_REASON_NO_ENABLE: the task ends without an enable word. */
	DRM_SCORIA_REASON_NO_ENABLE,

	/** @DRM_SCORIA_REASON_NO_END: the task starts no block that ends a task. */
	DRM_SCORIA_REASON_NO_END,

	/** @DRM_SCORIA_REASON_ADDRESS: the address is in no buffer of the file. */
	DRM_SCORIA_REASON_ADDRESS,

	/** @DRM_SCORIA_REASON_EXTENT: the task writes beyond the end of the buffer. */
	DRM_SCORIA_REASON_EXTENT,
};

/**
 * struct drm_scoria_task - register commands of one task
 *
 * Commands are numbers, target << 48 | value << 16 | offset. Links between tasks
 * and the S_POINTER registers are the kernel's: what the task has there is
 * without effect.
 */
struct drm_scoria_task {
	/** @words: Input: pointer to an array of __u64 commands, anywhere in memory. */
	__u64 words;

	/** @word_count: Input: number of commands with the trailer, 1 to 131060. */
	__u32 word_count;

	/** @flags: Must be zero. */
	__u32 flags;
};

/**
 * struct drm_scoria_program_create - check commands once, to run them many times
 *
 * The kernel copies the commands, checks every word of the copy, finds the
 * buffers that it addresses, which stay mapped at these addresses while the
 * program lives, and chains the tasks. Nothing changes a program afterwards. It
 * may run on any core and from several queues at the same time.
 *
 * Errors: -EINVAL with @reason set when a task is refused: @refused_task,
 * @refused_word and @refused_value say where. -EINVAL without it for
 * arguments out of range, with @refused_task naming the task that they are of.
 * -ENOSPC when the file has too many programs, or when all of them together
 * and the jobs in flight fill the room for commands (256 MiB).
 */
struct drm_scoria_program_create {
	/** @tasks: Input: pointer to an array of &struct drm_scoria_task. */
	__u64 tasks;

	/** @task_count: Input: number of tasks, 1 to 65536. */
	__u32 task_count;

	/** @task_stride: Input: bytes from one task to the next, 16 to 4096. */
	__u32 task_stride;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @program: Output: number of the program, never 0. */
	__u32 program;

	/** @refused_task: Output: on an error, index of the task that it is about. */
	__u32 refused_task;

	/** @refused_word: Output: when @reason is set, index of the command in the task. */
	__u32 refused_word;

	/** @reason: Output: &enum drm_scoria_reason. */
	__u32 reason;

	/** @refused_value: Output: when @reason is set, the value that the command has. */
	__u32 refused_value;
};

/**
 * struct drm_scoria_program_destroy - let a program go
 *
 * Jobs of it that have been submitted run.
 *
 * Errors: -ENOENT for an unknown program.
 */
struct drm_scoria_program_destroy {
	/** @program: Input: number of the program. */
	__u32 program;

	/** @reserved: Must be zero. */
	__u32 reserved;
};

#define DRM_SCORIA_PRIORITY_LOW		(-1)
#define DRM_SCORIA_PRIORITY_NORMAL	0
#define DRM_SCORIA_PRIORITY_HIGH	1

/**
 * struct drm_scoria_queue_create - make a queue
 *
 * Jobs of a queue run one after the other, on whichever core of the mask has
 * the least to do; the queue changes cores only when it is empty. A core runs jobs
 * of higher priority first, and shares its time among queues of equal priority
 * evenly, however many jobs each has. A running job is not interrupted.
 *
 * A queue of which &drm_scoria_query_limits.ban_threshold jobs in a row had to be
 * ended by a reset of their core, with -EIO or -EFAULT, is banned: its jobs end
 * with -ECANCELED, and DRM_IOCTL_SCORIA_SUBMIT refuses more with -EIO.
 * Only queue 0 is never banned.
 *
 * Errors: -EINVAL for a priority or a core that does not exist; -ENODEV when no
 * core of the mask is there; -EACCES for a priority above normal without
 * CAP_SYS_NICE; -ENOSPC when the file has too many queues.
 */
struct drm_scoria_queue_create {
	/** @flags: Must be zero. */
	__u32 flags;

	/** @priority: Input: DRM_SCORIA_PRIORITY_*. */
	__s32 priority;

	/** @core_mask: Input: cores that its jobs may run on, one bit each; 0 for all. */
	__u32 core_mask;

	/** @queue: Output: number of the queue, never 0. */
	__u32 queue;
};

/**
 * struct drm_scoria_queue_destroy - let a queue go
 *
 * Jobs that have been given to the core run; those that have not end with -ESRCH.
 *
 * Errors: -ENOENT for an unknown queue; -EINVAL for queue 0.
 */
struct drm_scoria_queue_destroy {
	/** @queue: Input: number of the queue. */
	__u32 queue;

	/** @reserved: Must be zero. */
	__u32 reserved;
};

/**
 * struct drm_scoria_sync - a syncobj, and a point of it when it is a timeline
 */
struct drm_scoria_sync {
	/** @handle: Input: handle of the syncobj, from DRM_IOCTL_SYNCOBJ_CREATE. */
	__u32 handle;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @point: Input: point of the timeline; 0 for a binary syncobj. */
	__u64 point;
};

/** DRM_SCORIA_BO_READ - the job reads the buffer */
#define DRM_SCORIA_BO_READ		(1 << 0)
/** DRM_SCORIA_BO_WRITE - the job writes the buffer */
#define DRM_SCORIA_BO_WRITE		(1 << 1)

/**
 * struct drm_scoria_job_bo - a buffer that a job uses
 */
struct drm_scoria_job_bo {
	/** @handle: Input: GEM handle. */
	__u32 handle;

	/** @flags: Input: DRM_SCORIA_BO_READ, DRM_SCORIA_BO_WRITE or both. */
	__u32 flags;
};

/**
 * DRM_SCORIA_JOB_UNCHAINED - start every task by itself, with an interrupt after
 * each, as an aid where chains are in doubt; the module parameter
 * one_task_per_kick does so for all jobs
 */
#define DRM_SCORIA_JOB_UNCHAINED	(1 << 0)

/**
 * struct drm_scoria_job - one run of a program, or of some of its tasks
 *
 * The buffers listed order the job against other jobs, of other queues, files
 * and devices: it waits for earlier jobs that write what it reads or writes, or
 * read what it writes, and later ones wait for it. Buffers not listed are as
 * safe to use and order nothing.
 */
struct drm_scoria_job {
	/** @program: Input: number of the program. */
	__u32 program;

	/** @first_task: Input: index of the first task to run. */
	__u32 first_task;

	/** @task_count: Input: number of tasks; 0 for all from the first on. */
	__u32 task_count;

	/**
	 * @timeout_ms: Input: time from the start of the first task to the end of
	 * the last, 1 to &drm_scoria_query_limits.max_timeout_ms; 0 for the kernel's
	 * choice. Time in the queue does not count. The kernel may notice up to an
	 * eighth later.
	 */
	__u32 timeout_ms;

	/** @bos: Input: pointer to an array of &struct drm_scoria_job_bo. */
	__u64 bos;

	/** @bo_count: Input: number of buffers, up to 65536. */
	__u32 bo_count;

	/** @bo_stride: Input: bytes from one to the next, 8 to 4096; ignored without any. */
	__u32 bo_stride;

	/** @flags: Input: DRM_SCORIA_JOB_*. */
	__u32 flags;

	/** @reserved: Must be zero. */
	__u32 reserved;
};

/**
 * struct drm_scoria_submit - queue jobs
 *
 * All or nothing: when the call fails, no job was queued and no syncobj changed.
 * The jobs of a submit belong together: when one fails, those behind it do
 * not run and end with -ECANCELED. Syncobjs are those of the submit and not of
 * its jobs for that reason, and since jobs of a queue are in order anyway: who
 * wants a fence in between submits twice.
 *
 * No job starts before all of @in_syncs have signalled; what a syncobj holds
 * at the call counts. When the last job has ended, all of @out_syncs signal; their
 * fence has an error when a job had one, which a sync_file made of the syncobj
 * shows. A syncobj may be in both arrays. A fence that signals with an error
 * in @in_syncs starts the jobs as well.
 *
 * Errors: -ENOENT for an unknown queue, program, buffer or syncobj; -EINVAL for
 * tasks that the program does not have or that need what tasks before them
 * leave in the NPU (data or weights in its buffer, registers of the CNA), for a
 * syncobj in @in_syncs that holds no fence or not yet the point, and for a point in
 * @out_syncs that is not beyond all that the timeline has; -EIO when the queue
 * is banned; -ENODEV when no core of the queue is there.
 */
struct drm_scoria_submit {
	/** @queue: Input: number of the queue. */
	__u32 queue;

	/** @flags: Must be zero. */
	__u32 flags;

	/** @jobs: Input: pointer to an array of &struct drm_scoria_job. */
	__u64 jobs;

	/** @job_count: Input: number of jobs, 1 to 256. */
	__u32 job_count;

	/** @job_stride: Input: bytes from one job to the next, 40 to 4096. */
	__u32 job_stride;

	/** @in_syncs: Input: pointer to an array of &struct drm_scoria_sync. */
	__u64 in_syncs;

	/** @out_syncs: Input: pointer to an array of &struct drm_scoria_sync. */
	__u64 out_syncs;

	/** @in_sync_count: Input: number of syncobjs to wait for, up to 256. */
	__u32 in_sync_count;

	/** @out_sync_count: Input: number of syncobjs to signal, up to 256. */
	__u32 out_sync_count;

	/** @sync_stride: Input: bytes from one to the next, 16 to 4096; ignored without any. */
	__u32 sync_stride;

	/**
	 * @refused_job: Output: on an error, index of the job that it is about, or
	 * @job_count when it is about none of them.
	 */
	__u32 refused_job;
};

#define DRM_IOCTL_SCORIA_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_QUERY, struct drm_scoria_query)
#define DRM_IOCTL_SCORIA_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_BO_CREATE, struct drm_scoria_bo_create)
#define DRM_IOCTL_SCORIA_BO_SYNC \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_BO_SYNC, struct drm_scoria_bo_sync)
#define DRM_IOCTL_SCORIA_BO_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_BO_WAIT, struct drm_scoria_bo_wait)
#define DRM_IOCTL_SCORIA_PROGRAM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_PROGRAM_CREATE, struct drm_scoria_program_create)
#define DRM_IOCTL_SCORIA_PROGRAM_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_PROGRAM_DESTROY, struct drm_scoria_program_destroy)
#define DRM_IOCTL_SCORIA_QUEUE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_QUEUE_CREATE, struct drm_scoria_queue_create)
#define DRM_IOCTL_SCORIA_QUEUE_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_SCORIA_QUEUE_DESTROY, struct drm_scoria_queue_destroy)
#define DRM_IOCTL_SCORIA_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_SUBMIT, struct drm_scoria_submit)
#define DRM_IOCTL_SCORIA_BO_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_SCORIA_BO_INFO, struct drm_scoria_bo_info)

#if defined(__cplusplus)
}
#endif

#endif
