/* SPDX-License-Identifier: MIT */
/*
 * Traps of the hardware that a task falls into, from its register writes alone:
 * what hangs, what miscomputes, what depends on an earlier task. A finding names
 * the section of the programming model or the fault (H8, R1 ...) that it rests
 * on; it is advice and never a refusal.
 */
#ifndef SCORIA_DECODE_LINT_H
#define SCORIA_DECODE_LINT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../drivers/accel/scoria/scoria_stream.h"

/**
 * struct lint_finding - one trap
 * @id:     short name of the rule
 * @word:   index, among the task's words, of the write concerned, -1 for none
 * @offset: register concerned, 0 for none
 * @text:   one line, valid during the callback
 */
struct lint_finding {
	const char *id;
	int64_t word;
	uint32_t offset;
	const char *text;
};

/**
 * struct lint_place - what stands around the task
 * @n_tasks:    tasks in the kick, or in the file for want of one
 * @next_words: words of the task that its link leads to, 0 when not known
 */
struct lint_place {
	unsigned int n_tasks;
	uint32_t next_words;
};

typedef void (*lint_report_fn)(void *ctx, const struct lint_finding *finding);

/* Report every trap in the task of @n words at @words, which @task describes. */
void lint_task(const uint64_t *words, const struct scoria_task *task,
	       const struct lint_place *place, lint_report_fn report, void *ctx);

#endif
