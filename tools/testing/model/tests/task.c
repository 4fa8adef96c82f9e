// SPDX-License-Identifier: MIT
/* See task.h. */
#include "task.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "task: %s failed\n", what);
	exit(1);
}

void task_begin(struct task *t, uint32_t mask)
{
	t->n = 0;
	t->mask = mask;
}

void task_append(struct task *t, uint16_t reg, uint32_t value)
{
	must(t->n < TASK_MAX_WRITES, "task_append");
	t->writes[t->n].reg = reg;
	t->writes[t->n++].value = value;
}

void task_set(struct task *t, uint16_t reg, uint32_t value)
{
	for (unsigned int i = 0; i < t->n; i++) {
		if (t->writes[i].reg == reg) {
			t->writes[i].value = value;
			return;
		}
	}
	task_append(t, reg, value);
}

uint32_t task_get(const struct task *t, uint16_t reg)
{
	for (unsigned int i = 0; i < t->n; i++)
		if (t->writes[i].reg == reg)
			return t->writes[i].value;
	must(false, "task_get");
	return 0;
}

void task_drop(struct task *t, uint16_t reg)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < t->n; i++)
		if (t->writes[i].reg != reg)
			t->writes[kept++] = t->writes[i];
	must(kept < t->n, "task_drop");
	t->n = kept;
}

uint64_t word(uint16_t target, uint16_t reg, uint32_t value)
{
	return (uint64_t)target << 48 | (uint64_t)value << 16 | reg;
}

uint64_t reg_word(uint16_t reg, uint32_t value)
{
	static const uint16_t targets[16] = {
		[0] = 0x0101, [1] = 0x0201, [3] = 0x0801, [4] = 0x1001,
		[5] = 0x2001, [6] = 0x4001, [7] = 0x8001,
	};

	return word(targets[reg >> 12], reg, value);
}

unsigned int task_words(const struct task *t, uint64_t *words)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->n; i++)
		words[n++] = reg_word(t->writes[i].reg, t->writes[i].value);
	words[n++] = 0;
	words[n++] = reg_word(PC_REGISTER_AMOUNTS, 0);
	words[n++] = word(0x0041, 0, 0);
	words[n++] = word(0x0081, 0x0008, t->mask);
	return n;
}

uint16_t load16(const uint8_t *base, size_t index)
{
	return base[2 * index] | base[2 * index + 1] << 8;
}

uint32_t load32(const uint8_t *base, size_t index)
{
	return load16(base, 2 * index) | (uint32_t)load16(base, 2 * index + 1) << 16;
}

void store16(uint8_t *base, size_t index, uint16_t value)
{
	base[2 * index] = value;
	base[2 * index + 1] = value >> 8;
}

void store32(uint8_t *base, size_t index, uint32_t value)
{
	store16(base, 2 * index, value);
	store16(base, 2 * index + 1, value >> 16);
}
