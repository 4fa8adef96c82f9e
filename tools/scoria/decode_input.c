// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "decode_input.h"
#include "../testing/vectors/vec_file.h"

/* More than 4095 tasks of the longest published kind, with room to spare. */
#define MAX_BYTES (64u << 20)
#define WORD_DIGITS 16
/* What the vendor's kernel driver adds to the count of a task: its trailer. */
#define TRAILER_WORDS 4

/* The whole file; @name is what messages call it. */
struct text {
	const char *argv0;
	const char *name;
	unsigned char *bytes;
	size_t n;
};

static const char *const format_names[] = {
	[STREAM_AUTO] = "auto", [STREAM_RAW] = "raw", [STREAM_HEX] = "hex", [STREAM_VEC] = "vec",
};

int stream_format_by_name(const char *name)
{
	for (int i = STREAM_AUTO; i <= STREAM_VEC; i++)
		if (!strcmp(format_names[i], name))
			return i;
	return -1;
}

const char *stream_format_name(enum stream_format format)
{
	return format_names[format];
}

static int no_memory(const struct text *text)
{
	cmd_unusable(text->argv0, "%s: out of memory", text->name);
	return -1;
}

static int read_bytes(struct text *text, FILE *file)
{
	size_t size = 0;

	do {
		unsigned char *grown;

		if (text->n >= MAX_BYTES) {
			cmd_unusable(text->argv0, "%s: more than %u bytes", text->name, MAX_BYTES);
			return -1;
		}
		size = size ? 2 * size : 65536;
		grown = realloc(text->bytes, size);
		if (!grown)
			return no_memory(text);
		text->bytes = grown;
		text->n += fread(text->bytes + text->n, 1, size - text->n, file);
	} while (text->n == size);
	if (!ferror(file))
		return 0;
	cmd_unusable(text->argv0, "%s: cannot read: %s", text->name, strerror(errno));
	return -1;
}

static int read_path(struct text *text, const char *path)
{
	FILE *file;
	int err;

	if (!strcmp(path, "-")) {
		text->name = "<stdin>";
		return read_bytes(text, stdin);
	}
	file = fopen(path, "rb");
	if (!file) {
		cmd_unusable(text->argv0, "%s: cannot open: %s", path, strerror(errno));
		return -1;
	}
	err = read_bytes(text, file);
	fclose(file);
	return err;
}

/* Printable ASCII, and whatever is printable elsewhere in comments. */
static bool is_text(const struct text *text)
{
	bool in_comment = false;

	for (size_t i = 0; i < text->n; i++) {
		unsigned char c = text->bytes[i];

		in_comment = c == '#' || (in_comment && c != '\n');
		if (!isprint(c) && !isspace(c) && !(in_comment && c >= 0x80))
			return false;
	}
	return true;
}

/* Whether a line of @text starts with @word and a blank. */
static bool has_line(const struct text *text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length < text->n; i++)
		if ((!i || text->bytes[i - 1] == '\n') && !memcmp(text->bytes + i, word, length) &&
		    isblank(text->bytes[i + length]))
			return true;
	return false;
}

static enum stream_format detect(const struct text *text)
{
	if (!is_text(text))
		return STREAM_RAW;
	return has_line(text, "task") ? STREAM_VEC : STREAM_HEX;
}

/* A new part with room for @n_words, at least one. */
static struct stream_part *add_part(struct stream_input *input, size_t n_words)
{
	struct stream_part *parts = realloc(input->parts, (input->n_parts + 1) * sizeof(*parts));
	struct stream_part *part;

	if (!parts)
		return NULL;
	input->parts = parts;
	part = &parts[input->n_parts];
	*part = (struct stream_part){ .words = calloc(n_words + 1, sizeof(*part->words)) };
	if (!part->words)
		return NULL;
	input->n_parts++;
	return part;
}

