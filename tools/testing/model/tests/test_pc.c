// SPDX-License-Identifier: MIT
/*
 * The PC: fetch, amounts, chaining, task counting, register groups and
 * interrupts (programming-model B). The tasks are one-unit fp16 additions.
 */
#include <stdlib.h>

#include "fp16.h"
#include "recipe.h"
#include "rig.h"
#include "tap.h"

#define FP16_1 0x3c00
#define UNTOUCHED 0xeeee

/* 16 units of fp16 numbers 0, 1, 2 ... at AT_X, and room for results at AT_Y. */
static uint8_t *pc_rig(struct rig *rig)
{
	uint8_t *x;

	rig_init(rig, NULL);
	x = rig_map(rig, AT_X, 16 * 16, 0);
	for (unsigned int i = 0; i < 16 * 8; i++)
		store16(x, i, fp32_to_fp16(i));
	return rig_map(rig, AT_Y, 0x20000, 0xee);
}

static uint16_t fp16(float f)
{
	return fp32_to_fp16(f);
}

TEST(one_task_computes_and_raises_the_interrupt_of_group_0)
{
	struct rig rig;
	struct task t;
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t, AT_X, AT_Y, 2);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(fp16(i + 2), load16(y, i));
	EXPECT_EQ(UNTOUCHED, load16(y, 8));
	EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & (INT_DPU | INT_PPU));
	EXPECT(rig.irq);
	EXPECT_EQ(1, rig.irq_edges);
	EXPECT_EQ(1, npu_core_counters(rig.core)->tasks);
	EXPECT_EQ(1, npu_core_counters(rig.core)->kicks);
	rig_free(&rig);
}

TEST(group_of_the_interrupt_alternates_over_kicks)
{
	static const uint32_t want[] = { INT_DPU_0, INT_DPU_1, INT_DPU_0, INT_DPU_1 };
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	for (unsigned int i = 0; i < 4; i++) {
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(want[i], rig_raw_status(&rig) & INT_DPU);
	}
	rig_free(&rig);
}

TEST(group_of_the_interrupt_is_that_of_the_last_task)
{
	struct rig rig;
	struct task t[2];

	pc_rig(&rig);
	recipe_flying_add(&t[0], AT_X, AT_Y, 2);
	recipe_flying_add(&t[1], AT_X, AT_Y + 16, 2);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 2));
	EXPECT_EQ(INT_DPU_1, rig_raw_status(&rig) & INT_DPU);
	EXPECT_EQ(1, rig.irq_edges);
	rig_free(&rig);
}

TEST(mask_gates_the_line_and_clear_lowers_it)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	rig_run(&rig, &t, 1);
	npu_core_write(rig.core, PC_INTERRUPT_MASK, 0);
	EXPECT(!rig.irq);
	EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & INT_DPU);
	EXPECT_EQ(0, npu_core_read(rig.core, PC_INTERRUPT_STATUS));
	npu_core_write(rig.core, PC_INTERRUPT_MASK, INT_DPU);
	EXPECT(rig.irq);
	EXPECT_EQ(2, rig.irq_edges);
	EXPECT_EQ(INT_DPU_0, npu_core_read(rig.core, PC_INTERRUPT_STATUS));
	npu_core_write(rig.core, PC_INTERRUPT_CLEAR, INT_DPU_1);
	EXPECT(rig.irq);
	npu_core_write(rig.core, PC_INTERRUPT_CLEAR, INT_DPU_0);
	EXPECT(!rig.irq);
	EXPECT_EQ(0, rig_raw_status(&rig) & INT_DPU);
	rig_free(&rig);
}

/* Faults H6: a PPU job never reaches a waiter that armed only the DPU's bits. */
TEST(h6_pooling_raises_ppu_bits_only)
{
	const struct pool p = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 8, .kw = 2, .kh = 2,
				.sx = 2, .sy = 2, .method = 1 };
	struct rig rig;
	struct task t;

	rig_init(&rig, NULL);
	rig_map(&rig, AT_X, 16 * 16, 0);
	rig_map(&rig, AT_Y, 4 * 16, 0xee);
	recipe_pool(&t, &p);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	EXPECT_EQ(INT_PPU_0, rig_raw_status(&rig) & (INT_DPU | INT_PPU));
	npu_core_write(rig.core, PC_INTERRUPT_MASK, INT_DPU);
	EXPECT(!rig.irq);
	rig_free(&rig);
}

