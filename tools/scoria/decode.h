/* SPDX-License-Identifier: MIT */
/* What `scoria decode` finds in a stream, and how it is handed to a printer. */
#ifndef SCORIA_DECODE_H
#define SCORIA_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode_input.h"
#include "decode_lint.h"
#include "npu_table.h"
#include "../../drivers/accel/scoria/scoria_stream.h"

/**
 * struct decoded_word - a word with what the register database says of it
 * @index:  in its part of the input
 * @raw:    the word
 * @word:   taken apart and judged
 * @target: name of the target, NULL when it is unknown
 * @reg:    the register written, NULL when the word writes none
 * @stray:  bits of the value that no field of @reg has
 */
struct decoded_word {
	uint32_t index;
	uint64_t raw;
	struct scoria_word word;
	const char *target;
	const struct npu_reg *reg;
	uint32_t stray;
};

/**
 * struct decoded_task - a segment
 * @index: from 0 over the whole input
 * @part:  where its words are
 * @first: index of its first word there
 * @scan:  what it does; complete from end_task() on
 * @verdict: likewise
 */
struct decoded_task {
	unsigned int index;
	const struct stream_part *part;
	uint32_t first;
	struct scoria_task scan;
	struct scoria_verdict verdict;
};

struct decode_summary {
	uint32_t words;
	uint32_t padding;	/* words between and behind tasks */
	uint32_t tasks;
	uint32_t unknown;	/* words that were refused */
	uint32_t unfinished;	/* tasks without an enable word */
	uint32_t stray;		/* writes with bits outside every field */
	uint32_t findings;	/* of lint */
};

/* A printer; @ctx is its own. Each member is called in the order of the words. */
struct decode_printer {
	void (*begin)(void *ctx, const char *path, const struct stream_input *input);
	void (*begin_task)(void *ctx, const struct decoded_task *task);
	void (*word)(void *ctx, const struct decoded_word *word);
	void (*begin_lint)(void *ctx);
	void (*finding)(void *ctx, const struct lint_finding *finding);
	void (*end_task)(void *ctx, const struct decoded_task *task);
	/* @n empty words from word @first on, which are not shown */
	void (*padding)(void *ctx, uint32_t first, uint32_t n);
	int (*end)(void *ctx, const struct decode_summary *summary);
};

extern const struct decode_printer decode_text;	/* ctx: a FILE */
extern const struct decode_printer decode_json;	/* ctx: a struct json */

/* The value of @field in a register that holds @value. */
uint32_t decode_field(const struct npu_field *field, uint32_t value);

/* Meaning of @value in @field, NULL when the field has none for it. */
const char *decode_field_meaning(const struct npu_field *field, uint32_t value);

/* Names of the blocks in an enable mask, as "CNA + CORE", in a static buffer. */
const char *decode_enable_names(uint32_t mask);

/* Number of words that the value of a length word stands for. */
uint32_t decode_length_words(uint32_t length);

#endif
