// SPDX-License-Identifier: MIT
/*
 * What passes over vectors emit, against the recipes H5 and H6 and the words of F1
 * and F2 of the programming model, restated by hand.
 */
#include <math.h>

#include "../../../testing/model/tests/tap.h"
#include "../recipe.h"
#include "words.h"

#define W	123
#define MAIN	0x10000
#define OPERAND	0x20000
#define TO	0x30000

static void emit(const struct pass *pass, bool upload)
{
	const struct pass_task task = { .pass = pass, .units = W,
					.upload = upload ? pass->lut : NULL,
					.main = MAIN, .operand = OPERAND, .to = TO };
	struct stream stream = { .words = words };

	emit_pass(&stream, &task);
	n_words = stream.n;
}

static void emit_step(enum step step)
{
	struct recipe recipe = { .n = 0 };

	emit(recipe_add(&recipe, step, SLOT_A, SLOT_B, SLOT_OUT), false);
}

/* What all of H5 have: cube, BS0, BN0, OPV0, LUT0, RD0 but ERDMA. */
static void expect_flying_fp16(void)
{
	EXPECT_VALUES({ 0x4004, 0xe }, { 0x5004, 0xe }, { 0x400c, 0x1e5 }, { 0x4010, 0x48000002 },
		      { 0x4014, 0 }, { 0x4020, TO }, { 0x4024, W << 4 }, { 0x4030, W - 1 },
		      { 0x4034, 0 }, { 0x4038, 0 }, { 0x403c, 0x70007 }, { 0x4050, 2 },
		      { 0x4054, 0 }, { 0x4058, 7 }, { 0x405c, W - 1 }, { 0x4074, 0 },
		      { 0x4078, 1 }, { 0x407c, 0 }, { 0x4080, 0 }, { 0x40c0, W << 4 },
		      { 0x40c4, 0 }, { 0x4090, 0 }, { 0x40ac, 0 }, { 0x500c, W - 1 },
		      { 0x5010, 0 }, { 0x5014, 7 }, { 0x5018, MAIN }, { 0x501c, 0 },
		      { 0x5020, 0 }, { 0x5028, 0 }, { 0x502c, 0 }, { 0x5048, 0 }, { 0x504c, 0 },
		      { 0x5064, 0 }, { 0x5068, 0x01010101 }, { 0x506c, 0 });
}

