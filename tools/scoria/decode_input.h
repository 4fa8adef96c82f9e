/* SPDX-License-Identifier: MIT */
/* Command words from a file: raw, hex text, or a test vector's tasks. */
#ifndef SCORIA_DECODE_INPUT_H
#define SCORIA_DECODE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_format {
	STREAM_AUTO,
	STREAM_RAW,	/* little-endian 64-bit words */
	STREAM_HEX,	/* a word per token, '#' starts a comment */
	STREAM_VEC,	/* tools/testing/vectors/README.md */
};

/**
 * struct stream_part - words that follow each other in memory
 * @words:       the words
 * @n_words:     how many
 * @address:     bus address of the first one
 * @has_address: the file says where the words were
 */
struct stream_part {
	uint64_t *words;
	uint32_t n_words;
	uint32_t address;
	bool has_address;
};

struct stream_input {
	enum stream_format format;	/* never STREAM_AUTO */
	struct stream_part *parts;
	size_t n_parts;
};

/* STREAM_AUTO to STREAM_VEC by name ("auto", "raw", ...), -1 for others. */
int stream_format_by_name(const char *name);
const char *stream_format_name(enum stream_format format);

/*
 * Read @path, "-" for standard input. 0, or -1 after a message on stderr that
 * begins with @argv0 as cmd_unusable() does; @input is empty then.
 */
int stream_input_load(struct stream_input *input, const char *argv0, const char *path,
		      enum stream_format format);
void stream_input_free(struct stream_input *input);

#endif
