// SPDX-License-Identifier: MIT
/*
 * The reading of command streams, with words spelt by hand from the TRM's
 * format and from streams that run on boards (programming model B1 to B4, E4).
 */
#include "npu_table.h"
#include "../../../drivers/accel/scoria/scoria_stream.h"
#include "../../testing/model/tests/tap.h"

#define WORD(target, value, offset) \
	((u64)(target) << 48 | (u64)(u32)(value) << 16 | (u64)(offset))
#define SYNC WORD(0x0041, 0, 0)
#define ENABLE(mask) WORD(0x0081, mask, 0x0008)

static struct scoria_word parse(u64 raw)
{
	struct scoria_word word;

	scoria_word_parse(raw, &word);
	return word;
}

static void expect_word(u64 raw, enum scoria_word_kind kind, enum scoria_reason reason)
{
	struct scoria_word word = parse(raw);

	if (word.kind != kind || word.reason != reason)
		TAP_FAIL("%016" PRIx64 ": want kind %d reason %d, got %d and %d", raw, kind, reason,
			 word.kind, word.reason);
}

static struct scoria_verdict check(const u64 *words, u32 n, struct scoria_task *task)
{
	struct scoria_verdict verdict;
	bool accepted = scoria_task_scan(words, n, NULL, NULL, task, &verdict);

	EXPECT_EQ(verdict.reason == SCORIA_ACCEPTED, accepted);
	return verdict;
}

static void expect_refused(const u64 *words, u32 n, u32 word, enum scoria_reason reason)
{
	struct scoria_task task;
	struct scoria_verdict verdict = check(words, n, &task);

	EXPECT_EQ(reason, verdict.reason);
	EXPECT_EQ(word, verdict.word);
}

TEST(a_word_is_taken_apart_into_target_value_and_offset)
{
	struct scoria_word word = parse(0x1001deadbeef4080ull);

	EXPECT_EQ(0x1001, word.target);
	EXPECT_EQ(0xdeadbeef, word.value);
	EXPECT_EQ(0x4080, word.offset);
}

TEST(writes_of_every_block_are_accepted)
{
	expect_word(WORD(0x0201, 0x120, 0x100c), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x0801, 0x201, 0x3010), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x1001, 0x383, 0x4070), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x2001, 0x7810, 0x5044), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x4001, 0x11, 0x6024), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x8001, 2, 0x7030), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
}

TEST(what_streams_in_the_wild_contain_is_accepted)
{
	expect_word(0, SCORIA_WORD_NOP, SCORIA_ACCEPTED);
	expect_word(WORD(0x0001, 0, 0x40c4), SCORIA_WORD_NOP, SCORIA_ACCEPTED);
	expect_word(WORD(0x0101, 0, 0x0000), SCORIA_WORD_NOP, SCORIA_ACCEPTED);
	expect_word(WORD(0x0041, 0x1234, 0x5678), SCORIA_WORD_SYNC, SCORIA_ACCEPTED);
	expect_word(WORD(0x0081, 0x0d, 0xf008), SCORIA_WORD_ENABLE, SCORIA_ACCEPTED);
	expect_word(WORD(0x0081, 0x7f, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ACCEPTED);
	expect_word(WORD(0x0801, 0, 0x3030), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x1001, 0, 0x40c4), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
	expect_word(WORD(0x0201, 0xfffffffd, 0x1080), SCORIA_WORD_WRITE, SCORIA_ACCEPTED);
}

TEST(pointers_are_accepted_with_every_value_seen)
{
	static const u32 values[] = { 0xe, 0x30, 0x1000000e, 0x2000000e };

	for (unsigned int i = 0; i < ARRAY_SIZE(values); i++) {
		expect_word(WORD(0x0201, values[i], 0x1004), SCORIA_WORD_POINTER, SCORIA_ACCEPTED);
		expect_word(WORD(0x1001, values[i], 0x4004), SCORIA_WORD_POINTER, SCORIA_ACCEPTED);
	}
}

TEST(unknown_targets_are_refused)
{
	static const u16 targets[] = { 0x0002, 0x0040, 0x0080, 0x0100, 0x0200, 0x0401, 0x1000,
				       0x1003, 0x3001, 0xffff };

	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++)
		expect_word(WORD(targets[i], 0, 0x400c), SCORIA_WORD_UNKNOWN,
			    SCORIA_UNKNOWN_TARGET);
}

/* Were routing by offset, these would reach DMA, IOMMU and the whole-SoC hang. */
TEST(no_target_reaches_beyond_its_own_block)
{
	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++) {
		u16 base = npu_blocks[i].base;

		if (!npu_blocks[i].target)
			continue;
		for (u32 offset = 0; offset < 0x10000; offset += 4) {
			struct scoria_word word = parse(WORD(npu_blocks[i].target, 1, offset));

			if (offset - base < 0x1000)
				EXPECT(word.reason != SCORIA_OUTSIDE_BLOCK);
			else
				EXPECT_EQ(SCORIA_OUTSIDE_BLOCK, word.reason);
		}
	}
}

