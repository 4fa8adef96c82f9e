// SPDX-License-Identifier: MIT
/*
 * How long a task takes: first order, from the measurements of
 * programming-model J. The stages overlap, so the slowest one counts.
 *
 * The constants are for 1 GHz and start as that page proposes [?]: MACs reach
 * 88 % of their peak (clehaxze, native layout), a core moves 8 to 10 GB/s, a
 * task adds about 5 us.
 */
#include <string.h>

#include "npu.h"

#define MAC_PERCENT	88
#define BYTES_PER_CYCLE	9
#define TASK_CYCLES	5000

void cost_begin(struct npu_core *core)
{
	memset(&core->cost, 0, sizeof(core->cost));
}

void cost_end(struct npu_core *core)
{
	uint64_t cycles = core->cost.bytes / BYTES_PER_CYCLE;

	core->counters.cycles[NPU_STAGE_LOAD] += core->cost.loaded / BYTES_PER_CYCLE;
	for (unsigned int i = 0; i < NPU_N_STAGES; i++) {
		uint64_t stage = core->cost.cycles[i];

		if (i == NPU_STAGE_MAC)
			stage = stage * 100 / MAC_PERCENT;
		if (stage > cycles)
			cycles = stage;
	}
	core->counters.cycles_all += cycles + TASK_CYCLES;
}
