/* SPDX-License-Identifier: MIT */
/* One core of the NPU model, driven through its registers as the kernel drivers drive silicon. */
#ifndef SCORIA_MODEL_CORE_H
#define SCORIA_MODEL_CORE_H

#include "../../testing/model/npu_model.h"
#include "arena.h"
#include "device.h"

/**
 * struct model_core - see above
 * @npu:   NULL until it is first used
 * @memory: behind its bus, shared by all cores
 * @last_hit: where its last access was found there
 * @report: @report_ctx: as in struct scoria_device_opts
 * @report_lock: reports come from one core at a time
 * @jobs:  run to their end
 * @error: of the job that failed last
 */
struct model_core {
	struct npu_core *npu;
	struct arena *memory;
	size_t last_hit;
	void (*report)(void *ctx, const char *text);
	void *report_ctx;
	pthread_mutex_t *report_lock;
	uint64_t jobs;
	char error[160];
};

/* -ENOMEM, with the message set. */
int model_core_create(struct model_core *core, const struct npu_options *options);
void model_core_destroy(struct model_core *core);

/*
 * Run a job to its end; no other thread may use the core. A negative errno after a
 * failure, which @core->error describes, since messages are the calling thread's.
 */
int model_core_run(struct model_core *core, const struct npu_job *job);

#endif