TEST(no_target_accepts_anything_from_0x8000_to_0xafff)
{
	for (u32 target = 0; target < 0x10000; target++) {
		for (u32 offset = 0x8000; offset < 0xb000; offset += 0x100) {
			struct scoria_word word = parse(WORD(target, 1, offset));

			EXPECT(word.reason != SCORIA_ACCEPTED || word.kind == SCORIA_WORD_NOP ||
			       word.kind == SCORIA_WORD_SYNC);
		}
	}
}

TEST(the_words_accepted_are_those_that_the_database_allows)
{
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];
		struct scoria_word word = parse(WORD(npu_blocks[reg->block].target, 1,
						     reg->offset));

		if (npu_blocks[reg->block].target)
			EXPECT_EQ(reg->stream != NPU_STREAM_NO, word.reason == SCORIA_ACCEPTED);
	}
}

TEST(holes_and_unaligned_offsets_are_no_registers)
{
	expect_word(WORD(0x0201, 0, 0x1018), SCORIA_WORD_UNKNOWN, SCORIA_NO_REGISTER);
	expect_word(WORD(0x0201, 0, 0x1ffc), SCORIA_WORD_UNKNOWN, SCORIA_NO_REGISTER);
	expect_word(WORD(0x0201, 0, 0x100d), SCORIA_WORD_UNKNOWN, SCORIA_NO_REGISTER);
	expect_word(WORD(0x1001, 0, 0x4012), SCORIA_WORD_UNKNOWN, SCORIA_NO_REGISTER);
}

TEST(status_is_read_only_and_starting_belongs_to_the_host)
{
	expect_word(WORD(0x0201, 0, 0x1000), SCORIA_WORD_UNKNOWN, SCORIA_READ_ONLY);
	expect_word(WORD(0x1001, 1, 0x4008), SCORIA_WORD_UNKNOWN, SCORIA_HOST_ONLY);
	expect_word(WORD(0x0101, 1, 0x0000), SCORIA_WORD_UNKNOWN, SCORIA_READ_ONLY);
	expect_word(WORD(0x0101, 1, 0x0008), SCORIA_WORD_UNKNOWN, SCORIA_HOST_ONLY);
	expect_word(WORD(0x0101, 0x1ffff, 0x0020), SCORIA_WORD_UNKNOWN, SCORIA_HOST_ONLY);
	expect_word(WORD(0x0101, 0x7001, 0x0030), SCORIA_WORD_UNKNOWN, SCORIA_HOST_ONLY);
}