TEST(two_operand_passes_are_those_of_H5)
{
	static const struct { enum step step; uint32_t ew; } cases[] = {
		{ STEP_ADD, 0x108202c0 }, { STEP_SUB, 0x108402c0 }, { STEP_MAX, 0x108002c0 },
		{ STEP_MIN, 0x108102c0 }, { STEP_MUL, 0x108003c4 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		emit_step(cases[i].step);
		expect_flying_fp16();
		EXPECT_VALUES({ 0x4040, 0x53 }, { 0x4060, 0x53 }, { 0x4070, cases[i].ew },
			      { 0x4084, 0x10001 }, { 0x4088, 0 }, { 0x5034, 0x40000008 },
			      { 0x5038, OPERAND }, { 0x5040, W << 4 }, { 0x5044, 0x17849 },
			      { 0x4108, 0 });
	}
}

TEST(division_stays_in_fp16)
{
	emit_step(STEP_DIV);
	expect_flying_fp16();
	EXPECT_VALUES({ 0x4070, 0x108303c0 }, { 0x4084, 1 }, { 0x4088, 0 }, { 0x5044, 0x17841 },
		      { 0x5034, 0x40000008 });
}

/* F4: neg and |x| by the multiplier, x >= 0 by infinity and RELUX; ERDMA is off (H8). */
TEST(one_operand_passes_leave_the_other_engine_off)
{
	emit_step(STEP_NEG);
	expect_flying_fp16();
	EXPECT_VALUES({ 0x4040, 0x42 }, { 0x4048, 0xbc000000 }, { 0x4070, 0x383 }, { 0x5034, 1 },
		      { 0x5038, 0 }, { 0x5040, 0 });
	emit_step(STEP_ABS);
	EXPECT_VALUES({ 0x4040, 0x62 }, { 0x4048, 0xbc000000 });
	emit_step(STEP_ORDER);
	EXPECT_VALUES({ 0x4040, 0x82 }, { 0x4048, 0x7c000000 }, { 0x404c, 0x3f800000 });
}

/* Mesa's words for 8-bit operands (F1, F3), in flying mode. */
TEST(int8_passes_convert_their_operand)
{
	const struct pass pass = {
		.type = PASS_INT8, .ew = PASS_ADD,
		.bs = { .alu = PASS_SUB, .addend = 3, .mul = true, .factor = 16384 },
		.operand_offset = -5, .operand_factor = 9000, .out_factor = 17000,
		.out_shift = 29, .out_offset = -7,
	};

	emit(&pass, false);
	EXPECT_VALUES({ 0x4010, 0 }, { 0x403c, 0xf000f }, { 0x4058, 15 }, { 0x4040, 0x40040 },
		      { 0x4044, 3 }, { 0x4048, 0x40000000 }, { 0x4070, 0x904202c0 },
		      { 0x4074, -5u }, { 0x4078, 9000 }, { 0x4080, -7u }, { 0x4084, 17000 },
		      { 0x4088, 29 }, { 0x5014, 15 }, { 0x5034, 0x40000004 }, { 0x5044, 0x7801 });
}

static double sigmoid(const void *ctx, double x)
{
	(void)ctx;
	return 1 / (1 + exp(-x));
}

/* H6 covers -6.31 to 6.31; with 8 its geometry is the same and the scale 2048. */
TEST(tables_are_those_of_H6)
{
	const struct lut_range range = { sigmoid, NULL, -8, 0, 8, false };
	struct lut lut;
	const struct pass pass = { .lut = &lut };
	unsigned int i, wrong = 0;

	lut_build(&lut, &range);
	emit(&pass, false);
	expect_flying_fp16();
	EXPECT_VALUES({ 0x4040, 0x53 }, { 0x4060, 0x20040 }, { 0x4064, 0x80000000 },
		      { 0x4068, 0x68000000 }, { 0x4070, 0x302 }, { 0x4084, 0x10001 },
		      { 0x4088, 0x8000f000 }, { 0x4100, 0 }, { 0x4104, 0 }, { 0x4108, 0x68 },
		      { 0x410c, 0x50500 }, { 0x4110, 0xffffc000 }, { 0x4114, 0 }, { 0x4118, 0 },
		      { 0x411c, 0x4000 }, { 0x4120, 0 }, { 0x4124, 0 }, { 0x4128, 0 },
		      { 0x412c, 0 }, { 0x5034, 1 }, { 0x5038, 0 }, { 0x5044, 0x17849 });
	for (i = 0; i <= 512; i++) {
		wrong += fabs(lut.entry[0][i] - 32768 * sigmoid(NULL, (i - 512.0) / 64)) > 1;
		wrong += fabs(lut.entry[1][i] - 32768 * sigmoid(NULL, i / 64.0)) > 1;
	}
	EXPECT_EQ(0, wrong);
}

/* The pointers come first, then LE and LO through the port, then the rest (H6). */
TEST(an_upload_stores_both_tables_behind_the_pointers)
{
	struct lut lut;
	const struct pass pass = { .lut = &lut };

	lut_identity(&lut, 1);
	emit(&pass, true);
	EXPECT_EQ(pass_words() + lut_upload_words(), n_words);
	EXPECT_EQ(1028, lut_upload_words());
	EXPECT_EQ(0x10010000000e4004, words[0]);
	EXPECT_EQ(0x20010000000e5004, words[1]);
	EXPECT_EQ(0x1001000200004100, words[2]);
	EXPECT_EQ(0x10010000c0004104, words[3]);
	EXPECT_EQ(0x1001000300004100, words[516]);
	EXPECT_EQ(0x1001000000004104, words[517]);
	EXPECT_EQ(0x1001000040004104, words[1029]);
	emit(&pass, false);
	EXPECT_EQ(pass_words(), n_words);
}

TEST_MAIN()