TEST(interrupt_mask_is_all_ones_after_reset)
{
	struct rig rig;

	pc_rig(&rig);
	EXPECT_EQ(INT_ALL, npu_core_read(rig.core, PC_INTERRUPT_MASK));
	npu_core_write(rig.core, PC_INTERRUPT_MASK, 0);
	npu_core_reset(rig.core);
	EXPECT_EQ(INT_ALL, npu_core_read(rig.core, PC_INTERRUPT_MASK));
	rig_free(&rig);
}

TEST(chain_runs_every_task_in_order_with_one_interrupt)
{
	struct rig rig;
	struct task t[5];
	uint8_t *y = pc_rig(&rig);

	for (unsigned int i = 0; i < 5; i++)
		recipe_flying_add(&t[i], AT_X + 16 * i, AT_Y + 16 * i, 100 * i);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 5));
	for (unsigned int i = 0; i < 40; i++)
		EXPECT_EQ(fp16(i + i / 8 * 100), load16(y, i));
	EXPECT_EQ(1, rig.irq_edges);
	EXPECT_EQ(5, npu_core_counters(rig.core)->tasks);
	EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & INT_DPU);
	rig_free(&rig);
}

TEST(later_task_reads_what_an_earlier_one_wrote)
{
	struct rig rig;
	struct task t[3];
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t[0], AT_X, AT_Y, 1);
	recipe_flying_add(&t[1], AT_Y, AT_Y + 16, 10);
	recipe_flying_add(&t[2], AT_Y + 16, AT_Y, 100);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 3));
	for (unsigned int i = 0; i < 8; i++) {
		EXPECT_EQ(fp16(i + 111), load16(y, i));
		EXPECT_EQ(fp16(i + 11), load16(y, 8 + i));
	}
	rig_free(&rig);
}

/* Two full tasks, then 4093 that write pointers and a destination only. */
TEST(one_kick_runs_4095_tasks)
{
	struct task *t = calloc(4095, sizeof(*t));
	struct rig rig;
	uint8_t *y = pc_rig(&rig);

	ASSERT(t);
	for (unsigned int i = 0; i < 4095; i++) {
		recipe_flying_add(&t[i], AT_X, AT_Y + 16 * i, 2 + i % 2);
		if (i < 2)
			continue;
		task_begin(&t[i], EN_FLYING);
		task_append(&t[i], DPU_S_POINTER, 0xe);
		task_append(&t[i], RDMA_S_POINTER, 0xe);
		task_append(&t[i], DPU_DST_BASE, AT_Y + 16 * i);
	}
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 4095));
	for (unsigned int i = 0; i < 4095; i++)
		if (load16(y, 8 * i + 7) != fp16(7 + 2 + i % 2))
			TAP_FAIL("task %u wrote %04x", i, load16(y, 8 * i + 7));
	EXPECT_EQ(UNTOUCHED, load16(y, 8 * 4095));
	EXPECT_EQ(1, rig.irq_edges);
	EXPECT_EQ(4095, npu_core_counters(rig.core)->tasks);
	rig_free(&rig);
	free(t);
}

/* B4: TASK_NUMBER stops the chain, so the last link may point anywhere. */
TEST(dangling_last_link_is_harmless)
{
	struct rig rig;
	struct task t[2];
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t[0], AT_X, AT_Y, 2);
	task_append(&t[0], PC_BASE_ADDRESS, 0xdead0000);
	task_append(&t[0], PC_REGISTER_AMOUNTS, 0xffff);
	t[1] = t[0];
	task_set(&t[1], DPU_DST_BASE, AT_Y + 16);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 2));
	EXPECT_EQ(fp16(2), load16(y, 0));
	EXPECT_EQ(fp16(2), load16(y, 8));
	EXPECT_EQ(2, npu_core_counters(rig.core)->tasks);
	rig_free(&rig);
}

/* B4: without a new BASE_ADDRESS only task 0 runs, whatever TASK_NUMBER says. */
TEST(without_a_link_only_the_first_task_runs)
{
	struct rig rig;
	struct task t;
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t, AT_X, AT_Y, 2);
	rig_run(&rig, &t, 1);
	store16(y, 0, UNTOUCHED);
	npu_core_reset(rig.core);
	rig_kick(&rig, (t.n + 4 + 1) / 2 - 1, 2);
	EXPECT_EQ(fp16(2), load16(y, 0));
	EXPECT_EQ(2, npu_core_counters(rig.core)->tasks);
	rig_free(&rig);
}

