// SPDX-License-Identifier: MIT
/* See rig.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "rig: %s failed\n", what);
	exit(1);
}

static int bus_read(void *ctx, uint32_t addr, void *buf, size_t len)
{
	return sparse_mem_read(&((struct rig *)ctx)->mem, addr, buf, len);
}

static int bus_write(void *ctx, uint32_t addr, const void *buf, size_t len)
{
	return sparse_mem_write(&((struct rig *)ctx)->mem, addr, buf, len);
}

static void irq_changed(void *ctx, bool level)
{
	struct rig *rig = ctx;

	rig->irq_edges += level && !rig->irq;
	rig->irq = level;
}

static void keep_report(void *ctx, const struct npu_report *r)
{
	struct rig *rig = ctx;
	struct rig_report *kept = &rig->reports[rig->n_reports];

	if (rig->n_reports == RIG_MAX_REPORTS)
		return;
	kept->severity = r->severity;
	kept->task = r->task;
	kept->word = r->word;
	kept->address = r->address;
	snprintf(kept->text, sizeof(kept->text), "%s", r->text);
	rig->n_reports++;
}

void rig_init(struct rig *rig, const struct npu_options *options)
{
	const struct npu_host host = {
		.read = bus_read, .write = bus_write, .irq = irq_changed, .report = keep_report,
	};

	memset(rig, 0, sizeof(*rig));
	rig->core = npu_core_create(&host, rig, options);
	must(rig->core, "npu_core_create");
	rig->commands = rig_map(rig, AT_COMMANDS, COMMANDS_SIZE, 0);
}

void rig_free(struct rig *rig)
{
	npu_core_destroy(rig->core);
	sparse_mem_free(&rig->mem);
}

uint8_t *rig_map(struct rig *rig, uint32_t addr, uint64_t len, uint8_t fill)
{
	uint8_t *bytes = sparse_mem_map(&rig->mem, addr, len);

	must(bytes, "rig_map");
	memset(bytes, fill, len);
	return bytes;
}

void rig_unmap(struct rig *rig, uint32_t addr)
{
	must(!sparse_mem_unmap(&rig->mem, addr), "rig_unmap");
}

unsigned int rig_count(const struct rig *rig, enum npu_severity severity, const char *text)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < rig->n_reports; i++)
		n += rig->reports[i].severity == severity && strstr(rig->reports[i].text, text);
	return n;
}

uint32_t rig_put_words(struct rig *rig, uint32_t offset, const uint64_t *words, size_t n)
{
	must(offset + 8 * n <= COMMANDS_SIZE, "rig_put_words");
	for (size_t i = 0; i < n; i++) {
		store32(rig->commands + offset, 2 * i, (uint32_t)words[i]);
		store32(rig->commands + offset, 2 * i + 1, words[i] >> 32);
	}
	return (n + 1) / 2 - 1;
}

/* The order of the mainline driver, programming-model I1. */
enum npu_state rig_kick(struct rig *rig, uint32_t amount, unsigned int n_tasks)
{
	npu_core_write(rig->core, PC_BASE_ADDRESS, 1);
	npu_core_write(rig->core, CNA_S_POINTER, 0xe);
	npu_core_write(rig->core, CORE_S_POINTER, 0xe);
	npu_core_write(rig->core, PC_BASE_ADDRESS, AT_COMMANDS);
	npu_core_write(rig->core, PC_REGISTER_AMOUNTS, amount);
	npu_core_write(rig->core, PC_INTERRUPT_MASK, INT_ALL);
	npu_core_write(rig->core, PC_INTERRUPT_CLEAR, INT_ALL);
	npu_core_write(rig->core, PC_TASK_CON, 0x7000 | n_tasks);
	npu_core_write(rig->core, PC_TASK_DMA_BASE, 0);
	npu_core_write(rig->core, PC_OPERATION_ENABLE, 1);
	npu_core_write(rig->core, PC_OPERATION_ENABLE, 0);	/* the rising edge starts */
	return npu_core_run(rig->core);
}

/* Bytes that a segment of @t takes in the ring: whole multiples of 64. */
static uint32_t task_bytes(const struct task *t)
{
	return (8 * (t->n + 4) + 63) & ~63u;
}

enum npu_state rig_run(struct rig *rig, const struct task *tasks, unsigned int n)
{
	uint64_t words[TASK_MAX_WRITES + 4];
	uint32_t offset = 0, first = 0;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int count = task_words(&tasks[i], words);
		uint32_t amount = (count + 1) / 2 - 1;

		if (i + 1 < n) {
			words[count - 4] = reg_word(PC_BASE_ADDRESS,
						    AT_COMMANDS + offset + task_bytes(&tasks[i]));
			words[count - 3] = reg_word(PC_REGISTER_AMOUNTS,
						    (tasks[i + 1].n + 4 + 1) / 2 - 1);
		}
		if (!i)
			first = amount;
		rig_put_words(rig, offset, words, count);
		offset += task_bytes(&tasks[i]);
	}
	return rig_kick(rig, first, n);
}

uint32_t rig_raw_status(struct rig *rig)
{
	return npu_core_read(rig->core, PC_INTERRUPT_RAW_STATUS);
}

uint32_t test_random(void)
{
	static uint32_t state = 0x2545f491;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}
