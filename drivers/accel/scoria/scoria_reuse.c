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

#include <linux/array_size.h>
#include <linux/bits.h>

#include "rk3588_npu.h"

#define REUSE_BITS	(NPU_CNA_CBUF_CON0_WEIGHT_REUSE | NPU_CNA_CBUF_CON0_DATA_REUSE)

/* Both lie where the split puts them, and as the types and channels say. */
#define COMMON		(BIT(SCORIA_REUSE_CBUF_CON0) | BIT(SCORIA_REUSE_CONV_CON1) | \
			 BIT(SCORIA_REUSE_DATA_SIZE1))
#define WEIGHTS		(COMMON | BIT(SCORIA_REUSE_WEIGHT_SIZE0) | \
			 BIT(SCORIA_REUSE_WEIGHT_SIZE1) | BIT(SCORIA_REUSE_WEIGHT_SIZE2))
#define FEATURES	(COMMON | BIT(SCORIA_REUSE_CBUF_CON1) | BIT(SCORIA_REUSE_DATA_SIZE0) | \
			 BIT(SCORIA_REUSE_FC_DATA_SIZE0) | BIT(SCORIA_REUSE_FC_DATA_SIZE1))

/* By offset in the block; the numbers are one too high, so that 0 means none. */
static const u8 numbers[] = {
	[(NPU_CNA_CBUF_CON0 & 0xfff) / 4] = 1 + SCORIA_REUSE_CBUF_CON0,
	[(NPU_CNA_CBUF_CON1 & 0xfff) / 4] = 1 + SCORIA_REUSE_CBUF_CON1,
	[(NPU_CNA_CONV_CON1 & 0xfff) / 4] = 1 + SCORIA_REUSE_CONV_CON1,
	[(NPU_CNA_DATA_SIZE0 & 0xfff) / 4] = 1 + SCORIA_REUSE_DATA_SIZE0,
	[(NPU_CNA_DATA_SIZE1 & 0xfff) / 4] = 1 + SCORIA_REUSE_DATA_SIZE1,
	[(NPU_CNA_FC_DATA_SIZE0 & 0xfff) / 4] = 1 + SCORIA_REUSE_FC_DATA_SIZE0,
	[(NPU_CNA_FC_DATA_SIZE1 & 0xfff) / 4] = 1 + SCORIA_REUSE_FC_DATA_SIZE1,
	[(NPU_CNA_WEIGHT_SIZE0 & 0xfff) / 4] = 1 + SCORIA_REUSE_WEIGHT_SIZE0,
	[(NPU_CNA_WEIGHT_SIZE1 & 0xfff) / 4] = 1 + SCORIA_REUSE_WEIGHT_SIZE1,
	[(NPU_CNA_WEIGHT_SIZE2 & 0xfff) / 4] = 1 + SCORIA_REUSE_WEIGHT_SIZE2,
};

static u64 cna_command(u32 value, u16 offset)
{
	return (u64)NPU_TARGET_CNA << 48 | (u64)value << 16 | offset;
}

static void collect(struct scoria_reuse *reuse, const u64 *words, u32 n)
{
	reuse->written = 0;
	for (u32 i = 0; i < n; i++) {
		u32 at = (words[i] & 0xfff) / 4;
		u32 number;

		if (words[i] >> 48 != NPU_TARGET_CNA || at >= ARRAY_SIZE(numbers))
			continue;
		number = numbers[at];
		if (!number)
			continue;
		reuse->values[number - 1] = words[i] >> 16;
		reuse->written |= BIT(number - 1);
	}
}

static bool same(const struct scoria_reuse *a, const struct scoria_reuse *b, u32 regs)
{
	if ((a->written & b->written & regs) != regs)
		return false;
	for (u32 i = 0; i < SCORIA_N_REUSE_REGS; i++) {
		u32 ignored = i == SCORIA_REUSE_CBUF_CON0 ? REUSE_BITS : 0;

		if (regs & BIT(i) && (a->values[i] ^ b->values[i]) & ~ignored)
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

u64 scoria_reuse_next(struct scoria_reuse *reuse, const u64 *words, u32 n, u32 *needs)
{
	const struct scoria_reuse last = *reuse;
	u32 *group = &reuse->con0[last.n_tasks % 2];
	bool has, inherits, stands;
	u32 wanted;

	collect(reuse, words, n);
	has = reuse->written & BIT(SCORIA_REUSE_CBUF_CON0);
	/* a task that does not write it has that of the last but one */
	inherits = !has && last.n_tasks >= 2;
	wanted = has ? reuse->values[SCORIA_REUSE_CBUF_CON0] : *group;
	*group = wanted & ~(REUSE_BITS & ~allowed(&last, reuse));
	reuse->n_tasks++;
	stands = *group == wanted && (has || inherits);
	*needs = stands && inherits ? 2 : !!(*group & REUSE_BITS);
	return stands ? 0 : cna_command(*group, NPU_CNA_CBUF_CON0);
}