TEST(task_number_0_is_an_error_and_runs_nothing)
{
	struct rig rig;
	struct task t;
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t, AT_X, AT_Y, 2);
	EXPECT(rig_run(&rig, &t, 0) != NPU_IDLE);
	EXPECT_EQ(1, rig_count(&rig, NPU_ERROR, ""));
	EXPECT_EQ(UNTOUCHED, load16(y, 0));
	EXPECT_EQ(0, rig_raw_status(&rig));
	rig_free(&rig);
}

/* Segment of recipe_flying_add() by hand: @n words, the enable last. */
static unsigned int add_words(uint64_t *words, bool barrier)
{
	struct task t;
	unsigned int n = 0;

	recipe_flying_add(&t, AT_X, AT_Y, 2);
	for (unsigned int i = 0; i < t.n; i++)
		words[n++] = reg_word(t.writes[i].reg, t.writes[i].value);
	if (barrier)
		words[n++] = word(0x0041, 0, 0);
	words[n++] = word(0x0081, 0x0008, EN_FLYING);
	return n;
}

/* B1, B3: allbilly's programs have no barrier and an odd number of words. */
TEST(barrier_is_optional_and_the_count_may_be_odd)
{
	uint64_t words[TASK_MAX_WRITES];
	unsigned int parities = 0;

	for (unsigned int barrier = 0; barrier < 2; barrier++) {
		struct rig rig;
		uint8_t *y = pc_rig(&rig);
		unsigned int n = add_words(words, barrier);
		uint32_t amount = rig_put_words(&rig, 0, words, n);

		parities |= 1 << n % 2;
		EXPECT_EQ(NPU_IDLE, rig_kick(&rig, amount, 1));
		EXPECT_EQ(fp16(2), load16(y, 0));
		rig_free(&rig);
	}
	EXPECT_EQ(3, parities);
}

/* Without the barrier the enable is the first word of the beat that is not fetched. */
TEST(amount_one_beat_short_hangs_and_its_neighbour_does_not)
{
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int less = i & 1;
		uint64_t words[TASK_MAX_WRITES];
		unsigned int n = add_words(words, i & 2);
		struct rig rig;
		uint8_t *y = pc_rig(&rig);
		uint32_t amount = rig_put_words(&rig, 0, words, n);

		EXPECT_EQ(less ? NPU_HUNG : NPU_IDLE, rig_kick(&rig, amount - less, 1));
		EXPECT_EQ(less ? UNTOUCHED : fp16(2), load16(y, 0));
		EXPECT_EQ(less ? 0 : INT_DPU_0, rig_raw_status(&rig));
		EXPECT_EQ(less, rig_count(&rig, NPU_ERROR, ""));
		rig_free(&rig);
	}
}

/* B3: the range is fetched, what stands behind the enable is ignored. */
TEST(words_behind_the_enable_are_ignored)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);
	unsigned int n = add_words(words, true);

	words[n++] = word(0x1234, 0x5678, 0);
	words[n++] = reg_word(DPU_DST_BASE, AT_Y + 0x100);
	EXPECT_EQ(NPU_IDLE, rig_kick(&rig, rig_put_words(&rig, 0, words, n), 1));
	EXPECT_EQ(fp16(2), load16(y, 0));
	EXPECT_EQ(UNTOUCHED, load16(y, 0x80));
	rig_free(&rig);
}

/* B6 [?]: every block has an OPERATION_ENABLE of its own, which a stream can reach. */
TEST(segment_may_enable_its_blocks_one_by_one)
{
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t words[TASK_MAX_WRITES];
		struct rig rig;
		uint8_t *y = pc_rig(&rig);
		unsigned int n = add_words(words, true) - 1;

		words[n++] = reg_word(0x5008, 1);
		words[n++] = reg_word(0x4008, i);
		EXPECT_EQ(i ? NPU_IDLE : NPU_HUNG,
			  rig_kick(&rig, rig_put_words(&rig, 0, words, n), 1));
		EXPECT_EQ(i ? fp16(2) : UNTOUCHED, load16(y, 0));
		EXPECT_EQ(i ? INT_DPU_0 : 0, rig_raw_status(&rig));
		EXPECT_EQ(i, rig_count(&rig, NPU_WARNING, "no enable word"));
		rig_free(&rig);
	}
}

