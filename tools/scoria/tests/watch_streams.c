// SPDX-License-Identifier: MIT
/*
 * Linked into the command in front of the model (ld --wrap): before each kick
 * it follows the chain as the PC would, gives every task to the checker and to
 * lint, and says at exit on stderr "watched N tasks, N refused, N findings".
 */
#include <inttypes.h>
#include <stdatomic.h>
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

/* Every core has memory access of its own, which threads must not share. */
#define MAX_CORES 3

static struct {
	struct npu_core *core;
	struct npu_host host;
	void *ctx;
} cores[MAX_CORES];

static unsigned int n_cores;
static atomic_ulong watched, refused, findings;

/* The registers that a thread has written to the core that it drives. */
static _Thread_local struct {
	uint32_t base;
	uint32_t amount;
	uint32_t n_tasks;
} watch;

static void report(void *ctx, const struct lint_finding *finding)
{
	(void)ctx;
	findings++;
	fprintf(stderr, "lint %s: %s\n", finding->id, finding->text);
}

static void refuse(uint32_t task, const char *reason, uint32_t word)
{
	refused++;
	fprintf(stderr, "task %" PRIu32 ", word %" PRIu32 ": %s\n", task, word, reason);
}

/* Judge the segment of @n words at @address; false when the chain cannot go on. */
static bool watch_task(unsigned int core, uint32_t index, uint32_t address, uint32_t n,
		       struct scoria_task *task)
{
	struct lint_place place = { .n_tasks = watch.n_tasks };
	struct scoria_verdict verdict;
	uint64_t *words = calloc(n, sizeof(*words));
	bool accepted = false;

	if (!words || cores[core].host.read(cores[core].ctx, address, words, n * sizeof(*words))) {
		refuse(index, "its words cannot be read", 0);
	} else if (!scoria_task_scan(words, n, NULL, NULL, task, &verdict)) {
		refuse(index, scoria_reason_text(verdict.reason), verdict.word);
	} else {
		watched++;
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

static void watch_kick(const struct npu_core *kicked)
{
	unsigned int core = 0;
	uint32_t address = watch.base;
	uint32_t amount = watch.amount;

	while (cores[core].core != kicked)
		core++;
	for (uint32_t i = 0; i < watch.n_tasks; i++) {
		struct scoria_task task;

		if (!watch_task(core, i, address, fetched_words(amount), &task))
			return;
		address = task.next;
		amount = task.length;
	}
}

static void print_summary(void)
{
	fprintf(stderr, "watched %lu tasks, %lu refused, %lu findings\n", watched, refused,
		findings);
}

struct npu_core *__wrap_npu_core_create(const struct npu_host *host, void *ctx,
					const struct npu_options *options)
{
	struct npu_core *core = __real_npu_core_create(host, ctx, options);

	if (!n_cores)
		atexit(print_summary);
	cores[n_cores].core = core;
	cores[n_cores].host = *host;
	cores[n_cores++].ctx = ctx;
	return core;
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
		watch_kick(core);
	__real_npu_core_write(core, offset, value);
}
