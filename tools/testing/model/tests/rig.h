/* SPDX-License-Identifier: MIT */
/*
 * One core with memory around it, and tasks for it: what every test of the
 * model starts from.
 */
#ifndef RIG_H
#define RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "../npu_model.h"
#include "regs.h"
#include "sparse_mem.h"

/* Where tests put things; the command ring is mapped by rig_init(). */
enum {
	AT_COMMANDS = 0x00100000,
	COMMANDS_SIZE = 0x00080000,
	AT_X = 0x01000000,	/* features, or operand a */
	AT_W = 0x02000000,	/* weights */
	AT_Y = 0x03000000,	/* output */
	AT_B = 0x04000000,	/* bias and other operands */
	AT_E = 0x05000000,	/* operand of the element-wise unit */
};

#define TASK_MAX_WRITES 1400

/**
 * struct task - register writes in order, then an op-enable
 * @writes: register and value
 * @n:      length of @writes
 * @mask:   blocks to enable
 */
struct task {
	struct {
		uint16_t reg;
		uint32_t value;
	} writes[TASK_MAX_WRITES];
	unsigned int n;
	uint32_t mask;
};

/* Add a write at the end, whatever is there before. */
void task_append(struct task *t, uint16_t reg, uint32_t value);
/* Change the value of the write to @reg, or add one. */
void task_set(struct task *t, uint16_t reg, uint32_t value);
/* The value that @t writes to @reg; exits the test program when there is none. */
uint32_t task_get(const struct task *t, uint16_t reg);
/* Take the write to @reg out. */
void task_drop(struct task *t, uint16_t reg);
/* Start an empty task. */
void task_begin(struct task *t, uint32_t mask);

/* A command word, programming-model B1. */
uint64_t word(uint16_t target, uint16_t reg, uint32_t value);
/* The word that writes @reg, with the target that goes with its block. */
uint64_t reg_word(uint16_t reg, uint32_t value);

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

/* Little-endian elements at @base. */
uint16_t load16(const uint8_t *base, size_t index);
uint32_t load32(const uint8_t *base, size_t index);
void store16(uint8_t *base, size_t index, uint16_t value);
void store32(uint8_t *base, size_t index, uint32_t value);

/* The same numbers in every run. */
uint32_t test_random(void);

#endif