TEST(amount_beyond_mapped_memory_stalls)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);

	rig_put_words(&rig, 0, words, add_words(words, true));
	EXPECT_EQ(NPU_IDLE, rig_kick(&rig, COMMANDS_SIZE / 16 - 1, 1));
	EXPECT_EQ(fp16(2), load16(y, 0));
	store16(y, 0, UNTOUCHED);
	EXPECT_EQ(NPU_STALLED, rig_kick(&rig, COMMANDS_SIZE / 16, 1));
	EXPECT_EQ(UNTOUCHED, load16(y, 0));
	EXPECT(rig_raw_status(&rig) & INT_DMA_READ_ERROR);
	rig_free(&rig);
}

TEST(base_address_not_mapped_stalls_with_a_read_error)
{
	struct rig rig;

	pc_rig(&rig);
	npu_core_write(rig.core, PC_BASE_ADDRESS, 0xdead0000);
	npu_core_write(rig.core, PC_REGISTER_AMOUNTS, 3);
	npu_core_write(rig.core, PC_TASK_CON, 0x7001);
	npu_core_write(rig.core, PC_OPERATION_ENABLE, 1);
	EXPECT_EQ(NPU_STALLED, npu_core_run(rig.core));
	EXPECT_EQ(INT_DMA_READ_ERROR, rig_raw_status(&rig));
	EXPECT(rig.irq);
	EXPECT_EQ(1, rig_count(&rig, NPU_ERROR, ""));
	EXPECT_EQ(0xdead0000, rig.reports[0].address);
	rig_free(&rig);
}

/* One bad word in an otherwise good segment. */
static void expect_broken(uint64_t bad)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);
	unsigned int n = add_words(words, true);
	enum npu_state state;

	words[7] = bad;
	state = rig_kick(&rig, rig_put_words(&rig, 0, words, n), 1);
	if (state != NPU_BROKEN)
		TAP_FAIL("%016" PRIx64 ": state %d", bad, state);
	EXPECT_EQ(1, rig_count(&rig, NPU_ERROR, ""));
	for (unsigned int i = 0; i < rig.n_reports; i++) {
		if (rig.reports[i].severity != NPU_ERROR)
			continue;
		EXPECT_EQ(7, rig.reports[i].word);
		EXPECT_EQ(0, rig.reports[i].task);
		EXPECT_EQ(AT_COMMANDS + 56, rig.reports[i].address);
	}
	EXPECT(*npu_core_reason(rig.core));
	EXPECT_EQ(UNTOUCHED, load16(y, 0));
	EXPECT_EQ(0, rig_raw_status(&rig) & INT_DPU);
	rig_free(&rig);
}

TEST(unknown_target_breaks_at_its_word)
{
	expect_broken(word(0x1234, DPU_NOTCH, 0));
	expect_broken(word(0x0401, DPU_NOTCH, 0));
	expect_broken(word(0xffff, 0xffff, 0xffffffff));
}

/* What recipe_flying_add() computes with @bad as its last word, and what is said of it. */
static float with_word(uint64_t bad, enum npu_severity severity, const char *said)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);
	unsigned int n = add_words(words, true);
	float result;

	words[n] = words[n - 1];
	words[n - 1] = words[n - 2];
	words[n - 2] = bad;
	EXPECT_EQ(NPU_IDLE, rig_kick(&rig, rig_put_words(&rig, 0, words, n + 1), 1));
	EXPECT_EQ(1, rig_count(&rig, severity, said));
	result = fp16_to_fp32(load16(y, 0));
	rig_free(&rig);
	return result;
}

/* B1: target and offset disagree; the IOMMU sits in the same window. */
TEST(register_outside_the_block_of_its_target_is_an_error_and_goes_by_the_target)
{
	/* 0x5044 is FEATURE_MODE_CFG of DPU_RDMA, 0x4044 the addend */
	EXPECT_EQ(7, with_word(word(0x1001, 0x5044, fp32_bits(7)), NPU_ERROR, "0x5044"));
	EXPECT_EQ(7, with_word(word(0x1001, 0x9044, fp32_bits(7)), NPU_ERROR, "0x9044"));
	EXPECT_EQ(2, with_word(word(0x0201, 0x4044, fp32_bits(7)), NPU_ERROR, "0x4044"));
	EXPECT_EQ(2, with_word(word(0x8001, 0x8000, 0), NPU_ERROR, "0x8000"));
	expect_broken(word(0x1001, DPU_NOTCH + 1, 0));
}

