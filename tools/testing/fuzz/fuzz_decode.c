// SPDX-License-Identifier: MIT
/*
 * Any bytes as a file for `scoria decode`: first as words through the stream
 * reading that the kernel shares, with every rule of the lint, then, when the
 * first byte asks for it, through the whole command in one of its formats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../scoria/cmd.h"
#include "../../scoria/decode_lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* As in main.c of the command, which has a main() of its own. */
int cmd_unusable(const char *argv0, const char *format, ...)
{
	if (!argv0 || !*format)
		abort();
	return CMD_UNUSABLE;
}

bool cmd_wants_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return false;
}

/* Each input file has this name; the same memory is written again for the next. */
static int file = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	file = memfd_create("input", 0);
	/* what the command prints is of no interest, what libFuzzer prints is kept by it */
	return file < 0 || !freopen("/dev/null", "w", stdout);
}

static bool visit(void *ctx, u32 index, const struct scoria_word *word)
{
	u32 *seen = ctx;

	if (index != (*seen)++ || word->kind > SCORIA_WORD_UNKNOWN ||
	    word->reason >= SCORIA_N_REASONS)
		abort();
	return true;
}

static void finding(void *ctx, const struct lint_finding *f)
{
	const struct scoria_task *task = ctx;

	if (!f->id || !f->text || f->word >= (int64_t)task->n_words)
		abort();
}

/* The kernel reads without looking at every word, and has to find the same. */
static bool same_task(const struct scoria_task *a, const struct scoria_task *b)
{
	return a->n_words == b->n_words && a->n_body == b->n_body && a->enable == b->enable &&
	       a->next == b->next && a->length == b->length && a->written == b->written &&
	       !memcmp(a->writers, b->writers, sizeof(a->writers)) && a->linked == b->linked &&
	       a->sized == b->sized && a->barrier == b->barrier;
}

/* Read the words task by task, as decoder and kernel do. */
static void scan(const uint64_t *words, uint32_t n)
{
	for (unsigned int n_tasks = 1; n; n_tasks++) {
		const struct lint_place place = { .n_tasks = n_tasks };
		struct scoria_verdict verdict, quick;
		struct scoria_task task, quick_task;
		u32 seen = 0;
		bool good = scoria_task_scan(words, n, visit, &seen, &task, &verdict);

		if (good != scoria_task_scan(words, n, NULL, NULL, &quick_task, &quick) ||
		    quick.reason != verdict.reason || quick.word != verdict.word ||
		    (good && !same_task(&task, &quick_task)))
			abort();
		scoria_task_scan(words, n, visit, &(u32){ 0 }, &task, &verdict);
		if (!task.n_words || task.n_words > n || task.n_body > task.n_words ||
		    !*scoria_reason_text(verdict.reason))
			abort();
		lint_task(words, &task, &place, finding, &task);
		words += task.n_words;
		n -= task.n_words;
	}
}

static void scan_copy(const uint8_t *data, size_t size)
{
	uint64_t *words = malloc(size & ~(size_t)7);

	if (words && size >= 8) {
		memcpy(words, data, size & ~(size_t)7);
		scan(words, size / 8);
	}
	free(words);
}

static void decode(const uint8_t *data, size_t size, const char *format, bool json)
{
	char path[32];
	char *argv[] = { "decode", "--format", (char *)format, path, "--all", "--json", NULL };

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		return;
	optind = 0;
	cmd_decode(json ? 6 : 5, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "auto", "raw", "hex", "vec" };

	if (!size)
		return 0;
	if (data[0] & 0x80)
		decode(data + 1, size - 1, formats[data[0] & 3], data[0] & 4);
	else
		scan_copy(data + 1, size - 1);
	return 0;
}
