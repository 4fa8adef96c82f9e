// SPDX-License-Identifier: MIT
/*
 * The device "model": one core of the NPU model and memory for it, driven
 * through its registers as the kernel drivers drive silicon (programming-model I1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../testing/model/npu_model.h"
#include "arena.h"
#include "device.h"
#include "error.h"
#include "limits.h"
#include "npu_field.h"
#include "rk3588_npu.h"

struct model {
	struct arena arena;
	struct npu_core *core;
	void (*report)(void *ctx, const char *text);
	void *report_ctx;
	uint64_t jobs;
};

static int bus_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	struct model *model = ctx;
	void *from = arena_find(&model->arena, addr, len);

	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int bus_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	struct model *model = ctx;
	void *to = arena_find(&model->arena, addr, len);

	if (!to)
		return -EFAULT;
	memcpy(to, buf, len);
	return 0;
}

static void pass_report(void *ctx, const struct npu_report *report)
{
	struct model *model = ctx;

	if (model->report)
		model->report(model->report_ctx, report->text);
}

static const struct npu_host host = {
	.read = bus_read,
	.write = bus_write,
	.report = pass_report,
};

static int model_open(struct scoria_device *dev, const struct scoria_device_opts *opts)
{
	/* the library's own streams must not depend on what a task left behind */
	struct npu_options options = { .lint_stale = true };
	struct model *model;
	char why[160];
	int err;

	if (opts->model && !npu_choose(&options.choices, opts->model, why, sizeof(why)))
		return error_set(EINVAL, "model: %s", why);
	model = calloc(1, sizeof(*model));
	if (!model)
		return error_no_memory();
	err = arena_init(&model->arena, opts->memory);
	if (err) {
		free(model);
		return err;
	}
	model->report = opts->report;
	model->report_ctx = opts->report_ctx;
	model->core = npu_core_create(&host, model, &options);
	if (!model->core) {
		arena_destroy(&model->arena);
		free(model);
		return error_no_memory();
	}
	dev->priv = model;
	return 0;
}

static void model_close(struct scoria_device *dev)
{
	struct model *model = dev->priv;

	npu_core_destroy(model->core);
	arena_destroy(&model->arena);
	free(model);
}

static int model_alloc(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct model *model = dev->priv;
	int err = arena_alloc(&model->arena, buffer->size, &buffer->address);

	if (!err)
		buffer->map = model->arena.base + buffer->address;
	return err;
}

static void model_free(struct scoria_device *dev, struct scoria_buffer *buffer)
{
	struct model *model = dev->priv;

	arena_free(&model->arena, buffer->address);
}

/* The model reads and writes the bytes that the CPU sees. */
static void model_sync(struct scoria_device *dev, struct scoria_buffer *buffer, uint64_t offset,
		       uint64_t bytes, enum scoria_sync direction)
{
	(void)dev;
	(void)buffer;
	(void)offset;
	(void)bytes;
	(void)direction;
}

/*
 * The order of writes is that of the drivers, programming-model I1. Pointers of
 * blocks that the job does not use stay alone: armed, they have been linked to
 * corrupted later jobs (B6, faults H7).
 */
static void kick(struct npu_core *core, const struct npu_job *job)
{
	npu_core_write(core, NPU_PC_BASE_ADDRESS, 1);	/* slave mode: ours are the writes */
	if (job->blocks & NPU_ENABLE_CNA)
		npu_core_write(core, NPU_CNA_S_POINTER, NPU_S_POINTER_PING_PONG);
	if (job->blocks & NPU_ENABLE_CORE)
		npu_core_write(core, NPU_CORE_S_POINTER, NPU_S_POINTER_PING_PONG);
	npu_core_write(core, NPU_PC_BASE_ADDRESS, job->address);
	npu_core_write(core, NPU_PC_REGISTER_AMOUNTS, NPU_FETCH_AMOUNT(job->words));
	npu_core_write(core, NPU_PC_INTERRUPT_MASK, npu_job_done(job));
	npu_core_write(core, NPU_PC_INTERRUPT_CLEAR, NPU_ALL_INTERRUPTS);
	npu_core_write(core, NPU_PC_TASK_CON, NPU_TASK_CON_MODE | job->tasks);
	npu_core_write(core, NPU_PC_TASK_DMA_BASE_ADDR, 0);
	npu_core_write(core, NPU_PC_OPERATION_ENABLE, 1);
}