/* TRM decodes bits 54 to 63; a published list of words has 0x1003 among its 0x1001. */
TEST(spare_bits_of_a_target_are_reported_and_ignored)
{
	EXPECT_EQ(7, with_word(word(0x1003, DPU_BS_ALU, fp32_bits(7)), NPU_WARNING, "0x1003"));
	EXPECT_EQ(2, with_word(word(0x003f, DPU_BS_ALU, fp32_bits(7)) | 0x0041ull << 48,
			       NPU_WARNING, "0x007f"));
	expect_broken(word(0x1000, DPU_BS_ALU, 0));
	expect_broken(word(0x3001, DPU_BS_ALU, 0));
}

/* allbilly's streams have DATA_CUBE_CHANNEL 0x70007: said once, not for every task. */
TEST(bits_that_no_field_has_are_reported_once)
{
	struct rig rig;
	struct task t[3];

	pc_rig(&rig);
	for (unsigned int i = 0; i < 3; i++) {
		recipe_flying_add(&t[i], AT_X, AT_Y, 2);
		task_set(&t[i], RDMA_CHANNEL, 0x70007);
	}
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 3));
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 3));
	EXPECT_EQ(1, rig_count(&rig, NPU_WARNING, "DATA_CUBE_CHANNEL"));
	EXPECT_EQ(1, rig.n_reports);
	rig_free(&rig);
}

TEST(no_operations_do_nothing)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);
	unsigned int n = add_words(words + 2, true);

	words[0] = 0;
	words[1] = word(0x0001, DPU_UNKNOWN_40C4, 0);
	EXPECT_EQ(NPU_IDLE, rig_kick(&rig, rig_put_words(&rig, 0, words, n + 2), 1));
	EXPECT_EQ(fp16(2), load16(y, 0));
	rig_free(&rig);
}

static uint32_t pointer_of(struct rig *rig, uint16_t reg)
{
	return npu_core_read(rig->core, reg) & 0x1000f;
}

TEST(pointers_follow_executed_tasks)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	EXPECT_EQ(0, pointer_of(&rig, DPU_S_POINTER));
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	rig_run(&rig, &t, 1);
	EXPECT_EQ(0x1000f, pointer_of(&rig, DPU_S_POINTER));
	EXPECT_EQ(0x1000f, pointer_of(&rig, RDMA_S_POINTER));
	/* rig_kick() armed CNA and CORE, but they did not run */
	EXPECT_EQ(0xe, pointer_of(&rig, CNA_S_POINTER));
	rig_run(&rig, &t, 1);
	EXPECT_EQ(0xe, pointer_of(&rig, DPU_S_POINTER));
	rig_free(&rig);
}

TEST(s_pointer_0_keeps_group_0)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	task_set(&t, DPU_S_POINTER, 0);
	task_set(&t, RDMA_S_POINTER, 0);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & INT_DPU);
		EXPECT_EQ(0, pointer_of(&rig, DPU_S_POINTER));
	}
	rig_free(&rig);
}

/* B6, 6: single tasks still work, also behind a task with ping-pong, which ended in group 1. */
TEST(s_pointer_0_returns_to_group_0)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	for (unsigned int i = 0; i < 4; i++) {
		const uint32_t ping_pong = i % 2 ? 0 : 0xe;

		task_set(&t, DPU_S_POINTER, ping_pong);
		task_set(&t, RDMA_S_POINTER, ping_pong);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & INT_DPU);
		EXPECT_EQ(!ping_pong, !pointer_of(&rig, DPU_S_POINTER));
	}
	rig_free(&rig);
}

TEST(s_pointer_30_returns_to_group_0)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	rig_run(&rig, &t, 1);
	task_set(&t, DPU_S_POINTER, 0x30);
	task_set(&t, RDMA_S_POINTER, 0x30);
	for (unsigned int i = 0; i < 2; i++) {
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig) & INT_DPU);
		EXPECT_EQ(0, pointer_of(&rig, DPU_S_POINTER));
	}
	rig_free(&rig);
}

