// SPDX-License-Identifier: MIT
/*
 * The DPU's stages and output converter on fp16 (programming-model C5 to C7,
 * F4), by the flying path; each value is worked out by hand or in float.
 */
#include <math.h>

#include "flying.h"
#include "fp16.h"
#include "tap.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
	P_0 = 0x0000, M_0 = 0x8000, P_1 = 0x3c00, M_1 = 0xbc00, P_INF = 0x7c00, M_INF = 0xfc00,
	P_NAN = 0x7e00, DPU_NAN = 0x7c01,
};

/* What most tests run on; -2.5 to 65504, with a subnormal. */
static const float numbers[16] = {
	0, 1, -1, 2.5, -2.5, 100, -100, 0.125, 65504, -65504, 0x1p-24f, 3.5, -0.75, 7, 1000, -3,
};

static void begin_numbers(struct flying *f)
{
	uint16_t x[16];

	for (unsigned int i = 0; i < 16; i++)
		x[i] = fp32_to_fp16(numbers[i]);
	flying_begin(f, x, 16);
}

/* Run and compare with @want of each number. */
static void check_numbers(struct flying *f, float (*want)(float x))
{
	if (!flying_run(f)) {
		TAP_FAIL("did not complete");
	} else {
		for (unsigned int i = 0; i < 16; i++) {
			uint16_t w = fp32_to_fp16(want(numbers[i]));

			if (w != flying_out(f, i))
				TAP_FAIL("%g: want %04x, got %04x", (double)numbers[i], w,
					 flying_out(f, i));
		}
	}
	flying_end(f);
}

static float same(float x)
{
	return x;
}

TEST(bypassed_stages_pass_every_number)
{
	struct flying f;

	begin_numbers(&f);
	check_numbers(&f, same);
}

/* The ALU of both stages; BS and BN differ in base only. */
static void check_alu(uint32_t cfg, float operand, float (*want)(float x))
{
	for (unsigned int stage = 0; stage < 2; stage++) {
		struct flying f;

		begin_numbers(&f);
		task_set(&f.t, stage ? DPU_BN_CFG : DPU_BS_CFG, cfg);
		task_set(&f.t, stage ? DPU_BN_ALU : DPU_BS_ALU, fp32_bits(operand));
		check_numbers(&f, want);
	}
}

static float max_third(float x)
{
	return fmaxf(x, 0.25f);
}

static float min_third(float x)
{
	return fminf(x, 0.25f);
}

static float add_third(float x)
{
	return x + 1 / 3.0f;
}

static float sub_third(float x)
{
	return x - 1 / 3.0f;
}

TEST(alu_max_min_add_and_minus_take_an_fp32_register)
{
	check_alu(STAGE_ALU_MAX, 0.25f, max_third);
	check_alu(STAGE_ALU_MIN, 0.25f, min_third);
	check_alu(STAGE_ALU_ADD, 1 / 3.0f, add_third);
	check_alu(STAGE_ALU_SUB, 1 / 3.0f, sub_third);
}

static float times_1_5(float x)
{
	return x * -1.5f;
}

TEST(multiplier_takes_fp16_in_the_top_half)
{
	for (unsigned int stage = 0; stage < 2; stage++) {
		struct flying f;

		begin_numbers(&f);
		task_set(&f.t, stage ? DPU_BN_CFG : DPU_BS_CFG, STAGE_MUL);
		task_set(&f.t, stage ? DPU_BN_MUL : DPU_BS_MUL, 0xbe00u << 16);
		check_numbers(&f, times_1_5);
	}
}

static float minus_then_times(float x)
{
	return (x - 1) * 4;
}

static float times_then_minus(float x)
{
	return x * 4 - 1;
}

/* C5: BS is ALU then MUL, BN is MUL then ALU. */
TEST(bs_adds_first_and_bn_multiplies_first)
{
	struct flying f;

	begin_numbers(&f);
	task_set(&f.t, DPU_BS_CFG, STAGE_SUB_MUL);
	task_set(&f.t, DPU_BS_ALU, fp32_bits(1));
	task_set(&f.t, DPU_BS_MUL, 0x4400u << 16);
	check_numbers(&f, minus_then_times);
	begin_numbers(&f);
	task_set(&f.t, DPU_BN_CFG, STAGE_SUB_MUL);
	task_set(&f.t, DPU_BN_ALU, fp32_bits(1));
	task_set(&f.t, DPU_BN_MUL, 0x4400u << 16);
	check_numbers(&f, times_then_minus);
}

