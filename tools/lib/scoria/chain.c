// SPDX-License-Identifier: MIT
/* Segments, their trailers and the jobs that they make. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "rk3588_npu.h"

/* Bytes in front of a segment, with the heads of the jobs that have begun there. */
static uint64_t segment_offset(const struct chain *chain, uint64_t task)
{
	return task * chain->pitch +
	       (task ? chain_job_of(chain, task - 1) + 1 : 0) * chain->head_pitch;
}

static uint32_t segment_address(const struct chain *chain, uint64_t task)
{
	return scoria_buffer_address(chain->commands) + segment_offset(chain, task);
}

/* A job for every core, or as many as tasks are too many for. */
static void set_jobs(struct chain *chain, const struct chain_shape *shape)
{
	const bool one_task = choose(CHOICE_ONE_TASK);
	uint64_t groups, jobs;

	chain->group = shape->group && !one_task ? shape->group : 1;
	groups = chain->tasks / chain->group;
	jobs = div_up(groups, one_task ? 1 : NPU_MAX_TASKS / chain->group);
	if (shape->independent && jobs < chain->dev->cores)
		jobs = min_u32(chain->dev->cores, groups);
	chain->n_jobs = jobs;
}

/* First task of job @i. */
static uint64_t first_task(const struct chain *chain, size_t i)
{
	return div_up(i * (chain->tasks / chain->group), chain->n_jobs) * chain->group;
}

static int create_jobs(struct chain *chain, const struct chain_shape *shape)
{
	const bool parallel = shape->independent && chain->group >= shape->group;
	size_t i;

	chain->jobs = calloc(chain->n_jobs, sizeof(*chain->jobs));
	chain->programs = calloc(chain->n_jobs, sizeof(*chain->programs));
	if (!chain->jobs || !chain->programs)
		return error_no_memory();
	for (i = 0; i < chain->n_jobs; i++) {
		uint64_t first = first_task(chain, i);

		chain->jobs[i] = (struct npu_job){
			.address = segment_address(chain, first),
			.words = chain->words + chain->head,
			.head = chain->head,
			.pitch = chain->pitch,
			.head_pitch = chain->head_pitch,
			.tasks = first_task(chain, i + 1) - first,
			.blocks = chain->blocks,
			.parallel = i && parallel,
			.program = &chain->programs[i],
		};
	}
	return 0;
}

int chain_create(struct chain *chain, struct scoria_device *dev, const struct chain_shape *shape)
{
	int err;

	if (dev->awaits_dpu_only && shape->blocks & NPU_ENABLE_PPU)
		return error_set(EOPNOTSUPP, "device: the in-tree driver does not wait for the pooling block, so it cannot run pooling; scoria's can");
	*chain = (struct chain){
		.dev = dev,
		.tasks = shape->tasks,
		.words = shape->words + STREAM_TRAILER,
		.head = shape->head,
		.pitch = align_up((shape->words + STREAM_TRAILER) * sizeof(uint64_t),
				  NPU_SEGMENT_ALIGN),
		.head_pitch = align_up(shape->head * sizeof(uint64_t), NPU_SEGMENT_ALIGN),
		.blocks = shape->blocks,
	};
	set_jobs(chain, shape);
	err = scoria_buffer_create(dev, segment_offset(chain, shape->tasks), &chain->commands);
	if (!err)
		err = create_jobs(chain, shape);
	if (err)
		chain_destroy(chain);
	return err;
}

void chain_destroy(struct chain *chain)
{
	if (chain->jobs && chain->programs)
		device_forget(chain->dev, chain->jobs, chain->n_jobs);
	free(chain->programs);
	free(chain->jobs);
	chain->programs = NULL;
	chain->jobs = NULL;
	scoria_buffer_destroy(chain->commands);
	chain->commands = NULL;
}

struct stream chain_begin(const struct chain *chain, uint64_t task)
{
	uint8_t *map = scoria_buffer_map(chain->commands);

	return (struct stream){ .words = (uint64_t *)(map + segment_offset(chain, task)) };
}

/* B2: a link or nothing, the length of the next, the barrier, the start. */
void chain_end(const struct chain *chain, uint64_t task, struct stream *stream)
{
	bool last = task + 1 == chain->tasks || chain_starts_job(chain, task + 1);

	if (last)
		stream_write(stream, NPU_TARGET_NOP, 0, 0);
	else
		stream_write(stream, NPU_TARGET_PC, NPU_PC_BASE_ADDRESS,
			     segment_address(chain, task + 1));
	stream_write(stream, NPU_TARGET_PC, NPU_PC_REGISTER_AMOUNTS,
		     last ? 0 : NPU_FETCH_AMOUNT(chain->words));
	stream_write(stream, NPU_TARGET_SYNC, 0, 0);
	stream_write(stream, NPU_TARGET_OP_ENABLE, NPU_PC_OPERATION_ENABLE, chain->blocks);
}

int chain_sync(struct chain *chain)
{
	device_forget(chain->dev, chain->jobs, chain->n_jobs);
	return scoria_buffer_sync(chain->commands, 0, scoria_buffer_size(chain->commands),
				  SCORIA_SYNC_TO_DEVICE);
}

struct npu_job *chains_jobs(struct chain *const chains[], size_t n, size_t *n_jobs)
{
	struct npu_job *jobs;
	size_t i;

	*n_jobs = 0;
	for (i = 0; i < n; i++)
		*n_jobs += chains[i]->n_jobs;
	jobs = calloc(*n_jobs, sizeof(*jobs));
	if (!jobs)
		return NULL;
	for (i = 0, *n_jobs = 0; i < n; *n_jobs += chains[i++]->n_jobs)
		memcpy(jobs + *n_jobs, chains[i]->jobs, chains[i]->n_jobs * sizeof(*jobs));
	return jobs;
}

int chains_run(struct chain *const chains[], size_t n)
{
	struct npu_job *jobs;
	size_t n_jobs;
	int err;

	if (n == 1)
		return device_submit(chains[0]->dev, chains[0]->jobs, chains[0]->n_jobs);
	jobs = chains_jobs(chains, n, &n_jobs);
	if (!jobs)
		return error_no_memory();
	err = device_submit(chains[0]->dev, jobs, n_jobs);
	free(jobs);
	return err;
}
