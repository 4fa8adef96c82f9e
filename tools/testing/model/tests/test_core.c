// SPDX-License-Identifier: MIT
/*
 * CORE: types, weight layouts, windows, the accumulator and the feature sum
 * (programming-model C3, C4, D2, D3, D5, E4), against conv_sum().
 */
#include <math.h>

#include "conv.h"
#include "fp16.h"
#include "tap.h"

#define CHECK_CONV(...)							\
	do {								\
		struct conv conv_ = { __VA_ARGS__ };			\
									\
		EXPECT(conv_check(&conv_, #__VA_ARGS__));		\
	} while (0)

/* Weight tails: 40 kernels are a group and a rest, so are 48 channels. */
TEST(int8_to_int32_with_tails_of_both_groups)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 32, .oc = 32);
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 5, .h = 3, .c = 48, .oc = 40, .kw = 2);
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 5, .h = 6, .c = 20, .oc = 33, .kw = 3,
		   .kh = 2);
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 3, .h = 5, .c = 1, .oc = 1);
}

TEST(int8_to_fp32_is_the_same_sum)
{
	CHECK_CONV(.in = T_INT8, .out = T_FP32, .w = 3, .h = 4, .c = 40, .oc = 34, .kh = 2);
}

/* C8, K: int8 to fp16 with the general size_e rule, over several groups. */
TEST(int8_to_fp16_rounds_large_sums)
{
	CHECK_CONV(.in = T_INT8, .out = T_FP16, .w = 3, .h = 4, .c = 32, .oc = 70);
}

TEST(int4_to_int16_with_tails)
{
	CHECK_CONV(.in = T_INT4, .out = T_INT16, .w = 3, .h = 4, .c = 32, .oc = 64);
	CHECK_CONV(.in = T_INT4, .out = T_INT16, .w = 4, .h = 3, .c = 64, .oc = 70, .kw = 2,
		   .kh = 2);
}

TEST(int16_to_int32_with_tails)
{
	CHECK_CONV(.in = T_INT16, .out = T_INT32, .w = 3, .h = 4, .c = 40, .oc = 20, .kw = 3);
}

TEST(fp16_to_fp32_and_fp16_with_tails)
{
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 4, .h = 4, .c = 32, .oc = 16);
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 5, .h = 6, .c = 40, .oc = 35, .kw = 2,
		   .kh = 3);
	CHECK_CONV(.in = T_FP16, .out = T_FP16, .w = 5, .h = 2, .c = 8, .oc = 17, .kw = 3);
}

TEST(bf16_to_fp32_with_tails)
{
	CHECK_CONV(.in = T_BF16, .out = T_FP32, .w = 4, .h = 3, .c = 40, .oc = 20, .kw = 2);
}

TEST(tf32_to_fp32_with_tails)
{
	CHECK_CONV(.in = T_TF32, .out = T_FP32, .w = 4, .h = 3, .c = 16, .oc = 16);
	CHECK_CONV(.in = T_TF32, .out = T_FP32, .w = 3, .h = 3, .c = 20, .oc = 20, .kw = 2);
}

TEST(depthwise_int8_with_compact_tail)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT8, .depthwise = true, .w = 4, .h = 5, .c = 64);
	CHECK_CONV(.in = T_INT8, .out = T_INT8, .depthwise = true, .w = 5, .h = 5, .c = 80, .kw = 3,
		   .kh = 3);
	CHECK_CONV(.in = T_INT8, .out = T_INT8, .depthwise = true, .w = 5, .h = 5, .c = 20, .kw = 2,
		   .kh = 3);
}

/* One channel of one tap is half a byte of weights. */
TEST(depthwise_int4_and_int16_with_compact_tail)
{
	CHECK_CONV(.in = T_INT4, .out = T_INT4, .depthwise = true, .w = 4, .h = 5, .c = 128);
	CHECK_CONV(.in = T_INT4, .out = T_INT4, .depthwise = true, .w = 4, .h = 5, .c = 33);
	CHECK_CONV(.in = T_INT4, .out = T_INT4, .depthwise = true, .w = 5, .h = 5, .c = 200,
		   .kw = 3, .kh = 3);
	CHECK_CONV(.in = T_INT16, .out = T_INT8, .depthwise = true, .w = 4, .h = 4, .c = 40,
		   .kw = 2);
}

