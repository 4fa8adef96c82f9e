// SPDX-License-Identifier: MIT
/*
 * The DPU's stages and output converter on integers (programming-model C5 to
 * C8): the accumulators of a 1x1 int8 convolution, compared one by one.
 */
#include <math.h>

#include "conv.h"
#include "flying.h"
#include "fp16.h"
#include "tap.h"

#define CHANNELS 70		/* two kernel groups and a rest */
#define CHANNELS_PADDED 96

/* Operands that differ from channel to channel. */
static int32_t bias_of(unsigned int oc)
{
	return (int)(oc * 3797 % 20001) - 10000;
}

static int16_t scale_of(unsigned int oc)
{
	return 100 + 211 * oc;
}

/* Ties occur often with small shifts, whatever the sign. */
static long long rne(long long x, unsigned int shift)
{
	return (long long)nearbyint(ldexp((double)x, -(int)shift));
}

static long long rup(long long x, unsigned int shift)
{
	return (long long)floor(ldexp((double)x, -(int)shift) + 0.5);
}

static long long clamp(long long x, long long low, long long high)
{
	return x < low ? low : x > high ? high : x;
}

static long long sat8(long long x)
{
	return clamp(x, -128, 127);
}

static long long sat32(long long x)
{
	return clamp(x, INT32_MIN, INT32_MAX);
}

static void set_all(struct task *t, const uint32_t (*sets)[2], unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		task_set(t, sets[i][0], sets[i][1]);
}

/* Run with @sets changed and compare every output with @want of its accumulator. */
static void check(enum type out, const uint32_t (*sets)[2], unsigned int n,
		  double (*want)(long long acc, unsigned int oc))
{
	struct conv conv = { .in = T_INT8, .out = out, .w = 4, .h = 4, .c = 64, .oc = CHANNELS };
	struct rig rig;
	struct task t;
	uint8_t *vector;

	rig_init(&rig, NULL);
	conv_init(&conv);
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	set_all(&t, sets, n);
	vector = rig_map(&rig, AT_B, 4 * CHANNELS_PADDED, 0);
	for (unsigned int oc = 0; oc < CHANNELS; oc++)
		store32(vector, oc, bias_of(oc));
	vector = rig_map(&rig, AT_E, 2 * CHANNELS_PADDED, 0);
	for (unsigned int oc = 0; oc < CHANNELS; oc++)
		store16(vector, oc, scale_of(oc));
	if (rig_run(&rig, &t, 1) != NPU_IDLE)
		TAP_FAIL("did not complete: %s", npu_core_reason(rig.core));
	for (unsigned int i = 0; i < CHANNELS * 16; i++) {
		long long acc = conv_sum(&conv, i / 16, i % 16 / 4, i % 4);
		double w = want(acc, i / 16), got = conv_output(&conv, i / 16, i % 16 / 4, i % 4);

		if (w != got && !tap_failed)
			TAP_FAIL("channel %u acc %lld: want %.17g, got %.17g", i / 16, acc, w, got);
	}
	conv_free(&conv);
	rig_free(&rig);
}

#define CHECK(out, want, ...)						\
	do {								\
		static const uint32_t sets_[][2] = { __VA_ARGS__ };	\
									\
		check(out, sets_, sizeof(sets_) / sizeof(sets_[0]), want); \
	} while (0)

static double plus_1000(long long acc, unsigned int oc)
{
	(void)oc;
	return acc + 1000;
}

static double minus_1000(long long acc, unsigned int oc)
{
	(void)oc;
	return acc - 1000;
}

static double at_least_1000(long long acc, unsigned int oc)
{
	(void)oc;
	return acc < 1000 ? 1000 : acc;
}

static double at_most_1000(long long acc, unsigned int oc)
{
	(void)oc;
	return acc > 1000 ? 1000 : acc;
}

TEST(alu_max_min_add_and_minus_take_an_int32_register)
{
	CHECK(T_INT32, plus_1000, { DPU_BS_CFG, STAGE_ALU_ADD }, { DPU_BS_ALU, 1000 });
	CHECK(T_INT32, minus_1000, { DPU_BS_CFG, STAGE_ALU_SUB }, { DPU_BS_ALU, 1000 });
	CHECK(T_INT32, minus_1000, { DPU_BS_CFG, STAGE_ALU_ADD }, { DPU_BS_ALU, (uint32_t)-1000 });
	CHECK(T_INT32, at_least_1000, { DPU_BS_CFG, STAGE_ALU_MAX }, { DPU_BS_ALU, 1000 });
	CHECK(T_INT32, at_most_1000, { DPU_BS_CFG, STAGE_ALU_MIN }, { DPU_BS_ALU, 1000 });
	CHECK(T_INT32, plus_1000, { DPU_BN_CFG, STAGE_ALU_ADD }, { DPU_BN_ALU, 1000 });
	CHECK(T_INT32, at_most_1000, { DPU_BN_CFG, STAGE_ALU_MIN }, { DPU_BN_ALU, 1000 });
}

static double plus_bias(long long acc, unsigned int oc)
{
	return acc + bias_of(oc);
}