TEST(enable_words_start_known_blocks_from_known_offsets)
{
	expect_word(WORD(0x0081, 0x0d, 0x0010), SCORIA_WORD_ENABLE, SCORIA_ENABLE_OFFSET);
	expect_word(WORD(0x0081, 0x00, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ENABLE_MASK);
	expect_word(WORD(0x0081, 0x02, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ENABLE_MASK);
	expect_word(WORD(0x0081, 0x80, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ENABLE_MASK);
	expect_word(WORD(0x0081, 0x8000000d, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ENABLE_MASK);
	expect_word(WORD(0x0081, 0x01, 0x0008), SCORIA_WORD_ENABLE, SCORIA_ACCEPTED);
}

TEST(a_task_ends_with_its_enable_word_and_tells_its_trailer)
{
	static const u64 words[] = {
		WORD(0x1001, 0xe, 0x4004), WORD(0x1001, 0x1e5, 0x400c),
		WORD(0x0101, 0xffff0040, 0x0010), WORD(0x0101, 0x24, 0x0014),
		SYNC, ENABLE(0x18), WORD(0xdead, 0, 0),
	};
	struct scoria_task task;

	EXPECT_EQ(SCORIA_ACCEPTED, check(words, ARRAY_SIZE(words), &task).reason);
	EXPECT_EQ(6, task.n_words);
	EXPECT_EQ(2, task.n_body);
	EXPECT_EQ(0x18, task.enable);
	EXPECT_EQ(0xffff0040, task.next);
	EXPECT_EQ(0x24, task.length);
	EXPECT(task.linked && task.sized && task.barrier);
}

TEST(a_task_without_link_or_barrier_is_accepted)
{
	static const u64 words[] = { WORD(0x1001, 0x1e5, 0x400c), ENABLE(0x18) };
	struct scoria_task task;

	EXPECT_EQ(SCORIA_ACCEPTED, check(words, ARRAY_SIZE(words), &task).reason);
	EXPECT(!task.linked && !task.sized && !task.barrier);
}

TEST(the_last_write_of_an_address_counts_and_unwritten_ones_are_known)
{
	static const u64 words[] = {
		WORD(0x0201, 0x1000, 0x1070), WORD(0x0201, 0x2000, 0x1070),
		WORD(0x1001, 0x3000, 0x4020), ENABLE(0x0d),
	};
	struct scoria_task task;

	check(words, ARRAY_SIZE(words), &task);
	EXPECT_EQ(0x2000, scoria_task_value(&task, words, NPU_NOTED_CNA_FEATURE_DATA_ADDR));
	EXPECT_EQ(0x3000, scoria_task_value(&task, words, NPU_NOTED_DPU_DST_BASE_ADDR));
	EXPECT_EQ(1, task.writers[NPU_NOTED_CNA_FEATURE_DATA_ADDR]);
	EXPECT_EQ(1 << NPU_NOTED_CNA_FEATURE_DATA_ADDR | 1 << NPU_NOTED_DPU_DST_BASE_ADDR,
		  task.written);
}

TEST(every_register_of_interest_and_every_address_is_noted)
{
	const u32 of_interest = (1u << NPU_N_NOTED) - 1;
	u32 all = 0;

	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];
		u16 target = npu_blocks[reg->block].target;
		u64 words[] = { WORD(target, 0x1000, reg->offset), ENABLE(1) };
		struct scoria_task task;

		if (!target)
			continue;
		check(words, 2, &task);
		EXPECT_EQ(reg->address == NPU_ADDRESS_READ || reg->address == NPU_ADDRESS_WRITE,
			  (task.written & NPU_NOTED_ADDRESSES) != 0);
		EXPECT(!(all & task.written & of_interest));
		all |= task.written;
	}
	EXPECT_EQ(of_interest, all & of_interest);
}

TEST(the_checker_names_the_first_refusal_and_stops)
{
	static const u64 words[] = {
		WORD(0x1001, 0, 0x400c), WORD(0x1001, 0, 0x9000), WORD(0x1003, 0, 0x4014),
		ENABLE(0x18),
	};
	struct scoria_task task;

	expect_refused(words, ARRAY_SIZE(words), 1, SCORIA_OUTSIDE_BLOCK);
	check(words, ARRAY_SIZE(words), &task);
	EXPECT_EQ(2, task.n_words);
}

TEST(a_stream_cut_short_or_empty_has_no_enable_word)
{
	static const u64 words[] = { WORD(0x1001, 0, 0x400c), SYNC };

	expect_refused(words, 2, 2, SCORIA_NO_ENABLE);
	expect_refused(words, 0, 0, SCORIA_NO_ENABLE);
}

TEST(register_writes_behind_the_link_are_refused)
{
	static const u64 words[] = {
		WORD(0x0101, 0x1000, 0x0010), WORD(0x1001, 0, 0x400c), ENABLE(0x18),
	};

	expect_refused(words, ARRAY_SIZE(words), 1, SCORIA_AFTER_TRAILER);
}

struct visits {
	u32 n;
	u32 stop;
	u32 refused;
};

static bool count_visit(void *ctx, u32 index, const struct scoria_word *word)
{
	struct visits *visits = ctx;

	EXPECT_EQ(visits->n, index);
	visits->n++;
	visits->refused += word->reason != SCORIA_ACCEPTED;
	return visits->n != visits->stop;
}

TEST(a_visitor_sees_every_word_refused_ones_included)
{
	static const u64 words[] = {
		WORD(0xdead, 0, 0), WORD(0x1001, 0, 0x9000), WORD(0x1001, 0, 0x400c), ENABLE(0x18),
	};
	struct scoria_verdict verdict;
	struct scoria_task task;
	struct visits visits = { 0 };

	EXPECT(!scoria_task_scan(words, ARRAY_SIZE(words), count_visit, &visits, &task, &verdict));
	EXPECT_EQ(4, visits.n);
	EXPECT_EQ(2, visits.refused);
	EXPECT_EQ(0x18, task.enable);
	EXPECT_EQ(0, verdict.word);
	EXPECT_EQ(SCORIA_UNKNOWN_TARGET, verdict.reason);
}

TEST(a_visitor_can_stop_the_walk)
{
	static const u64 words[] = { 0, 0, 0, ENABLE(0x18) };
	struct scoria_verdict verdict;
	struct scoria_task task;
	struct visits visits = { .stop = 2 };

	scoria_task_scan(words, ARRAY_SIZE(words), count_visit, &visits, &task, &verdict);
	EXPECT_EQ(2, visits.n);
	EXPECT_EQ(2, task.n_words);
	EXPECT_EQ(SCORIA_ACCEPTED, verdict.reason);
}

TEST(every_reason_has_its_own_text)
{
	for (unsigned int i = 0; i < SCORIA_N_REASONS; i++) {
		EXPECT(scoria_reason_text(i)[0]);
		for (unsigned int k = 0; k < i; k++)
			EXPECT(strcmp(scoria_reason_text(i), scoria_reason_text(k)));
	}
	EXPECT_STR("unknown", scoria_reason_text(SCORIA_N_REASONS));
}

TEST_MAIN()
