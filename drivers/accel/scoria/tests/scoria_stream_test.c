// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stream may hold. Targets, offsets and bits are written out by hand, so
 * that a wrong table cannot hide.
 */
#include <kunit/test.h>

#include "../scoria_stream.h"

#define WORD(target, value, offset) \
	((u64)(target) << 48 | (u64)(value) << 16 | (offset))

#define ENABLE	WORD(0x81, 0x18, 0x8)

struct word_case {
	const char *claim;
	u64 word;
	enum scoria_reason reason;
};

static const struct word_case word_cases[] = {
	{ "a register of the CNA may be written", WORD(0x0201, 1, 0x100c), SCORIA_ACCEPTED },
	{ "the undocumented 0x3030 may be", WORD(0x0801, 0, 0x3030), SCORIA_ACCEPTED },
	{ "the undocumented 0x40c4 may be", WORD(0x1001, 0, 0x40c4), SCORIA_ACCEPTED },
	{ "pointers may be", WORD(0x2001, 0xe, 0x5004), SCORIA_ACCEPTED },
	{ "an empty word may be", 0, SCORIA_ACCEPTED },
	{ "the IOMMU's first bank may not", WORD(0x8001, 0, 0x9000), SCORIA_OUTSIDE_BLOCK },
	{ "the IOMMU's second bank may not", WORD(0x8001, 0, 0xa000), SCORIA_OUTSIDE_BLOCK },
	{ "the DMA block may not", WORD(0x1001, 0, 0x8000), SCORIA_OUTSIDE_BLOCK },
	{ "another block's target may not", WORD(0x0201, 1, 0x4020), SCORIA_OUTSIDE_BLOCK },
	{ "the hole at 0x2000 may not", WORD(0x0201, 0, 0x2000), SCORIA_OUTSIDE_BLOCK },
	{ "the PC's interrupt mask may not", WORD(0x0101, 0, 0x20), SCORIA_HOST_ONLY },
	{ "the PC's enable may not", WORD(0x0101, 1, 0x8), SCORIA_HOST_ONLY },
	{ "the PC's DMA base may not", WORD(0x0101, 0x1000, 0x34), SCORIA_HOST_ONLY },
	{ "a block's own enable may not", WORD(0x1001, 1, 0x4008), SCORIA_HOST_ONLY },
	{ "a status may not", WORD(0x1001, 1, 0x4000), SCORIA_READ_ONLY },
	{ "an odd offset may not", WORD(0x1001, 1, 0x4022), SCORIA_NO_REGISTER },
	{ "a gap may not", WORD(0x1001, 1, 0x4ffc), SCORIA_NO_REGISTER },
	{ "two targets at once may not", WORD(0x0301, 1, 0x100c), SCORIA_UNKNOWN_TARGET },
	{ "all ones may not", ~0ull, SCORIA_UNKNOWN_TARGET },
};

static void word_claim(const struct word_case *param, char *desc)
{
	strscpy(desc, param->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(word, word_cases, word_claim);

/* The word is judged alike by itself and as the first of a task. */
static void word_is_judged(struct kunit *test)
{
	const struct word_case *param = test->param_value;
	const u64 words[] = { param->word, ENABLE };
	struct scoria_verdict verdict;
	struct scoria_word word;
	struct scoria_task task;
	bool ok;

	scoria_word_parse(param->word, &word);
	KUNIT_EXPECT_EQ(test, word.reason, param->reason);
	ok = scoria_task_scan(words, ARRAY_SIZE(words), NULL, NULL, &task, &verdict);
	KUNIT_EXPECT_EQ(test, ok, param->reason == SCORIA_ACCEPTED);
	KUNIT_EXPECT_EQ(test, verdict.reason, param->reason);
	KUNIT_EXPECT_EQ(test, verdict.word, 0);
}

static void expect_refusal(struct kunit *test, const u64 *words, u32 n, u32 at,
			   enum scoria_reason reason)
{
	struct scoria_verdict verdict;
	struct scoria_task task;

	KUNIT_EXPECT_FALSE(test, scoria_task_scan(words, n, NULL, NULL, &task, &verdict));
	KUNIT_EXPECT_EQ(test, verdict.reason, reason);
	KUNIT_EXPECT_EQ(test, verdict.word, at);
}

static void task_must_end_with_an_enable_word(struct kunit *test)
{
	const u64 words[] = { WORD(0x1001, 1, 0x4014), WORD(0x41, 0, 0) };

	expect_refusal(test, words, 2, 2, SCORIA_NO_ENABLE);
	expect_refusal(test, words, 0, 0, SCORIA_NO_ENABLE);
}

static void enable_mask_must_name_blocks(struct kunit *test)
{
	const u64 none[] = { WORD(0x81, 0, 0x8) };
	const u64 unknown[] = { WORD(0x81, 0x80, 0x8) };
	const u64 both[] = { WORD(0x81, 0x98, 0x8) };
	const u64 offset[] = { WORD(0x81, 0x18, 0x9000) };

	expect_refusal(test, none, 1, 0, SCORIA_ENABLE_MASK);
	expect_refusal(test, unknown, 1, 0, SCORIA_ENABLE_MASK);
	expect_refusal(test, both, 1, 0, SCORIA_ENABLE_MASK);
	expect_refusal(test, offset, 1, 0, SCORIA_ENABLE_OFFSET);
}

static void registers_may_not_follow_the_link(struct kunit *test)
{
	const u64 words[] = {
		WORD(0x0101, 0x1000, 0x10), WORD(0x1001, 1, 0x4014), ENABLE,
	};

	expect_refusal(test, words, 3, 1, SCORIA_AFTER_TRAILER);
}

/* The last write of an address counts, as in hardware. */
static void last_address_counts(struct kunit *test)
{
	const u64 words[] = {
		WORD(0x1001, 0x1000, 0x4020), WORD(0x1001, 0x2000, 0x4020),
		WORD(0x0201, 0x3000, 0x1070), ENABLE,
	};
	struct scoria_verdict verdict;
	struct scoria_task task;

	KUNIT_ASSERT_TRUE(test, scoria_task_scan(words, 4, NULL, NULL, &task, &verdict));
	KUNIT_EXPECT_EQ(test, scoria_task_value(&task, words, NPU_NOTED_DPU_DST_BASE_ADDR),
			0x2000);
	KUNIT_EXPECT_EQ(test, scoria_task_value(&task, words, NPU_NOTED_CNA_FEATURE_DATA_ADDR),
			0x3000);
	KUNIT_EXPECT_EQ(test, task.written, BIT(NPU_NOTED_DPU_DST_BASE_ADDR) |
					    BIT(NPU_NOTED_CNA_FEATURE_DATA_ADDR));
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE_PARAM(word_is_judged, word_gen_params),
	KUNIT_CASE(task_must_end_with_an_enable_word),
	KUNIT_CASE(enable_mask_must_name_blocks),
	KUNIT_CASE(registers_may_not_follow_the_link),
	KUNIT_CASE(last_address_counts),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "scoria_stream",
	.test_cases = stream_cases,
};

kunit_test_suite(stream_suite);
