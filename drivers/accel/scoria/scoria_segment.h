/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of command segments: what the NPU is given to run. Pure functions on
 * memory, so that KUnit can test them without a device.
 */
#ifndef SCORIA_SEGMENT_H
#define SCORIA_SEGMENT_H

#include <linux/types.h>

#include "rk3588_npu.h"
#include "scoria_stream.h"

/* Mesa and the vendor's runtime start segments on 64 bytes; 16 is what the PC needs. */
#define SCORIA_SEGMENT_ALIGN		64

/* REGISTER_AMOUNTS counts 16-byte beats in 16 bits; a segment has up to 12 words more. */
#define SCORIA_MAX_TASK_WORDS		(0x20000 - 12)

/* TASK_CON.TASK_NUMBER has 12 bits. */
#define SCORIA_MAX_KICK_TASKS		4095

/* Blocks that write memory; which of its two bits comes is a matter of its registers' group. */
#define SCORIA_INT_DPU			(NPU_INT_DPU_0 | NPU_INT_DPU_1)
#define SCORIA_INT_PPU			(NPU_INT_PPU_0 | NPU_INT_PPU_1)

/**
 * struct scoria_kick - what one start of the PC runs
 * @iova:    NPU address of the first segment
 * @amount:  REGISTER_AMOUNTS of the first segment
 * @n_tasks: segments linked from there on
 * @done:    interrupt bits that the last task has still to raise, one of the two of each
 *           block that writes memory
 * @enable:  which of the CNA and the CORE its segments start, as op-enable bits
 */
struct scoria_kick {
	u32 iova;
	u32 amount;
	u32 n_tasks;
	u32 done;
	u32 enable;
};

/**
 * struct scoria_link - a segment in a chain
 * @iova:   NPU address
 * @amount: REGISTER_AMOUNTS of the segment
 * @enable: op-enable mask
 * @n_cna:  segments before this one that start the CNA
 * @n_core: and the CORE
 * @limit:  index of the first one that cannot run when the chain starts here,
 *          because it needs what one before has left
 */
struct scoria_link {
	u32 iova;
	u16 amount;
	u8 enable;
	u32 n_cna;
	u32 n_core;
	u32 limit;
};

/**
 * scoria_link_init() - fill the entry of a segment
 * @link: the entry
 * @iova: address of the segment
 * @n_words: its length
 * @enable: op-enable mask of its task
 *
 * Fills what is counted in the entry behind it, too. The first entry of an array is all
 * zeros before.
 */
void scoria_link_init(struct scoria_link *link, u32 iova, u32 n_words, u32 enable);

/**
 * scoria_chain_need() - the last segment so far needs what others have left
 * @chain: the entries
 * @index: of the segment
 * @n: how many segments before it that start the CNA it needs
 */
void scoria_chain_need(struct scoria_link *chain, u32 index, u32 n);

/**
 * scoria_chain_kick() - find the kick that runs some segments
 * @first: the first segment's entry
 * @n: number of segments
 * @kick: filled with the kick
 */
void scoria_chain_kick(const struct scoria_link *first, u32 n, struct scoria_kick *kick);

/**
 * scoria_segment_bound() - the most bytes that the segment of a task can take
 * @n_words: words of the task
 *
 * Return: bytes.
 */
u32 scoria_segment_bound(u32 n_words);

/**
 * scoria_segment_emit() - write the segment of a task that was accepted
 * @out: where to
 * @words: the task
 * @task: what the stream reader found in it
 * @more: one more word, 0 for none
 *
 * The segment has pointer words of the blocks that the task starts, the register writes
 * among @words, @more, and a trailer that links to nothing.
 *
 * Return: the number of words, always even.
 */
u32 scoria_segment_emit(__le64 *out, const u64 *words, const struct scoria_task *task, u64 more);

/**
 * scoria_segment_link() - link a segment to the next one
 * @segment: the segment
 * @n: its number of words
 * @next: address of the next one
 * @next_n: number of words of that
 */
void scoria_segment_link(__le64 *segment, u32 n, u32 next, u32 next_n);

/**
 * scoria_segment_amount() - REGISTER_AMOUNTS for a segment
 * @n: number of words, even
 *
 * Return: the value of the register.
 */
u32 scoria_segment_amount(u32 n);

/**
 * scoria_segment_words() - the number of words that REGISTER_AMOUNTS stands for
 * @amount: the value of the register
 *
 * Return: number of words, even.
 */
u32 scoria_segment_words(u32 amount);

/**
 * scoria_segment_done() - interrupt bits that end a task
 * @enable: op-enable mask of the task
 *
 * Return: the bits, of each block two of which either will come; 0 when none does.
 */
u32 scoria_segment_done(u32 enable);

/**
 * scoria_segment_left() - what a task has still to raise
 * @done: what it had
 * @status: interrupt bits that have come
 *
 * Return: the bits, 0 when the task has ended.
 */
static inline u32 scoria_segment_left(u32 done, u32 status)
{
	if (status & SCORIA_INT_DPU)
		done &= ~SCORIA_INT_DPU;
	if (status & SCORIA_INT_PPU)
		done &= ~SCORIA_INT_PPU;
	return done;
}

#endif
