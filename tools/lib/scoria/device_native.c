// SPDX-License-Identifier: MIT
/*
 * The device "accel" where the driver is scoria's: what its native interface gives beyond
 * rocket's. Commands become programs, which the driver checks once; every core has a
 * queue; caches are cleaned by ranges; and a run can be waited for later.
 *
 * Jobs of one queue are in order. A step of parallel jobs goes to several queues, and
 * every submit waits for all syncobjs of the step before, so that no buffer has to be
 * named: programs keep theirs mapped.
 */
#include <drm/drm.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accel_node.h"
#include "error.h"
#include "limits.h"

/* Of a submit, at most (drm_scoria_query_limits). */
#define MAX_JOBS 256u

/**
 * struct native - an open node
 * @queues:  one for every core that is used
 * @buffers: that exist, @n_buffers of them in room for @room
 */
struct native {
	int fd;
	uint32_t queues[NPU_MAX_CORES];
	struct scoria_buffer **buffers;
	size_t n_buffers;
	size_t room;
	uint64_t jobs;
	uint64_t tasks;
};

/**
 * struct device_run - submits under way
 * @syncs: @n: a syncobj of each
 * @step:  first of those that the next step has to wait for
 * @programs: @n_programs: that go with the run
 */
struct device_run {
	uint32_t *syncs;
	size_t n;
	size_t step;
	uint32_t *programs;
	size_t n_programs;
};

static int create_queues(struct scoria_device *dev, struct native *native, uint32_t core_mask,
			 unsigned int most)
{
	unsigned int core, n = 0;

	for (core = 0; core < 32 && n < NPU_MAX_CORES && (!most || n < most); core++) {
		struct drm_scoria_queue_create args = { .core_mask = 1u << core };
		int err;

		if (!(core_mask & 1u << core))
			continue;
		err = accel_call(native->fd, DRM_IOCTL_SCORIA_QUEUE_CREATE, &args);
		if (err)
			return error_set(-err, "accel: no queue for core %u: %s", core,
					 strerror(-err));
		native->queues[n++] = args.queue;
	}
	dev->cores = n;
	return n ? 0 : error_set(ENODEV, "accel: the driver has no core");
}

int device_native_attach(struct scoria_device *dev, int fd, uint32_t core_mask,
			 unsigned int cores)
{
	struct native *native = calloc(1, sizeof(*native));
	int err;

	if (!native)
		return error_no_memory();
	native->fd = fd;
	err = create_queues(dev, native, core_mask, cores);
	if (err) {
		free(native);
		return err;
	}
	dev->priv = native;
	dev->ops = &device_native_ops;
	return 0;
}

static void native_close(struct scoria_device *dev)
{
	struct native *native = dev->priv;

	close(native->fd);
	free(native->buffers);
	free(native);
}

static int make_room(struct native *native)
{
	const size_t room = native->room ? 2 * native->room : 16;
	struct scoria_buffer **buffers;

	if (native->n_buffers < native->room)
		return 0;
	buffers = realloc(native->buffers, room * sizeof(*buffers));
	if (!buffers)
		return error_no_memory();
	native->buffers = buffers;
	native->room = room;
	return 0;
}

static int native_alloc(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct drm_scoria_bo_create args = { .size = buffer->size };
	struct native *native = dev->priv;
	int err = make_room(native);

	if (err)
		return err;
	err = accel_call(native->fd, DRM_IOCTL_SCORIA_BO_CREATE, &args);
	if (err)
		return error_set(-err, "accel: no buffer of %llu bytes: %s",
				 (unsigned long long)buffer->size, strerror(-err));
	err = accel_map(native->fd, buffer, args.offset);
	if (err) {
		accel_close_handle(native->fd, args.handle);
		return err;
	}
	buffer->address = (uint32_t)args.address;
	buffer->handle = args.handle;
	native->buffers[native->n_buffers++] = buffer;
	return 0;
}

static void native_free(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct native *native = dev->priv;
	size_t i = 0;

	while (native->buffers[i] != buffer)
		i++;
	native->buffers[i] = native->buffers[--native->n_buffers];
	munmap(buffer->map, buffer->size);
	accel_close_handle(native->fd, buffer->handle);
}

static void native_sync(struct scoria_device *dev, struct scoria_buffer *buffer, uint64_t offset,
			uint64_t bytes, enum scoria_sync direction)
{
	const struct native *native = dev->priv;
	struct drm_scoria_bo_sync args = {
		.handle = buffer->handle,
		.flags = direction == SCORIA_SYNC_TO_DEVICE ? DRM_SCORIA_BO_SYNC_TO_DEVICE :
							      DRM_SCORIA_BO_SYNC_FROM_DEVICE,
		.offset = offset,
		.size = bytes,
	};

	if (bytes)
		accel_call(native->fd, DRM_IOCTL_SCORIA_BO_SYNC, &args);
}

