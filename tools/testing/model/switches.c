// SPDX-License-Identifier: MIT
/* See switches.h. */
#include "switches.h"

#include <stdio.h>
#include <string.h>

_Static_assert(NPU_N_VALUES <= UINT8_MAX, "struct npu_choices holds bytes");

const struct npu_switch_info npu_switches[NPU_N_SWITCHES] = {
#define SWITCH(id, name, section, text) { name, section, text },
#define VALUE(id, value, name, text)
#include "switches.def"
#undef SWITCH
#undef VALUE
};

const struct npu_value_info npu_values[NPU_N_VALUES] = {
#define SWITCH(id, name, section, text)
#define VALUE(id, value, name, text) [NPU_##id##_##value] = { NPU_##id, name, text },
#include "switches.def"
#undef SWITCH
#undef VALUE
};

static const struct {
	uint8_t value;
	const char *source;
} answers[NPU_N_SWITCHES] = {
#define ANSWER(id, value, source) [NPU_##id] = { NPU_##id##_##value, source },
#include NPU_ANSWERS
#undef ANSWER
};

enum npu_value npu_assumed(enum npu_switch id)
{
	enum npu_value value = NPU_AS_ANSWERED + 1;

	while (npu_values[value].of != id)
		value++;
	return value;
}

enum npu_value npu_answer(enum npu_switch id)
{
	return answers[id].value ? answers[id].value : npu_assumed(id);
}

const char *npu_answer_source(enum npu_switch id)
{
	return answers[id].source;
}

static bool is(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !strncmp(name, text, length);
}

static enum npu_switch find_switch(const char *text, size_t length)
{
	unsigned int id = 0;

	while (id < NPU_N_SWITCHES && !is(npu_switches[id].name, text, length))
		id++;
	return id;
}

static enum npu_value find_value(enum npu_switch id, const char *text, size_t length)
{
	unsigned int value = NPU_AS_ANSWERED + 1;

	while (value < NPU_N_VALUES &&
	       (npu_values[value].of != id || !is(npu_values[value].name, text, length)))
		value++;
	return value;
}

static void list_values(enum npu_switch id, char *to, size_t size)
{
	to[0] = '\0';
	for (unsigned int value = NPU_AS_ANSWERED + 1; value < NPU_N_VALUES; value++)
		if (npu_values[value].of == id)
			snprintf(to + strlen(to), size - strlen(to), "%s%s", *to ? ", " : "",
				 npu_values[value].name);
}

/* "NAME=VALUE", @length characters of it. */
static bool choose_one(struct npu_choices *choices, const char *text, size_t length, char *why,
		       size_t size)
{
	const char *equals = memchr(text, '=', length);
	const size_t n = equals ? (size_t)(equals - text) : length;
	const enum npu_switch id = find_switch(text, n);
	enum npu_value value;
	char known[80];

	if (id == NPU_N_SWITCHES) {
		snprintf(why, size, "the model has no switch \"%.*s\"", (int)n, text);
		return false;
	}
	value = equals ? find_value(id, equals + 1, length - n - 1) : NPU_N_VALUES;
	if (value == NPU_N_VALUES) {
		list_values(id, known, sizeof(known));
		snprintf(why, size, "\"%.*s\": %s is one of %s", (int)length, text,
			 npu_switches[id].name, known);
		return false;
	}
	choices->value[id] = value;
	return true;
}

bool npu_choose(struct npu_choices *choices, const char *text, char *why, size_t size)
{
	for (;;) {
		const size_t length = strcspn(text, ",");

		if (!choose_one(choices, text, length, why, size))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}
