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

static void amount_gives_the_words_again(struct kunit *test)
{
	for (u32 n = 2; n <= 0x20000; n += 2)
		KUNIT_ASSERT_EQ(test, scoria_segment_words(scoria_segment_amount(n)), n);
}

/*
 * A matmul, two pooling tasks, an element-wise one and a matmul: whichever part
 * of the chain runs, the kick starts at its first segment, waits for its last,
 * and arms the CNA and the CORE only when one of its tasks uses them (H6, H7).
 */
static void kick_fits_its_part_of_the_chain(struct kunit *test)
{
	static const u32 enables[] = { 0x0d, 0x60, 0x60, 0x18, 0x1d };
	struct scoria_link chain[ARRAY_SIZE(enables) + 1] = { 0 };
	struct scoria_kick kick;

	for (u32 i = 0; i < ARRAY_SIZE(enables); i++)
		scoria_link_init(&chain[i], 0xf0000000 + 64 * i, 10 + 2 * i, enables[i]);
	for (u32 first = 0; first < ARRAY_SIZE(enables); first++)
		for (u32 end = first + 1; end <= ARRAY_SIZE(enables); end++) {
			u32 last = enables[end - 1];

			scoria_chain_kick(&chain[first], end - first, &kick);
			KUNIT_EXPECT_EQ(test, kick.iova, 0xf0000000 + 64 * first);
			KUNIT_EXPECT_EQ(test, kick.amount, 4 + first);
			KUNIT_EXPECT_EQ(test, kick.n_tasks, end - first);
			KUNIT_EXPECT_EQ(test, kick.done, last == 0x60 ? 0xc00 : 0x300);
			KUNIT_EXPECT_EQ(test, kick.enable, first == 0 || end == 5 ? 5 : 0);
		}
}

/*
 * Task 3 reuses what task 1 left in CBUF, task 4 has registers of task 1, and
 * task 2 only pools: who starts at 2 must stop before 3.
 */
static void part_that_needs_more_is_known(struct kunit *test)
{
	static const u32 enables[] = { 0x0d, 0x0d, 0x60, 0x0d, 0x0d, 0x0d };
	static const u32 needs[] = { 0, 0, 0, 1, 2, 0 };
	static const u32 limits[] = { U32_MAX, U32_MAX, 3, 3, 4, U32_MAX };
	struct scoria_link chain[ARRAY_SIZE(enables) + 1] = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(enables); i++) {
		scoria_link_init(&chain[i], 64 * i, 10, enables[i]);
		scoria_chain_need(chain, i, needs[i]);
	}
	for (u32 i = 0; i < ARRAY_SIZE(limits); i++)
		KUNIT_EXPECT_EQ_MSG(test, chain[i].limit, limits[i], "from %u", i);
}

/* H6: pooling ends with the PPU's bits, all else with the DPU's, CNA alone never. */
static void done_bits_follow_from_the_blocks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x0d), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x1d), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x18), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x60), 0xc00);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x7d), 0xf00);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x3d), 0xc00);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x05), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x10), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_done(0x40), 0);
}

static void task_ends_with_the_last_of_its_blocks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0x300, 0x100), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0x300, 0x200), 0);
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0x300, 0xcff), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0xf00, 0x200), 0xc00);
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0xf00, 0x400), 0x300);
	KUNIT_EXPECT_EQ(test, scoria_segment_left(0xf00, 0x900), 0);
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
	KUNIT_CASE(amount_gives_the_words_again),
	KUNIT_CASE(kick_fits_its_part_of_the_chain),
	KUNIT_CASE(part_that_needs_more_is_known),
	KUNIT_CASE(done_bits_follow_from_the_blocks),
	KUNIT_CASE(task_ends_with_the_last_of_its_blocks),
	{}
};

static struct kunit_suite segment_suite = {
	.name = "scoria_segment",
	.test_cases = segment_cases,
};

kunit_test_suite(segment_suite);