/* The CPU's view of the commands of a job, which lie in one buffer; NULL when they do not. */
static const uint8_t *commands_of(const struct native *native, const struct npu_job *job)
{
	size_t i;

	for (i = 0; i < native->n_buffers; i++) {
		const struct scoria_buffer *buffer = native->buffers[i];
		const uint64_t offset = job->address - (uint64_t)buffer->address;
		const uint64_t bytes = job->head_pitch + (uint64_t)job->pitch * job->tasks;

		if (job->address >= buffer->address && offset < buffer->size &&
		    bytes <= buffer->size - offset)
			return (const uint8_t *)buffer->map + offset;
	}
	return NULL;
}

static void fill_tasks(struct drm_scoria_task *tasks, const struct npu_job *job,
		       const uint8_t *commands)
{
	uint32_t i, words = job->words;

	for (i = 0; i < job->tasks; i++) {
		tasks[i] = (struct drm_scoria_task) { .words = (uintptr_t)commands,
						      .word_count = words };
		commands += job->pitch + (i ? 0 : job->head_pitch);
		words = job->words - job->head;
	}
}

static int refused(const struct drm_scoria_program_create *args, int err)
{
	if (!args->reason)
		return error_set(-err, "accel: the driver takes no program of %u tasks: %s",
				 args->task_count, strerror(-err));
	return error_set(-err, "accel: the driver refuses task %u, word %u, for reason %u (scoria decode --reason %u)",
			 args->refused_task, args->refused_word, args->reason, args->reason);
}

static int create_program(struct native *native, const struct npu_job *job, uint32_t *program)
{
	struct drm_scoria_task *tasks = calloc(job->tasks, sizeof(*tasks));
	const uint8_t *commands = commands_of(native, job);
	struct drm_scoria_program_create args = {
		.tasks = (uintptr_t)tasks,
		.task_count = job->tasks,
		.task_stride = sizeof(*tasks),
	};
	int err;

	if (!tasks || !commands) {
		free(tasks);
		return commands ? error_no_memory() :
				  error_set(EFAULT, "accel: the commands at 0x%x are in no buffer",
					    job->address);
	}
	fill_tasks(tasks, job, commands);
	err = accel_call(native->fd, DRM_IOCTL_SCORIA_PROGRAM_CREATE, &args);
	free(tasks);
	if (err)
		return refused(&args, err);
	*program = args.program;
	return 0;
}

static void destroy_program(const struct native *native, uint32_t program)
{
	struct drm_scoria_program_destroy args = { .program = program };

	accel_call(native->fd, DRM_IOCTL_SCORIA_PROGRAM_DESTROY, &args);
}

static void native_forget(struct scoria_device *dev, const struct npu_job *job)
{
	if (!job->program || !*job->program)
		return;
	destroy_program(dev->priv, *job->program);
	*job->program = 0;
}

/* The job's program, which is kept if the job has a place for it, else goes with the run. */
static int get_program(struct native *native, struct device_run *run, const struct npu_job *job,
		       uint32_t *program)
{
	int err;

	*program = job->program ? *job->program : 0;
	if (*program)
		return 0;
	err = create_program(native, job, program);
	if (err)
		return err;
	if (job->program)
		*job->program = *program;
	else
		run->programs[run->n_programs++] = *program;
	return 0;
}