static uint64_t load_word(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

static int parse_raw(struct stream_input *input, const struct text *text)
{
	struct stream_part *part;

	if (text->n % 8) {
		cmd_unusable(text->argv0,
			     "%s: cut short: %zu bytes are no whole number of 64-bit words, the last one begins at offset %zu",
			     text->name, text->n, text->n - text->n % 8);
		return -1;
	}
	part = add_part(input, text->n / 8);
	if (!part)
		return no_memory(text);
	for (size_t i = 0; i < text->n; i += 8)
		part->words[part->n_words++] = load_word(text->bytes + i);
	return 0;
}

static int digit(unsigned char c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

static bool is_separator(unsigned char c)
{
	return isspace(c) || c == ',';
}

/* The word of @length characters at @token; false when it is none. */
static bool parse_token(const unsigned char *token, size_t length, uint64_t *word)
{
	size_t i = length > 2 && token[0] == '0' && (token[1] == 'x' || token[1] == 'X') ? 2 : 0;

	if (length - i > WORD_DIGITS)
		return false;
	for (*word = 0; i < length; i++) {
		if (digit(token[i]) < 0)
			return false;
		*word = *word << 4 | digit(token[i]);
	}
	return true;
}

static size_t token_length(const struct text *text, size_t start)
{
	size_t end = start;

	while (end < text->n && !is_separator(text->bytes[end]) && text->bytes[end] != '#')
		end++;
	return end - start;
}

static size_t line_length(const struct text *text, size_t start)
{
	const unsigned char *end = memchr(text->bytes + start, '\n', text->n - start);

	return end ? (size_t)(end - text->bytes) - start : text->n - start;
}

static int refuse_token(const struct text *text, unsigned int line, size_t start,
			size_t length)
{
	char shown[33] = "";

	for (size_t i = 0; i < length && i < sizeof(shown) - 1; i++)
		shown[i] = isprint(text->bytes[start + i]) ? text->bytes[start + i] : '?';
	cmd_unusable(text->argv0, "%s:%u: not a word of up to %u hex digits: '%s'%s",
		     text->name, line, WORD_DIGITS, shown, length >= sizeof(shown) ? "..." : "");
	return -1;
}

static int parse_hex(struct stream_input *input, const struct text *text)
{
	struct stream_part *part = add_part(input, text->n / 2);
	unsigned int line = 1;
	size_t i = 0;

	if (!part)
		return no_memory(text);
	while (i < text->n) {
		if (text->bytes[i] == '#') {
			i += line_length(text, i);
		} else if (is_separator(text->bytes[i])) {
			line += text->bytes[i++] == '\n';
		} else {
			size_t length = token_length(text, i);

			if (!parse_token(text->bytes + i, length, &part->words[part->n_words++]))
				return refuse_token(text, line, i, length);
			i += length;
		}
	}
	return 0;
}

/*
 * The words of a vector's task: as many as it counts and its trailer, as far as
 * there is memory.
 */
static int add_task(struct stream_input *input, struct vec_file *vec, const struct vec_task *task)
{
	uint32_t n = (task->count + TRAILER_WORDS + 1) & ~1u;
	struct stream_part *part = add_part(input, n);
	unsigned char bytes[8];

	if (!part)
		return -1;
	part->address = task->regcmd;
	part->has_address = true;
	while (part->n_words < n) {
		uint64_t address = task->regcmd + 8ull * part->n_words;

		if (address + 8 > 1ull << 32 || sparse_mem_read(&vec->mem, address, bytes, 8))
			break;
		part->words[part->n_words++] = load_word(bytes);
	}
	return 0;
}

static int parse_vec(struct stream_input *input, const struct text *text)
{
	FILE *file = fmemopen(text->bytes, text->n, "r");
	struct vec_file vec;
	int err = 0;

	if (!file)
		return no_memory(text);
	if (vec_file_read(&vec, file, text->name)) {
		fclose(file);
		return -1;
	}
	for (size_t i = 0; i < vec.n_tasks && !err; i++)
		err = add_task(input, &vec, &vec.tasks[i]);
	vec_file_free(&vec);
	fclose(file);
	return err ? no_memory(text) : 0;
}

static int check_words(const struct stream_input *input, const struct text *text)
{
	for (size_t i = 0; i < input->n_parts; i++) {
		const struct stream_part *part = &input->parts[i];

		if (part->n_words)
			continue;
		if (part->has_address)
			cmd_unusable(text->argv0, "%s: no command words at %08" PRIx32, text->name,
				     part->address);
		else
			cmd_unusable(text->argv0, "%s: no command words", text->name);
		return -1;
	}
	return 0;
}

static int parse(struct stream_input *input, const struct text *text, enum stream_format format)
{
	static int (*const parsers[])(struct stream_input *input, const struct text *text) = {
		[STREAM_RAW] = parse_raw, [STREAM_HEX] = parse_hex, [STREAM_VEC] = parse_vec,
	};

	if (!text->n) {
		cmd_unusable(text->argv0, "%s: empty", text->name);
		return -1;
	}
	input->format = format == STREAM_AUTO ? detect(text) : format;
	if (parsers[input->format](input, text))
		return -1;
	return check_words(input, text);
}

int stream_input_load(struct stream_input *input, const char *argv0, const char *path,
		      enum stream_format format)
{
	struct text text = { .argv0 = argv0, .name = path };
	int err;

	*input = (struct stream_input){ 0 };
	err = read_path(&text, path) || parse(input, &text, format) ? -1 : 0;
	free(text.bytes);
	if (err)
		stream_input_free(input);
	return err;
}

void stream_input_free(struct stream_input *input)
{
	for (size_t i = 0; i < input->n_parts; i++)
		free(input->parts[i].words);
	free(input->parts);
	*input = (struct stream_input){ 0 };
}