TEST(groups_hold_different_values_of_one_register)
{
	struct rig rig;

	pc_rig(&rig);
	npu_core_write(rig.core, PC_BASE_ADDRESS, 1);
	for (unsigned int group = 0; group < 2; group++) {
		npu_core_write(rig.core, DPU_S_POINTER, group);
		npu_core_write(rig.core, DPU_WIDTH, 5 + group);
	}
	for (unsigned int group = 0; group < 2; group++) {
		npu_core_write(rig.core, DPU_S_POINTER, group);
		EXPECT_EQ(group, pointer_of(&rig, DPU_S_POINTER));
		EXPECT_EQ(5 + group, npu_core_read(rig.core, DPU_WIDTH));
	}
	npu_core_reset(rig.core);
	EXPECT_EQ(0, npu_core_read(rig.core, DPU_WIDTH));
	rig_free(&rig);
}

/* B6.4: chains write 0xE every task and still alternate. */
TEST(bit_0_of_s_pointer_is_ignored_with_ping_pong)
{
	struct rig rig;

	pc_rig(&rig);
	npu_core_write(rig.core, DPU_S_POINTER, 0xf);
	EXPECT_EQ(0xe, pointer_of(&rig, DPU_S_POINTER));
	npu_core_write(rig.core, DPU_S_POINTER, 1);
	npu_core_write(rig.core, DPU_S_POINTER, 0xe);
	EXPECT_EQ(0xf, pointer_of(&rig, DPU_S_POINTER));
	npu_core_write(rig.core, DPU_S_POINTER, 0x1e);
	EXPECT_EQ(0xe, pointer_of(&rig, DPU_S_POINTER));
	rig_free(&rig);
}

/* B6, persistence: the third task gets group 0 as task 0 left it. */
TEST(partial_third_task_computes_with_the_registers_of_the_first)
{
	struct rig rig;
	struct task t[3];
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t[0], AT_X, AT_Y, 100);
	recipe_flying_add(&t[1], AT_X, AT_Y + 16, 200);
	task_begin(&t[2], EN_FLYING);
	task_append(&t[2], DPU_S_POINTER, 0xe);
	task_append(&t[2], RDMA_S_POINTER, 0xe);
	task_append(&t[2], DPU_DST_BASE, AT_Y + 32);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 3));
	for (unsigned int i = 0; i < 8; i++) {
		EXPECT_EQ(fp16(i + 100), load16(y, i));
		EXPECT_EQ(fp16(i + 200), load16(y, 8 + i));
		EXPECT_EQ(fp16(i + 100), load16(y, 16 + i));
	}
	rig_free(&rig);
}

/* B6: rocket-userspace's probe; group 1 is empty, so nothing is written. */
TEST(partial_second_task_leaves_its_output_untouched)
{
	struct rig rig;
	struct task t[2];
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t[0], AT_X, AT_Y, 100);
	task_begin(&t[1], EN_FLYING);
	task_append(&t[1], DPU_S_POINTER, 0xe);
	task_append(&t[1], RDMA_S_POINTER, 0xe);
	task_append(&t[1], DPU_DST_BASE, AT_Y + 16);
	task_append(&t[1], RDMA_SRC_BASE, AT_X + 16);
	rig_run(&rig, t, 2);
	EXPECT_EQ(fp16(100), load16(y, 0));
	EXPECT_EQ(UNTOUCHED, load16(y, 8));
	rig_free(&rig);
}

/*
 * Faults H12, B4: in an ADD chain without pointer writes later outputs were
 * written with task 0's result: new destination, old sources.
 */
TEST(h12_chain_without_pointer_writes_repeats_the_first_result)
{
	struct rig rig;
	struct task t[3];
	uint8_t *y = pc_rig(&rig);

	for (unsigned int i = 0; i < 3; i++) {
		recipe_flying_add(&t[i], AT_X + 16 * i, AT_Y + 16 * i, 2);
		task_drop(&t[i], DPU_S_POINTER);
		task_drop(&t[i], RDMA_S_POINTER);
	}
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 3));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT_EQ(fp16(i % 8 + 2), load16(y, i));
	rig_free(&rig);
}

