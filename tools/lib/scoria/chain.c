// SPDX-License-Identifier: MIT
/* Segments, their trailers and the jobs that they make. */
#include "chain.h"

#include <stdlib.h>

#include "error.h"
#include "rk3588_npu.h"

/* Bytes in front of a segment: those of the jobs that have begun, and its own job's. */
static uint64_t segment_offset(const struct chain *chain, uint64_t task)
{
	return task * chain->pitch + div_up(task, chain_job_tasks()) * chain->head_pitch;
}

static uint32_t segment_address(const struct chain *chain, uint64_t task)
{
	return scoria_buffer_address(chain->commands) + segment_offset(chain, task);
}

static int create_jobs(struct chain *chain)
{
	const uint64_t most = chain_job_tasks();
	uint64_t done;

	chain->n_jobs = div_up(chain->tasks, most);
	chain->jobs = calloc(chain->n_jobs, sizeof(*chain->jobs));
	if (!chain->jobs)
		return error_no_memory();
	for (done = 0; done < chain->tasks; done += most) {
		uint64_t left = chain->tasks - done;

		chain->jobs[done / most] = (struct npu_job){
			.address = segment_address(chain, done),
			.words = chain->words + chain->head,
			.head = chain->head,
			.pitch = chain->pitch,
			.head_pitch = chain->head_pitch,
			.tasks = left < most ? left : most,
			.blocks = chain->blocks,
		};
	}
	return 0;
}

int chain_create(struct chain *chain, struct scoria_device *dev, uint64_t tasks, uint32_t words,
		 uint32_t blocks)
{
	return chain_create_headed(chain, dev, tasks, words, 0, blocks);
}

int chain_create_headed(struct chain *chain, struct scoria_device *dev, uint64_t tasks,
			uint32_t words, uint32_t head, uint32_t blocks)
{
	int err;

	*chain = (struct chain){
		.dev = dev,
		.tasks = tasks,
		.words = words + STREAM_TRAILER,
		.head = head,
		.pitch = align_up((words + STREAM_TRAILER) * sizeof(uint64_t), NPU_SEGMENT_ALIGN),
		.head_pitch = align_up(head * sizeof(uint64_t), NPU_SEGMENT_ALIGN),
		.blocks = blocks,
	};
	err = scoria_buffer_create(dev, segment_offset(chain, tasks), &chain->commands);
	if (!err)
		err = create_jobs(chain);
	if (err)
		chain_destroy(chain);
	return err;
}

void chain_destroy(struct chain *chain)
{
	free(chain->jobs);
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
	bool last = task + 1 == chain->tasks || chain_starts_job(task + 1);

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
	return scoria_buffer_sync(chain->commands, 0, scoria_buffer_size(chain->commands),
				  SCORIA_SYNC_TO_DEVICE);
}

int chain_run(struct chain *chain)
{
	return device_submit(chain->dev, chain->jobs, chain->n_jobs);
}
