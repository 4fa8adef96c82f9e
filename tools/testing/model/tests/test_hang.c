// SPDX-License-Identifier: MIT
/*
 * What hangs silicon hangs the model (programming-model B8): no completion,
 * output untouched, and nothing runs until the core is reset.
 */
#include "conv.h"
#include "flying.h"
#include "fp16.h"
#include "tap.h"

/* A small convolution, which each test spoils. */
struct spoilt {
	struct conv conv;
	struct rig rig;
	struct task good, bad;
	uint8_t *operand;
};

static void spoilt_begin(struct spoilt *s)
{
	s->conv = (struct conv){ .in = T_FP16, .out = T_FP16, .w = 4, .h = 4, .c = 32, .oc = 32 };
	rig_init(&s->rig, NULL);
	conv_init(&s->conv);
	conv_place(&s->conv, &s->rig);
	conv_task(&s->conv, &s->good);
	s->operand = rig_map(&s->rig, AT_E, s->conv.y_bytes, 0);
	s->bad = s->good;
}

/* The bad task hangs, so does a good one behind it, until reset. */
static void expect_wedge(struct spoilt *s, const char *what)
{
	enum npu_state state = rig_run(&s->rig, &s->bad, 1);

	if (state != NPU_HUNG)
		TAP_FAIL("%s: state %d", what, state);
	EXPECT(*npu_core_reason(s->rig.core));
	EXPECT_EQ(1, rig_count(&s->rig, NPU_ERROR, ""));
	EXPECT_EQ(0, rig_raw_status(&s->rig) & (INT_DPU | INT_PPU));
	EXPECT_EQ(0xee, s->conv.y[0]);
	EXPECT_EQ(NPU_HUNG, rig_run(&s->rig, &s->good, 1));
	EXPECT_EQ(0xee, s->conv.y[0]);
	npu_core_reset(s->rig.core);
	EXPECT_EQ(NPU_IDLE, npu_core_state(s->rig.core));
	EXPECT(conv_run(&s->conv, &s->rig, &s->good, what));
	conv_free(&s->conv);
	rig_free(&s->rig);
}

/* Faults H8: FEATURE_MODE_CFG 0 leaves MRDMA enabled with nothing for it. */
TEST(h8_mrdma_trap_wedges_until_reset)
{
	struct spoilt s;

	spoilt_begin(&s);
	task_set(&s.bad, RDMA_FEATURE_MODE_CFG, 0);
	expect_wedge(&s, "MRDMA trap");
}

/* A residual that asks for both engines but has one of them off. */
TEST(h8_residual_with_mismatched_engines_wedges_until_reset)
{
	struct spoilt s;

	spoilt_begin(&s);
	task_set(&s.bad, DPU_EW_CFG, 0x108202c0);
	task_set(&s.bad, RDMA_SRC_BASE, AT_E);
	task_set(&s.bad, RDMA_EW_BASE, AT_E);
	task_set(&s.bad, RDMA_FEATURE_MODE_CFG, 0x17d40);	/* ERDMA still disabled */
	expect_wedge(&s, "COMB_USE without ERDMA");
	spoilt_begin(&s);
	task_set(&s.bad, DPU_EW_CFG, 0x108202c0);
	task_set(&s.bad, RDMA_FEATURE_MODE_CFG, 0x7818);	/* nobody brings the operand */
	expect_wedge(&s, "EW operand from a disabled ERDMA");
}

TEST(flying_dpu_without_mrdma_wedges_until_reset)
{
	struct spoilt s;

	spoilt_begin(&s);
	recipe_flying(&s.bad, 4);
	task_set(&s.bad, RDMA_FEATURE_MODE_CFG, 0x17859);
	expect_wedge(&s, "flying without MRDMA");
}

/* B8 [SRC]: harmless in a flying task. */
TEST(erdma_enabled_with_ew_bypassed_is_harmless_in_flight)
{
	static const uint16_t x[] = { 0x3c00, 0x4000 };
	struct flying f;

	flying_begin(&f, x, 2);
	flying_operand(&f, x, 0x383);
	EXPECT(flying_run(&f));
	EXPECT_EQ(0x3c00, flying_out(&f, 0));
	flying_end(&f);
}

TEST(mask_without_a_block_of_the_path_wedges_until_reset)
{
	static const uint32_t masks[] = {
		EN_CORE | EN_DPU | EN_RDMA, EN_CNA | EN_DPU | EN_RDMA, EN_CNA | EN_CORE, EN_CNA,
		EN_CORE, EN_DPU, EN_RDMA,
	};

	for (unsigned int i = 0; i < 7; i++) {
		struct spoilt s;
		char what[32];

		spoilt_begin(&s);
		s.bad.mask = masks[i];
		snprintf(what, sizeof(what), "mask %02x", masks[i]);
		expect_wedge(&s, what);
	}
}

/* B1: 0x0D is a convolution without any read DMA of the DPU. */
TEST(convolution_needs_no_dpu_rdma)
{
	struct spoilt s;

	spoilt_begin(&s);
	s.good.mask = EN_CONV;
	EXPECT(conv_run(&s.conv, &s.rig, &s.good, "mask 0d"));
	conv_free(&s.conv);
	rig_free(&s.rig);
}

