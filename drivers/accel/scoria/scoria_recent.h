/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs that came through rocket's ioctls, remembered by the words they had. Most
 * come again, once an inference, and need no check then.
 */
#ifndef SCORIA_RECENT_H
#define SCORIA_RECENT_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct drm_scoria_rocket_task;
struct scoria_as;
struct scoria_mapping;
struct scoria_program;

/**
 * struct scoria_source - what a program was made from, copied from userspace
 * @tasks:   where the commands of each task are
 * @n_tasks: number of tasks
 * @words:   the commands of all tasks, one after the other, in the CPU's byte order
 */
struct scoria_source {
	struct drm_scoria_rocket_task *tasks;
	u32 n_tasks;
	u64 *words;
};

/**
 * struct scoria_recent - programs of a file, to be found by what they were made from
 */
struct scoria_recent {
	/** @lock: covers the rest. */
	struct mutex lock;
	/** @jobs: by the address of their first command. */
	struct xarray jobs;
	/** @size: bytes that they take, with all that is kept for them. */
	size_t size;
};

/**
 * scoria_recent_init() - remember nothing
 * @recent: the jobs
 */
void scoria_recent_init(struct scoria_recent *recent);

/**
 * scoria_recent_fini() - the end of scoria_recent_init()
 * @recent: no jobs
 */
void scoria_recent_fini(struct scoria_recent *recent);

/**
 * scoria_recent_clear() - forget all
 * @recent: the jobs
 */
void scoria_recent_clear(struct scoria_recent *recent);

/**
 * scoria_recent_takes() - ask whether a job is small enough to be remembered
 * @size: bytes that the segments of its program take at most
 *
 * Return: whether it is.
 */
bool scoria_recent_takes(size_t size);

/**
 * scoria_recent_find() - find the program for a job
 * @recent: the jobs
 * @as: the address space of the file
 * @source: the tasks; the words are those that the buffers hold now
 *
 * Return: the program with a reference, or NULL.
 */
struct scoria_program *scoria_recent_find(struct scoria_recent *recent, struct scoria_as *as,
					  const struct scoria_source *source);

/**
 * scoria_recent_add() - remember a job
 * @recent: the jobs
 * @source: what its program was made from; taken over if there is memory
 * @program: the program
 *
 * It takes the place of one that has its first command at the same address.
 */
void scoria_recent_add(struct scoria_recent *recent, struct scoria_source *source,
		       struct scoria_program *program);

/**
 * scoria_recent_forget() - forget the jobs that need a buffer
 * @recent: the jobs
 * @map: the buffer, which has lost its last handle
 *
 * What is remembered keeps no memory that userspace has given back.
 */
void scoria_recent_forget(struct scoria_recent *recent, const struct scoria_mapping *map);

#endif