/* What has not run yet has nothing to repeat: here PPU_RDMA, in the second task. */
TEST(first_use_of_a_read_dma_needs_no_pointer_write)
{
	static const struct pool p = { .iw = 2, .ih = 1, .ow = 1, .oh = 1, .c = 8, .kw = 2, .kh = 1,
				       .sx = 1, .sy = 1, .method = 1 };
	struct rig rig;
	struct task t[2];
	uint8_t *y = pc_rig(&rig);

	for (unsigned int kick = 0; kick < 2; kick++) {
		recipe_flying_add(&t[0], AT_X, AT_Y + 16, 2);
		recipe_pool(&t[1], &p);
		task_set(&t[1], PPU_RDMA_SRC_BASE, AT_X + 32 * kick);
		task_drop(&t[1], PPU_S_POINTER);
		task_drop(&t[1], PPU_RDMA_S_POINTER);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, t, 2));
		for (unsigned int i = 0; i < 8; i++)
			EXPECT_EQ(fp16(16 * kick + 8 + i), load16(y, i));
	}
	rig_free(&rig);
}

TEST(vendor_kick_clears_operation_enable_at_once)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *y = pc_rig(&rig);

	npu_core_write(rig.core, PC_BASE_ADDRESS, 1);
	npu_core_write(rig.core, PC_BASE_ADDRESS, AT_COMMANDS);
	npu_core_write(rig.core, PC_REGISTER_AMOUNTS,
		       rig_put_words(&rig, 0, words, add_words(words, true)));
	npu_core_write(rig.core, PC_TASK_CON, 0x7001);
	npu_core_write(rig.core, PC_OPERATION_ENABLE, 1);
	EXPECT_EQ(NPU_READY, npu_core_state(rig.core));
	npu_core_write(rig.core, PC_OPERATION_ENABLE, 0);
	EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
	EXPECT_EQ(fp16(2), load16(y, 0));
	rig_free(&rig);
}

/* B5: the base is added to data addresses; the registers say which (TRM). */
TEST(dma_base_moves_data_and_not_commands)
{
	uint64_t words[TASK_MAX_WRITES];
	struct rig rig;
	uint8_t *x, *y;

	pc_rig(&rig);
	x = rig_map(&rig, AT_X + 0x40000000, 16, 0);
	y = rig_map(&rig, AT_Y + 0x40000000, 16, 0xee);
	store16(x, 0, FP16_1);
	npu_core_write(rig.core, PC_BASE_ADDRESS, AT_COMMANDS);
	npu_core_write(rig.core, PC_REGISTER_AMOUNTS,
		       rig_put_words(&rig, 0, words, add_words(words, true)));
	npu_core_write(rig.core, PC_TASK_CON, 0x7001);
	npu_core_write(rig.core, PC_TASK_DMA_BASE, 0x40000000);
	npu_core_write(rig.core, PC_OPERATION_ENABLE, 1);
	EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
	EXPECT_EQ(fp16(3), load16(y, 0));
	rig_free(&rig);
}

/* A3 */
TEST(fixed_registers_read_as_on_boards)
{
	static const struct {
		uint16_t reg;
		uint32_t value;
	} fixed[] = {
		{ 0x8000, 0xfff }, { 0x8004, 0x01010101 }, { 0x8008, 0x00010101 },
		{ 0x8010, 0x101 }, { 0x8030, 0x100 }, { 0x8034, 0 }, { 0x8038, 0 }, { 0x803c, 0 },
	};
	struct rig rig;

	pc_rig(&rig);
	npu_core_write(rig.core, 0x8034, 5);	/* the byte counters stay 0 */
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(fixed[i].value, npu_core_read(rig.core, fixed[i].reg));
	EXPECT_EQ(0x46495245, npu_core_read(rig.core, 0) +
			      (npu_core_read(rig.core, 4) & 0xffff));
	rig_free(&rig);
}

/* A3: a read of 0x2000 to 0x2fff hangs the SoC, a write there is lost. */
TEST(hole_of_the_window_is_reported)
{
	struct rig rig;

	pc_rig(&rig);
	npu_core_write(rig.core, 0x2000, 1);
	EXPECT_EQ(0xffffffff, npu_core_read(rig.core, 0x2000));
	EXPECT_EQ(0xffffffff, npu_core_read(rig.core, 0x2ffc));
	EXPECT(rig_count(&rig, NPU_ERROR, "") >= 1);
	EXPECT_EQ(-1, rig.reports[0].word);
	EXPECT(npu_core_read(rig.core, 0x3000) != 0xffffffff);
	rig_free(&rig);
}