TEST(flying_mask_without_either_block_wedges_until_reset)
{
	static const uint32_t masks[] = { EN_DPU, EN_RDMA };

	for (unsigned int i = 0; i < 2; i++) {
		struct spoilt s;

		spoilt_begin(&s);
		recipe_flying(&s.bad, 4);
		s.bad.mask = masks[i];
		expect_wedge(&s, "flying");
	}
}

TEST(pooling_mask_without_either_block_wedges_until_reset)
{
	static const struct pool p = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 8, .kw = 2, .kh = 2,
				       .sx = 2, .sy = 2, .method = 1 };
	static const uint32_t masks[] = { EN_PPU, EN_PPU_RDMA };

	for (unsigned int i = 0; i < 2; i++) {
		struct spoilt s;

		spoilt_begin(&s);
		recipe_pool(&s.bad, &p);
		s.bad.mask = masks[i];
		expect_wedge(&s, "pooling");
	}
}

TEST(stall_lasts_until_reset)
{
	struct spoilt s;

	spoilt_begin(&s);
	task_set(&s.bad, CNA_DCOMP_ADDR0, 0xdead0000);
	EXPECT_EQ(NPU_STALLED, rig_run(&s.rig, &s.bad, 1));
	EXPECT_EQ(NPU_STALLED, rig_run(&s.rig, &s.good, 1));
	EXPECT_EQ(0xee, s.conv.y[0]);
	npu_core_reset(s.rig.core);
	EXPECT(conv_run(&s.conv, &s.rig, &s.good, "after reset"));
	conv_free(&s.conv);
	rig_free(&s.rig);
}

/* A task behind a hung one of the same chain never starts. */
TEST(chain_stops_at_the_task_that_hangs)
{
	struct spoilt s;
	struct task chain[2];

	spoilt_begin(&s);
	task_set(&s.bad, RDMA_FEATURE_MODE_CFG, 0);
	chain[0] = s.bad;
	chain[1] = s.good;
	EXPECT_EQ(NPU_HUNG, rig_run(&s.rig, chain, 2));
	EXPECT_EQ(0xee, s.conv.y[0]);
	EXPECT_EQ(0, npu_core_counters(s.rig.core)->tasks);
	conv_free(&s.conv);
	rig_free(&s.rig);
}

/* Faults R1: 8192 in a 13-bit field wraps, and the model says so. */
TEST(r1_cube_width_of_8192_wraps_and_is_reported)
{
	static const uint16_t x[] = { 0x3c00, 0x4000, 0x4200 };

	for (unsigned int over = 0; over < 2; over++) {
		struct flying f;

		flying_begin(&f, x, 3);
		if (over) {
			task_set(&f.t, DPU_WIDTH, 0x2000);
			task_set(&f.t, RDMA_WIDTH, 0x2000);
		}
		EXPECT(flying_run(&f));
		EXPECT_EQ(0x3c00, flying_out(&f, 0));
		EXPECT_EQ(over, f.rig.n_reports > 0);
		flying_end(&f);
	}
}

/*
 * 31 x 31 taps of 65535 channels are 60 MiB a kernel, which CBUF cannot hold.
 * With WEIGHT_REUSE nothing is fetched that could stop the task.
 */
TEST(kernel_beyond_cbuf_wedges_until_reset)
{
	struct spoilt s;

	spoilt_begin(&s);
	task_set(&s.bad, CNA_DATA_SIZE0, 1 << 16 | 1);
	task_set(&s.bad, CNA_DATA_SIZE1, 0xffff);
	task_set(&s.bad, CNA_WEIGHT_SIZE2, 31 << 24 | 31 << 16 | 32);
	task_set(&s.bad, CNA_CBUF_CON0, task_get(&s.bad, CNA_CBUF_CON0) | 3 << 12);
	expect_wedge(&s, "kernel of 60 MiB");
}

TEST(task_longer_than_the_limit_hangs)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct npu_options options = { .max_task_cycles = i ? 10 : 1000000 };
		struct conv conv = {
			.in = T_INT8, .out = T_INT32, .w = 8, .h = 8, .c = 64, .oc = 64
		};
		struct rig rig;
		struct task t;

		rig_init(&rig, &options);
		conv_init(&conv);
		conv_place(&conv, &rig);
		conv_task(&conv, &t);
		EXPECT_EQ(i ? NPU_HUNG : NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(i ? 0xee : conv.y[0], conv.y[0]);
		conv_free(&conv);
		rig_free(&rig);
	}
}

/* B6: the lint names a register that the task left to history. */
TEST(lint_reports_registers_that_the_task_did_not_write)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct npu_options options = { .lint_stale = true };
		struct conv conv = {
			.in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 16, .oc = 32
		};
		struct rig rig;
		struct task t;

		rig_init(&rig, &options);
		conv_init(&conv);
		conv_place(&conv, &rig);
		conv_task(&conv, &t);
		if (i)
			task_drop(&t, DPU_NOTCH);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(i, rig_count(&rig, NPU_WARNING, "NOTCH"));
		EXPECT_EQ(i, rig.n_reports);
		conv_free(&conv);
		rig_free(&rig);
	}
}

TEST_MAIN()