TEST(depthwise_fp16_with_compact_tail)
{
	CHECK_CONV(.in = T_FP16, .out = T_FP16, .depthwise = true, .w = 4, .h = 5, .c = 32, .kw = 3,
		   .kh = 3);
	CHECK_CONV(.in = T_FP16, .out = T_FP16, .depthwise = true, .w = 5, .h = 4, .c = 40, .kw = 2,
		   .kh = 2);
	/* D5 predicts this one from the rule for size_e */
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .depthwise = true, .w = 5, .h = 4, .c = 40,
		   .kw = 3);
}

TEST(strides_differ_by_axis)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 11, .h = 9, .c = 16, .oc = 32, .kw = 3,
		   .kh = 3, .sx = 2, .sy = 3);
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 16, .h = 15, .c = 8, .oc = 16, .kw = 2,
		   .kh = 1, .sx = 7, .sy = 7);
}

TEST(dilation_differs_by_axis)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 12, .h = 13, .c = 16, .oc = 32, .kw = 3,
		   .kh = 3, .dx = 4, .dy = 2);
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 40, .h = 3, .c = 8, .oc = 16, .kw = 2,
		   .dx = 32);
}

/* Right and bottom padding follow from the output size. */
TEST(padding_on_every_side_counts_as_the_pad_value)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 4, .h = 5, .c = 16, .oc = 32, .kw = 3,
		   .kh = 3, .left = 2, .top = 1, .ow = 6, .oh = 7, .pad = -77);
	CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 4, .h = 3, .c = 8, .oc = 16, .kw = 3, .kh = 3,
		   .left = 1, .top = 2, .ow = 4, .oh = 5, .pad = 0.75);
	CHECK_CONV(.in = T_INT8, .out = T_INT8, .depthwise = true, .w = 4, .h = 4, .c = 64, .kw = 3,
		   .kh = 3, .left = 1, .top = 1, .ow = 4, .oh = 4, .pad = 5);
}

TEST(kernel_of_31_by_31_is_summed_whole)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 33, .h = 32, .c = 16, .oc = 2, .kw = 31,
		   .kh = 31);
}

/* Heights 1, 2 and 3 write a SURF_STRIDE that wraps at 28 bits (E2). */
TEST(heights_below_4_are_right_with_the_wrapped_stride)
{
	for (unsigned int h = 1; h <= 7; h++) {
		CHECK_CONV(.in = T_FP16, .out = T_FP32, .w = 1, .h = h, .c = 64, .oc = 16);
		CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 3, .h = h, .c = 64, .oc = 32);
	}
}

/* Set every number to one value and compare a single output. */
static double constant_sum(struct conv *conv, double x, double k)
{
	struct rig rig;
	struct task t;
	double got = NAN;

	rig_init(&rig, NULL);
	conv_init(conv);
	for (unsigned int i = 0; i < conv->c * conv->h * conv->w; i++)
		conv->x[i] = x;
	for (unsigned int i = 0; i < conv->c * conv->oc; i++)
		conv->k[i] = k;
	conv_place(conv, &rig);
	conv_task(conv, &t);
	if (rig_run(&rig, &t, 1) == NPU_IDLE)
		got = conv_output(conv, 0, 0, 0);
	conv_free(conv);
	rig_free(&rig);
	return got;
}

/* C3: int4 saturates its 16-bit output per task; -8 * -8 * 512 is one too many. */
TEST(int4_saturates_to_16_bits_at_the_boundary)
{
	struct conv fits = { .in = T_INT4, .out = T_INT16, .w = 1, .h = 4, .c = 511, .oc = 64 };
	struct conv over = { .in = T_INT4, .out = T_INT16, .w = 1, .h = 4, .c = 512, .oc = 64 };
	struct conv below = { .in = T_INT4, .out = T_INT16, .w = 1, .h = 4, .c = 600, .oc = 64 };

	EXPECT_EQ(32704, constant_sum(&fits, -8, -8));
	EXPECT_EQ(32767, constant_sum(&over, -8, -8));
	EXPECT_EQ(-32768, constant_sum(&below, -8, 7));
}