/* C5: allbilly's compare-equal separates the two orders on these two numbers. */
TEST(bs_compare_equal_clamps_between_0_and_1)
{
	static const uint16_t x[] = { P_1, 0x3c01, 0x3bff, P_0 };
	static const uint16_t want[] = { P_0, P_1, P_0, P_0 };
	struct flying f;

	flying_begin(&f, x, 4);
	task_set(&f.t, DPU_BS_CFG, (STAGE_SUB_MUL ^ STAGE_RELU_ON) | STAGE_RELUX);
	task_set(&f.t, DPU_BS_ALU, fp32_bits(1));
	task_set(&f.t, DPU_BS_MUL, 0x7bffu << 16);
	task_set(&f.t, DPU_BS_RELUX, fp32_bits(1));
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(want[i], flying_out(&f, i));
	flying_end(&f);
}

static float relu(float x)
{
	return x > 0 ? x : 0;
}

static float relu6(float x)
{
	return x > 6 ? 6 : relu(x);
}

static float clip6(float x)
{
	return x > 6 ? 6 : x;
}

TEST(relu_relux_and_both)
{
	static const uint16_t cfg[] = { DPU_BS_CFG, DPU_BN_CFG };

	for (unsigned int stage = 0; stage < 2; stage++) {
		struct flying f;

		begin_numbers(&f);
		task_set(&f.t, cfg[stage], 0x12);
		check_numbers(&f, relu);
		begin_numbers(&f);
		task_set(&f.t, cfg[stage], 0x92);
		task_set(&f.t, cfg[stage] + 12, fp32_bits(6));
		check_numbers(&f, relu6);
		begin_numbers(&f);
		task_set(&f.t, cfg[stage], 0xd2);
		task_set(&f.t, cfg[stage] + 12, fp32_bits(6));
		check_numbers(&f, clip6);
	}
}

/* C5: a NaN counts as above CMP: 0 * inf gives 1 in allbilly's compares. */
TEST(relux_takes_nan_for_above_its_limit)
{
	static const uint16_t x[] = { P_0, P_1, M_1, 0x0001 };
	static const uint16_t want[] = { P_1, P_1, P_0, P_1 };
	struct flying f;

	flying_begin(&f, x, 4);
	task_set(&f.t, DPU_BS_CFG, (STAGE_MUL ^ STAGE_RELU_ON) | STAGE_RELUX);
	task_set(&f.t, DPU_BS_MUL, (uint32_t)P_INF << 16);
	task_set(&f.t, DPU_BS_RELUX, fp32_bits(1));
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(want[i], flying_out(&f, i));
	flying_end(&f);
}

static float leaky(float x)
{
	return x > 0 ? x : x * 0.25f;
}

static float magnitude(float x)
{
	return fabsf(x);
}

TEST(prelu_multiplies_negative_numbers_only)
{
	struct flying f;

	begin_numbers(&f);
	task_set(&f.t, DPU_BS_CFG, STAGE_PRELU);
	task_set(&f.t, DPU_BS_MUL, 0x3400u << 16);
	check_numbers(&f, leaky);
	begin_numbers(&f);
	task_set(&f.t, DPU_BS_CFG, STAGE_PRELU);
	task_set(&f.t, DPU_BS_MUL, (uint32_t)M_1 << 16);
	check_numbers(&f, magnitude);
}

