/* SPDX-License-Identifier: MIT */
/*
 * The switches of the model: assumptions about silicon, from switches.def, each with
 * the values that it can have; and what boards have answered, from answers.def.
 */
#ifndef NPU_SWITCHES_H
#define NPU_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum npu_switch {
#define SWITCH(id, name, section, text) NPU_##id,
#define VALUE(id, value, name, text)
#include "switches.def"
#undef SWITCH
#undef VALUE
	NPU_N_SWITCHES
};

/* Values of all switches; 0 stands for what npu_answer() says. */
enum npu_value {
	NPU_AS_ANSWERED,
#define SWITCH(id, name, section, text)
#define VALUE(id, value, name, text) NPU_##id##_##value,
#include "switches.def"
#undef SWITCH
#undef VALUE
	NPU_N_VALUES
};

/**
 * struct npu_switch_info - a switch
 * @name:    in lower case, with dashes
 * @section: of the programming model
 * @text:    the subject of a sentence that a value's text completes
 */
struct npu_switch_info {
	const char *name;
	const char *section;
	const char *text;
};

/* A value: the switch that it belongs to, its name and the rest of the sentence. */
struct npu_value_info {
	enum npu_switch of;
	const char *name;
	const char *text;
};

extern const struct npu_switch_info npu_switches[NPU_N_SWITCHES];
extern const struct npu_value_info npu_values[NPU_N_VALUES];

/* The switch of a value; of a constant one, at compile time. */
static inline enum npu_switch npu_switch_of(enum npu_value value)
{
	static const uint8_t of[NPU_N_VALUES] = {
#define SWITCH(id, name, section, text)
#define VALUE(id, value, name, text) [NPU_##id##_##value] = NPU_##id,
#include "switches.def"
#undef SWITCH
#undef VALUE
	};

	return of[value];
}

/* A value for each switch; all zero is as answered. */
struct npu_choices {
	uint8_t value[NPU_N_SWITCHES];
};

/* What the model assumes where no board has answered: the first value. */
enum npu_value npu_assumed(enum npu_switch id);

/* The value that answers.def gives a switch, or the assumed one. */
enum npu_value npu_answer(enum npu_switch id);

/* Where the answer is from; NULL when it is only assumed. */
const char *npu_answer_source(enum npu_switch id);

/*
 * Set @choices as @text says: "NAME=VALUE", several separated by commas. False with a
 * message in @why, of @size bytes, for a name or value that does not exist; @choices may
 * be changed then.
 */
bool npu_choose(struct npu_choices *choices, const char *text, char *why, size_t size);

#endif
