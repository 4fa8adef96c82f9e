// SPDX-License-Identifier: MIT
/*
 * The .vec format, strictly: what README.md does not describe is refused with
 * the number of the line, so that a slip in a file cannot pass for a result.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec_file.h"

#define BYTES_PER_LINE 32
#define MAX_TOKENS 6
/* A slip in a length shall not fill the machine: recorded programs need far less. */
#define MAX_MAPPED (256u << 20)
/* A file without an end or a line shall not fill it either; only comments are long. */
#define MAX_LINE 4096

struct parser {
	struct vec_file *vec;
	const char *path;
	FILE *file;
	char text[MAX_LINE];	/* the line, without its end */
	unsigned int line;
	char *token[MAX_TOKENS];
	unsigned int n_tokens;
	uint32_t n_mapped;	/* bytes of mem and fill so far */
};

__attribute__((format(printf, 2, 3)))
static int refuse(const struct parser *p, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: ", p->path, p->line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/* 1 with a line in p->text, 0 at the end of the file, -1 on failure. */
static int next_line(struct parser *p)
{
	size_t len = 0;
	int c;

	p->line++;
	while ((c = getc(p->file)) != EOF && c != '\n') {
		if (!c)
			return refuse(p, "not a text file");
		if (len + 1 == MAX_LINE)
			return refuse(p, "a line of %d characters or more", MAX_LINE);
		p->text[len++] = c;
	}
	if (c == EOF && !len) {
		p->line--;
		return ferror(p->file) ? refuse(p, "cannot read: %s", strerror(errno)) : 0;
	}
	p->text[len] = 0;
	while (len && strchr(" \t\r\n", p->text[len - 1]))
		p->text[--len] = 0;
	return 1;
}

static int split(struct parser *p)
{
	char *rest = p->text, *token;

	p->n_tokens = 0;
	while ((token = strsep(&rest, " \t"))) {
		if (!*token)
			continue;
		if (p->n_tokens == MAX_TOKENS)
			return refuse(p, "too many words for %s", p->token[0]);
		p->token[p->n_tokens++] = token;
	}
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Token @i as hexadecimal of 32 bits; @what names it in the message. */
static int number(const struct parser *p, unsigned int i, const char *what, uint32_t *value)
{
	const char *c = p->token[i];

	if (strlen(c) > 8)
		return refuse(p, "%s does not fit 32 bits: %s", what, c);
	*value = 0;
	for (; *c; c++) {
		if (hex_digit(*c) < 0)
			return refuse(p, "%s is not hexadecimal: %s", what, p->token[i]);
		*value = *value << 4 | hex_digit(*c);
	}
	return 0;
}

static int want_tokens(const struct parser *p, unsigned int min, unsigned int max)
{
	if (p->n_tokens >= min && p->n_tokens <= max)
		return 0;
	if (min == max)
		return refuse(p, "%s takes %u words, has %u", p->token[0], min - 1, p->n_tokens - 1);
	return refuse(p, "%s takes %u to %u words, has %u", p->token[0], min - 1, max - 1,
		      p->n_tokens - 1);
}

/* One more element of @size bytes in *@array, which has @n; NULL when out of memory. */
static void *append(const struct parser *p, void *array, size_t *n, size_t size)
{
	void **elements = array;
	void *grown = realloc(*elements, (*n + 1) * size);

	if (!grown) {
		refuse(p, "out of memory");
		return NULL;
	}
	*elements = grown;
	memset((char *)grown + *n * size, 0, size);
	return (char *)grown + (*n)++ * size;
}

/* Words 1 and 2 as an address and a length that stay within the 32-bit bus. */
static int range(const struct parser *p, uint32_t *addr, uint32_t *len)
{
	if (number(p, 1, "address", addr) || number(p, 2, "length", len))
		return -1;
	if (!*len)
		return refuse(p, "length 0");
	if ((uint64_t)*addr + *len > 1ull << 32)
		return refuse(p, "%x bytes at %x leave the 32-bit bus", *len, *addr);
	return 0;
}

static int data_line(const struct parser *p, uint8_t *bytes, size_t n)
{
	const char *c = p->text;

	if (strlen(c) != 2 * n)
		return refuse(p, "want %zu bytes of data, have %zu characters", n, strlen(c));
	for (size_t i = 0; i < n; i++, c += 2) {
		if (hex_digit(c[0]) < 0 || hex_digit(c[1]) < 0)
			return refuse(p, "data is not hexadecimal: %.2s", c);
		bytes[i] = hex_digit(c[0]) << 4 | hex_digit(c[1]);
	}
	return 0;
}

static int data(struct parser *p, uint8_t *bytes, uint32_t len)
{
	unsigned int first = p->line;

	for (uint32_t done = 0; done < len; done += BYTES_PER_LINE) {
		uint32_t left = len - done;
		int got = next_line(p);

		if (got < 0)
			return -1;
		if (!got)
			return refuse(p, "file ends %u bytes before the data of line %u", left, first);
		if (data_line(p, bytes + done, left < BYTES_PER_LINE ? left : BYTES_PER_LINE))
			return -1;
	}
	return 0;
}

static uint8_t *map(struct parser *p, uint32_t addr, uint32_t len)
{
	uint8_t *bytes;

	if (len > MAX_MAPPED - p->n_mapped) {
		refuse(p, "more than %u MiB of memory", MAX_MAPPED >> 20);
		return NULL;
	}
	p->n_mapped += len;
	bytes = sparse_mem_map(&p->vec->mem, addr, len);
	if (!bytes)
		refuse(p, "%s", errno == EEXIST ? "overlaps memory given before" : strerror(errno));
	return bytes;
}

static int parse_mem(struct parser *p)
{
	uint32_t addr, len;
	uint8_t *bytes;

	if (want_tokens(p, 3, 3) || range(p, &addr, &len))
		return -1;
	bytes = map(p, addr, len);
	return bytes ? data(p, bytes, len) : -1;
}

static int parse_fill(struct parser *p)
{
	uint32_t addr, len, byte;
	uint8_t *bytes;

	if (want_tokens(p, 4, 4) || range(p, &addr, &len) || number(p, 3, "byte", &byte))
		return -1;
	if (byte > 0xff)
		return refuse(p, "%x is no byte", byte);
	bytes = map(p, addr, len);
	if (!bytes)
		return -1;
	if (byte)
		memset(bytes, byte, len);
	return 0;
}

static int parse_task(struct parser *p)
{
	struct vec_task *task;

	if (want_tokens(p, 5, 5))
		return -1;
	task = append(p, &p->vec->tasks, &p->vec->n_tasks, sizeof(*task));
	if (!task || number(p, 1, "regcmd address", &task->regcmd) ||
	    number(p, 2, "word count", &task->count) ||
	    number(p, 3, "enable mask", &task->enable_mask) ||
	    number(p, 4, "interrupt mask", &task->int_mask))
		return -1;
	if (task->regcmd % 16)
		return refuse(p, "regcmd address %x is no multiple of 16", task->regcmd);
	if (!task->count || task->count > 0x1ffff)
		return refuse(p, "word count %x is not within 1 and 1ffff", task->count);
	if (p->vec->n_tasks > 4095)
		return refuse(p, "more than 4095 tasks, which is what one kick can run");
	return 0;
}

static int parse_kind(const struct parser *p, struct vec_expect *e)
{
	static const struct {
		const char *name;
		unsigned int size;
	} kinds[] = {
		[VEC_EXACT] = { "exact", 1 }, [VEC_FP16] = { "fp16", 2 }, [VEC_FP32] = { "fp32", 4 },
	};

	for (unsigned int k = 0; k < 3; k++) {
		if (strcmp(p->token[3], kinds[k].name))
			continue;
		if (e->len % kinds[k].size)
			return refuse(p, "%x bytes are no whole number of %s", e->len, p->token[3]);
		e->kind = k;
		return 0;
	}
	return refuse(p, "kind is exact, fp16 or fp32, not %s", p->token[3]);
}

static int parse_tolerance(const struct parser *p, struct vec_expect *e)
{
	char *end;

	if (p->n_tokens < 5)
		return 0;
	if (e->kind == VEC_EXACT)
		return refuse(p, "exact takes no tolerance");
	e->tolerance = strtod(p->token[4], &end);
	if (*end || !(e->tolerance >= 0))
		return refuse(p, "tolerance is not a number from 0 up: %s", p->token[4]);
	return 0;
}

static int parse_expect(struct parser *p)
{
	struct vec_expect *e;

	if (want_tokens(p, 4, 5))
		return -1;
	e = append(p, &p->vec->expects, &p->vec->n_expects, sizeof(*e));
	if (!e || range(p, &e->addr, &e->len) || parse_kind(p, e) || parse_tolerance(p, e))
		return -1;
	if (e->len > MAX_MAPPED)
		return refuse(p, "more bytes than can be mapped");
	e->line = p->line;
	e->bytes = malloc(e->len);
	return e->bytes ? data(p, e->bytes, e->len) : refuse(p, "out of memory");
}

/* "# assume 4014 0": of the comments only this one, with a register, counts. */
static int parse_comment(struct parser *p)
{
	struct vec_assume *a;

	if (strncmp(p->text, "# assume ", 9) || strspn(p->text + 9, "0123456789abcdefABCDEF") != 4)
		return 0;
	if (split(p))
		return -1;
	if (p->n_tokens != 4)
		return refuse(p, "assume takes a register and a value");
	a = append(p, &p->vec->assumes, &p->vec->n_assumes, sizeof(*a));
	if (!a || number(p, 2, "register", &a->reg) || number(p, 3, "value", &a->value))
		return -1;
	return 0;
}

static int parse_line(struct parser *p)
{
	static const struct {
		const char *name;
		int (*parse)(struct parser *p);
	} directives[] = {
		{ "task", parse_task }, { "mem", parse_mem },
		{ "fill", parse_fill }, { "expect", parse_expect },
	};

	if (p->text[0] == '#')
		return parse_comment(p);
	if (split(p))
		return -1;
	if (!p->n_tokens)
		return 0;
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (!strcmp(p->token[0], directives[i].name))
			return directives[i].parse(p);
	return refuse(p, "no such directive: %.40s", p->token[0]);
}

/* What can only be judged once the whole file is known. */
static int check_whole(struct parser *p)
{
	struct vec_file *vec = p->vec;

	if (!vec->n_tasks)
		return refuse(p, "no task in this file");
	if (!vec->n_expects)
		return refuse(p, "nothing expected in this file");
	for (size_t i = 0; i < vec->n_expects; i++) {
		struct vec_expect *e = &vec->expects[i];
		uint8_t *now = malloc(e->len);
		int err = now ? sparse_mem_read(&vec->mem, e->addr, now, e->len) : -1;

		free(now);
		p->line = e->line;
		if (err)
			return refuse(p, "expects bytes that no mem or fill maps");
	}
	return 0;
}

static int parse_file(struct parser *p)
{
	int got;

	while ((got = next_line(p)) > 0)
		if (parse_line(p))
			return -1;
	return got ? -1 : check_whole(p);
}

int vec_file_read(struct vec_file *vec, FILE *file, const char *name)
{
	struct parser p = { .vec = vec, .path = name, .file = file };
	int err;

	memset(vec, 0, sizeof(*vec));
	err = parse_file(&p);
	if (err)
		vec_file_free(vec);
	return err;
}

int vec_file_load(struct vec_file *vec, const char *path)
{
	FILE *file;
	int err;

	if (!strcmp(path, "-"))
		return vec_file_read(vec, stdin, "<stdin>");
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	err = vec_file_read(vec, file, path);
	fclose(file);
	return err;
}

void vec_file_free(struct vec_file *vec)
{
	sparse_mem_free(&vec->mem);
	for (size_t i = 0; i < vec->n_expects; i++)
		free(vec->expects[i].bytes);
	free(vec->expects);
	free(vec->assumes);
	free(vec->tasks);
	memset(vec, 0, sizeof(*vec));
}
