// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layout of segments. Commands are written out by hand, after the description
 * of the command word (target << 48 | value << 16 | offset), so that a wrong
 * header cannot hide.
 */
#include <kunit/test.h>

#include <linux/align.h>

#include "../scoria_segment.h"

#define WORD(target, value, offset) \
	((u64)(target) << 48 | (u64)(value) << 16 | (offset))

#define ROOM	64

static u32 emit(struct kunit *test, __le64 *out, const u64 *words, u32 n)
{
	struct scoria_verdict verdict;
	struct scoria_task task;

	KUNIT_ASSERT_TRUE(test, scoria_task_scan(words, n, NULL, NULL, &task, &verdict));
	return scoria_segment_emit(out, words, &task, 0);
}

static void expect_words(struct kunit *test, const __le64 *out, const u64 *want, u32 n)
{
	for (u32 i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(test, le64_to_cpu(out[i]), want[i], "word %u", i);
}

/* A convolution gets the pointers of its four blocks and none of the PPU's (H7, H12). */
static void convolution_has_pointers_of_what_it_starts(struct kunit *test)
{
	static const u64 words[] = {
		WORD(0x0201, 0x120, 0x100c), WORD(0x1001, 0x1e4, 0x400c),
		WORD(0, 0, 0), WORD(0x0101, 0, 0x14), WORD(0x41, 0, 0), WORD(0x81, 0x1d, 0x8),
	};
	static const u64 want[] = {
		WORD(0x0201, 0xe, 0x1004), WORD(0x0801, 0xe, 0x3004),
		WORD(0x1001, 0xe, 0x4004), WORD(0x2001, 0xe, 0x5004),
		WORD(0x0201, 0x120, 0x100c), WORD(0x1001, 0x1e4, 0x400c),
		WORD(0, 0, 0), WORD(0x0101, 0, 0x14), WORD(0x41, 0, 0), WORD(0x81, 0x1d, 0x8),
	};
	__le64 out[ROOM];

	KUNIT_ASSERT_EQ(test, emit(test, out, words, ARRAY_SIZE(words)), ARRAY_SIZE(want));
	expect_words(test, out, want, ARRAY_SIZE(want));
}

static void pooling_has_only_pointers_of_the_ppu(struct kunit *test)
{
	static const u64 words[] = { WORD(0x4001, 7, 0x600c), WORD(0x81, 0x60, 0x8) };
	static const u64 want[] = {
		WORD(0x4001, 0xe, 0x6004), WORD(0x8001, 0xe, 0x7004), WORD(0x4001, 7, 0x600c),
		WORD(0, 0, 0),
		WORD(0, 0, 0), WORD(0x0101, 0, 0x14), WORD(0x41, 0, 0), WORD(0x81, 0x60, 0x8),
	};
	__le64 out[ROOM];

	KUNIT_ASSERT_EQ(test, emit(test, out, words, ARRAY_SIZE(words)), ARRAY_SIZE(want));
	expect_words(test, out, want, ARRAY_SIZE(want));
}

/* Links, pointers and barriers of userspace are dropped: those are the kernel's. */
static void words_of_the_kernel_are_dropped(struct kunit *test)
{
	static const u64 words[] = {
		WORD(0x1001, 0x30, 0x4004), WORD(0x2001, 0x1e, 0x5004), WORD(0x1001, 1, 0x4014),
		WORD(0x0101, 0xdeadbe00, 0x10), WORD(0x0101, 0xffff, 0x14), WORD(0x41, 0, 0),
		WORD(0x81, 0x18, 0x8),
	};
	static const u64 want[] = {
		WORD(0x1001, 0xe, 0x4004), WORD(0x2001, 0xe, 0x5004), WORD(0x1001, 1, 0x4014),
		WORD(0, 0, 0),
		WORD(0, 0, 0), WORD(0x0101, 0, 0x14), WORD(0x41, 0, 0), WORD(0x81, 0x18, 0x8),
	};
	__le64 out[ROOM];

	KUNIT_ASSERT_EQ(test, emit(test, out, words, ARRAY_SIZE(words)), ARRAY_SIZE(want));
	expect_words(test, out, want, ARRAY_SIZE(want));
}

/* What stands behind the enable word is never run, and so is not emitted. */
static void words_behind_the_enable_word_are_dropped(struct kunit *test)
{
	static const u64 words[] = {
		WORD(0x1001, 1, 0x4014), WORD(0x81, 0x8, 0x8), WORD(0x0101, 1, 0x8), ~0ull,
	};
	static const u64 want[] = {
		WORD(0x1001, 0xe, 0x4004), WORD(0x1001, 1, 0x4014),
		WORD(0, 0, 0), WORD(0x0101, 0, 0x14), WORD(0x41, 0, 0), WORD(0x81, 0x8, 0x8),
	};
	__le64 out[ROOM];

	KUNIT_ASSERT_EQ(test, emit(test, out, words, ARRAY_SIZE(words)), ARRAY_SIZE(want));
	expect_words(test, out, want, ARRAY_SIZE(want));
}

static void link_names_the_next_segment_and_its_length(struct kunit *test)
{
	static const u64 words[] = { WORD(0x1001, 1, 0x4014), WORD(0x81, 0x8, 0x8) };
	__le64 out[ROOM];
	u32 n = emit(test, out, words, ARRAY_SIZE(words));

	scoria_segment_link(out, n, 0xf0000040, 112);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out[n - 4]), WORD(0x0101, 0xf0000040, 0x10));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out[n - 3]), WORD(0x0101, 55, 0x14));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out[n - 1]), WORD(0x0081, 8, 0x08));
}

