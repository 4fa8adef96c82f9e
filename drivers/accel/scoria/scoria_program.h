/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_PROGRAM_H
#define SCORIA_PROGRAM_H

#include <linux/kref.h>
#include <linux/types.h>

#include "scoria_check.h"
#include "scoria_reuse.h"
#include "scoria_ring.h"
#include "scoria_segment.h"

struct scoria_as;

/**
 * struct scoria_program - tasks that were checked, as the NPU runs them
 *
 * The proof of the check travels with it: whatever is in here may run in its
 * address space. Nothing but the count of references changes once it is sealed.
 */
struct scoria_program {
	/** @ref: one by its number in the file, one by each job. */
	struct kref ref;
	/** @as: address space, with a reference. */
	struct scoria_as *as;
	/** @cmd: the segments. */
	struct scoria_cmd cmd;
	/** @used: bytes of @cmd that hold segments. */
	size_t used;
	/** @size: bytes of @cmd. */
	size_t size;
	/** @n_tasks: tasks added. */
	u32 n_tasks;
	/** @max_tasks: tasks that there is room for. */
	u32 max_tasks;
	/** @chain: the segments of the tasks, and an entry behind them. */
	struct scoria_link *chain;
	/** @reuse: what the tasks leave to the next. */
	struct scoria_reuse reuse;
	/** @check: buffers that the tasks address, kept alive. */
	struct scoria_check check;
};

/**
 * scoria_program_create() - make an empty program
 * @as: the address space that the program is for
 * @max_tasks: tasks that it has at most
 * @size: bytes that their segments take at most
 *
 * Return: the program with a reference, or an ERR_PTR().
 */
struct scoria_program *scoria_program_create(struct scoria_as *as, u32 max_tasks, size_t size);

/**
 * scoria_program_get() - take a reference
 * @program: the program
 *
 * Return: @program.
 */
struct scoria_program *scoria_program_get(struct scoria_program *program);

/**
 * scoria_program_put() - give a reference back
 * @program: the program
 *
 * May free buffers, which takes their reservation locks.
 */
void scoria_program_put(struct scoria_program *program);

/**
 * scoria_program_add() - check a task and add it behind the others
 * @program: the program
 * @words: its words, which nobody else can write
 * @n_words: number of words
 *
 * Return: 0, or -EINVAL when it is refused, with the reason in @program->check.refusal.
 */
int scoria_program_add(struct scoria_program *program, const u64 *words, u32 n_words);

/**
 * scoria_program_seal() - no task follows
 * @program: the program
 *
 * Makes all visible to the NPU.
 */
void scoria_program_seal(struct scoria_program *program);

#endif
