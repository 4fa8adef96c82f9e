// SPDX-License-Identifier: MIT
/*
 * Linked into the command in front of the model (ld --wrap): before each kick
 * it follows the chain as the PC would, gives every task to the checker and to
 * lint, and says at exit on stderr "watched N tasks, N refused, N findings".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "npu_field.h"
#include "rk3588_npu.h"
#include "../decode_lint.h"
#include "../../testing/model/npu_model.h"

struct npu_core *__real_npu_core_create(const struct npu_host *host, void *ctx,
					const struct npu_options *options);
struct npu_core *__wrap_npu_core_create(const struct npu_host *host, void *ctx,
					const struct npu_options *options);
void __real_npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value);
void __wrap_npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value);

/* One core, as the command uses. */
static struct {
	struct npu_host host;
	void *ctx;
	uint32_t base;
	uint32_t amount;
	uint32_t n_tasks;
	unsigned long watched;
	unsigned long refused;
	unsigned long findings;
} watch;

static void report(void *ctx, const struct lint_finding *finding)
{
	(void)ctx;
	watch.findings++;
	fprintf(stderr, "lint %s: %s\n", finding->id, finding->text);
}

static void refuse(uint32_t task, const char *reason, uint32_t word)
{
	watch.refused++;
	fprintf(stderr, "task %" PRIu32 ", word %" PRIu32 ": %s\n", task, word, reason);
}

/* Judge the segment of @n words at @address; false when the chain cannot go on. */
static bool watch_task(uint32_t index, uint32_t address, uint32_t n, struct scoria_task *task)
{
	struct lint_place place = { .n_tasks = watch.n_tasks };
	struct scoria_verdict verdict;
	uint64_t *words = calloc(n, sizeof(*words));
	bool accepted = false;

	if (!words || watch.host.read(watch.ctx, address, words, n * sizeof(*words))) {
		refuse(index, "its words cannot be read", 0);
	} else if (!scoria_task_scan(words, n, NULL, NULL, task, &verdict)) {
		refuse(index, scoria_reason_text(verdict.reason), verdict.word);
	} else {
		watch.watched++;
		lint_task(words, task, &place, report, NULL);
		accepted = true;
	}
	free(words);
	return accepted;
}

static uint32_t fetched_words(uint32_t amount)
{
	return 2 * (npu_get(NPU_PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT, amount) + 1);
}

static void watch_kick(void)
{
	uint32_t address = watch.base;
	uint32_t amount = watch.amount;

	for (uint32_t i = 0; i < watch.n_tasks; i++) {
		struct scoria_task task;

		if (!watch_task(i, address, fetched_words(amount), &task))
			return;
		address = task.next;
		amount = task.length;
	}
}

static void print_summary(void)
{
	fprintf(stderr, "watched %lu tasks, %lu refused, %lu findings\n", watch.watched,
		watch.refused, watch.findings);
}

struct npu_core *__wrap_npu_core_create(const struct npu_host *host, void *ctx,
					const struct npu_options *options)
{
	watch.host = *host;
	watch.ctx = ctx;
	atexit(print_summary);
	return __real_npu_core_create(host, ctx, options);
}

void __wrap_npu_core_write(struct npu_core *core, uint32_t offset, uint32_t value)
{
	if (offset == NPU_PC_BASE_ADDRESS && !(value & NPU_PC_BASE_ADDRESS_PC_SEL))
		watch.base = value;
	else if (offset == NPU_PC_REGISTER_AMOUNTS)
		watch.amount = value;
	else if (offset == NPU_PC_TASK_CON)
		watch.n_tasks = npu_get(NPU_PC_TASK_CON_TASK_NUMBER, value);
	else if (offset == NPU_PC_OPERATION_ENABLE && value)
		watch_kick();
	__real_npu_core_write(core, offset, value);
}
