// SPDX-License-Identifier: GPL-2.0-only
/* When a task may reuse what is in CBUF. Words are written out by hand. */
#include <kunit/test.h>

#include "../scoria_reuse.h"

#define CNA(value, offset)	((u64)0x0201 << 48 | (u64)(value) << 16 | (offset))
#define CON0(value)		CNA(value, 0x1040)
#define DATA_REUSE		0x1000
#define WEIGHT_REUSE		0x2000
#define SPLIT			0x2a	/* ten banks of features, two of weights */

/* A tile with everything that tells where its features and weights lie. */
struct tile {
	u64 words[11];
};

#define ENABLE		((u64)0x81 << 48 | 0x1dull << 16 | 0x8)

static struct tile tile(u32 con0, u32 rows, u32 kernels)
{
	return (struct tile) { .words = {
		CNA(0x120, 0x100c), CNA(0x00400000 | rows, 0x1020), CNA(0x003f0040, 0x1024),
		CNA(64 * kernels, 0x1030), CNA(64, 0x1034), CNA(0x01010000 | kernels, 0x1038),
		CON0(con0), CNA(32, 0x1044), CNA(0x00400000 | rows, 0x1084), CNA(64, 0x1088),
		ENABLE,
	} };
}

static u64 next_words(struct scoria_reuse *reuse, const u64 *words, u32 n, u32 *needs)
{
	struct scoria_verdict verdict;
	struct scoria_task task;

	scoria_task_scan(words, n, NULL, NULL, &task, &verdict);
	return scoria_reuse_next(reuse, &task, words, needs);
}

static u64 next(struct scoria_reuse *reuse, struct tile tile, u32 *needs)
{
	return next_words(reuse, tile.words, ARRAY_SIZE(tile.words), needs);
}

static void weights_stay_for_tiles_of_other_heights(struct kunit *test)
{
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 0);
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | WEIGHT_REUSE, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 1);
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | WEIGHT_REUSE, 7, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 1);
}

static void features_stay_for_other_kernels(struct kunit *test)
{
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | DATA_REUSE, 30, 16), &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 1);
}

/* What another job has left is not for this one. */
static void first_task_reuses_nothing(struct kunit *test)
{
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test,
			next(&reuse, tile(SPLIT | WEIGHT_REUSE | DATA_REUSE, 30, 32), &needs),
			CON0(SPLIT));
	KUNIT_EXPECT_EQ(test, needs, 0);
	/* but the next may: that one has fetched */
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | WEIGHT_REUSE, 30, 32), &needs), 0);
}

/* More weights than were fetched, or in another place: the rest is not ours. */
static void other_weights_are_fetched(struct kunit *test)
{
	const struct tile others[] = {
		tile(SPLIT | WEIGHT_REUSE, 30, 64), tile(0x1b | WEIGHT_REUSE, 30, 32),
	};

	for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
		struct scoria_reuse reuse = { .n_tasks = 0 };
		u32 needs;

		KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
		KUNIT_EXPECT_EQ(test, next(&reuse, others[i], &needs), CON0(i ? 0x1b : SPLIT));
		KUNIT_EXPECT_EQ(test, needs, 0);
	}
}

static void other_features_are_fetched(struct kunit *test)
{
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | DATA_REUSE, 31, 32), &needs),
			CON0(SPLIT));
}

/* One of the two may be right and the other wrong. */
static void each_bit_is_judged_by_itself(struct kunit *test)
{
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test,
			next(&reuse, tile(SPLIT | WEIGHT_REUSE | DATA_REUSE, 29, 32), &needs),
			CON0(SPLIT | WEIGHT_REUSE));
	KUNIT_EXPECT_EQ(test, needs, 1);
}

/* The register of the first two tasks could be another job's, with its bits. */
static void unwritten_split_is_cleared_at_the_start(struct kunit *test)
{
	static const u64 delta[] = { CNA(4, 0x1044), ENABLE };
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	for (u32 i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, next_words(&reuse, delta, 2, &needs), CON0(0));
		KUNIT_EXPECT_EQ(test, needs, 0);
	}
	KUNIT_EXPECT_EQ(test, next_words(&reuse, delta, 2, &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 2);
}

/* A task that writes less has the last but one's: a vendor's chain does that. */
static void unwritten_split_is_that_of_the_last_but_one(struct kunit *test)
{
	static const u64 delta[] = { CNA(4, 0x1044), ENABLE };
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, next(&reuse, tile(SPLIT | WEIGHT_REUSE, 30, 32), &needs), 0);
	KUNIT_EXPECT_EQ(test, next_words(&reuse, delta, 2, &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 2);
	/* this one would inherit the bit, for geometry that nobody knows */
	KUNIT_EXPECT_EQ(test, next_words(&reuse, delta, 2, &needs), CON0(SPLIT));
	KUNIT_EXPECT_EQ(test, needs, 0);
}

/* What is written last counts, and words of other blocks do not. */
static void last_write_counts(struct kunit *test)
{
	static const u64 words[] = {
		CON0(SPLIT | WEIGHT_REUSE), CON0(SPLIT),
		(u64)0x1001 << 48 | 0xffffull << 16 | 0x4040, ENABLE,
	};
	struct scoria_reuse reuse = { .n_tasks = 0 };
	u32 needs;

	KUNIT_EXPECT_EQ(test, next_words(&reuse, words, ARRAY_SIZE(words), &needs), 0);
	KUNIT_EXPECT_EQ(test, needs, 0);
}

static struct kunit_case reuse_cases[] = {
	KUNIT_CASE(weights_stay_for_tiles_of_other_heights),
	KUNIT_CASE(features_stay_for_other_kernels),
	KUNIT_CASE(first_task_reuses_nothing),
	KUNIT_CASE(other_weights_are_fetched),
	KUNIT_CASE(other_features_are_fetched),
	KUNIT_CASE(each_bit_is_judged_by_itself),
	KUNIT_CASE(unwritten_split_is_cleared_at_the_start),
	KUNIT_CASE(unwritten_split_is_that_of_the_last_but_one),
	KUNIT_CASE(last_write_counts),
	{}
};

static struct kunit_suite reuse_suite = {
	.name = "scoria_reuse",
	.test_cases = reuse_cases,
};

kunit_test_suite(reuse_suite);
