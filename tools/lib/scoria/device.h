/* SPDX-License-Identifier: MIT */
/*
 * What stands behind struct scoria_device. A kind of device is a
 * struct device_ops; the rest of the library sees buffers and jobs only.
 */
#ifndef SCORIA_DEVICE_INTERNAL_H
#define SCORIA_DEVICE_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>

#include <scoria/buffer.h>
#include <scoria/device.h>

/**
 * struct npu_job - a chain of tasks for one core
 * @address:  of the first segment of register commands
 * @words:    commands in the first segment, trailer included
 * @head:     how many of them the other segments do not have
 * @pitch:    bytes from a segment to the next; the trailers link them in order
 * @head_pitch: bytes more from the first to the second
 * @tasks:    1 to NPU_MAX_TASKS
 * @blocks:   NPU_ENABLE_ bits of the blocks that every task starts
 * @parallel: may run beside the jobs in front of it, as far back as they have this too
 *            and beside the one in front of those
 * @program:  where the driver's number of the job is kept once the commands are known
 *            to it, 0 before; NULL for a job that is run once
 */
struct npu_job {
	uint32_t address;
	uint32_t words;
	uint32_t head;
	uint32_t pitch;
	uint32_t head_pitch;
	uint32_t tasks;
	uint32_t blocks;
	bool parallel;
	uint32_t *program;
};

/* The completion bits that end the job: those of the block that writes (B7, faults H6). */
uint32_t npu_job_done(const struct npu_job *job);

struct scoria_buffer {
	struct scoria_device *dev;
	void *map;
	uint64_t size;
	uint32_t address;
	uint32_t handle;	/* of the driver's */
};

/* Jobs that were started, as the device knows them. */
struct device_run;

/* How much a device or its driver takes of something. */
struct device_limit {
	const char *name;
	int64_t value;
};

#define DEVICE_MAX_LIMITS 16

/**
 * struct device_facts - what is behind a device, for reports; zero for what is not known
 * @driver:     its name and what it says of itself
 * @name: @description: @major: @minor: the same in parts
 * @node:       where it is found
 * @hw_version: of the NPU
 * @cores:      how many
 * @core_mask:  which
 * @clock_hz:   of the cores
 * @address_start: @address_end: NPU addresses that buffers can have
 * @features:   bits that the native interface's QUERY gives
 * @native:     scoria's own ioctls are there
 * @rewrites:   the driver writes pointers, trailers and links itself, and checks words
 * @limits:     @n_limits of them
 */
struct device_facts {
	char driver[96];
	char name[16];
	char description[64];
	int major;
	int minor;
	char node[32];
	uint32_t hw_version;
	uint32_t cores;
	uint32_t core_mask;
	uint64_t clock_hz;
	uint64_t address_start;
	uint64_t address_end;
	uint64_t features;
	bool native;
	bool rewrites;
	struct device_limit limits[DEVICE_MAX_LIMITS];
	unsigned int n_limits;
};

/**
 * struct device_ops - a kind of device
 * @name:   what scoria_device_open() is asked for; "accel" also answers to paths
 * @open:   set dev->priv, dev->cores and dev->awaits_dpu_only
 * @close:  undo it
 * @alloc:  give @buffer, whose size is set, its map and its address
 * @free:   undo it
 * @sync:   cache maintenance; the range was checked
 * @submit: run @n jobs, in order but for those that are parallel, and wait for the
 *          last. The message is set on failure.
 * @start:  instead of @submit: start them. The run is to be dropped, also on failure.
 * @wait:   for all of a run that was started, up to @deadline of CLOCK_MONOTONIC: 0, the
 *          first job's error, or -EBUSY when jobs still run then
 * @drop:   forget a run; nothing of it may be running
 * @forget: the commands of a job go or change; NULL where nobody keeps them
 * @stats:  add what the device counts to @stats
 * @facts:  fill @facts, which is zero
 *
 * All are called with dev->lock held, @open, @close and @wait excepted.
 */
struct device_ops {
	const char *name;
	int (*open)(struct scoria_device *dev, const struct scoria_device_opts *opts);
	void (*close)(struct scoria_device *dev);
	int (*alloc)(struct scoria_device *dev, struct scoria_buffer *buffer);
	void (*free)(struct scoria_device *dev, struct scoria_buffer *buffer);
	void (*sync)(struct scoria_device *dev, struct scoria_buffer *buffer, uint64_t offset,
		     uint64_t bytes, enum scoria_sync direction);
	int (*submit)(struct scoria_device *dev, const struct npu_job *jobs, size_t n);
	int (*start)(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
		     struct device_run **run);
	int (*wait)(struct scoria_device *dev, struct device_run *run, int64_t deadline);
	void (*drop)(struct scoria_device *dev, struct device_run *run);
	void (*forget)(struct scoria_device *dev, const struct npu_job *job);
	void (*stats)(struct scoria_device *dev, struct scoria_device_stats *stats);
	void (*facts)(struct scoria_device *dev, struct device_facts *facts);
};

struct scoria_device {
	const struct device_ops *ops;
	void *priv;
	unsigned int cores;	/* that jobs can run on at the same time */
	bool awaits_dpu_only;	/* jobs that end with another block run into the driver's timeout */
	const char *asked;	/* what scoria_device_open() was given, while it opens */
	pthread_mutex_t lock;	/* every call of ops, so that threads can share a device */
	uint64_t job_ns;	/* see struct scoria_device_stats; under @lock */
};

extern const struct device_ops device_model_ops;
extern const struct device_ops device_accel_ops;
extern const struct device_ops device_native_ops;

/* Make @dev the native one of a driver with cores @core_mask, of which it uses @cores at most. */
int device_native_attach(struct scoria_device *dev, int fd, uint32_t core_mask,
			 unsigned int cores);

/* There is a node of a driver that device_accel_ops can use. */
bool device_accel_present(void);

void device_facts(struct scoria_device *dev, struct device_facts *facts);

/* Run @n jobs, in order but for those that are parallel, and wait for them. */
int device_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n);

/*
 * The same in two halves where ops->start is there: device_wait() waits for the run, and
 * drops it unless it returns -EBUSY. The message is set on failure.
 */
int device_start(struct scoria_device *dev, const struct npu_job *jobs, size_t n,
		 struct device_run **run);
int device_wait(struct scoria_device *dev, struct device_run *run, int64_t deadline);

/* The commands of @n jobs go, or change. */
void device_forget(struct scoria_device *dev, const struct npu_job *jobs, size_t n);

#endif