/* F1: allbilly's words; operand b of number i is number (i + 5) mod 16. */
static void check_ew(uint32_t word, bool fp32_path, float (*want)(float a, float b))
{
	uint16_t e[16];
	struct flying f;

	begin_numbers(&f);
	for (unsigned int i = 0; i < 16; i++)
		e[i] = fp32_to_fp16(numbers[(i + 5) % 16]);
	flying_operand(&f, e, word);
	if (!fp32_path) {
		task_set(&f.t, DPU_OUT_SCALE, 1);
		task_set(&f.t, RDMA_FEATURE_MODE_CFG, 0x17841);
	}
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 16; i++) {
		float a = numbers[i], b = numbers[(i + 5) % 16];
		uint16_t w = fp32_to_fp16(want(a, b));

		if (!isnan(want(a, b)) && w != flying_out(&f, i))
			TAP_FAIL("%08x: %g, %g: want %04x, got %04x", word, (double)a, (double)b, w,
				 flying_out(&f, i));
	}
	flying_end(&f);
}

static float op_add(float a, float b)
{
	return a + b;
}

static float op_sub(float a, float b)
{
	return a - b;
}

static float op_max(float a, float b)
{
	return a > b ? a : b;
}

static float op_min(float a, float b)
{
	return a < b ? a : b;
}

static float op_mul(float a, float b)
{
	return a * b;
}

static float op_div(float a, float b)
{
	return a / b;
}

TEST(ew_operations_are_exact_to_fp16_rounding)
{
	check_ew(0x108202c0, true, op_add);
	check_ew(0x108402c0, true, op_sub);
	check_ew(0x108002c0, true, op_max);
	check_ew(0x108102c0, true, op_min);
	check_ew(0x108003c4, true, op_mul);
}

/* C6 [?]: division runs wholly in fp16; the quotient is taken as rounded once. */
TEST(ew_division_runs_without_fp32)
{
	check_ew(0x108303c0, false, op_div);
}

/* fp32 units hold four channels; channel 4 takes EW_OP_VALUE_4 all the same. */
TEST(ew_register_operands_go_by_channel_whatever_size_e_is)
{
	for (unsigned int e = 0; e < 2; e++) {
		struct flying f;

		begin_numbers(&f);
		recipe_flying(&f.t, 1);
		task_set(&f.t, DPU_EW_CFG, 0x10c20280);
		for (unsigned int i = 0; i < 8; i++)
			task_set(&f.t, DPU_EW_OP_VALUE_0 + 4 * i, fp32_bits(100.0f * i));
		task_set(&f.t, DPU_DATA_FORMAT, 0xa8000002);
		task_set(&f.t, DPU_BS_OW_CFG, e * 0x124 | 2);
		task_set(&f.t, DPU_SURFACE_ADD, (e + 1) << 4);
		EXPECT(flying_run(&f));
		for (unsigned int i = 0; i < 8; i++)
			EXPECT_EQ(fp32_bits(numbers[i] + 100.0f * i), load32(f.y, i));
		flying_end(&f);
	}
}

/* IEEE maximumNumber and minimumNumber; fmaxf() leaves the sign to the host. */
TEST(max_and_min_order_signed_zeros)
{
	static const uint16_t x[] = { P_0, M_0, P_0, M_0 }, e[] = { M_0, P_0, P_0, M_0 };
	static const struct {
		uint32_t ew_cfg;
		uint16_t want[4];
	} rows[] = {
		{ 0x108002c0, { P_0, P_0, P_0, M_0 } },
		{ 0x108102c0, { M_0, M_0, P_0, M_0 } },
	};

	for (unsigned int r = 0; r < N_OF(rows); r++) {
		struct flying f;

		flying_begin(&f, x, 4);
		flying_operand(&f, e, rows[r].ew_cfg);
		EXPECT(flying_run(&f));
		for (unsigned int i = 0; i < 4; i++)
			EXPECT_EQ(rows[r].want[i], flying_out(&f, i));
		flying_end(&f);
	}
}

/* The sign of the NaN of 0 / 0 and inf / inf is another on every host. */
TEST(nan_of_a_division_is_positive)
{
	static const uint16_t x[] = { P_0, M_0, P_INF, M_INF }, e[] = { P_0, P_0, M_INF, M_INF };
	struct flying f;

	flying_begin(&f, x, 4);
	flying_operand(&f, e, 0x108303c0);
	task_set(&f.t, DPU_OUT_SCALE, 1);
	task_set(&f.t, RDMA_FEATURE_MODE_CFG, 0x17841);
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(P_NAN, flying_out(&f, i));
	flying_end(&f);
}

