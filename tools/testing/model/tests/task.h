/* SPDX-License-Identifier: MIT */
/*
 * Tasks as lists of register writes, readable beside the hardware documentation:
 * what the tests of the model run, and what `scoria silicon` asks a board.
 */
#ifndef TASK_H
#define TASK_H

#include <stddef.h>
#include <stdint.h>

#include "regs.h"

/*
 * Where things are. For a test of the model these are addresses; on a device an
 * address register that holds AT_X + n gets the buffer of AT_X, n bytes on.
 */
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
/* The value that @t writes to @reg; exits the program when there is none. */
uint32_t task_get(const struct task *t, uint16_t reg);
/* Take the write to @reg out. */
void task_drop(struct task *t, uint16_t reg);
/* Start an empty task. */
void task_begin(struct task *t, uint32_t mask);
/* The words of @t and the four of its trailer, without a link; returns how many. */
unsigned int task_words(const struct task *t, uint64_t *words);

/* A command word, programming-model B1. */
uint64_t word(uint16_t target, uint16_t reg, uint32_t value);
/* The word that writes @reg, with the target that goes with its block. */
uint64_t reg_word(uint16_t reg, uint32_t value);

/* Little-endian elements at @base. */
uint16_t load16(const uint8_t *base, size_t index);
uint32_t load32(const uint8_t *base, size_t index);
void store16(uint8_t *base, size_t index, uint16_t value);
void store32(uint8_t *base, size_t index, uint32_t value);

#endif