static int create_sync(const struct native *native, uint32_t *sync)
{
	struct drm_syncobj_create args = { 0 };
	int err = accel_call(native->fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	if (err)
		return error_set(-err, "accel: no syncobj: %s", strerror(-err));
	*sync = args.handle;
	return 0;
}

/**
 * struct batch - jobs of one submit
 * @jobs: every @stride-th of them, @n in all
 * @wait: @n_wait: syncobjs of the step before
 */
struct batch {
	const struct npu_job *jobs;
	size_t stride;
	size_t n;
	uint32_t queue;
	const uint32_t *wait;
	size_t n_wait;
};

static int submit(struct native *native, struct device_run *run, const struct batch *batch)
{
	struct drm_scoria_job jobs[MAX_JOBS] = { 0 };
	struct drm_scoria_sync in[NPU_MAX_CORES] = { 0 }, out = { 0 };
	struct drm_scoria_submit args = {
		.queue = batch->queue,
		.jobs = (uintptr_t)jobs, .job_count = batch->n, .job_stride = sizeof(jobs[0]),
		.in_syncs = (uintptr_t)in, .in_sync_count = batch->n_wait,
		.out_syncs = (uintptr_t)&out, .out_sync_count = 1,
		.sync_stride = sizeof(out),
	};
	size_t i;
	int err = 0;

	for (i = 0; i < batch->n && !err; i++) {
		const struct npu_job *job = &batch->jobs[i * batch->stride];

		err = get_program(native, run, job, &jobs[i].program);
		native->tasks += job->tasks;
	}
	for (i = 0; i < batch->n_wait; i++)
		in[i].handle = batch->wait[i];
	if (!err)
		err = create_sync(native, &out.handle);
	if (err)
		return err;
	run->syncs[run->n++] = out.handle;
	err = accel_call(native->fd, DRM_IOCTL_SCORIA_SUBMIT, &args);
	native->jobs += batch->n;
	return err ? error_set(-err, "accel: the driver refuses the jobs: %s", strerror(-err)) : 0;
}

static bool starts_parallel(const struct npu_job *jobs, size_t i, size_t n)
{
	return i + 1 < n && jobs[i + 1].parallel;
}

/* Jobs from @first on that are one after the other anyway. */
static size_t count_serial(const struct npu_job *jobs, size_t first, size_t n)
{
	size_t count = 0;

	while (first + count < n && count < MAX_JOBS && !starts_parallel(jobs, first + count, n))
		count++;
	return count;
}

static size_t count_parallel(const struct npu_job *jobs, size_t first, size_t n)
{
	size_t count = 1;

	while (first + count < n && jobs[first + count].parallel)
		count++;
	return count;
}

/* A step: @n jobs, @queues of them at a time, behind all of the step before. */
static int submit_step(struct scoria_device *dev, struct device_run *run,
		       const struct npu_job *jobs, size_t n, size_t queues)
{
	const size_t before = run->step, now = run->n;
	struct native *native = dev->priv;
	size_t q;
	int err = 0;

	for (q = 0; q < queues && !err; q++) {
		const struct batch batch = {
			.jobs = jobs + q, .stride = queues, .n = (n - q + queues - 1) / queues,
			.queue = native->queues[q],
			.wait = run->syncs + before, .n_wait = now - before,
		};

		err = submit(native, run, &batch);
	}
	run->step = now;
	return err;
}

static int submit_all(struct scoria_device *dev, struct device_run *run,
		      const struct npu_job *jobs, size_t n)
{
	size_t first, count, queues;
	int err = 0;

	for (first = 0; first < n && !err; first += count) {
		count = count_serial(jobs, first, n);
		queues = 1;
		if (!count) {
			count = count_parallel(jobs, first, n);
			queues = count < dev->cores ? count : dev->cores;
			/* more than a submit takes are parallel to each other, too */
			if (count > queues * MAX_JOBS)
				count = queues * MAX_JOBS;
		}
		err = submit_step(dev, run, jobs + first, count, queues);
	}
	return err;
}

static void native_drop(struct scoria_device *dev, struct device_run *run)
{
	const struct native *native = dev->priv;
	size_t i;

	for (i = 0; i < run->n; i++) {
		struct drm_syncobj_destroy args = { .handle = run->syncs[i] };

		accel_call(native->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
	}
	for (i = 0; i < run->n_programs; i++)
		destroy_program(native, run->programs[i]);
	free(run->programs);
	free(run->syncs);
	free(run);
}

static int native_start(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
			struct device_run **out)
{
	struct device_run *run = calloc(1, sizeof(*run));
	int err;

	if (!run)
		return error_no_memory();
	run->syncs = calloc(n, sizeof(*run->syncs));
	run->programs = calloc(n, sizeof(*run->programs));
	err = run->syncs && run->programs ? submit_all(dev, run, jobs, n) : error_no_memory();
	*out = run;
	return err;
}

/* The error of the job behind a syncobj that has signalled, 0 for none. */
static int sync_error(const struct native *native, uint32_t sync)
{
	struct drm_syncobj_handle args = {
		.handle = sync, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	struct sync_file_info info = { 0 };
	int err = accel_call(native->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	if (err)
		return err;
	err = accel_call(args.fd, SYNC_IOC_FILE_INFO, &info);
	close(args.fd);
	return err ? err : info.status < 0 ? info.status : 0;
}

static int native_wait(struct scoria_device *dev, struct device_run *run, int64_t deadline)
{
	const struct native *native = dev->priv;
	struct drm_syncobj_wait args = {
		.handles = (uintptr_t)run->syncs,
		.count_handles = run->n,
		.timeout_nsec = deadline,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};
	int err = run->n ? accel_call(native->fd, DRM_IOCTL_SYNCOBJ_WAIT, &args) : 0;
	size_t i;

	if (err == -ETIME)
		return error_set(EBUSY, "accel: jobs still run");
	for (i = 0; i < run->n && !err; i++)
		err = sync_error(native, run->syncs[i]);
	return err ? error_set(-err, "accel: the job failed: %s", strerror(-err)) : 0;
}

static void native_stats(struct scoria_device *dev, struct scoria_device_stats *stats)
{
	const struct native *native = dev->priv;

	stats->jobs = native->jobs;
	stats->tasks = native->tasks;
}

static void native_facts(struct scoria_device *dev, struct device_facts *facts)
{
	const struct native *native = dev->priv;

	accel_facts(native->fd, facts);
}

const struct device_ops device_native_ops = {
	.name = "accel",
	.close = native_close,
	.alloc = native_alloc,
	.free = native_free,
	.sync = native_sync,
	.start = native_start,
	.wait = native_wait,
	.drop = native_drop,
	.forget = native_forget,
	.stats = native_stats,
	.facts = native_facts,
};
