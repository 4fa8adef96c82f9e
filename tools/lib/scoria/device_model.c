// SPDX-License-Identifier: MIT
/*
 * The device "model": the cores of the NPU model and memory for them. Cores that work
 * at the same time do so in threads of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "limits.h"
#include "model_core.h"
#include "rk3588_npu.h"

/**
 * struct model - see above
 * @options: of every core; a core is made when it is first needed
 * @report_lock: see struct model_core
 * @cycles:  from the start of each step to the end of its last core
 */
struct model {
	struct arena arena;
	struct npu_options options;
	struct model_core cores[NPU_MAX_CORES];
	pthread_mutex_t report_lock;
	uint64_t cycles;
};

/**
 * struct worker - a core and its part of a step
 * @jobs: @n: of the whole step; it takes every @stride-th from @first on
 * @error: of the job that failed, which was @failed; 0 for none
 */
struct worker {
	struct model_core *core;
	const struct npu_job *jobs;
	size_t n;
	size_t first;
	size_t stride;
	int error;
	size_t failed;
	pthread_t thread;
	bool started;
};

static int use_core(struct model *model, unsigned int i)
{
	return model->cores[i].npu ? 0 : model_core_create(&model->cores[i], &model->options);
}

static void destroy(struct model *model)
{
	unsigned int i;

	for (i = 0; i < NPU_MAX_CORES; i++)
		if (model->cores[i].npu)
			model_core_destroy(&model->cores[i]);
	pthread_mutex_destroy(&model->report_lock);
	arena_destroy(&model->arena);
	free(model);
}

static int choose(struct npu_options *options, const char *choices)
{
	char why[160];

	/* the library's own streams must not depend on what a task left behind */
	*options = (struct npu_options){ .lint_stale = true };
	if (choices && !npu_choose(&options->choices, choices, why, sizeof(why)))
		return error_set(EINVAL, "model: %s", why);
	return 0;
}

static void connect(struct model *model, const struct scoria_device_opts *opts)
{
	unsigned int i;

	pthread_mutex_init(&model->report_lock, NULL);
	for (i = 0; i < NPU_MAX_CORES; i++)
		model->cores[i] = (struct model_core){
			.memory = &model->arena,
			.report = opts->report,
			.report_ctx = opts->report_ctx,
			.report_lock = &model->report_lock,
		};
}

static int model_open(struct scoria_device *dev, const struct scoria_device_opts *opts)
{
	struct npu_options options;
	struct model *model;
	int err = choose(&options, opts->model);

	if (err)
		return err;
	model = calloc(1, sizeof(*model));
	if (!model)
		return error_no_memory();
	err = arena_init(&model->arena, opts->memory);
	if (err) {
		free(model);
		return err;
	}
	model->options = options;
	connect(model, opts);
	err = use_core(model, 0);
	if (err) {
		destroy(model);
		return err;
	}
	dev->priv = model;
	dev->cores = opts->cores ? opts->cores : NPU_MAX_CORES;
	return 0;
}

static void model_close(struct scoria_device *dev)
{
	destroy(dev->priv);
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

/* The first job that fails ends the worker's part; those of other workers run on. */
static void *work(void *ctx)
{
	struct worker *worker = ctx;
	size_t i;

	for (i = worker->first; i < worker->n && !worker->error; i += worker->stride) {
		worker->error = model_core_run(worker->core, &worker->jobs[i]);
		worker->failed = i;
	}
	return NULL;
}

/* A worker without a thread works in this one. */
static void run_workers(struct worker *workers, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	for (i = 0; i < n; i++)
		if (!workers[i].started)
			work(&workers[i]);
	for (i = 1; i < n; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
}

static uint64_t core_cycles(const struct model_core *core)
{
	return npu_core_counters(core->npu)->cycles_all;
}

/* The first failure, in the order of jobs. */
static int first_error(const struct worker *workers, size_t n)
{
	const struct worker *first = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (workers[i].error && (!first || workers[i].failed < first->failed))
			first = &workers[i];
	return first ? error_set(-first->error, "model: %s", first->core->error) : 0;
}

/* Jobs that may run beside each other, on as many cores as there are. */
static int run_step(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	size_t n_workers = n < dev->cores ? n : dev->cores, i;
	struct worker workers[NPU_MAX_CORES] = { 0 };
	struct model *model = dev->priv;
	uint64_t before[NPU_MAX_CORES], most = 0;
	int err = 0;

	for (i = 0; i < n_workers && !err; i++) {
		err = use_core(model, i);
		if (err)
			return err;
		workers[i] = (struct worker){ .core = &model->cores[i], .jobs = jobs, .n = n,
					      .first = i, .stride = n_workers };
		before[i] = core_cycles(&model->cores[i]);
	}
	run_workers(workers, n_workers);
	for (i = 0; i < n_workers; i++) {
		uint64_t cycles = core_cycles(&model->cores[i]) - before[i];

		most = cycles > most ? cycles : most;
	}
	model->cycles += most;
	return first_error(workers, n_workers);
}

static int model_submit(struct scoria_device *dev, const struct npu_job *jobs, size_t n)
{
	size_t first, count;
	int err = 0;

	for (first = 0; first < n && !err; first += count) {
		count = 1;
		while (first + count < n && jobs[first + count].parallel)
			count++;
		err = run_step(dev, jobs + first, count);
	}
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

static void add_core(const struct model_core *core, struct scoria_device_stats *stats)
{
	const struct npu_counters *counters = npu_core_counters(core->npu);
	int i;

	stats->jobs += core->jobs;
	stats->tasks += counters->tasks;
	stats->macs_issued += counters->macs_issued;
	stats->macs_useful += counters->macs_useful;
	stats->words += counters->words;
	for (i = 0; i < NPU_N_DMA; i++)
		*bytes_of(stats, i) += counters->bytes[i];
}

static void model_stats(struct scoria_device *dev, struct scoria_device_stats *stats)
{
	const struct model *model = dev->priv;
	unsigned int i;

	for (i = 0; i < NPU_MAX_CORES; i++)
		if (model->cores[i].npu)
			add_core(&model->cores[i], stats);
	stats->cycles = model->cycles;
	stats->bytes_read = stats->bytes_commands + stats->bytes_features +
			    stats->bytes_weights + stats->bytes_operands;
}

static void model_facts(struct scoria_device *dev, struct device_facts *facts)
{
	struct npu_core *npu = ((struct model *)dev->priv)->cores[0].npu;

	snprintf(facts->driver, sizeof(facts->driver), "libscoria-model");
	snprintf(facts->name, sizeof(facts->name), "libscoria-model");
	snprintf(facts->description, sizeof(facts->description), "software model of the NPU");
	facts->hw_version = npu_core_read(npu, NPU_PC_VERSION) +
			    (uint16_t)npu_core_read(npu, NPU_PC_VERSION_NUM);
	facts->cores = dev->cores;
	facts->core_mask = (1u << dev->cores) - 1;
	facts->address_end = NPU_WINDOW;
	facts->limits[facts->n_limits++] = (struct device_limit){ "kick_tasks", NPU_MAX_TASKS };
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