static uint32_t acknowledge(struct npu_core *core)
{
	uint32_t raw = npu_core_read(core, NPU_PC_INTERRUPT_RAW_STATUS);

	npu_core_write(core, NPU_PC_INTERRUPT_MASK, 0);
	npu_core_write(core, NPU_PC_OPERATION_ENABLE, 0);
	npu_core_write(core, NPU_PC_INTERRUPT_CLEAR, NPU_ALL_INTERRUPTS);
	return raw;
}

static int failure(enum npu_state state, const char *reason)
{
	switch (state) {
	case NPU_HUNG:
		return error_set(ETIMEDOUT, "model: the job hangs: %s", reason);
	case NPU_STALLED:
		return error_set(EFAULT, "model: a bus access failed: %s", reason);
	case NPU_BROKEN:
		return error_set(EINVAL, "model: the commands are broken: %s", reason);
	default:
		return error_set(ETIMEDOUT, "model: the job ended without its interrupt");
	}
}

static int run_job(struct model *model, const struct npu_job *job)
{
	enum npu_state state;
	int err;

	kick(model->core, job);
	state = npu_core_run(model->core);
	if (state == NPU_IDLE && acknowledge(model->core) & npu_job_done(job)) {
		model->jobs++;
		return 0;
	}
	err = failure(state, npu_core_reason(model->core));
	npu_core_reset(model->core);
	return err;
}

static int model_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	struct model *model = dev->priv;
	int err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = run_job(model, &jobs[i]);
	return err;
}

/* Where the bytes of a DMA engine are counted. */
static uint64_t *bytes_of(struct scoria_device_stats *stats, enum npu_dma engine)
{
	switch (engine) {
	case NPU_DMA_PC:
		return &stats->bytes_commands;
	case NPU_DMA_FEATURE:
		return &stats->bytes_features;
	case NPU_DMA_WEIGHT:
		return &stats->bytes_weights;
	case NPU_DMA_DPU_WDMA:
	case NPU_DMA_PPU_WDMA:
		return &stats->bytes_written;
	default:
		return &stats->bytes_operands;
	}
}

static void model_stats(struct scoria_device *dev, struct scoria_device_stats *stats)
{
	struct model *model = dev->priv;
	const struct npu_counters *counters = npu_core_counters(model->core);
	int i;

	stats->jobs = model->jobs;
	stats->tasks = counters->tasks;
	stats->macs_issued = counters->macs_issued;
	stats->macs_useful = counters->macs_useful;
	stats->cycles = counters->cycles_all;
	stats->words = counters->words;
	for (i = 0; i < NPU_N_DMA; i++)
		*bytes_of(stats, i) += counters->bytes[i];
	stats->bytes_read = stats->bytes_commands + stats->bytes_features +
			    stats->bytes_weights + stats->bytes_operands;
}

static void model_facts(struct scoria_device *dev, struct device_facts *facts)
{
	struct model *model = dev->priv;

	snprintf(facts->driver, sizeof(facts->driver), "libscoria-model");
	facts->hw_version = npu_core_read(model->core, NPU_PC_VERSION) +
			    (uint16_t)npu_core_read(model->core, NPU_PC_VERSION_NUM);
	facts->cores = 1;
}

const struct device_ops device_model_ops = {
	.name = "model",
	.open = model_open,
	.close = model_close,
	.alloc = model_alloc,
	.free = model_free,
	.sync = model_sync,
	.submit = model_submit,
	.stats = model_stats,
	.facts = model_facts,
};
