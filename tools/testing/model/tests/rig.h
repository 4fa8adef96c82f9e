/* SPDX-License-Identifier: MIT */
/*
 * One core with memory around it: what every test of the model starts from.
 */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "../npu_model.h"
#include "sparse_mem.h"
#include "task.h"

#define RIG_MAX_REPORTS 64

struct rig {
	struct sparse_mem mem;
	struct npu_core *core;
	uint8_t *commands;	/* what is mapped at AT_COMMANDS */
	bool irq;		/* level of the line */
	unsigned int irq_edges;	/* rising */
	struct rig_report {
		enum npu_severity severity;
		unsigned int task;
		int word;
		uint32_t address;
		char text[200];
	} reports[RIG_MAX_REPORTS];
	unsigned int n_reports;
};

/* Exit the test program when memory runs out. @options may be NULL. */
void rig_init(struct rig *rig, const struct npu_options *options);
void rig_free(struct rig *rig);

/* Map @len bytes of @fill; exits the test program when that fails. */
uint8_t *rig_map(struct rig *rig, uint32_t addr, uint64_t len, uint8_t fill);

void rig_unmap(struct rig *rig, uint32_t addr);

/* Number of reports with @text in them. */
unsigned int rig_count(const struct rig *rig, enum npu_severity severity, const char *text);

/*
 * Write @words to the command ring at byte @offset and return how many beats
 * REGISTER_AMOUNTS counts for them, programming-model B3.
 */
uint32_t rig_put_words(struct rig *rig, uint32_t offset, const uint64_t *words, size_t n);

/*
 * Start the core on AT_COMMANDS as the mainline driver does, run it and return
 * its state. The interrupt mask lets everything through.
 */
enum npu_state rig_kick(struct rig *rig, uint32_t amount, unsigned int n_tasks);

/* Lay out @n tasks as one chain, kick, run. The last link is 0. */
enum npu_state rig_run(struct rig *rig, const struct task *tasks, unsigned int n);

uint32_t rig_raw_status(struct rig *rig);

/* The same numbers in every run. */
uint32_t test_random(void);

#endif