/* C3: int16 saturates to int32. */
TEST(int16_saturates_to_32_bits)
{
	struct conv fits = { .in = T_INT16, .out = T_INT32, .w = 1, .h = 4, .c = 1, .oc = 16 };
	struct conv over = { .in = T_INT16, .out = T_INT32, .w = 1, .h = 4, .c = 2, .oc = 16 };
	struct conv below = { .in = T_INT16, .out = T_INT32, .w = 1, .h = 4, .c = 3, .oc = 16 };

	EXPECT_EQ(1073741824, constant_sum(&fits, -32768, -32768));
	EXPECT_EQ(INT32_MAX, constant_sum(&over, -32768, -32768));
	EXPECT_EQ(INT32_MIN, constant_sum(&below, -32768, 32767));
}

TEST(int8_sums_8192_channels_exactly)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 1, .h = 4, .c = 8192, .oc = 32 };

	EXPECT_EQ(8192 * 16384, constant_sum(&conv, -128, -128));
}

/* C3: tf32 cuts the low 13 mantissa bits; rounding would give 1 + 2^-10. */
TEST(tf32_cuts_the_mantissa)
{
	struct conv conv = { .in = T_TF32, .out = T_FP32, .w = 1, .h = 4, .c = 1, .oc = 16 };
	struct conv kept = { .in = T_TF32, .out = T_FP32, .w = 1, .h = 4, .c = 1, .oc = 16 };

	EXPECT(constant_sum(&conv, 1 + 0x1p-10 - 0x1p-23, 1) == 1);
	EXPECT(constant_sum(&kept, 1 + 0x1p-10, 1 + 0x1p-10 + 0x1p-12) == 1 + 0x1p-9 + 0x1p-20);
}

TEST(bf16_operands_are_exact)
{
	struct conv conv = { .in = T_BF16, .out = T_FP32, .w = 1, .h = 4, .c = 1, .oc = 16 };

	EXPECT(constant_sum(&conv, 1 + 0x1p-7, 1 + 0x1p-7) == 1 + 0x1p-6 + 0x1p-14);
}

/* The sign of the NaN of 0 inf is another on every host. */
TEST(nan_of_a_sum_is_positive)
{
	struct conv conv = { .in = T_FP16, .out = T_FP32, .w = 1, .h = 4, .c = 32, .oc = 16 };
	struct rig rig;
	struct task t;

	rig_init(&rig, NULL);
	conv_init(&conv);
	conv.x[0] = INFINITY;
	conv.k[0] = 0;
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	EXPECT_EQ(0x7fc00000, load32(conv.y, 0));
	conv_free(&conv);
	rig_free(&rig);
}

/* R8: fp16 output overflows to infinity, fp32 output does not. */
TEST(r8_fp16_output_overflows_to_infinity)
{
	struct conv narrow = { .in = T_FP16, .out = T_FP16, .w = 1, .h = 4, .c = 32, .oc = 16 };
	struct conv wide = { .in = T_FP16, .out = T_FP32, .w = 1, .h = 4, .c = 32, .oc = 16 };

	EXPECT(isinf(constant_sum(&narrow, 60000, 8)));
	EXPECT(constant_sum(&wide, 60000, 8) == 32.0 * 59999.0 * 8 + 32.0 * 8);
}

/* A conv with one register of its task changed; every output is compared. */
struct changed {
	struct conv conv;
	struct rig rig;
	struct task t;
};

static void changed_begin(struct changed *c, const struct npu_options *options)
{
	rig_init(&c->rig, options);
	conv_init(&c->conv);
	conv_place(&c->conv, &c->rig);
	conv_task(&c->conv, &c->t);
}