/* C7: a board printed 3 * 2^-24 + 5 * 2^-24 = 8 * 2^-24. */
TEST(ew_add_keeps_subnormals)
{
	static const uint16_t a[] = { 0x0003, 0x83ff, 0x0001 }, b[] = { 0x0005, 0x03fe, 0x8001 };
	static const uint16_t want[] = { 0x0008, 0x8001, P_0 };
	struct flying f;

	flying_begin(&f, a, 3);
	flying_operand(&f, b, 0x108202c0);
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(want[i], flying_out(&f, i));
	flying_end(&f);
}

/* F1: EW has its own ReLU, bit 9 for its bypass, and RELUX, bit 10. */
TEST(ew_relu_and_relux_follow_the_operation)
{
	static const uint16_t a[] = { P_1, M_1, 0x4500 }, b[] = { M_1, M_1, 0x4200 };
	static const uint16_t want[] = { P_0, P_0, 0x4600 };
	struct flying f;

	flying_begin(&f, a, 3);
	flying_operand(&f, b, 0x108204c0);
	task_set(&f.t, DPU_EW_RELUX, fp32_bits(6));
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(want[i], flying_out(&f, i));
	flying_end(&f);
}

/* C7: whatever the sign, 0 decodes as 2^(17 - MINUS_EXP). */
TEST(minus_exp_turns_zero_into_a_power_of_two)
{
	static const uint16_t x[] = { P_0, M_0 };
	static const unsigned int minus[] = { 15, 14, 13, 11, 10, 1, 16 };
	static const float want[] = { 4, 8, 16, 64, 128, 65536, 2 };

	for (unsigned int i = 0; i < N_OF(minus); i++) {
		struct flying f;
		uint16_t w = fp32_to_fp16(want[i]);

		flying_begin(&f, x, 2);
		task_set(&f.t, DPU_OUT_SHIFT, minus[i] << 12);
		EXPECT(flying_run(&f));
		EXPECT_EQ(w, flying_out(&f, 0));
		EXPECT_EQ(w | 0x8000, flying_out(&f, 1));
		flying_end(&f);
	}
}

/* C7: the exponent field wraps at 5 bits, mantissa and sign stay. */
TEST(minus_exp_subtracts_from_the_exponent_field_only)
{
	static const uint16_t x[] = { P_1, M_1, 0x4248, 0xc248, 0x7bff, 0x0401, 0x03ff };

	for (unsigned int minus = 0; minus < 32; minus++) {
		struct flying f;

		flying_begin(&f, x, N_OF(x));
		task_set(&f.t, DPU_OUT_SHIFT, minus << 12);
		EXPECT(flying_run(&f));
		for (unsigned int i = 0; i < N_OF(x); i++)
			EXPECT_EQ((x[i] & 0x83ff) | (((x[i] >> 10) - minus) & 31) << 10,
				  flying_out(&f, i));
		flying_end(&f);
	}
}

/* C7: the values that allbilly's compare-equal reads: 0 * inf, 1 * inf, -1 * inf. */
TEST(minus_exp_of_nan_and_infinity)
{
	static const uint16_t x[] = { P_0, P_1, M_1 };
	static const struct {
		unsigned int minus;
		float nan, inf;
	} rows[] = {
		{ 1, 32800, 32768 }, { 16, 1 + 0x1p-10f, 1 },
	};

	for (unsigned int r = 0; r < N_OF(rows); r++) {
		struct flying f;

		flying_begin(&f, x, 3);
		task_set(&f.t, DPU_BS_CFG, STAGE_MUL);
		task_set(&f.t, DPU_BS_MUL, (uint32_t)P_INF << 16);
		task_set(&f.t, DPU_OUT_SHIFT, rows[r].minus << 12);
		EXPECT(flying_run(&f));
		EXPECT_EQ(fp32_to_fp16(rows[r].nan), flying_out(&f, 0) & 0x7fff);
		EXPECT_EQ(fp32_to_fp16(rows[r].inf), flying_out(&f, 1));
		EXPECT_EQ(fp32_to_fp16(-rows[r].inf), flying_out(&f, 2));
		flying_end(&f);
	}
}

