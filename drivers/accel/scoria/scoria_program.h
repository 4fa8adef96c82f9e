/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_PROGRAM_H
#define SCORIA_PROGRAM_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "scoria_check.h"
#include "scoria_reuse.h"
#include "scoria_ring.h"
#include "scoria_segment.h"

struct scoria_as;

/**
 * struct scoria_program - tasks that were checked, as the NPU runs them
 *
 * The proof of the check travels with it: whatever is in here may run in its
 * address space.
 */
struct scoria_program {
	/** @as: address space, with a reference. */
	struct scoria_as *as;
	/** @cmd: the segments. */
	struct scoria_cmd cmd;
	/** @used: bytes of @cmd that hold segments. */
	size_t used;
	/** @size: bytes of @cmd. */
	size_t size;
	/** @last: the segment added last. */
	__le64 *last;
	/** @last_words: its length. */
	u32 last_words;
	/** @kick_tasks: most tasks of a kick. */
	u32 kick_tasks;
	/** @n_tasks: tasks added. */
	u32 n_tasks;
	/** @n_kicks: kicks that they need. */
	u32 n_kicks;
	/** @kicks: array of what @max_tasks tasks need. */
	struct scoria_kick *kicks;
	/** @max_tasks: tasks that there is room for. */
	u32 max_tasks;
	/** @reuse: what the tasks leave to the next. */
	struct scoria_reuse reuse;
	/** @check: buffers that the tasks address, kept alive. */
	struct scoria_check check;
};

/* For at most @max_tasks tasks, the segments of which take at most @size bytes. */
struct scoria_program *scoria_program_create(struct scoria_as *as, u32 max_tasks, size_t size);
void scoria_program_free(struct scoria_program *program);

/*
 * Check the task in @words and add it behind the others. -EINVAL when it is
 * refused, with the reason in @program->check.refusal.
 */
int scoria_program_add(struct scoria_program *program, const u64 *words, u32 n_words);

/* No task follows: make all visible to the NPU. */
void scoria_program_seal(struct scoria_program *program);

#endif