static void changed_end(struct changed *c)
{
	conv_free(&c->conv);
	rig_free(&c->rig);
}

/* Sum over the window of one channel of converted, padded features. */
static double window_sum(const struct conv *conv, unsigned int c, unsigned int oy, unsigned int ox)
{
	double sum = 0;

	for (unsigned int tap = 0; tap < conv->kh * conv->kw; tap++)
		sum += conv_feature(conv, c, oy, ox, tap / conv->kw, tap % conv->kw);
	return sum;
}

/*
 * C4: OW_OP times the sum of all features of the window, padding positions
 * and padding channels of the unit included; those hold 7 here.
 */
TEST(qd_sum_of_a_direct_convolution_counts_padding)
{
	struct changed c = { .conv = { .in = T_INT8,
				       .out = T_INT32,
				       .w = 5,
				       .h = 5,
				       .c = 20,
				       .oc = 32,
				       .kw = 3,
				       .kh = 3,
				       .left = 1,
				       .top = 1,
				       .ow = 5,
				       .oh = 5,
				       .pad = 3 } };
	uint8_t lane = 7;

	changed_begin(&c, NULL);
	for (unsigned int p = 0; p < 25; p++)
		for (unsigned int i = 4; i < 16; i++)
			sparse_mem_write(&c.rig.mem, AT_X + (25 + p) * 16 + i, &lane, 1);
	task_set(&c.t, DPU_BS_OW_CFG, 7 << 8 | 7 << 5 | 7 << 2);
	task_set(&c.t, DPU_OW_OP, 0xfffb);	/* -5 */
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	for (unsigned int p = 0; p < 25; p++) {
		unsigned int oy = p / 5, ox = p % 5;
		unsigned int inside = (oy % 4 ? 3 : 2) * (ox % 4 ? 3 : 2);
		double s = 12 * (7.0 * inside + 3.0 * (9 - inside));

		for (unsigned int ic = 0; ic < 20; ic++)
			s += window_sum(&c.conv, ic, oy, ox);
		for (unsigned int oc = 0; oc < 32; oc++)
			EXPECT_EQ(conv_sum(&c.conv, oc, oy, ox) - 5 * s,
				  conv_output(&c.conv, oc, oy, ox));
	}
	changed_end(&c);
}

static long long rne_shift(long long x, unsigned int shift)
{
	return (long long)nearbyint(ldexp((double)x, -(int)shift));
}

static long long clamp8(long long x)
{
	return x > 127 ? 127 : x < -128 ? -128 : x;
}

/* C4: of a depthwise convolution, the sum of its own channel. */
TEST(qd_sum_of_a_depthwise_convolution_is_per_channel)
{
	struct changed c = { .conv = { .in = T_INT8,
				       .out = T_INT8,
				       .depthwise = true,
				       .w = 4,
				       .h = 4,
				       .c = 64,
				       .kw = 3,
				       .kh = 3,
				       .left = 1,
				       .top = 1,
				       .ow = 4,
				       .oh = 4,
				       .pad = 126 } };

	changed_begin(&c, NULL);
	task_set(&c.t, DPU_BS_OW_CFG, 3 << 8 | 3 << 5 | 3 << 2);
	task_set(&c.t, DPU_OW_OP, 128);
	task_set(&c.t, DPU_OUT_SCALE, 17675);
	task_set(&c.t, DPU_OUT_SHIFT, 24);
	task_set(&c.t, DPU_OUT_OFFSET, 0xffffffe0);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	for (unsigned int oc = 0; oc < 64; oc++)
		for (unsigned int p = 0; p < 16; p++) {
			long long x = conv_sum(&c.conv, oc, p / 4, p % 4) +
				      128 * window_sum(&c.conv, oc, p / 4, p % 4);

			EXPECT_EQ(clamp8(rne_shift(x * 17675, 24) - 32),
				  conv_output(&c.conv, oc, p / 4, p % 4));
		}
	changed_end(&c);
}

