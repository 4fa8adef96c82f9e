/* SPDX-License-Identifier: MIT */
/* The commands of one segment, and what tests expect of them. After tap.h. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Room for a body and for lookup tables. */
static uint64_t words[2048];
static uint32_t n_words;

struct expected {
	uint16_t reg;
	uint32_t value;
};

/* Value of @reg; a register that is not written exactly once fails the test. */
static inline uint32_t value_of(uint16_t reg)
{
	uint32_t value = 0, i;
	int times = 0;

	for (i = 0; i < n_words; i++)
		if ((words[i] & 0xffff) == reg) {
			value = words[i] >> 16;
			times++;
		}
	if (times != 1)
		TAP_FAIL("register 0x%x is written %d times", reg, times);
	return value;
}

static inline void expect_values(const struct expected *expected, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (value_of(expected[i].reg) != expected[i].value)
			TAP_FAIL("register 0x%x: want 0x%x, got 0x%x", expected[i].reg,
				 expected[i].value, value_of(expected[i].reg));
}

#define EXPECT_VALUES(...)							\
	do {									\
		const struct expected expected_[] = { __VA_ARGS__ };		\
										\
		expect_values(expected_, sizeof(expected_) / sizeof(expected_[0])); \
	} while (0)

#endif