/* D4: Mesa's bias, BS_CFG 0x20150 with BRDMA use 1; the same through NRDMA in BN. */
TEST(alu_takes_an_int32_vector_by_channel)
{
	CHECK(T_INT32, plus_bias, { DPU_BS_CFG, 0x20150 }, { RDMA_BRDMA_CFG, 2 },
	      { RDMA_BS_BASE, AT_B });
	CHECK(T_INT32, plus_bias, { DPU_BN_CFG, 0x20150 }, { RDMA_NRDMA_CFG, 2 },
	      { RDMA_BN_BASE, AT_B });
}

static double times_scale(long long acc, unsigned int oc)
{
	return sat32(rne(acc * scale_of(oc), 5));
}

TEST(multiplier_takes_a_16_bit_vector_by_channel)
{
	CHECK(T_INT32, times_scale, { DPU_BS_CFG, STAGE_MUL }, { DPU_BS_MUL, 5 << 8 | 1 },
	      { DPU_DATA_FORMAT, 0x80000000 | 5 << 4 }, { RDMA_BRDMA_CFG, 8 },
	      { RDMA_BS_BASE, AT_E });
	CHECK(T_INT32, times_scale, { DPU_BN_CFG, STAGE_MUL }, { DPU_BN_MUL, 5 << 8 | 1 },
	      { DPU_DATA_FORMAT, 0x80000000 | 5 << 10 }, { RDMA_NRDMA_CFG, 8 },
	      { RDMA_BN_BASE, AT_E });
}

static double times_7_by_sign(long long acc, unsigned int oc)
{
	(void)oc;
	return rne(acc * 7, acc < 0 ? 1 : 3);
}

/* C5: SHIFT_VALUE for x >= 0, the NEG field of DATA_FORMAT below. */
TEST(multiplier_shifts_negative_numbers_by_their_own_field)
{
	CHECK(T_INT32, times_7_by_sign, { DPU_BS_CFG, STAGE_MUL }, { DPU_BS_MUL, 7 << 16 | 3 << 8 },
	      { DPU_DATA_FORMAT, 0x80000000 | 1 << 4 });
	CHECK(T_INT32, times_7_by_sign, { DPU_BN_CFG, STAGE_MUL }, { DPU_BN_MUL, 7 << 16 | 3 << 8 },
	      { DPU_DATA_FORMAT, 0x80000000 | 1 << 10 });
}

static double saturated(long long acc, unsigned int oc)
{
	(void)oc;
	return sat32(acc * 30000);
}

TEST(multiplier_saturates_to_int32)
{
	CHECK(T_INT32, saturated, { DPU_BS_CFG, STAGE_MUL }, { DPU_BS_MUL, 30000u << 16 });
}

static double add_then_triple(long long acc, unsigned int oc)
{
	(void)oc;
	return (acc + 1000) * 3;
}

static double triple_then_add(long long acc, unsigned int oc)
{
	(void)oc;
	return acc * 3 + 1000;
}

TEST(bs_adds_first_and_bn_multiplies_first)
{
	CHECK(T_INT32, add_then_triple, { DPU_BS_CFG, STAGE_ADD_MUL }, { DPU_BS_ALU, 1000 },
	      { DPU_BS_MUL, 3 << 16 });
	CHECK(T_INT32, triple_then_add, { DPU_BN_CFG, STAGE_ADD_MUL }, { DPU_BN_ALU, 1000 },
	      { DPU_BN_MUL, 3 << 16 });
}

static double relu(long long acc, unsigned int oc)
{
	(void)oc;
	return acc < 0 ? 0 : acc;
}

static double relu_5000(long long acc, unsigned int oc)
{
	(void)oc;
	return clamp(acc, 0, 5000);
}

TEST(relu_and_relux_clamp_integers)
{
	CHECK(T_INT32, relu, { DPU_BS_CFG, 0x12 });
	CHECK(T_INT32, relu, { DPU_BN_CFG, 0x12 });
	CHECK(T_INT32, relu_5000, { DPU_BS_CFG, 0x92 }, { DPU_BS_RELUX, 5000 });
	CHECK(T_INT32, relu_5000, { DPU_BN_CFG, 0x92 }, { DPU_BN_RELUX, 5000 });
}

static double leaky(long long acc, unsigned int oc)
{
	(void)oc;
	return acc > 0 ? acc : rne(acc * 5, 4);
}

TEST(prelu_multiplies_negative_integers_only)
{
	CHECK(T_INT32, leaky, { DPU_BS_CFG, STAGE_PRELU }, { DPU_BS_MUL, 5 << 16 | 4 << 8 },
	      { DPU_DATA_FORMAT, 0x80000000 | 4 << 4 });
}

/* C7, integer to int8; scale, shift and offset of a capture. */
static double requantised(long long acc, unsigned int oc)
{
	(void)oc;
	return sat8(rne(acc * 17675, 22) - 123);
}

static double requantised_type_1(long long acc, unsigned int oc)
{
	(void)oc;
	return sat8(rne((acc + 12345) * 17675, 22));
}