/* C4: rocket-userspace runs fp16 depthwise with OW_OP 0x80 not bypassed. */
TEST(qd_sum_is_zero_for_floats)
{
	struct changed c = { .conv = { .in = T_FP16,
				       .out = T_FP16,
				       .depthwise = true,
				       .w = 4,
				       .h = 4,
				       .c = 32,
				       .kw = 2,
				       .kh = 2 } };

	changed_begin(&c, NULL);
	task_set(&c.t, DPU_BS_OW_CFG, 3 << 8 | 3 << 5 | 3 << 2);
	task_set(&c.t, DPU_OW_OP, 0x80);
	EXPECT(conv_run(&c.conv, &c.rig, &c.t, "fp16 depthwise"));
	changed_end(&c);
}

/* C3: acc / 2^t with bit 6 for the round type; 0 is to even, 1 up. */
TEST(clip_truncate_rounds_ties_by_its_round_bit)
{
	for (unsigned int up = 0; up < 2; up++) {
		struct changed c = {
			.conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 16, .oc = 32 }
		};
		unsigned int ties = 0;

		changed_begin(&c, NULL);
		task_set(&c.t, CORE_CLIP_TRUNCATE, 1 | up << 6);
		ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
		for (unsigned int i = 0; i < 32 * 16; i++) {
			double acc = conv_sum(&c.conv, i / 16, i % 16 / 4, i % 4) / 2;

			ties += acc != floor(acc);
			EXPECT_EQ(up ? floor(acc + 0.5) : nearbyint(acc),
				  conv_output(&c.conv, i / 16, i % 16 / 4, i % 4));
		}
		EXPECT(ties > 100);
		changed_end(&c);
	}
}

TEST(clip_truncate_shifts_by_more_than_one_bit)
{
	struct changed c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 64,
				       .oc = 32 } };

	changed_begin(&c, NULL);
	task_set(&c.t, CORE_CLIP_TRUNCATE, 5);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	for (unsigned int i = 0; i < 32 * 16; i++)
		EXPECT_EQ(rne_shift(conv_sum(&c.conv, i / 16, i % 16 / 4, i % 4), 5),
			  conv_output(&c.conv, i / 16, i % 16 / 4, i % 4));
	changed_end(&c);
}

/* B4: the switch spoils tasks 1 and up of a kick when QD_EN is 0, and only them. */
TEST(integer_chain_without_qd_is_poisoned_on_request)
{
	for (unsigned int i = 0; i < 4; i++) {
		const struct npu_options options = {
			.choices.value[NPU_INTEGER_CHAINS] = i & 1 ? NPU_INTEGER_CHAINS_SPOILT :
								     NPU_INTEGER_CHAINS_RIGHT
		};
		struct changed c = { .conv = { .in = T_INT8,
					       .out = T_INT32,
					       .w = 4,
					       .h = 4,
					       .c = 16,
					       .oc = 32,
					       .qd_off = i & 2 } };
		struct task chain[2];
		uint8_t *first, *second;

		changed_begin(&c, &options);
		first = c.conv.y;
		second = rig_map(&c.rig, AT_Y + 0x100000, c.conv.y_bytes, 0xee);
		chain[0] = c.t;
		chain[1] = c.t;
		task_set(&chain[1], DPU_DST_BASE, AT_Y + 0x100000);
		ASSERT(rig_run(&c.rig, chain, 2) == NPU_IDLE);
		EXPECT_EQ(conv_sum(&c.conv, 9, 1, 2), conv_output(&c.conv, 9, 1, 2));
		EXPECT_EQ(i == 3, !!memcmp(first, second, c.conv.y_bytes));
		changed_end(&c);
	}
}

/* B7: two bits each for features, weights, sequencer and CORE, then the DPU. */
TEST(convolution_raises_the_bits_of_every_block_by_group)
{
	struct changed c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 16, .oc = 32 }
	};

	changed_begin(&c, NULL);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	EXPECT_EQ(0x155, rig_raw_status(&c.rig));
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	EXPECT_EQ(0x2aa, rig_raw_status(&c.rig));
	changed_end(&c);
}

