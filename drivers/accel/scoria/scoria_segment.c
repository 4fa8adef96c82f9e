// SPDX-License-Identifier: GPL-2.0-only
#include "scoria_segment.h"

#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "rk3588_npu.h"
#include "scoria_core.h"

/* Words of the trailer: link, length of the next segment, barrier, enable. */
enum { TRAILER_LINK, TRAILER_AMOUNT, TRAILER_SYNC, TRAILER_ENABLE, TRAILER_WORDS };

static const struct {
	u32 enable;
	u16 target;
	u16 offset;
} pointers[] = {
	{ NPU_ENABLE_CNA, NPU_TARGET_CNA, NPU_CNA_S_POINTER },
	{ NPU_ENABLE_CORE, NPU_TARGET_CORE, NPU_CORE_S_POINTER },
	{ NPU_ENABLE_DPU, NPU_TARGET_DPU, NPU_DPU_S_POINTER },
	{ NPU_ENABLE_DPU_RDMA, NPU_TARGET_DPU_RDMA, NPU_DPU_RDMA_S_POINTER },
	{ NPU_ENABLE_PPU, NPU_TARGET_PPU, NPU_PPU_S_POINTER },
	{ NPU_ENABLE_PPU_RDMA, NPU_TARGET_PPU_RDMA, NPU_PPU_RDMA_S_POINTER },
};

static __le64 command(u16 target, u32 value, u16 offset)
{
	return cpu_to_le64((u64)target << 48 | (u64)value << 16 | offset);
}

u32 scoria_segment_amount(u32 n)
{
	return DIV_ROUND_UP(n, 2) - 1;
}

u32 scoria_segment_words(u32 amount)
{
	return 2 * (amount + 1);
}

u32 scoria_segment_bound(u32 n_words)
{
	/* one word more takes reuse back, and one makes the number even */
	u32 words = ARRAY_SIZE(pointers) + n_words + 2 + TRAILER_WORDS;

	return ALIGN(words * sizeof(u64), SCORIA_SEGMENT_ALIGN);
}

/*
 * A pooling unit that the DPU feeds comes last, and whether a DPU that sends to it alone
 * raises its own bit nobody has seen. With a read DMA of its own it may end first. (Rocket
 * waits for the DPU alone, and a job that only pools runs into its timeout there.)
 */
u32 scoria_segment_done(u32 enable)
{
	const bool fed = enable & NPU_ENABLE_PPU && !(enable & NPU_ENABLE_PPU_RDMA);
	u32 done = 0;

	if (enable & NPU_ENABLE_DPU && !fed)
		done |= SCORIA_INT_DPU;
	if (enable & NPU_ENABLE_PPU)
		done |= SCORIA_INT_PPU;
	return done;
}

/*
 * Without these words in every segment, all tasks of a chain repeat the sources
 * of the first (seen on boards). A block that the task does not start gets
 * none: arming it is said to spoil later jobs.
 */
static u32 emit_pointers(__le64 *out, u32 enable)
{
	u32 n = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(pointers); i++)
		if (enable & pointers[i].enable)
			out[n++] = command(pointers[i].target, SCORIA_POINTER_VALUE,
					   pointers[i].offset);
	return n;
}

/*
 * Of the words of a body that was accepted: not the S_POINTER registers, which
 * are ours, and what does nothing. Targets of blocks are the highest.
 */
static bool is_emitted(u64 word)
{
	return word >> 48 > NPU_TARGET_PC && (word & 0xfff) != (NPU_CNA_S_POINTER & 0xfff);
}

/* Nearly all are: each is written, and overwritten by what follows if it is not. */
static u32 emit_body(__le64 *out, const u64 *words, u32 n_body)
{
	u32 n = 0;

	for (u32 i = 0; i < n_body; i++) {
		out[n] = cpu_to_le64(words[i]);
		n += is_emitted(words[i]);
	}
	return n;
}

static_assert(NPU_TARGET_CNA > NPU_TARGET_PC && NPU_TARGET_PC > NPU_TARGET_OP_ENABLE &&
	      NPU_TARGET_PC > NPU_TARGET_SYNC && NPU_TARGET_PC > NPU_TARGET_NOP1);

u32 scoria_segment_emit(__le64 *out, const u64 *words, const struct scoria_task *task, u64 more)
{
	u32 n = emit_pointers(out, task->enable);

	n += emit_body(out + n, words, task->n_body);
	if (more)
		out[n++] = cpu_to_le64(more);
	if (n % 2)
		out[n++] = command(NPU_TARGET_NOP, 0, 0);
	out[n + TRAILER_LINK] = command(NPU_TARGET_NOP, 0, 0);
	out[n + TRAILER_AMOUNT] = command(NPU_TARGET_PC, 0, NPU_PC_REGISTER_AMOUNTS);
	out[n + TRAILER_SYNC] = command(NPU_TARGET_SYNC, 0, 0);
	out[n + TRAILER_ENABLE] = command(NPU_TARGET_OP_ENABLE, task->enable,
					  NPU_PC_OPERATION_ENABLE);
	return n + TRAILER_WORDS;
}

void scoria_segment_link(__le64 *segment, u32 n, u32 next, u32 next_n)
{
	__le64 *trailer = segment + n - TRAILER_WORDS;

	trailer[TRAILER_LINK] = command(NPU_TARGET_PC, next, NPU_PC_BASE_ADDRESS);
	trailer[TRAILER_AMOUNT] = command(NPU_TARGET_PC, scoria_segment_amount(next_n),
					  NPU_PC_REGISTER_AMOUNTS);
}

void scoria_link_init(struct scoria_link *link, u32 iova, u32 n_words, u32 enable)
{
	link->iova = iova;
	link->amount = scoria_segment_amount(n_words);
	link->enable = enable;
	link->limit = U32_MAX;
	link[1].n_cna = link->n_cna + !!(enable & NPU_ENABLE_CNA);
	link[1].n_core = link->n_core + !!(enable & NPU_ENABLE_CORE);
}

void scoria_chain_need(struct scoria_link *chain, u32 index, u32 n)
{
	for (u32 first = index; n; first--) {
		chain[first].limit = min(chain[first].limit, index);
		n -= !!(chain[first - 1].enable & NPU_ENABLE_CNA);
	}
}

void scoria_chain_kick(const struct scoria_link *first, u32 n, struct scoria_kick *kick)
{
	kick->iova = first->iova;
	kick->amount = first->amount;
	kick->n_tasks = n;
	kick->done = scoria_segment_done(first[n - 1].enable);
	kick->enable = (first[n].n_cna > first->n_cna ? NPU_ENABLE_CNA : 0) |
		       (first[n].n_core > first->n_core ? NPU_ENABLE_CORE : 0);
}
