/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that reuse what an earlier one left in CBUF. Pure functions, so that
 * KUnit can test them without a device.
 */
#ifndef SCORIA_REUSE_H
#define SCORIA_REUSE_H

#include <linux/types.h>

#include "scoria_stream.h"

/**
 * struct scoria_reuse - what the tasks of a program so far have left in the CNA
 * @n_tasks: number of those that start the CNA
 * @con0:    CBUF_CON0 in either group of registers, which the tasks take in turn
 * @values:  by NPU_NOTED_*, registers as the last of them has written them
 * @written: bit per NPU_NOTED_*: set when @values has a value
 */
struct scoria_reuse {
	u32 n_tasks;
	u32 con0[2];
	u32 values[NPU_N_NOTED];
	u32 written;
};

/**
 * scoria_reuse_next() - take in the next task that starts the CNA
 * @reuse: what the tasks before have left
 * @task: what the stream reader found in it
 * @words: its words
 * @needs: set to how many of the tasks before it that start the CNA the task needs, up
 *   to 2
 *
 * Return: the word that must follow the words of the task, so that it reads nothing
 * from CBUF that no task of the program has put there; 0 when none is needed.
 */
u64 scoria_reuse_next(struct scoria_reuse *reuse, const struct scoria_task *task,
		      const u64 *words, u32 *needs);

#endif
