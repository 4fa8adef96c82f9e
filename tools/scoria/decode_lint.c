// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lint.h"

void lint_say(struct lint *lint, uint32_t offset, const char *format, ...)
{
	char text[400];
	struct lint_finding finding = {
		.id = lint->id,
		.word = -1,
		.offset = offset,
		.text = text,
	};
	va_list args;

	if (offset && lint_wrote(lint, offset))
		finding.word = lint->where[offset / 4] - 1;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lint->report(lint->ctx, &finding);
}

/* Enter the register writes of the task into lint->values and ->where. */
static void note_writes(struct lint *lint, const uint64_t *words)
{
	for (uint32_t i = 0; i < lint->task->n_words; i++) {
		struct scoria_word word;

		scoria_word_parse(words[i], &word);
		if (word.kind != SCORIA_WORD_WRITE && word.kind != SCORIA_WORD_POINTER)
			continue;
		lint->values[word.offset / 4] = word.value;
		lint->where[word.offset / 4] = i + 1;
	}
}

static void check_rules(struct lint *lint, const struct lint_rule *rules)
{
	for (; rules->id; rules++) {
		lint->id = rules->id;
		rules->check(lint);
	}
}

void lint_task(const uint64_t *words, const struct scoria_task *task,
	       const struct lint_place *place, lint_report_fn report, void *ctx)
{
	struct lint *lint = calloc(1, sizeof(*lint));

	/* Lint is advice: without memory there is none. */
	if (!lint)
		return;
	lint->task = task;
	lint->place = *place;
	lint->report = report;
	lint->ctx = ctx;
	note_writes(lint, words);
	check_rules(lint, lint_path_rules);
	check_rules(lint, lint_size_rules);
	check_rules(lint, lint_chain_rules);
	free(lint);
}
