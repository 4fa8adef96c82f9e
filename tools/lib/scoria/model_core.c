// SPDX-License-Identifier: MIT
#include "model_core.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "limits.h"
#include "npu_field.h"
#include "rk3588_npu.h"

static void *find(struct model_core *core, uint32_t addr, size_t len)
{
	return arena_find(core->memory, addr, len, &core->last_hit);
}

static int bus_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	void *from = find(ctx, addr, len);

	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int bus_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	void *to = find(ctx, addr, len);

	if (!to)
		return -EFAULT;
	memcpy(to, buf, len);
	return 0;
}

static void pass_report(void *ctx, const struct npu_report *report)
{
	struct model_core *core = ctx;

	if (!core->report)
		return;
	pthread_mutex_lock(core->report_lock);
	core->report(core->report_ctx, report->text);
	pthread_mutex_unlock(core->report_lock);
}

static const struct npu_host host = {
	.read = bus_read,
	.write = bus_write,
	.report = pass_report,
};

int model_core_create(struct model_core *core, const struct npu_options *options)
{
	core->npu = npu_core_create(&host, core, options);
	return core->npu ? 0 : error_no_memory();
}

void model_core_destroy(struct model_core *core)
{
	npu_core_destroy(core->npu);
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

static int failure(enum npu_state state)
{
	switch (state) {
	case NPU_STALLED:
		return -EFAULT;
	case NPU_BROKEN:
		return -EINVAL;
	default:
		return -ETIMEDOUT;
	}
}

static const char *describe(enum npu_state state)
{
	switch (state) {
	case NPU_HUNG:
		return "the job hangs: ";
	case NPU_STALLED:
		return "a bus access failed: ";
	case NPU_BROKEN:
		return "the commands are broken: ";
	default:
		return "the job ended without its interrupt";
	}
}

int model_core_run(struct model_core *core, const struct npu_job *job)
{
	enum npu_state state;

	kick(core->npu, job);
	state = npu_core_run(core->npu);
	if (state == NPU_IDLE && acknowledge(core->npu) & npu_job_done(job)) {
		core->jobs++;
		return 0;
	}
	snprintf(core->error, sizeof(core->error), "%s%s", describe(state),
		 npu_core_reason(core->npu));
	npu_core_reset(core->npu);
	return failure(state);
}
