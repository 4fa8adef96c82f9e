/* SPDX-License-Identifier: MIT */
/* Between decode_lint.c and the files that hold the rules. */
#ifndef SCORIA_LINT_H
#define SCORIA_LINT_H

#include "decode_lint.h"
#include "npu_field.h"
#include "npu_table.h"
#include "rk3588_npu.h"

#define LINT_N_REGS (0x8000 / 4)

/**
 * struct lint - a task as the rules see it
 * @values: what the task wrote to each register, by offset / 4
 * @where:  index + 1 of the word that wrote it last, 0 when none did
 * @task:   trailer and enable mask
 * @place:  what stands around it
 * @id:     rule that is being checked
 */
struct lint {
	uint32_t values[LINT_N_REGS];
	uint32_t where[LINT_N_REGS];
	const struct scoria_task *task;
	struct lint_place place;
	const char *id;
	lint_report_fn report;
	void *ctx;
};

struct lint_rule {
	const char *id;
	void (*check)(struct lint *lint);
};

/* Each ends with a rule without name. */
extern const struct lint_rule lint_path_rules[];	/* what feeds what */
extern const struct lint_rule lint_size_rules[];	/* sizes that must agree */
extern const struct lint_rule lint_chain_rules[];	/* tasks in a row */

/* LINT_FIELD(lint, CNA_CONV_CON1, CONV_MODE): as the task wrote it, else 0. */
#define LINT_FIELD(lint, reg, field) \
	npu_get(NPU_##reg##_##field, (lint)->values[NPU_##reg / 4])

static inline bool lint_wrote(const struct lint *lint, uint32_t offset)
{
	return lint->where[offset / 4];
}

/* Whether the task starts every block of @mask. */
static inline bool lint_starts(const struct lint *lint, uint32_t mask)
{
	return (lint->task->enable & mask) == mask;
}

/* Whether DPU and CORE are started and the DPU's input is the convolution's result. */
static inline bool lint_is_convolution(const struct lint *lint)
{
	return lint_starts(lint, NPU_ENABLE_CORE | NPU_ENABLE_DPU) &&
	       lint_wrote(lint, NPU_DPU_FEATURE_MODE_CFG) &&
	       !LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, FLYING_MODE);
}

/* Report the present rule, at the register @offset unless that is 0. */
__attribute__((format(printf, 3, 4)))
void lint_say(struct lint *lint, uint32_t offset, const char *format, ...);

#endif
