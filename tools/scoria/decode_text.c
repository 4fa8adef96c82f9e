// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "rk3588_npu.h"
#include "npu_field.h"

#define COLUMNS 120
#define FIELD_COLUMN 57

/* Fields of a word, wrapped at COLUMNS. */
struct wrapped {
	FILE *out;
	size_t column;
	bool first;
};

static void put_wrapped(struct wrapped *w, const char *text)
{
	size_t length = strlen(text);

	if (w->first) {
		fputs("  ", w->out);
	} else if (w->column + 2 + length > COLUMNS) {
		fprintf(w->out, ",\n%*s", FIELD_COLUMN, "");
		w->column = FIELD_COLUMN;
	} else {
		fputs(", ", w->out);
		w->column += 2;
	}
	fputs(text, w->out);
	w->column += length;
	w->first = false;
}

/* Zeros that say no more than that something is not in use, or not in a write. */
static bool is_silent_zero(const struct npu_field *field, const char *meaning)
{
	return !meaning || field->access == NPU_RO || !strcmp(meaning, "off") ||
	       !strcmp(meaning, "none");
}

/* Addresses and whole words read better in hex, sizes in decimal. */
static void put_field(struct wrapped *w, const struct npu_reg *reg, const struct npu_field *field,
		      uint32_t value)
{
	const char *meaning = decode_field_meaning(field, value);
	bool whole = field->msb - field->lsb == 31;
	char text[160];

	if (!value && is_silent_zero(field, meaning))
		return;
	if (reg->address != NPU_ADDRESS_NONE && field->msb == 31)
		snprintf(text, sizeof(text), "%s 0x%08" PRIx32, field->name, value << field->lsb);
	else if (whole && value >> 16)
		snprintf(text, sizeof(text), "%s 0x%08" PRIx32 " (%" PRId32 ")", field->name, value,
			 (int32_t)value);
	else if (meaning)
		snprintf(text, sizeof(text), "%s %" PRIu32 " (%s)", field->name, value, meaning);
	else
		snprintf(text, sizeof(text), "%s %" PRIu32, field->name, value);
	put_wrapped(w, text);
}

/* Fields that say something; the first one goes behind two blanks. */
static void put_fields(FILE *out, const struct npu_reg *reg, uint32_t value)
{
	struct wrapped w = { .out = out, .column = FIELD_COLUMN, .first = true };

	for (unsigned int i = 0; i < reg->n_fields; i++) {
		const struct npu_field *field = &reg->fields[i];

		put_field(&w, reg, field, decode_field(field, value));
	}
}

/* What a word says beyond its register's fields. */
static void put_meaning(FILE *out, const struct decoded_word *decoded)
{
	const struct scoria_word *word = &decoded->word;

	switch (word->kind) {
	case SCORIA_WORD_NOP:
		fputs("  no operation", out);
		break;
	case SCORIA_WORD_SYNC:
		fputs("  barrier", out);
		break;
	case SCORIA_WORD_ENABLE:
		fprintf(out, "  start %s", decode_enable_names(word->value));
		break;
	case SCORIA_WORD_LINK:
		if (word->value)
			fprintf(out, "  next task at 0x%08" PRIx32,
				word->value & NPU_PC_BASE_ADDRESS_PC_SOURCE_ADDR);
		else
			fputs("  no next task", out);
		break;
	case SCORIA_WORD_LENGTH:
		put_fields(out, decoded->reg, word->value);
		if (word->value)
			fprintf(out, ", %" PRIu32 " words", decode_length_words(word->value));
		else
			fputs(", no next task", out);
		break;
	default:
		if (decoded->reg)
			put_fields(out, decoded->reg, word->value);
		break;
	}
}

