// SPDX-License-Identifier: MIT
/* See flying.h. */
#include <stdio.h>

#include "flying.h"

static void store_units(uint8_t *to, const uint16_t *values, unsigned int n, unsigned int padded)
{
	for (unsigned int i = 0; i < padded; i++)
		store16(to, i, values[i % n]);
}

static unsigned int padded(const struct flying *f)
{
	return (f->n + 7) / 8 * 8;
}

void flying_begin(struct flying *f, const uint16_t *x, unsigned int n)
{
	f->n = n;
	rig_init(&f->rig, NULL);
	f->x = rig_map(&f->rig, AT_X, 2 * padded(f), 0);
	f->y = rig_map(&f->rig, AT_Y, 2 * padded(f), 0xee);
	store_units(f->x, x, n, padded(f));
	recipe_flying(&f->t, padded(f) / 8);
}

void flying_operand(struct flying *f, const uint16_t *e, uint32_t ew_cfg)
{
	f->e = rig_map(&f->rig, AT_E, 2 * padded(f), 0);
	store_units(f->e, e, f->n, padded(f));
	task_set(&f->t, DPU_EW_CFG, ew_cfg);
	task_set(&f->t, RDMA_ERDMA_CFG, 0x40000008);
	task_set(&f->t, RDMA_EW_BASE, AT_E);
	task_set(&f->t, RDMA_EW_SURF_STRIDE, padded(f) / 8 << 4);
}

bool flying_run(struct flying *f)
{
	enum npu_state state = rig_run(&f->rig, &f->t, 1);

	if (state != NPU_IDLE)
		printf("# state %d: %s\n", state, npu_core_reason(f->rig.core));
	return state == NPU_IDLE;
}

uint16_t flying_out(const struct flying *f, unsigned int i)
{
	return load16(f->y, i);
}

void flying_end(struct flying *f)
{
	rig_free(&f->rig);
}
