// SPDX-License-Identifier: MIT
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "decode.h"
#include "json.h"
#include "npu_field.h"
#include "rk3588_npu.h"

static const char help[] =
"usage: scoria decode [OPTION]... FILE\n"
"       scoria decode --reason NUMBER\n"
"\n"
"Print a stream of NPU register commands in words: the index of each command\n"
"word, its target, the register, the value, then the fields that are not zero\n"
"or whose zero means something. FILE may be - for standard input.\n"
"\n"
"  --format FORMAT  raw: little-endian 64-bit words\n"
"                   hex: words of up to 16 hex digits, 0x or not, separated by\n"
"                        white space or commas; # begins a comment\n"
"                   vec: a test vector (tools/testing/vectors), whose tasks are\n"
"                        decoded\n"
"                   auto: whichever of these it is (default)\n"
"  --all            decode the empty words behind each enable word too\n"
"  --lint           name the traps that a task falls into (default)\n"
"  --no-lint        do not\n"
"  --json           print JSON\n"
"  --reason NUMBER  print in words why the kernel refused a task: the number is\n"
"                   that of DRM_IOCTL_SCORIA_PROGRAM_CREATE\n"
"  -h, --help       this text\n"
"\n"
"Exit status: 0; 1 when the stream has a word that no block understands or may\n"
"not get, or ends without an enable word; 2 when FILE cannot be used.\n";

struct options {
	const char *path;
	enum stream_format format;
	bool all;
	bool lint;
	bool json;
	const char *reason;
};

/* A decoding in progress. */
struct decoder {
	const struct options *options;
	const struct decode_printer *printer;
	void *ctx;
	struct decode_summary summary;
	struct decoded_task task;
	unsigned int n_tasks;		/* in the whole input */
};

uint32_t decode_field(const struct npu_field *field, uint32_t value)
{
	return value << (31 - field->msb) >> (31 - field->msb + field->lsb);
}

const char *decode_field_meaning(const struct npu_field *field, uint32_t value)
{
	for (unsigned int i = 0; i < field->n_values; i++)
		if (field->values[i].value == value)
			return field->values[i].meaning;
	return NULL;
}

const char *decode_enable_names(uint32_t mask)
{
	static char names[128];
	size_t used = 0;

	names[0] = 0;
	for (unsigned int bit = 0; bit < 32; bit++) {
		const char *name = NULL;

		if (!(mask >> bit & 1))
			continue;
		for (unsigned int i = 0; i < NPU_N_BLOCKS; i++)
			if (npu_blocks[i].enable_bit == (int)bit)
				name = npu_blocks[i].name;
		if (name)
			used += snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? " + " : "", name);
	}
	return names;
}

uint32_t decode_length_words(uint32_t length)
{
	return 2 * (npu_get(NPU_PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT, length) + 1);
}

static const char *target_name(uint16_t target)
{
	switch (target) {
	case NPU_TARGET_NOP:
	case NPU_TARGET_NOP1:
		return "NOP";
	case NPU_TARGET_SYNC:
		return "SYNC";
	case NPU_TARGET_OP_ENABLE:
		return "OP_ENABLE";
	}
	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++)
		if (npu_blocks[i].target == target)
			return npu_blocks[i].name;
	return NULL;
}

/* The register that a word names, of its target's block only. */
static const struct npu_reg *word_register(const struct scoria_word *word)
{
	const struct npu_reg *reg = npu_reg_find(word->offset);

	if (!reg || !npu_blocks[reg->block].target ||
	    npu_blocks[reg->block].target != word->target || word->kind == SCORIA_WORD_NOP)
		return NULL;
	return reg;
}

static bool visit_word(void *ctx, u32 index, const struct scoria_word *word)
{
	struct decoder *decoder = ctx;
	struct decoded_word decoded = {
		.index = decoder->task.first + index,
		.raw = decoder->task.part->words[decoder->task.first + index],
		.word = *word,
		.target = target_name(word->target),
		.reg = word_register(word),
	};

	if (decoded.reg)
		decoded.stray = word->value & ~decoded.reg->mask;
	decoder->summary.words++;
	decoder->summary.unknown += word->reason != SCORIA_ACCEPTED;
	decoder->summary.stray += decoded.stray != 0;
	decoder->printer->word(decoder->ctx, &decoded);
	return true;
}

static void report_finding(void *ctx, const struct lint_finding *finding)
{
	struct decoder *decoder = ctx;
	struct lint_finding placed = *finding;

	if (placed.word >= 0)
		placed.word += decoder->task.first;
	decoder->summary.findings++;
	decoder->printer->finding(decoder->ctx, &placed);
}

static uint32_t count_empty(const struct stream_part *part, uint32_t first)
{
	uint32_t n = first;

	while (n < part->n_words && !part->words[n])
		n++;
	return n - first;
}

/* Words of the task at @first of @part, through its enable word if it has one. */
static uint32_t task_words(const struct stream_part *part, uint32_t first)
{
	struct scoria_word word;

	for (uint32_t i = first; i < part->n_words; i++) {
		scoria_word_parse(part->words[i], &word);
		if (word.kind == SCORIA_WORD_ENABLE)
			return i + 1 - first;
	}
	return part->n_words - first;
}

/*
 * Words of the task that the present one links to: by address where those are
 * known, else the next in the file. 0 when it is not in the file.
 */
static uint32_t linked_words(const struct decoder *decoder, const struct stream_input *input)
{
	const struct stream_part *part = decoder->task.part;
	uint32_t end = decoder->task.first + decoder->task.scan.n_words;
	uint32_t next = end + count_empty(part, end);

	if (!part->has_address)
		return next < part->n_words ? task_words(part, next) : 0;
	for (size_t i = 0; i < input->n_parts; i++)
		if (input->parts[i].address == decoder->task.scan.next)
			return task_words(&input->parts[i], 0);
	return 0;
}