/* A vendor capture of 108 and 4 words has 55; 13, 12 and 17 with theirs have 8, 7 and 10. */
static void amount_is_that_of_captures(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scoria_segment_amount(108 + 4), 55);
	KUNIT_EXPECT_EQ(test, scoria_segment_amount(13 + 4), 8);
	KUNIT_EXPECT_EQ(test, scoria_segment_amount(12 + 4), 7);
	KUNIT_EXPECT_EQ(test, scoria_segment_amount(17 + 4), 10);
}

/* The word that takes reuse back comes behind those it overrules. */
static void more_comes_last(struct kunit *test)
{
	static const u64 words[] = { WORD(0x0201, 0x202a, 0x1040), WORD(0x81, 0xd, 0x8) };
	struct scoria_verdict verdict;
	struct scoria_task task;
	__le64 out[ROOM];

	KUNIT_ASSERT_TRUE(test, scoria_task_scan(words, ARRAY_SIZE(words), NULL, NULL, &task,
						 &verdict));
	KUNIT_ASSERT_EQ(test, scoria_segment_emit(out, words, &task, WORD(0x0201, 0x2a, 0x1040)),
			10);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out[3]), words[0]);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out[4]), WORD(0x0201, 0x2a, 0x1040));
}

/* Every number of words, with all blocks started, stays in its bound. */
static void bound_holds_and_is_aligned(struct kunit *test)
{
	u64 words[ROOM / 2];
	__le64 out[ROOM];

	for (u32 n = 1; n <= ARRAY_SIZE(words); n++) {
		u32 bound = scoria_segment_bound(n);

		for (u32 i = 0; i + 1 < n; i++)
			words[i] = WORD(0x1001, i, 0x4014);
		words[n - 1] = WORD(0x81, 0x7d, 0x8);
		KUNIT_EXPECT_LE(test, (emit(test, out, words, n) + 2) * 8, bound);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED(bound, 64));
	}
}

/* The longest task, with all blocks started and a word added, fits REGISTER_AMOUNTS. */
static void longest_task_has_an_amount(struct kunit *test)
{
	u32 words = 6 + SCORIA_MAX_TASK_WORDS - 1 + 1 + 4;

	KUNIT_EXPECT_LE(test, scoria_segment_amount(words + words % 2), 0xffff);
	KUNIT_EXPECT_LE(test, words * 8, scoria_segment_bound(SCORIA_MAX_TASK_WORDS));
}

/* H6: pooling ends with the PPU's bits, all else with the DPU's, CNA alone never. */
static void done_bits_follow_from_the_blocks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x0d), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x1d), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x18), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x60), 0xc00);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x7d), 0xc00);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x05), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x10), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x40), 0);
}

static struct kunit_case segment_cases[] = {
	KUNIT_CASE(convolution_has_pointers_of_what_it_starts),
	KUNIT_CASE(pooling_has_only_pointers_of_the_ppu),
	KUNIT_CASE(words_of_the_kernel_are_dropped),
	KUNIT_CASE(words_behind_the_enable_word_are_dropped),
	KUNIT_CASE(link_names_the_next_segment_and_its_length),
	KUNIT_CASE(amount_is_that_of_captures),
	KUNIT_CASE(more_comes_last),
	KUNIT_CASE(bound_holds_and_is_aligned),
	KUNIT_CASE(longest_task_has_an_amount),
	KUNIT_CASE(done_bits_follow_from_the_blocks),
	{}
};

static struct kunit_suite segment_suite = {
	.name = "scoria_segment",
	.test_cases = segment_cases,
};

kunit_test_suite(segment_suite);
