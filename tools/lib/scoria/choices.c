// SPDX-License-Identifier: MIT
/* See choices.h. */
#include "choices.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../testing/model/switches.h"
#include "error.h"

/* A word of SCORIA_CAUTION, and the answer of a board that asks for the same; 0 for none. */
static const struct {
	const char *word;
	enum npu_value answer;
} choices[] = {
	[CHOICE_ONE_TASK] = { "one-task", NPU_AS_ANSWERED },
	[CHOICE_LOW_CUBES] = { "low-cubes", NPU_LOW_HEIGHT_CLAMPS },
	[CHOICE_SMALL_PLANES] = { "small-planes", NPU_SMALL_PLANES_TWELVE },
	[CHOICE_WHOLE_BANKS] = { "whole-banks", NPU_AS_ANSWERED },
	[CHOICE_BYTE_POOLS] = { "byte-pools", NPU_PPU_INT8_SHORTS },
};

#define N_CHOICES (sizeof(choices) / sizeof(choices[0]))

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !strncmp(word, text, length);
}

/* Whether @word is one of those in @list, which commas separate. */
static bool listed(const char *list, const char *word)
{
	while (list) {
		const size_t length = strcspn(list, ",");

		if (is_word(word, list, length))
			return true;
		list = list[length] ? list + length + 1 : NULL;
	}
	return false;
}

static bool chosen[N_CHOICES];

static void make_choices(void)
{
	for (size_t i = 0; i < N_CHOICES; i++) {
		const enum npu_value answer = choices[i].answer;

		chosen[i] = (answer && npu_answer(npu_switch_of(answer)) == answer) ||
			    listed(getenv("SCORIA_CAUTION"), choices[i].word);
	}
}

bool choose(enum choice choice)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_choices);
	return chosen[choice];
}

static bool is_choice(const char *text, size_t length)
{
	for (size_t i = 0; i < N_CHOICES; i++)
		if (is_word(choices[i].word, text, length))
			return true;
	return false;
}

int choices_check(void)
{
	const char *list = getenv("SCORIA_CAUTION");

	while (list && *list) {
		const size_t length = strcspn(list, ",");

		if (!is_choice(list, length))
			return error_set(EINVAL, "SCORIA_CAUTION: \"%.*s\" is none of one-task, low-cubes, small-planes, whole-banks and byte-pools",
					 (int)length, list);
		list = list[length] ? list + length + 1 : NULL;
	}
	return 0;
}

static bool tie_goes_up(enum npu_value ties, int64_t floor)
{
	switch (ties) {
	case NPU_TIES_OUT_UP:
		return true;
	case NPU_TIES_OUT_AWAY:
		return floor >= 0;
	case NPU_TIES_OUT_CUT:
		return false;
	default:
		return floor & 1;
	}
}

int64_t rounded_shift(int64_t product, uint32_t shift)
{
	const enum npu_value ties = npu_answer(NPU_TIES_OUT);
	const int64_t floor = product >> shift;
	const uint64_t rest = (uint64_t)product & ((1ull << shift) - 1);
	const uint64_t half = shift ? 1ull << (shift - 1) : 0;

	if (!shift || rest < half || ties == NPU_TIES_OUT_CUT)
		return floor;
	return floor + (rest > half || tie_goes_up(ties, floor));
}
