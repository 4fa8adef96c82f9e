// SPDX-License-Identifier: MIT
/* A core of the NPU: creation, reset, host access and the run loop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "npu.h"

#define WINDOW_BYTES		0x10000
#define UNDECODED_FIRST		0x2000	/* reading here hangs the SoC [HW] */
#define UNDECODED_LAST		0x2fff

/* VERSION + VERSION_NUM[15:0], the sum that boards read [HW]; the split is ours [?] */
#define VERSION_SUM		0x46495245u
#define VERSION_NUM		0x00000001u

/* What an idle RK3588 was seen to hold, where the TRM says 0 [HW] */
static const struct {
	uint32_t offset;
	uint32_t value;
} power_up[] = {
	{ NPU_PC_VERSION,		VERSION_SUM - VERSION_NUM },
	{ NPU_PC_VERSION_NUM,		VERSION_NUM },
	{ NPU_DDMA_CFG_OUTSTANDING,	0x00000fff },
	{ NPU_DDMA_RD_WEIGHT_0,		0x01010101 },
	{ NPU_DDMA_WR_WEIGHT_0,		0x00010101 },
	{ NPU_DDMA_RD_WEIGHT_1,		0x00000101 },
	{ NPU_DDMA_CFG_STATUS,		0x00000100 },
};

void npu_core_reset(struct npu_core *core)
{
	const bool level = core->irq_level;

	regs_reset(core);
	for (size_t i = 0; i < sizeof(power_up) / sizeof(power_up[0]); i++)
		core->unit[power_up[i].offset >> 12 ? NPU_DDMA : NPU_PC]
			.reg[0][(power_up[i].offset & 0xfff) / 4] = power_up[i].value;
	memset(&core->lut, 0, sizeof(core->lut));
	if (core->cbuf_used)
		memset(core->cbuf, 0, sizeof(core->cbuf));
	core->cbuf_used = false;
	core->state = NPU_IDLE;
	core->reason[0] = '\0';
	core->kicked = false;
	core->task = 0;
	core->link_set = false;
	core->word = -1;
	core->word_addr = 0;
	core->events = 0;
	core->held = 0;
	core->tasks_done = 0;
	core->fp32_flying = 0;
	core->ppu_small = 0;
	core->irq_level = false;
	if (level && core->host.irq)
		core->host.irq(core->ctx, false);
}

struct npu_core *npu_core_create(const struct npu_host *host, void *ctx,
				 const struct npu_options *options)
{
	struct npu_core *core;

	if (!host->read || !host->write) {
		errno = EINVAL;
		return NULL;
	}
	core = calloc(1, sizeof(*core));
	if (!core)
		return NULL;
	core->noted = calloc(npu_n_regs, sizeof(*core->noted));
	if (!core->noted) {
		free(core);
		return NULL;
	}
	core->host = *host;
	core->ctx = ctx;
	if (options)
		core->options = *options;
	for (unsigned int id = 0; id < NPU_N_SWITCHES; id++)
		if (!core->options.choices.value[id])
			core->options.choices.value[id] = npu_answer(id);
	if (!core->options.max_task_cycles)
		core->options.max_task_cycles = 1ull << 40;
	npu_core_reset(core);
	return core;
}

void npu_core_destroy(struct npu_core *core)
{
	if (!core)
		return;
	free(core->block);
	free(core->noted);
	free(core);
}

uint32_t npu_core_read(struct npu_core *core, uint32_t offset)
{
	core->counters.mmio_reads++;
	if (offset >= WINDOW_BYTES || offset & 3) {
		npu_warn(core, "read of offset %#x, which is no register", offset);
		return 0;
	}
	if (offset >= UNDECODED_FIRST && offset <= UNDECODED_LAST) {
		npu_stop(core, NPU_HUNG, "read of offset %#x hangs the SoC", offset);
		return ~0u;
	}
	return regs_read(core, offset);
}

void npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	core->counters.mmio_writes++;
	if (offset >= WINDOW_BYTES || offset & 3) {
		npu_warn(core, "write of offset %#x, which is no register", offset);
		return;
	}
	regs_write(core, offset, value);
}

enum npu_state npu_core_run(struct npu_core *core)
{
	while (core->state == NPU_READY)
		pc_run(core);
	return core->state;
}

uint32_t npu_core_held(const struct npu_core *core)
{
	return core->held;
}

void npu_core_deliver(struct npu_core *core, uint32_t events)
{
	pc_deliver(core, events);
}

void npu_core_forget(struct npu_core *core)
{
	core->held = 0;
}

enum npu_state npu_core_state(const struct npu_core *core)
{
	return core->state;
}

const char *npu_core_reason(const struct npu_core *core)
{
	return core->reason;
}

const struct npu_counters *npu_core_counters(const struct npu_core *core)
{
	return &core->counters;
}
