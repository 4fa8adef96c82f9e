// SPDX-License-Identifier: GPL-2.0-only
/*
 * CBUF is not cleared between jobs, nor for sure by a reset. A task that sets
 * WEIGHT_REUSE or DATA_REUSE computes from what is there, which may be what
 * another process left. Working programs set them in a task that follows one
 * with the same data and the same split of CBUF (programming-model E3), so that
 * is when they stand. Otherwise they are taken back and the task fetches from
 * its addresses, which gives the same result if the program was right.
 */
#include "scoria_reuse.h"

#include <linux/bitmap.h>
#include <linux/bits.h>

#define REUSE_BITS	(NPU_CNA_CBUF_CON0_WEIGHT_REUSE | NPU_CNA_CBUF_CON0_DATA_REUSE)

/*
 * The registers of the CNA that say what is in CBUF, and where: both lie where the
 * split puts them, and as the types and channels say.
 */
#define COMMON		(BIT(NPU_NOTED_CNA_CBUF_CON0) | BIT(NPU_NOTED_CNA_CONV_CON1) | \
			 BIT(NPU_NOTED_CNA_DATA_SIZE1))
#define WEIGHTS		(COMMON | BIT(NPU_NOTED_CNA_WEIGHT_SIZE0) | \
			 BIT(NPU_NOTED_CNA_WEIGHT_SIZE1) | BIT(NPU_NOTED_CNA_WEIGHT_SIZE2))
#define FEATURES	(COMMON | BIT(NPU_NOTED_CNA_CBUF_CON1) | BIT(NPU_NOTED_CNA_DATA_SIZE0) | \
			 BIT(NPU_NOTED_CNA_FC_DATA_SIZE0) | BIT(NPU_NOTED_CNA_FC_DATA_SIZE1))

static u64 cna_command(u32 value, u16 offset)
{
	return (u64)NPU_TARGET_CNA << 48 | (u64)value << 16 | offset;
}

static void collect(struct scoria_reuse *reuse, const struct scoria_task *task,
		    const u64 *words)
{
	unsigned long regs = task->written & (WEIGHTS | FEATURES);
	u32 reg;

	reuse->written = regs;
	for_each_set_bit(reg, &regs, NPU_N_NOTED)
		reuse->values[reg] = scoria_task_value(task, words, reg);
}

static bool same(const struct scoria_reuse *a, const struct scoria_reuse *b, unsigned long regs)
{
	u32 reg;

	if ((a->written & b->written & regs) != regs)
		return false;
	for_each_set_bit(reg, &regs, NPU_N_NOTED) {
		u32 ignored = reg == NPU_NOTED_CNA_CBUF_CON0 ? REUSE_BITS : 0;

		if ((a->values[reg] ^ b->values[reg]) & ~ignored)
			return false;
	}
	return true;
}

/* The reuse bits that a task may have which follows @last. */
static u32 allowed(const struct scoria_reuse *last, const struct scoria_reuse *now)
{
	u32 bits = 0;

	if (same(last, now, WEIGHTS))
		bits |= NPU_CNA_CBUF_CON0_WEIGHT_REUSE;
	if (same(last, now, FEATURES))
		bits |= NPU_CNA_CBUF_CON0_DATA_REUSE;
	return bits;
}

u64 scoria_reuse_next(struct scoria_reuse *reuse, const struct scoria_task *task,
		      const u64 *words, u32 *needs)
{
	const struct scoria_reuse last = *reuse;
	u32 *group = &reuse->con0[last.n_tasks % 2];
	bool has, inherits, stands;
	u32 wanted;

	collect(reuse, task, words);
	has = reuse->written & BIT(NPU_NOTED_CNA_CBUF_CON0);
	/* a task that does not write it has that of the last but one */
	inherits = !has && last.n_tasks >= 2;
	wanted = has ? reuse->values[NPU_NOTED_CNA_CBUF_CON0] : *group;
	*group = wanted & ~(REUSE_BITS & ~allowed(&last, reuse));
	reuse->n_tasks++;
	stands = *group == wanted && (has || inherits);
	*needs = stands && inherits ? 2 : !!(*group & REUSE_BITS);
	return stands ? 0 : cna_command(*group, NPU_CNA_CBUF_CON0);
}
