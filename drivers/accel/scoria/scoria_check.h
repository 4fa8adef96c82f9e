/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_CHECK_H
#define SCORIA_CHECK_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "scoria_stream.h"

struct scoria_as;
struct scoria_mapping;

/**
 * struct scoria_refusal - why a task was refused
 * @verdict: word and reason
 * @value:   what the word would write
 */
struct scoria_refusal {
	struct scoria_verdict verdict;
	u32 value;
};

/**
 * struct scoria_check - check of the tasks of a program
 * @as:       their address space
 * @buffers:  buffers that they address, each with a reference, by first page
 * @recent:   by NPU_NOTED_*, the buffer found last for the register
 * @refusal:  why the last task was refused
 */
struct scoria_check {
	struct scoria_as *as;
	struct xarray buffers;
	struct scoria_mapping *recent[NPU_N_NOTED];
	struct scoria_refusal refusal;
};

/**
 * scoria_check_init() - prepare to check the tasks of a program
 * @check: the check
 * @as: the address space whose buffers the tasks may address
 */
void scoria_check_init(struct scoria_check *check, struct scoria_as *as);

/**
 * scoria_check_fini() - let go of the buffers that tasks address
 * @check: the check
 */
void scoria_check_fini(struct scoria_check *check);

/**
 * scoria_check_task() - check a task
 * @check: the check
 * @words: its words, which nobody else can write
 * @n: number of words
 * @task: filled with what the stream reader found
 *
 * The buffers that it addresses stay until scoria_check_fini().
 *
 * Return: 0, or -EINVAL when the task is refused, with the reason in @check->refusal.
 */
int scoria_check_task(struct scoria_check *check, const u64 *words, u32 n,
		      struct scoria_task *task);

#endif