TEST(fp16_output_overflows_to_infinity_and_nan_is_7c01)
{
	static const uint16_t a[] = { 0x7bff, 0xfbff, P_INF, P_NAN, P_INF };
	static const uint16_t b[] = { 0x7bff, 0xfbff, P_1, P_1, M_INF };
	struct flying f;

	flying_begin(&f, a, 5);
	flying_operand(&f, b, 0x108202c0);
	EXPECT(flying_run(&f));
	EXPECT_EQ(P_INF, flying_out(&f, 0));
	EXPECT_EQ(M_INF, flying_out(&f, 1));
	EXPECT_EQ(P_INF, flying_out(&f, 2));
	EXPECT_EQ(DPU_NAN, flying_out(&f, 3) & 0x7fff);
	EXPECT_EQ(DPU_NAN, flying_out(&f, 4) & 0x7fff);
	flying_end(&f);
}

/* C7: without FP32TOFP16_EN the low half of the fp32 pattern is stored. */
TEST(without_narrowing_the_low_half_of_fp32_is_stored)
{
	static const uint16_t x[] = { P_1, 0x3c01, 0xc3ff, P_0 };
	static const uint16_t want[] = { 0, 0x2000, 0xe000, 0 };
	struct flying f;

	flying_begin(&f, x, 4);
	task_set(&f.t, DPU_OUT_SCALE, 0);
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(want[i], flying_out(&f, i));
	flying_end(&f);
}

/* C7: the vendor's + 2.0 with ORIG_CHANNEL 0 leaves lanes 1 to 7 zero. */
TEST(channels_above_orig_channel_are_zero)
{
	for (unsigned int orig = 0; orig < 8; orig++) {
		static const uint16_t x[] = { P_1 };
		struct flying f;

		flying_begin(&f, x, 1);
		task_set(&f.t, DPU_CHANNEL, orig << 16 | 7);
		task_set(&f.t, DPU_BS_CFG, STAGE_ALU_ADD);
		task_set(&f.t, DPU_BS_ALU, fp32_bits(2));
		EXPECT(flying_run(&f));
		for (unsigned int lane = 0; lane < 8; lane++)
			EXPECT_EQ(lane <= orig ? 0x4200 : 0, flying_out(&f, lane));
		flying_end(&f);
	}
}

/* A field without a known function: once for each, over three runs. */
TEST(unmodelled_fields_are_reported_once)
{
	static const struct {
		uint16_t reg;
		uint32_t bits;
		const char *name;
	} fields[] = {
		{ DPU_FEATURE_MODE_CFG, 1u << 30, "TP_EN" },
		{ DPU_FEATURE_MODE_CFG, 1u << 26, "RGP_TYPE" },
		{ DPU_FEATURE_MODE_CFG, 1u << 25, "NONALIGN" },
		{ DPU_DATA_FORMAT, 1u << 3, "MC_SURF_OUT" },
		{ DPU_HEIGHT, 1u << 22, "MINMAX_CTL" },
		{ DPU_EW_CFG, 1u << 21, "EW_EQUAL_EN" },
		{ DPU_EW_CFG, 1u << 20, "EW_BINARY_EN" },
		{ RDMA_SRC_DMA_CFG, 1u << 12, "UNPOOLING_EN" },
	};

	for (unsigned int i = 0; i < N_OF(fields); i++) {
		static const uint16_t x[] = { P_1 };
		struct flying f;

		flying_begin(&f, x, 1);
		flying_operand(&f, x, 0x108202c0);
		task_set(&f.t, fields[i].reg, task_get(&f.t, fields[i].reg) | fields[i].bits);
		for (unsigned int run = 0; run < 3; run++)
			rig_run(&f.rig, &f.t, 1);
		if (rig_count(&f.rig, NPU_NOTE, fields[i].name) != 1)
			TAP_FAIL("%s: reported %u times", fields[i].name,
				 rig_count(&f.rig, NPU_NOTE, fields[i].name));
		flying_end(&f);
	}
}

TEST(plain_flying_task_gives_no_report)
{
	struct flying f;

	begin_numbers(&f);
	EXPECT(flying_run(&f));
	EXPECT_EQ(0, f.rig.n_reports);
	flying_end(&f);
}

TEST_MAIN()
