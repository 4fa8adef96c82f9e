/* SPDX-License-Identifier: MIT */
/*
 * The input of fuzz_pc: a header, writes by the host, then command words. All
 * little endian. make_corpus.py writes it, fuzz_pc_mutate.c changes it.
 */
#ifndef FUZZ_PC_H
#define FUZZ_PC_H

#include <stdint.h>

/**
 * struct fuzz_pc_header - how the core is started
 * @n_writes:  host writes behind the header
 * @options:   bits FUZZ_PC_*
 * @amount:    REGISTER_AMOUNTS
 * @n_tasks:   TASK_NUMBER
 * @base:      where the words are, rounded down to 16
 * @holes:     which pages are not mapped: none for 0
 */
struct fuzz_pc_header {
	uint8_t n_writes;
	uint8_t options;
	uint16_t amount;
	uint16_t n_tasks;
	uint16_t reserved;
	uint32_t base;
	uint32_t holes;
};

enum {
	FUZZ_PC_POISON = 1,
	FUZZ_PC_LINT = 2,
	FUZZ_PC_TIES = 4,	/* two bits */
	FUZZ_PC_KICK_TWICE = 16,
	FUZZ_PC_RESET_BETWEEN = 32,
};

struct fuzz_pc_write {
	uint32_t value;
	uint16_t reg;
	uint16_t reserved;
};

#endif