static void lint(struct decoder *decoder, const struct stream_input *input)
{
	struct lint_place place = {
		.n_tasks = decoder->n_tasks,
		.next_words = linked_words(decoder, input),
	};

	decoder->printer->begin_lint(decoder->ctx);
	if (decoder->options->lint)
		lint_task(decoder->task.part->words + decoder->task.first, &decoder->task.scan,
			  &place, report_finding, decoder);
}

/* Decode the task at word @first; returns the index of the word behind it. */
static uint32_t decode_task(struct decoder *decoder, const struct stream_input *input,
			    const struct stream_part *part, uint32_t first)
{
	struct decoded_task *task = &decoder->task;

	*task = (struct decoded_task){
		.index = decoder->summary.tasks++,
		.part = part,
		.first = first,
	};
	decoder->printer->begin_task(decoder->ctx, task);
	scoria_task_scan(part->words + first, part->n_words - first, visit_word, decoder,
			 &task->scan, &task->verdict);
	decoder->summary.unfinished += !task->scan.enable;
	lint(decoder, input);
	decoder->printer->end_task(decoder->ctx, task);
	return first + task->scan.n_words;
}

static void decode_part(struct decoder *decoder, const struct stream_input *input,
			const struct stream_part *part)
{
	uint32_t next = 0;

	while (next < part->n_words) {
		uint32_t empty = next && !decoder->options->all ? count_empty(part, next) : 0;

		if (empty) {
			decoder->summary.padding += empty;
			decoder->printer->padding(decoder->ctx, next, empty);
			next += empty;
		} else {
			next = decode_task(decoder, input, part, next);
		}
	}
}

/* Tasks as decode_part() finds them. */
static unsigned int count_tasks(const struct stream_input *input)
{
	unsigned int n = 0;

	for (size_t i = 0; i < input->n_parts; i++) {
		const struct stream_part *part = &input->parts[i];
		uint32_t next = 0;

		while (next < part->n_words) {
			next += task_words(part, next);
			next += count_empty(part, next);
			n++;
		}
	}
	return n;
}

static int decode(const struct options *options, const struct stream_input *input)
{
	struct json json;
	struct decoder decoder = {
		.options = options,
		.printer = options->json ? &decode_json : &decode_text,
		.ctx = options->json ? (void *)&json : stdout,
		.n_tasks = count_tasks(input),
	};

	json_init(&json, stdout);
	decoder.printer->begin(decoder.ctx, options->path, input);
	for (size_t i = 0; i < input->n_parts; i++)
		decode_part(&decoder, input, &input->parts[i]);
	if (decoder.printer->end(decoder.ctx, &decoder.summary))
		return cmd_unusable("decode", "cannot write the output");
	return decoder.summary.unknown || decoder.summary.unfinished ? CMD_FAILED : CMD_OK;
}

static int parse_options(struct options *options, int argc, char **argv)
{
	enum { FORMAT = 256, ALL, LINT, NO_LINT, JSON, REASON };
	static const struct option known[] = {
		{ "format", required_argument, NULL, FORMAT }, { "all", no_argument, NULL, ALL },
		{ "lint", no_argument, NULL, LINT }, { "no-lint", no_argument, NULL, NO_LINT },
		{ "json", no_argument, NULL, JSON },
		{ "reason", required_argument, NULL, REASON }, { 0 }
	};
	int option;

	*options = (struct options){ .format = STREAM_AUTO, .lint = true };
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", known, NULL)) >= 0) {
		int format = option == FORMAT ? stream_format_by_name(optarg) : 0;

		if (option == ':')
			return cmd_unusable(argv[0], "%s needs a value", argv[optind - 1]);
		if (option == '?')
			return cmd_unusable(argv[0], "unknown option %s", argv[optind - 1]);
		if (format < 0)
			return cmd_unusable(argv[0], "unknown format %s: raw, hex, vec or auto",
					    optarg);
		if (option == FORMAT)
			options->format = format;
		if (option == REASON)
			options->reason = optarg;
		options->all |= option == ALL;
		options->json |= option == JSON;
		options->lint = option == LINT || (options->lint && option != NO_LINT);
	}
	if (options->reason && options->json)
		return cmd_unusable(argv[0], "--reason is printed in words, not as --json");
	if (options->reason && optind == argc)
		return CMD_OK;
	if (optind == argc)
		return cmd_unusable(argv[0], "no file given; - stands for standard input");
	if (options->reason)
		return cmd_unusable(argv[0], "--reason takes no file, not even %s", argv[optind]);
	if (optind + 1 < argc)
		return cmd_unusable(argv[0], "one file at a time, not also %s", argv[optind + 1]);
	options->path = argv[optind];
	return CMD_OK;
}

static int print_reason(const char *number)
{
	char *end;
	unsigned long reason = strtoul(number, &end, 0);

	if (*end || end == number || reason >= SCORIA_N_REASONS)
		return cmd_unusable("decode", "unknown reason %s: 0 to %d", number,
				    SCORIA_N_REASONS - 1);
	puts(scoria_reason_text((enum scoria_reason)reason));
	return CMD_OK;
}

int cmd_decode(int argc, char **argv)
{
	struct stream_input input;
	struct options options;
	int status;

	if (cmd_wants_help(argc, argv)) {
		fputs(help, stdout);
		return CMD_OK;
	}
	status = parse_options(&options, argc, argv);
	if (status)
		return status;
	if (options.reason)
		return print_reason(options.reason);
	if (stream_input_load(&input, argv[0], options.path, options.format))
		return CMD_UNUSABLE;
	status = decode(&options, &input);
	stream_input_free(&input);
	return status;
}