TEST(words_and_command_bytes_are_counted)
{
	uint64_t words[TASK_MAX_WRITES];
	const struct npu_counters *c;
	struct rig rig;
	unsigned int n = add_words(words, true);

	pc_rig(&rig);
	rig_kick(&rig, rig_put_words(&rig, 0, words, n), 1);
	c = npu_core_counters(rig.core);
	EXPECT_EQ(n, c->words);
	EXPECT_EQ((n + 1) / 2 * 16, c->bytes[NPU_DMA_PC]);
	EXPECT_EQ(16, c->bytes[NPU_DMA_MRDMA]);
	EXPECT_EQ(16, c->bytes[NPU_DMA_DPU_WDMA]);
	EXPECT_EQ(0, c->bytes[NPU_DMA_FEATURE]);
	EXPECT_EQ(1, c->interrupts);
	EXPECT_EQ(11, c->mmio_writes);
	rig_free(&rig);
}

/* B5: with PC_SEL set the host writes what a stream would, then GLOBAL 0xF008. */
TEST(slave_mode_runs_what_the_host_wrote)
{
	struct rig rig;
	struct task t;
	uint8_t *y = pc_rig(&rig);

	recipe_flying_add(&t, AT_X, AT_Y, 2);
	npu_core_write(rig.core, PC_BASE_ADDRESS, 1);
	for (unsigned int i = 0; i < t.n; i++)
		npu_core_write(rig.core, t.writes[i].reg, t.writes[i].value);
	EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
	EXPECT_EQ(UNTOUCHED, load16(y, 0));
	npu_core_write(rig.core, GLOBAL_OPERATION_ENABLE, EN_FLYING);
	EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
	EXPECT_EQ(fp16(2), load16(y, 0));
	EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig));
	rig_free(&rig);
}

/* B6: a block that the host has started waits for what feeds it, in any order. */
TEST(slave_mode_waits_until_the_path_is_whole)
{
	static const uint16_t enable[] = { 0x4008, 0x5008 };	/* OPERATION_ENABLE */

	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int first = i & 1, ping_pong = i & 2 ? 0xe : 0;
		struct rig rig;
		struct task t;
		uint8_t *y = pc_rig(&rig);

		recipe_flying_add(&t, AT_X, AT_Y, 2);
		task_set(&t, DPU_S_POINTER, ping_pong);
		task_set(&t, RDMA_S_POINTER, ping_pong);
		npu_core_write(rig.core, PC_BASE_ADDRESS, 1);
		for (unsigned int w = 0; w < t.n; w++)
			npu_core_write(rig.core, t.writes[w].reg, t.writes[w].value);
		npu_core_write(rig.core, enable[first], 1);
		EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
		EXPECT_EQ(UNTOUCHED, load16(y, 0));
		EXPECT_EQ(1, npu_core_read(rig.core, first ? RDMA_S_STATUS : DPU_S_STATUS));
		/* the group of a block that waits is closed, the other one is not */
		npu_core_write(rig.core, first ? RDMA_SRC_BASE : DPU_DST_BASE, 0xdead0000);
		EXPECT_EQ(!ping_pong, rig_count(&rig, NPU_WARNING, "is lost"));
		npu_core_write(rig.core, enable[!first], 1);
		EXPECT_EQ(NPU_IDLE, npu_core_run(rig.core));
		EXPECT_EQ(fp16(2), load16(y, 0));
		EXPECT_EQ(INT_DPU_0, rig_raw_status(&rig));
		EXPECT_EQ(1, npu_core_counters(rig.core)->tasks);
		rig_free(&rig);
	}
}

/* B6: S_STATUS, 0 idle and 1 running, group 0 in [1:0] and group 1 in [17:16]. */
TEST(status_shows_the_group_that_hangs)
{
	struct rig rig;
	struct task t;

	pc_rig(&rig);
	recipe_flying_add(&t, AT_X, AT_Y, 2);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	EXPECT_EQ(0, npu_core_read(rig.core, DPU_S_STATUS));
	t.mask = EN_DPU;
	EXPECT_EQ(NPU_HUNG, rig_run(&rig, &t, 1));
	EXPECT_EQ(0x10000, npu_core_read(rig.core, DPU_S_STATUS));
	EXPECT_EQ(0, npu_core_read(rig.core, RDMA_S_STATUS));
	npu_core_reset(rig.core);
	EXPECT_EQ(0, npu_core_read(rig.core, DPU_S_STATUS));
	rig_free(&rig);
}

TEST_MAIN()