/* Header of the model: a reset empties CBUF, so reused features are zeros. */
TEST(reset_empties_cbuf)
{
	struct changed c = {
		.conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 16, .oc = 32 }
	};

	changed_begin(&c, NULL);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	npu_core_reset(c.rig.core);
	task_set(&c.t, CNA_CBUF_CON0, task_get(&c.t, CNA_CBUF_CON0) | 1u << 12);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	for (unsigned int i = 0; i < c.conv.y_bytes; i++)
		ASSERT(!c.conv.y[i]);
	changed_end(&c);
}

/* Planes larger than whatever the model works on at a time. */
TEST(large_planes_are_summed_whole)
{
	CHECK_CONV(.in = T_INT8, .out = T_INT32, .w = 67, .h = 61, .c = 16, .oc = 33);
	CHECK_CONV(.in = T_FP16, .out = T_FP16, .w = 129, .h = 33, .c = 8, .oc = 16, .kw = 3,
		   .kh = 3);
	CHECK_CONV(.in = T_INT8, .out = T_INT8, .depthwise = true, .w = 50, .h = 41, .c = 16,
		   .kw = 2);
}

/* DATA_FORMAT [TRM]: code 6 is a 4-bit output, saturating. */
TEST(int4_output_saturates_to_4_bits)
{
	CHECK_CONV(.in = T_INT4, .out = T_INT4, .w = 3, .h = 4, .c = 3, .oc = 70);
}

/* A group of 16 kernels fills half a unit of int4; the rest is not what was there before. */
TEST(half_a_unit_leaves_zeros_in_the_other_half)
{
	struct changed c = {
		.conv = { .in = T_INT16, .out = T_INT8, .w = 3, .h = 4, .c = 8, .oc = 16 }
	};

	changed_begin(&c, NULL);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	task_set(&c.t, DPU_DATA_FORMAT, 0xc4000001);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	for (unsigned int p = 0; p < 12; p++) {
		for (unsigned int oc = 0; oc < 16; oc++) {
			double sum = conv_sum(&c.conv, oc, p / 3, p % 3);

			EXPECT_EQ(sum > 7 ? 7 : sum < -8 ? -8 : sum,
				  type_load(T_INT4, c.conv.y + 16 * p, oc));
			EXPECT_EQ(0, type_load(T_INT4, c.conv.y + 16 * p, 16 + oc));
		}
	}
	changed_end(&c);
}

/* J: OW OH KH KW ceil(C/G_c) ceil(OC/G_k) cycles of a whole array each. */
TEST(macs_are_counted)
{
	struct changed c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 4, .h = 4, .c = 48,
				       .oc = 40, .kw = 2 } };
	const struct npu_counters *n;

	changed_begin(&c, NULL);
	ASSERT(rig_run(&c.rig, &c.t, 1) == NPU_IDLE);
	n = npu_core_counters(c.rig.core);
	EXPECT_EQ(3 * 4 * 2 * 48 * 40, n->macs_useful);
	EXPECT_EQ(3 * 4 * 2 * 2 * 2 * 1024, n->macs_issued);
	EXPECT_EQ(3 * 4 * 2 * 2 * 2, n->cycles[NPU_STAGE_MAC]);
	EXPECT_EQ(4 * 4 * 48, n->bytes[NPU_DMA_FEATURE]);
	EXPECT_EQ(2 * 48 * 40, n->bytes[NPU_DMA_WEIGHT]);
	EXPECT_EQ(c.conv.y_bytes, n->bytes[NPU_DMA_DPU_WDMA]);
	changed_end(&c);
}

