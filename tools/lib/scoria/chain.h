/* SPDX-License-Identifier: MIT */
/*
 * Tasks in NPU memory, one segment each, linked to jobs of up to NPU_MAX_TASKS
 * (programming-model B2 to B4).
 */
#ifndef SCORIA_CHAIN_H
#define SCORIA_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "choices.h"
#include "device.h"
#include "limits.h"
#include "stream.h"

/**
 * struct chain - see above
 * @commands: the segments
 * @jobs: @n_jobs: the tasks in order
 * @tasks:  all of them
 * @words:  of a segment, trailer included; the same for all
 * @head:   commands that the first segment of every job has before its body
 * @pitch:  bytes from a segment to the next
 * @head_pitch: bytes that the first segment of a job is longer
 * @blocks: NPU_ENABLE_ bits of the blocks that a task starts
 */
struct chain {
	struct scoria_device *dev;
	struct scoria_buffer *commands;
	struct npu_job *jobs;
	size_t n_jobs;
	uint64_t tasks;
	uint32_t words;
	uint32_t head;
	uint32_t pitch;
	uint32_t head_pitch;
	uint32_t blocks;
};

/* Room for @tasks segments with bodies of @words commands. */
int chain_create(struct chain *chain, struct scoria_device *dev, uint64_t tasks, uint32_t words,
		 uint32_t blocks);

/* The same with @head commands more in the first segment of every job, for tables. */
int chain_create_headed(struct chain *chain, struct scoria_device *dev, uint64_t tasks,
			uint32_t words, uint32_t head, uint32_t blocks);
void chain_destroy(struct chain *chain);

/* An empty stream where the segment of @task goes; its body has to be as long as promised. */
struct stream chain_begin(const struct chain *chain, uint64_t task);

/* Close it with the trailer. */
void chain_end(const struct chain *chain, uint64_t task, struct stream *stream);

/* Tasks of a job, at most. */
static inline uint64_t chain_job_tasks(void)
{
	return choose(CHOICE_ONE_TASK) ? 1 : NPU_MAX_TASKS;
}

/* @task is the first of a job. */
static inline bool chain_starts_job(uint64_t task)
{
	return task % chain_job_tasks() == 0;
}

/* All segments are written: let the NPU see them. */
int chain_sync(struct chain *chain);

/* Run all jobs in order and wait. */
int chain_run(struct chain *chain);

#endif
