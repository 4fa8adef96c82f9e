/* SPDX-License-Identifier: MIT */
/* A test vector in memory; the format is in README.md beside this file. */
#ifndef VEC_FILE_H
#define VEC_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../model/tests/sparse_mem.h"

struct vec_task {
	uint32_t regcmd;
	uint32_t count;
	uint32_t enable_mask;
	uint32_t int_mask;
};

/* A register that the file assumes an earlier job to have written. */
struct vec_assume {
	uint32_t reg;
	uint32_t value;
};

enum vec_kind { VEC_EXACT, VEC_FP16, VEC_FP32 };

struct vec_expect {
	uint32_t addr;
	uint32_t len;
	enum vec_kind kind;
	double tolerance;
	unsigned int line;
	uint8_t *bytes;
};

struct vec_file {
	struct sparse_mem mem;
	struct vec_task *tasks;
	size_t n_tasks;
	struct vec_assume *assumes;
	size_t n_assumes;
	struct vec_expect *expects;
	size_t n_expects;
};

/*
 * Read the vector at @path ("-" for standard input). 0, or -1 after a message
 * on standard error that names the file and the line; @vec is empty then.
 */
int vec_file_load(struct vec_file *vec, const char *path);

/* The same for a file that is open; @name is what messages call it. */
int vec_file_read(struct vec_file *vec, FILE *file, const char *name);
void vec_file_free(struct vec_file *vec);

#endif
