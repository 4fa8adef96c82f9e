// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "decode.h"
#include "json.h"
#include "npu_field.h"
#include "rk3588_npu.h"

static const char *const kind_names[] = {
	[SCORIA_WORD_NOP] = "nop", [SCORIA_WORD_WRITE] = "write",
	[SCORIA_WORD_POINTER] = "pointer", [SCORIA_WORD_LINK] = "link",
	[SCORIA_WORD_LENGTH] = "length", [SCORIA_WORD_SYNC] = "sync",
	[SCORIA_WORD_ENABLE] = "enable", [SCORIA_WORD_UNKNOWN] = "unknown",
};

static void put_register(struct json *json, const struct npu_reg *reg)
{
	char name[48];

	if (!reg)
		return;
	snprintf(name, sizeof(name), "%s.%s", npu_blocks[reg->block].name, reg->name);
	json_string(json, "register", name);
}

static void put_fields(struct json *json, const struct decoded_word *decoded)
{
	json_begin_array(json, "fields");
	for (unsigned int i = 0; i < decoded->reg->n_fields; i++) {
		const struct npu_field *field = &decoded->reg->fields[i];
		uint32_t value = decode_field(field, decoded->word.value);
		const char *meaning = decode_field_meaning(field, value);

		json_begin_object(json, NULL);
		json_string(json, "name", field->name);
		json_uint(json, "value", value);
		if (meaning)
			json_string(json, "meaning", meaning);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_enable(struct json *json, const char *key, uint32_t mask)
{
	json_begin_array(json, key);
	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++)
		if (npu_blocks[i].enable_bit >= 0 && mask & 1u << npu_blocks[i].enable_bit)
			json_string(json, NULL, npu_blocks[i].name);
	json_end_array(json);
}

static void json_print_word(void *ctx, const struct decoded_word *decoded)
{
	const struct scoria_word *word = &decoded->word;
	struct json *json = ctx;
	char raw[20];

	snprintf(raw, sizeof(raw), "0x%016" PRIx64, decoded->raw);
	json_begin_object(json, NULL);
	json_uint(json, "index", decoded->index);
	json_string(json, "raw", raw);
	json_string(json, "kind", kind_names[word->kind]);
	json_string(json, "target", decoded->target);
	json_uint(json, "target_code", word->target);
	json_uint(json, "offset", word->offset);
	json_uint(json, "value", word->value);
	put_register(json, decoded->reg);
	if (decoded->reg)
		put_fields(json, decoded);
	if (word->kind == SCORIA_WORD_ENABLE)
		put_enable(json, "blocks", word->value);
	if (word->reason != SCORIA_ACCEPTED)
		json_string(json, "problem", scoria_reason_text(word->reason));
	if (decoded->stray)
		json_uint(json, "stray_bits", decoded->stray);
	json_end_object(json);
}

static void json_begin(void *ctx, const char *path, const struct stream_input *input)
{
	struct json *json = ctx;

	json_begin_object(json, NULL);
	json_string(json, "file", path);
	json_string(json, "format", stream_format_name(input->format));
	json_begin_array(json, "tasks");
}

static void json_begin_task(void *ctx, const struct decoded_task *task)
{
	struct json *json = ctx;

	json_begin_object(json, NULL);
	json_uint(json, "index", task->index);
	json_uint(json, "first_word", task->first);
	if (task->part->has_address)
		json_uint(json, "address", task->part->address + 8 * task->first);
	json_begin_array(json, "words");
}

static void json_begin_lint(void *ctx)
{
	json_end_array(ctx);
	json_begin_array(ctx, "lint");
}

static void json_finding(void *ctx, const struct lint_finding *finding)
{
	struct json *json = ctx;

	json_begin_object(json, NULL);
	json_string(json, "id", finding->id);
	if (finding->word >= 0)
		json_int(json, "word", finding->word);
	if (finding->offset)
		put_register(json, npu_reg_find(finding->offset));
	json_string(json, "text", finding->text);
	json_end_object(json);
}

static void json_end_task(void *ctx, const struct decoded_task *task)
{
	struct json *json = ctx;

	json_end_array(json);
	put_enable(json, "enable", task->scan.enable);
	if (task->scan.linked)
		json_uint(json, "next", task->scan.next);
	if (task->scan.sized && task->scan.length)
		json_uint(json, "next_words", decode_length_words(task->scan.length));
	if (task->verdict.reason != SCORIA_ACCEPTED) {
		json_string(json, "refused", scoria_reason_text(task->verdict.reason));
		json_uint(json, "refused_word", task->first + task->verdict.word);
	}
	json_end_object(json);
}

static void json_padding(void *ctx, uint32_t first, uint32_t n)
{
	(void)ctx;
	(void)first;
	(void)n;
}

static int json_end(void *ctx, const struct decode_summary *summary)
{
	struct json *json = ctx;

	json_end_array(json);
	json_begin_object(json, "summary");
	json_uint(json, "words", summary->words + summary->padding);
	json_uint(json, "empty", summary->padding);
	json_uint(json, "tasks", summary->tasks);
	json_uint(json, "unknown", summary->unknown);
	json_uint(json, "unfinished", summary->unfinished);
	json_uint(json, "stray", summary->stray);
	json_uint(json, "lint", summary->findings);
	json_end_object(json);
	json_end_object(json);
	return json_finish(json);
}

const struct decode_printer decode_json = {
	.begin = json_begin,
	.begin_task = json_begin_task,
	.word = json_print_word,
	.begin_lint = json_begin_lint,
	.finding = json_finding,
	.end_task = json_end_task,
	.padding = json_padding,
	.end = json_end,
};