TEST(out_cvt_type_0_multiplies_then_adds)
{
	CHECK(T_INT8, requantised, { DPU_OUT_SCALE, 17675 }, { DPU_OUT_SHIFT, 22 },
	      { DPU_OUT_OFFSET, 0xffffff85 });
}

TEST(out_cvt_type_1_adds_then_multiplies)
{
	CHECK(T_INT8, requantised_type_1, { DPU_OUT_SCALE, 17675 },
	      { DPU_OUT_SHIFT, 1u << 31 | 22 }, { DPU_OUT_OFFSET, 12345 });
}

static double halved_even(long long acc, unsigned int oc)
{
	(void)oc;
	return rne(acc, 1);
}

static double halved_up(long long acc, unsigned int oc)
{
	(void)oc;
	return rup(acc, 1);
}

/* C1: round bit 0 is ties to even, 1 is ties up, for either sign. */
TEST(out_cvt_rounds_ties_by_its_round_bit)
{
	CHECK(T_INT32, halved_even, { DPU_OUT_SHIFT, 1 });
	CHECK(T_INT32, halved_up, { DPU_OUT_SHIFT, 1u << 30 | 1 });
}

static double shifted_30(long long acc, unsigned int oc)
{
	(void)oc;
	return rne(acc * 30001, 30);
}

static double nothing(long long acc, unsigned int oc)
{
	(void)acc;
	(void)oc;
	return 0;
}

/* C7: 12 bits of shift, of which up to 63 are of use. */
TEST(out_cvt_shifts_by_up_to_63)
{
	CHECK(T_INT32, shifted_30, { DPU_OUT_SCALE, 30001 }, { DPU_OUT_SHIFT, 30 });
	CHECK(T_INT32, nothing, { DPU_OUT_SCALE, 30001 }, { DPU_OUT_SHIFT, 62 });
	CHECK(T_INT32, nothing, { DPU_OUT_SCALE, 30001 }, { DPU_OUT_SHIFT, 63 });
}

static double eighth(long long acc, unsigned int oc)
{
	(void)oc;
	return (float)rne(acc, 3);
}

static double times_5_and_7(long long acc, unsigned int oc)
{
	(void)oc;
	return (float)(rne(acc * 5, 3) + 7);
}

/* C7: MINUS_EXP and the type have no effect on an integer result cast to fp32. */
TEST(integer_to_fp32_is_a_cast_behind_the_shift)
{
	CHECK(T_FP32, eighth, { DPU_OUT_SHIFT, 3 });
	CHECK(T_FP32, eighth, { DPU_OUT_SHIFT, 5 << 12 | 3 });
	CHECK(T_FP32, times_5_and_7, { DPU_OUT_OFFSET, 7 }, { DPU_OUT_SCALE, 5 },
	      { DPU_OUT_SHIFT, 3 });
	CHECK(T_FP32, times_5_and_7, { DPU_OUT_OFFSET, 7 }, { DPU_OUT_SCALE, 5 },
	      { DPU_OUT_SHIFT, 1u << 31 | 3 });
}

static double as_fp16(long long acc, unsigned int oc)
{
	(void)oc;
	return fp16_to_fp32(fp32_to_fp16(acc));
}

TEST(integer_to_fp16_rounds_to_nearest_even)
{
	CHECK(T_FP16, as_fp16, { DPU_OUT_SCALE, 0x10001 });
}

/* B: the switch of struct npu_options; ties away from zero as NVDLA's model. */
TEST(ties_option_changes_ties_only)
{
	static const enum npu_value values[] = {
		NPU_TIES_OUT_EVEN, NPU_TIES_OUT_UP, NPU_TIES_OUT_AWAY, NPU_TIES_OUT_CUT
	};
	static const long long halves[][5] = {
		/* acc, even, up, away, cut */
		{ 3, 2, 2, 2, 1 }, { 5, 2, 3, 3, 2 }, { -3, -2, -1, -2, -2 },
		{ -5, -2, -2, -3, -3 }, { 4, 2, 2, 2, 2 }, { -4, -2, -2, -2, -2 },
	};

	for (unsigned int ties = 0; ties < 4; ties++) {
		const struct npu_options options = {
			.choices.value[NPU_TIES_OUT] = values[ties]
		};
		struct conv conv = {
			.in = T_INT8, .out = T_INT32, .w = 6, .h = 1, .c = 1, .oc = 1
		};
		struct rig rig;
		struct task t;

		rig_init(&rig, &options);
		conv_init(&conv);
		conv.k[0] = 1;
		for (unsigned int i = 0; i < 6; i++)
			conv.x[i] = halves[i][0];
		conv_place(&conv, &rig);
		conv_task(&conv, &t);
		task_set(&t, DPU_OUT_SHIFT, 1);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		for (unsigned int i = 0; i < 6; i++)
			EXPECT_EQ(halves[i][1 + ties], conv_output(&conv, 0, 0, i));
		conv_free(&conv);
		rig_free(&rig);
	}
}

TEST_MAIN()
