/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of command segments: what the NPU is given to run. Pure functions on
 * memory, so that KUnit can test them without a device.
 */
#ifndef SCORIA_SEGMENT_H
#define SCORIA_SEGMENT_H

#include <linux/types.h>

#include "scoria_stream.h"

/* Mesa and the vendor's runtime start segments on 64 bytes; 16 is what the PC needs. */
#define SCORIA_SEGMENT_ALIGN		64

/* REGISTER_AMOUNTS counts 16-byte beats in 16 bits; a segment has up to 12 words more. */
#define SCORIA_MAX_TASK_WORDS		(0x20000 - 12)

/* TASK_CON.TASK_NUMBER has 12 bits. */
#define SCORIA_MAX_KICK_TASKS		4095

/**
 * struct scoria_kick - what one start of the PC runs
 * @iova:    NPU address of the first segment
 * @amount:  REGISTER_AMOUNTS of the first segment
 * @n_tasks: segments linked from there on
 * @done:    interrupt bits of which any one means that the last task is done
 * @enable:  union of the op-enable masks
 */
struct scoria_kick {
	u32 iova;
	u32 amount;
	u32 n_tasks;
	u32 done;
	u32 enable;
};

/* The most bytes that the segment of a task of @n_words words can take. */
u32 scoria_segment_bound(u32 n_words);

/*
 * Write the segment of a task that was accepted to @out: pointer words of the
 * blocks that it starts, the register writes among @words, @more unless it is 0,
 * and a trailer that links to nothing. Returns the number of words, always even.
 */
u32 scoria_segment_emit(__le64 *out, const u64 *words, const struct scoria_task *task, u64 more);

/* Link the segment of @n words at @segment to one of @next_n words at @next. */
void scoria_segment_link(__le64 *segment, u32 n, u32 next, u32 next_n);

/* REGISTER_AMOUNTS for a segment of @n words. */
u32 scoria_segment_amount(u32 n);

/* Interrupt bits that end a task with this op-enable mask; 0 when none does. */
u32 scoria_segment_done(u32 enable);

#endif