/* Found by fuzzing: 0 * inf in CORE while the DPU is told to expect integers. */
TEST(nan_in_an_integer_dpu_leaves_a_report_or_a_number)
{
	struct changed c = { .conv = { .in = T_FP16, .out = T_INT32, .w = 4, .h = 4, .c = 8,
				       .oc = 16 } };

	rig_init(&c.rig, NULL);
	conv_init(&c.conv);
	for (unsigned int i = 0; i < 8 * 16; i++)
		c.conv.x[i] = INFINITY;
	c.conv.k[0] = 0;
	conv_place(&c.conv, &c.rig);
	conv_task(&c.conv, &c.t);
	task_set(&c.t, DPU_DATA_FORMAT, 0x80000000);
	EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, &c.t, 1));
	EXPECT(c.rig.n_reports > 0);
	changed_end(&c);
}

static uint64_t cycles_of(unsigned int kernel, uint64_t *mac)
{
	struct changed c = { .conv = { .in = T_INT8, .out = T_INT32, .w = 40, .h = 40, .c = 32,
				       .oc = 32, .kw = kernel, .kh = kernel } };
	uint64_t all = 0;

	changed_begin(&c, NULL);
	if (rig_run(&c.rig, &c.t, 1) == NPU_IDLE)
		all = npu_core_counters(c.rig.core)->cycles_all;
	*mac = npu_core_counters(c.rig.core)->cycles[NPU_STAGE_MAC];
	changed_end(&c);
	return all;
}

/* F1: CONV_MODE of the DPU is 3 for depthwise; 0x1fc has it, 0x1e4 not. */
TEST(blocks_that_disagree_on_depthwise_are_reported)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct changed c = { .conv = { .in = T_INT8, .out = T_INT8, .w = 4, .h = 4, .c = 64,
					       .oc = 64, .depthwise = i & 1 } };

		changed_begin(&c, NULL);
		task_set(&c.t, DPU_FEATURE_MODE_CFG, i & 2 ? 0x1fc : 0x1e4);
		EXPECT_EQ(NPU_IDLE, rig_run(&c.rig, &c.t, 1));
		EXPECT_EQ((i & 1) != (i >> 1), rig_count(&c.rig, NPU_WARNING, "CONV_MODE"));
		changed_end(&c);
	}
}

/* J: the array reaches 88 % of its peak, and a task has an overhead beside that. */
TEST(estimate_follows_the_array_where_it_is_the_bottleneck)
{
	uint64_t mac_5, mac_7;
	uint64_t all_5 = cycles_of(5, &mac_5), all_7 = cycles_of(7, &mac_7);
	uint64_t want = (mac_7 - mac_5) * 100 / 88;

	EXPECT_EQ(36 * 36 * 25, mac_5);
	EXPECT_EQ(34 * 34 * 49, mac_7);
	EXPECT(all_5 > mac_5 * 100 / 88);
	EXPECT(all_7 - all_5 <= want + 2 && all_7 - all_5 + 2 >= want);
}

/* R9: what a task leaves in a group does not reach a task that writes everything. */
TEST(r9_complete_tasks_do_not_depend_on_history)
{
	static const struct conv shapes[] = {
		{ .in = T_INT8, .out = T_INT32, .w = 5, .h = 4, .c = 20, .oc = 33, .kw = 3 },
		{ .in = T_FP16,
		  .out = T_FP16,
		  .depthwise = true,
		  .w = 5,
		  .h = 4,
		  .c = 40,
		  .kw = 2 },
		{ .in = T_FP16, .out = T_FP32, .w = 9, .h = 2, .c = 8, .oc = 16, .sx = 2, .dx = 1 },
		{ .in = T_INT4, .out = T_INT16, .w = 3, .h = 4, .c = 32, .oc = 64 },
	};
	struct changed c;

	rig_init(&c.rig, NULL);
	for (unsigned int i = 0; i < 24; i++) {
		c.conv = shapes[test_random() % 4];
		conv_init(&c.conv);
		conv_place(&c.conv, &c.rig);
		conv_task(&c.conv, &c.t);
		EXPECT(conv_run(&c.conv, &c.rig, &c.t, "in random order"));
		conv_free(&c.conv);
		rig_unmap(&c.rig, AT_X);
		rig_unmap(&c.rig, AT_W);
		rig_unmap(&c.rig, AT_Y);
	}
	rig_free(&c.rig);
}

TEST_MAIN()
