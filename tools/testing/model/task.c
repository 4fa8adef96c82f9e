// SPDX-License-Identifier: MIT
/*
 * One task: which of the enabled blocks feed which, and whether all that wait
 * for each other are there (programming-model A1, B7, B8).
 *
 *	CNA -> CORE -> DPU -> memory, PPU or both
 *	DPU_RDMA (MRDMA) -> DPU, "flying"
 *	PPU_RDMA -> PPU
 */
#include <stdlib.h>

#include "dpu.h"

/* Interrupt bits of group 0; those of group 1 are the next higher ones. */
static const struct {
	enum npu_block_id id;
	uint32_t events;
} events[] = {
	{ NPU_CNA,  NPU_INT_CNA_FEATURE_0 | NPU_INT_CNA_WEIGHT_0 | NPU_INT_CNA_CSC_0 },
	{ NPU_CORE, NPU_INT_CORE_0 },
	{ NPU_DPU,  NPU_INT_DPU_0 },
	{ NPU_PPU,  NPU_INT_PPU_0 },
};

/* The event's group bit is that of the executer group [TRM]. */
static void complete(struct npu_core *core, enum npu_block_id id)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].id == id)
			core->events |= events[i].events << core->unit[id].executer;
	regs_complete(core, id);
}

/* CNA or CORE is missing [FIT]. */
static bool run_without(struct npu_core *core)
{
	const bool cna = regs_is_enabled(core, NPU_CNA);

	if (npu_is(core, NPU_MISSING_BLOCK_HANGS))
		return npu_stop(core, NPU_HUNG, "DPU waits for %s, which is not enabled",
				cna ? "CORE" : "CNA");
	if (cna)
		complete(core, NPU_CNA);
	if (regs_is_enabled(core, NPU_CORE))
		complete(core, NPU_CORE);
	return true;
}

static bool run_conv(struct npu_core *core, struct dpu_cube *cube)
{
	struct conv conv = { 0 };
	bool ok;

	if (!regs_is_enabled(core, NPU_CNA) || !regs_is_enabled(core, NPU_CORE))
		return run_without(core);
	ok = cna_begin(core, &conv) && dpu_run(core, &conv, cube);
	cna_end(&conv);
	if (!ok)
		return false;
	complete(core, NPU_CNA);
	complete(core, NPU_CORE);
	return true;
}

static bool check_destination(struct npu_core *core)
{
	const bool to_ppu = FIELD(core, DPU_FEATURE_MODE_CFG, OUTPUT_MODE) & 1;

	if (!to_ppu)
		return true;
	if (!regs_is_enabled(core, NPU_PPU) || npu_is(core, NPU_PPU_FED_HANGS))
		return npu_stop(core, NPU_HUNG, "DPU sends to the PPU, which does not listen");
	if (FIELD(core, PPU_OPERATION_MODE_CFG, FLYING_MODE))
		return npu_stop(core, NPU_HUNG, "DPU sends to the PPU, which listens to PPU_RDMA");
	return true;
}

static bool run_dpu(struct npu_core *core)
{
	struct dpu_cube cube = { 0 };
	bool ok;

	if (!check_destination(core))
		return false;
	if (FIELD(core, DPU_FEATURE_MODE_CFG, FLYING_MODE))
		ok = dpu_run(core, NULL, &cube);
	else
		ok = run_conv(core, &cube);
	if (ok && cube.units)
		ok = ppu_run(core, &cube);
	if (ok && cube.units)
		complete(core, NPU_PPU);
	free(cube.units);
	if (!ok)
		return false;
	complete(core, NPU_DPU);
	if (regs_is_enabled(core, NPU_DPU_RDMA))
		complete(core, NPU_DPU_RDMA);
	return true;
}

static bool run_ppu(struct npu_core *core)
{
	if (!regs_is_enabled(core, NPU_PPU_RDMA))
		return npu_stop(core, NPU_HUNG, "PPU waits for PPU_RDMA, which is not enabled");
	if (!ppu_run(core, NULL))
		return false;
	complete(core, NPU_PPU);
	complete(core, NPU_PPU_RDMA);
	return true;
}

/* Enabled, and set to read memory rather than to wait for the DPU. */
static bool ppu_flies(struct npu_core *core)
{
	return regs_is_enabled(core, NPU_PPU) &&
	       FIELD(core, PPU_OPERATION_MODE_CFG, FLYING_MODE);
}

static const char *stuck(const struct npu_core *core)
{
	for (unsigned int id = NPU_CNA; id <= NPU_PPU_RDMA; id++)
		if (core->unit[id].enabled[0] || core->unit[id].enabled[1])
			return npu_blocks[id].name;
	return "nothing";
}

static bool dpu_waits(struct npu_core *core)
{
	if (dpu_needs_rdma(core) && !regs_is_enabled(core, NPU_DPU_RDMA))
		return true;
	if (FIELD(core, DPU_FEATURE_MODE_CFG, OUTPUT_MODE) & 1 && !regs_is_enabled(core, NPU_PPU))
		return true;
	return !FIELD(core, DPU_FEATURE_MODE_CFG, FLYING_MODE) &&
	       !(regs_is_enabled(core, NPU_CNA) && regs_is_enabled(core, NPU_CORE));
}

bool task_waits(struct npu_core *core)
{
	const bool dpu = regs_is_enabled(core, NPU_DPU);
	const bool ppu = ppu_flies(core);

	return (!dpu && !ppu) || (dpu && dpu_waits(core)) ||
	       (ppu && !regs_is_enabled(core, NPU_PPU_RDMA));
}

bool task_run(struct npu_core *core)
{
	const bool dpu = regs_is_enabled(core, NPU_DPU);
	const bool ppu = ppu_flies(core);

	core->events = 0;
	if (!dpu && !ppu)
		return npu_stop(core, NPU_HUNG, "no enabled block ends a data path: %s waits",
				stuck(core));
	if (dpu && !run_dpu(core))
		return false;
	return !ppu || run_ppu(core);
}
