/* SPDX-License-Identifier: MIT */
/*
 * Tasks in NPU memory, one segment each, linked to jobs of up to NPU_MAX_TASKS
 * (programming-model B2 to B4). Tasks that do not depend on each other become a job
 * for every core.
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
 * struct chain_shape - what a chain is made of
 * @tasks:  how many
 * @words:  commands in the body of a segment, the same for all
 * @head:   commands that the first segment of every job has before its body
 * @blocks: NPU_ENABLE_ bits of the blocks that a task starts
 * @independent: no task needs what another one has done, but for those of its group
 * @group:  tasks in a row that run one after the other, of which @tasks is a multiple; 0
 *          stands for 1
 */
struct chain_shape {
	uint64_t tasks;
	uint32_t words;
	uint32_t head;
	uint32_t blocks;
	bool independent;
	uint32_t group;
};

/**
 * struct chain - see above
 * @commands: the segments
 * @jobs: @n_jobs: the tasks in order
 * @programs: of the jobs, see struct npu_job
 * @tasks:  all of them
 * @group:  so many in a row are in one job
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
	uint32_t *programs;
	size_t n_jobs;
	uint64_t tasks;
	uint32_t group;
	uint32_t words;
	uint32_t head;
	uint32_t pitch;
	uint32_t head_pitch;
	uint32_t blocks;
};

/* Room for all segments. */
int chain_create(struct chain *chain, struct scoria_device *dev, const struct chain_shape *shape);
void chain_destroy(struct chain *chain);

/* An empty stream where the segment of @task goes; its body has to be as long as promised. */
struct stream chain_begin(const struct chain *chain, uint64_t task);

/* Close it with the trailer. */
void chain_end(const struct chain *chain, uint64_t task, struct stream *stream);

/* Jobs have the same number of groups, or one more. */
static inline size_t chain_job_of(const struct chain *chain, uint64_t task)
{
	return task / chain->group * chain->n_jobs / (chain->tasks / chain->group);
}

/* @task is the first of a job. */
static inline bool chain_starts_job(const struct chain *chain, uint64_t task)
{
	return !task || chain_job_of(chain, task) != chain_job_of(chain, task - 1);
}

/* All segments are written: let the NPU see them. */
int chain_sync(struct chain *chain);

/* Run @n chains, one after the other but all in one submit, and wait. */
int chains_run(struct chain *const chains[], size_t n);

/* All their jobs in order, in new memory; NULL without. */
struct npu_job *chains_jobs(struct chain *const chains[], size_t n, size_t *n_jobs);

static inline int chain_run(struct chain *chain)
{
	return chains_run(&chain, 1);
}

#endif