static void put_problem(FILE *out, const struct decoded_word *decoded)
{
	const struct scoria_word *word = &decoded->word;

	fprintf(out, "        ^ %s", scoria_reason_text(word->reason));
	switch (word->reason) {
	case SCORIA_UNKNOWN_TARGET:
		fprintf(out, " 0x%04x\n", word->target);
		break;
	case SCORIA_OUTSIDE_BLOCK:
	case SCORIA_NO_REGISTER:
	case SCORIA_ENABLE_OFFSET:
		fprintf(out, ": offset 0x%04x\n", word->offset);
		break;
	default:
		putc('\n', out);
		break;
	}
}

static void text_word(void *ctx, const struct decoded_word *decoded)
{
	const struct scoria_word *word = &decoded->word;
	FILE *out = ctx;
	char target[16], name[48];

	if (decoded->target)
		snprintf(target, sizeof(target), "%s", decoded->target);
	else
		snprintf(target, sizeof(target), "0x%04x", word->target);
	if (decoded->reg)
		snprintf(name, sizeof(name), "%s.%s", npu_blocks[decoded->reg->block].name,
			 decoded->reg->name);
	else
		snprintf(name, sizeof(name), "0x%04x", word->offset);
	fprintf(out, "%6" PRIu32 "  %-9s %-26s 0x%08" PRIx32, decoded->index, target, name,
		word->value);
	put_meaning(out, decoded);
	putc('\n', out);
	if (word->reason != SCORIA_ACCEPTED)
		put_problem(out, decoded);
	if (decoded->stray)
		fprintf(out, "        ^ bits 0x%08" PRIx32 " are in no field\n", decoded->stray);
}

static void text_begin(void *ctx, const char *path, const struct stream_input *input)
{
	fprintf(ctx, "%s: %s\n", strcmp(path, "-") ? path : "<stdin>",
		stream_format_name(input->format));
}

static void text_begin_task(void *ctx, const struct decoded_task *task)
{
	fprintf(ctx, "\ntask %u", task->index);
	if (task->part->has_address)
		fprintf(ctx, " at 0x%08" PRIx32, task->part->address + 8 * task->first);
	putc('\n', ctx);
}

static void text_begin_lint(void *ctx)
{
	(void)ctx;
}

static void text_finding(void *ctx, const struct lint_finding *finding)
{
	const struct npu_reg *reg = finding->offset ? npu_reg_find(finding->offset) : NULL;

	fprintf(ctx, "  lint %s: ", finding->id);
	if (finding->word >= 0)
		fprintf(ctx, "word %" PRId64 ", ", finding->word);
	if (reg)
		fprintf(ctx, "%s.%s: ", npu_blocks[reg->block].name, reg->name);
	fprintf(ctx, "%s\n", finding->text);
}

static void text_end_task(void *ctx, const struct decoded_task *task)
{
	if (!task->scan.enable)
		fprintf(ctx, "        ^ %s\n", scoria_reason_text(SCORIA_NO_ENABLE));
}

static void text_padding(void *ctx, uint32_t first, uint32_t n)
{
	fprintf(ctx, "%6" PRIu32 "  %" PRIu32 " empty %s\n", first, n, n == 1 ? "word" : "words");
}

static void put_count(FILE *out, uint32_t n, const char *what)
{
	fprintf(out, ", %" PRIu32 " %s", n, what);
}

static int text_end(void *ctx, const struct decode_summary *summary)
{
	FILE *out = ctx;

	fprintf(out, "\n%" PRIu32 " words", summary->words + summary->padding);
	put_count(out, summary->tasks, summary->tasks == 1 ? "task" : "tasks");
	put_count(out, summary->unknown, "unknown");
	if (summary->unfinished)
		put_count(out, summary->unfinished, "without an enable word");
	if (summary->stray)
		put_count(out, summary->stray, "with bits outside every field");
	put_count(out, summary->findings, "lint");
	putc('\n', out);
	return fflush(out) || ferror(out) ? -1 : 0;
}

const struct decode_printer decode_text = {
	.begin = text_begin,
	.begin_task = text_begin_task,
	.word = text_word,
	.begin_lint = text_begin_lint,
	.finding = text_finding,
	.end_task = text_end_task,
	.padding = text_padding,
	.end = text_end,
};
