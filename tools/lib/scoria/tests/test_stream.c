// SPDX-License-Identifier: MIT
/*
 * What is emitted, against the recipes H1 to H4 of the programming model. Offsets
 * and values are restated by hand, so that a wrong header cannot hide.
 */
#include <stdlib.h>

#include "../../../testing/model/tests/tap.h"
#include "../limits.h"
#include "../program.h"
#include "../stream.h"
#include "rk3588_npu.h"
#include "words.h"

#define IN	0x10000
#define WEIGHTS	0x20000
#define BIAS	0x30000
#define OUT	0x40000

static const struct areas areas = { .in = IN, .weights = WEIGHTS, .bias = BIAS, .out = OUT };
static void emit(const struct plan *plan, size_t i)
{
	struct stream stream = { .words = words };

	emit_conv(&stream, &plan->layer, &plan->tiles[i], &areas);
	n_words = stream.n;
}

static struct plan plan_of(const struct layer *layer)
{
	struct plan plan;

	if (plan_create(&plan, layer, NULL))
		abort();
	emit(&plan, 0);
	return plan;
}

/* CVT0, FC0, DC0, BN0, EW0, OPV0, LUT0, RD0 of section H, and CNA's other constants. */
static void expect_constants(void)
{
	uint16_t reg;

	EXPECT_VALUES({ 0x104c, 0x0b }, { 0x1050, 0x10000 }, { 0x1054, 0x10000 },
		      { 0x1058, 0x10000 }, { 0x105c, 0x10000 }, { 0x1180, 0 }, { 0x1060, 0 },
		      { 0x1064, 0 }, { 0x1074, 0 }, { 0x1078, 0x000f000f }, { 0x1100, 0 },
		      { 0x1104, 0 }, { 0x301c, 0 }, { 0x3030, 0 }, { 0x4014, 0 }, { 0x4060, 0x53 },
		      { 0x4064, 0 }, { 0x4068, 0 }, { 0x406c, 0 }, { 0x4070, 0x383 },
		      { 0x4074, 0 }, { 0x4078, 1 }, { 0x407c, 0 }, { 0x40c4, 0 }, { 0x5018, 0 },
		      { 0x5028, 0 }, { 0x502c, 0 }, { 0x5034, 1 }, { 0x5038, 0 }, { 0x5040, 0 },
		      { 0x5048, 0 }, { 0x504c, 0 }, { 0x5064, 0 }, { 0x5068, 0x01010101 },
		      { 0x506c, 0 });
	for (reg = 0x1140; reg <= 0x117c; reg += 4)
		EXPECT_EQ(0, value_of(reg));
	for (reg = 0x4090; reg <= 0x40ac; reg += 4)
		EXPECT_EQ(0, value_of(reg));
	for (reg = 0x4100; reg <= 0x412c; reg += 4)
		EXPECT_EQ(0, value_of(reg));
}

/* The pointers of DPU and RDMA come first (B4). */
static void expect_pointers(void)
{
	EXPECT_EQ(0x1001ull << 48 | 0xe0000 | 0x4004, words[0]);
	EXPECT_EQ(0x2001ull << 48 | 0xe0000 | 0x5004, words[1]);
}

/* Both banks together are all there are, and each side has what it needs. */
static void expect_banks(uint32_t data, uint32_t weights)
{
	uint32_t banks = value_of(0x1040);

	EXPECT_EQ(12, (banks & 0xf) + (banks >> 4 & 0xf));
	EXPECT((banks & 0xf) > data);
	EXPECT((banks >> 4 & 0xf) >= weights);
	EXPECT_EQ(0, banks >> 8);
}

static struct layer product(unsigned int in, unsigned int out, uint32_t m, uint32_t k, uint32_t n)
{
	struct layer layer = {
		.x = { 1, 1, 1, 1, 1, 0 }, .y = { m, m, 1, 1, 1, 0 }, .c = k, .oc = n,
		.c_align = 32, .out_scale = 1,
	};

	format_init(&layer.fmt, in, out, false);
	return layer;
}

TEST(fp16_matmul_to_fp32_is_recipe_h1)
{
	struct layer layer = product(NPU_PRECISION_FP16, NPU_PRECISION_FP32, 8, 64, 32);
	struct plan plan = plan_of(&layer);

	EXPECT_EQ(1, plan.n_tiles);
	expect_pointers();
	expect_constants();
	expect_banks(1, 1);
	EXPECT_VALUES({ 0x100c, 0x120 }, { 0x1010, 9 << 4 }, { 0x1014, 9 },
		      { 0x1020, 1 << 16 | 8 }, { 0x1024, 63 << 16 | 64 }, { 0x1028, 1 },
		      { 0x102c, 8 }, { 0x1030, 2 * 64 * 32 }, { 0x1034, 128 },
		      { 0x1038, 0x01010000 | 32 }, { 0x1044, 2 }, { 0x1068, 0 }, { 0x1070, IN },
		      { 0x107c, 4 }, { 0x1080, 4 }, { 0x1084, 1 << 16 | 8 }, { 0x1088, 64 },
		      { 0x1110, WEIGHTS }, { 0x1184, 0 });
	EXPECT_VALUES({ 0x3010, 0x201 }, { 0x3014, 7 << 16 }, { 0x3018, 31 }, { 0x400c, 0x1e4 },
		      { 0x4010, 0xa8000002 }, { 0x4020, OUT }, { 0x4024, 8 << 4 }, { 0x4030, 0 },
		      { 0x4034, 7 }, { 0x4038, 0 }, { 0x403c, 31 * 0x10001 }, { 0x4040, 0x53 },
		      { 0x4044, 0 }, { 0x4048, 0 }, { 0x404c, 0 }, { 0x4050, 0x36e },
		      { 0x4054, 0 }, { 0x4058, 31 }, { 0x405c, 7 << 16 }, { 0x4080, 0 },
		      { 0x4084, 1 }, { 0x4088, 0 }, { 0x40c0, 4 * 8 << 4 }, { 0x500c, 0 },
		      { 0x5010, 7 }, { 0x5014, 31 }, { 0x501c, 0 }, { 0x5020, 0 },
		      { 0x5044, 0x7810 });
	EXPECT_EQ(126, n_words + STREAM_TRAILER);
	plan_destroy(&plan);
}

TEST(fp16_matmul_to_fp16_is_recipe_h1)
{
	struct layer layer = product(NPU_PRECISION_FP16, NPU_PRECISION_FP16, 1, 64, 16);
	struct plan plan = plan_of(&layer);

	/* one row: the surface stride wraps at 28 bits (E2) */
	EXPECT_VALUES({ 0x1080, 0x0ffffffd }, { 0x4010, 0x48000002 }, { 0x4050, 0x126 },
		      { 0x4084, 0x10001 }, { 0x40c0, 2 << 4 }, { 0x5044, 0x7818 });
	plan_destroy(&plan);
}

TEST(int8_matmul_is_recipe_h2)
{
	struct layer layer = product(NPU_PRECISION_INT8, NPU_PRECISION_INT32, 8, 96, 64);
	struct plan plan = plan_of(&layer);

	expect_constants();
	EXPECT_VALUES({ 0x100c, 0 }, { 0x1030, 96 * 64 }, { 0x1034, 96 }, { 0x1044, 2 },
		      { 0x3010, 1 }, { 0x4010, 0x80000000 }, { 0x4050, 0x7fe }, { 0x4054, 0 },
		      { 0x4084, 1 }, { 0x40c0, 8 * 8 << 4 }, { 0x5044, 0x7810 });
	plan_destroy(&plan);
}

/* 3x3 over 20 x 10, 40 to 50 channels, zero points 9 and -11, as stored. */
static struct layer quantised(bool depthwise)
{
	struct layer layer = {
		.x = { 20, 20, 3, 1, 1, 1 }, .y = { 10, 5, 3, 2, 1, 1 }, .c = 40, .oc = 50,
		.c_align = 16, .pad_value = 0x0909, .use_cpend = true, .ow_op = 11,
		.bs = { .alu = PASS_ADD, .alu_vector = true },
		.out_offset = -5, .out_scale = 17675, .out_shift = 22,
	};

	if (depthwise) {
		layer.oc = layer.c;
		layer.c_align = 64;
	}
	format_init(&layer.fmt, NPU_PRECISION_INT8, NPU_PRECISION_INT8, depthwise);
	return layer;
}

TEST(requantised_convolution_is_recipe_h3)
{
	struct layer layer = quantised(false);
	struct plan plan = plan_of(&layer);

	EXPECT_EQ(1, plan.n_tiles);
	expect_constants();
	expect_banks(1, 1);
	EXPECT_VALUES({ 0x100c, 0 }, { 0x1014, 2 << 3 | 1 }, { 0x1020, 20 << 16 | 10 },
		      { 0x1024, 39 << 16 | 48 }, { 0x1028, 20 }, { 0x102c, 100 },
		      { 0x1030, 9 * 48 * 64 }, { 0x1034, 9 * 48 }, { 0x1038, 0x03030000 | 64 },
		      { 0x1044, 20 }, { 0x1068, 0x11 }, { 0x107c, 80 }, { 0x1080, 20 * 6 },
		      { 0x1084, 20 << 16 | 10 }, { 0x1088, 48 }, { 0x1184, 0x0909 });
	EXPECT_VALUES({ 0x3010, 1 }, { 0x3014, 4 << 16 | 19 }, { 0x3018, 63 }, { 0x4010, 0 },
		      { 0x4024, 100 << 4 }, { 0x4030, 19 }, { 0x4034, 4 },
		      { 0x403c, 49 << 16 | 63 }, { 0x4040, 0x20150 }, { 0x4050, 0x124 },
		      { 0x4054, 11 }, { 0x4058, 63 }, { 0x405c, 4 << 16 | 19 },
		      { 0x4080, 0xfffffffb }, { 0x4084, 17675 }, { 0x4088, 22 },
		      { 0x40c0, 2 * 100 << 4 }, { 0x501c, 2 }, { 0x5020, BIAS },
		      { 0x5044, 0x7810 });
	plan_destroy(&plan);
}

TEST(relu_is_in_bs_before_the_converter)
{
	struct layer layer = quantised(false);
	struct plan plan;

	layer.bs.relu = true;
	plan = plan_of(&layer);
	EXPECT_VALUES({ 0x4040, 0x20110 });
	plan_destroy(&plan);
	layer.bs.alu = PASS_NONE;
	layer.bs.alu_vector = false;
	plan = plan_of(&layer);
	EXPECT_VALUES({ 0x4040, 0x12 }, { 0x501c, 0 }, { 0x5020, 0 });
	plan_destroy(&plan);
}

/* Mesa's residual, H3 and F3: operand surfaces in turns, 100 pixels each. */
TEST(an_int8_operand_is_read_as_in_recipe_h3)
{
	const struct areas with_operand = { .in = IN, .weights = WEIGHTS, .bias = BIAS,
					    .operand = 0x50000, .out = OUT };
	struct layer layer = quantised(false);
	struct plan plan;
	struct stream stream = { .words = words };

	layer.ew = (struct ew){ .op = PASS_ADD, .size = EW_SIZE_8, .convert = true,
				.add_first = true, .offset = 77, .scale = 20000, .shift = 9 };
	plan = plan_of(&layer);
	emit_conv(&stream, &plan.layer, &plan.tiles[0], &with_operand);
	EXPECT_VALUES({ 0x4070, 0x904202c0 }, { 0x4074, 77 }, { 0x4078, 9 << 16 | 20000 },
		      { 0x5010, 4 }, { 0x5018, 0x50000 }, { 0x5034, 0x40000004 },
		      { 0x5038, 0x50000 + 100 * 16 }, { 0x5040, 100 << 4 }, { 0x5044, 0x7d00 },
		      { 0x5048, 0 }, { 0x504c, 100 << 4 }, { 0x506c, 100 << 4 });
	plan_destroy(&plan);
}

/* The words of rocket-userspace and allbilly for fp16, F1 and F2. */
TEST(an_fp16_operand_has_the_words_of_f1_and_f2)
{
	struct layer layer = product(NPU_PRECISION_FP16, NPU_PRECISION_FP16, 16, 64, 32);
	struct plan plan;

	layer.ew = (struct ew){ .op = PASS_ADD, .size = EW_SIZE_16, .convert = true, .scale = 1 };
	plan = plan_of(&layer);
	EXPECT_VALUES({ 0x4070, 0x108202c0 }, { 0x4078, 1 }, { 0x5034, 0x40000008 },
		      { 0x5044, 0x17d40 }, { 0x504c, 16 << 4 });
	plan_destroy(&plan);
	layer.ew.op = PASS_MUL;
	layer.ew.convert = false;
	plan = plan_of(&layer);
	EXPECT_VALUES({ 0x4070, 0x108003c4 }, { 0x5044, 0x17d40 });
	plan_destroy(&plan);
}

TEST(depthwise_is_recipe_h4)
{
	struct layer layer = quantised(true);
	struct plan plan = plan_of(&layer);

	EXPECT_VALUES({ 0x100c, 3 }, { 0x1024, 39 << 16 | 64 }, { 0x1030, 9 * 64 },
		      { 0x1034, 9 * 64 }, { 0x1038, 0x03030001 }, { 0x3010, 3 }, { 0x3018, 63 },
		      { 0x400c, 0x1fc }, { 0x4050, 0x36c }, { 0x40c0, 4 * 100 << 4 },
		      { 0x5044, 0x7816 });
	plan_destroy(&plan);
	format_init(&layer.fmt, NPU_PRECISION_FP16, NPU_PRECISION_FP16, true);
	layer.c_align = 32;
	layer.use_cpend = false;
	layer.out_scale = 1;
	plan = plan_of(&layer);
	EXPECT_VALUES({ 0x100c, 0x123 }, { 0x3010, 0x203 }, { 0x4010, 0x48000002 },
		      { 0x4050, 0x36e }, { 0x4084, 0x10001 }, { 0x5044, 0x781e });
	plan_destroy(&plan);
}

/* E2: a column tile reads rows of the whole width and skips the rest of the surface. */
TEST(column_tiles_are_read_ungrouped_and_written_with_a_notch)
{
	struct layer layer = {
		.x = { 3000, 3000, 1, 1, 1, 0 }, .y = { 5, 5, 1, 1, 1, 0 }, .c = 8, .oc = 16,
		.c_align = 8, .out_scale = 1,
	};
	struct plan plan;
	const struct tile *second;

	format_init(&layer.fmt, NPU_PRECISION_FP16, NPU_PRECISION_FP16, false);
	plan = plan_of(&layer);
	second = &plan.tiles[plan.n_tiles - 1];
	emit(&plan, plan.n_tiles - 1);
	EXPECT(second->w < 3000 && second->h == 5);
	EXPECT_VALUES({ 0x100c, 0x20000120 }, { 0x107c, 3000 }, { 0x1080, 15000 - second->w },
		      { 0x1070, IN + 16 * (3000 - second->w) },
		      { 0x4020, OUT + 16 * (3000 - second->w) },
		      { 0x4038, (3000 - second->w) * 0x10001 }, { 0x4024, 15000 << 4 });
	plan_destroy(&plan);
}

TEST(kept_weights_are_claimed_and_nothing_else)
{
	struct layer layer = product(NPU_PRECISION_INT8, NPU_PRECISION_INT32, 4000, 32, 32);
	struct plan plan = plan_of(&layer);
	uint32_t banks = value_of(0x1040);

	ASSERT(plan.n_tiles == 2);
	emit(&plan, 1);
	EXPECT_EQ(banks | 1 << 13, value_of(0x1040));
	plan_destroy(&plan);
}

/* Commands of task @i of a program that has been emitted. */
static void load_task(const struct program *program, uint32_t i)
{
	n_words = program->chain.words - STREAM_TRAILER;
	memcpy(words, (uint8_t *)scoria_buffer_map(program->chain.commands) +
	       (size_t)i * program->chain.pitch, n_words * sizeof(words[0]));
}

/* Another job may use the core between two of ours: what it left is not relied upon. */
TEST(the_first_task_of_every_job_fetches_its_weights)
{
	struct layer layer = product(NPU_PRECISION_INT8, NPU_PRECISION_INT32, 12300, 10240, 32);
	struct plan plan = plan_of(&layer);
	const struct scoria_device_opts one_core = { .size = sizeof(one_core), .cores = 1 };
	struct operands operands;
	struct program program;
	struct scoria_device *dev;
	uint32_t second;

	ASSERT(plan.n_tiles > 4096);
	ASSERT(!scoria_device_open("model", &one_core, &dev));
	ASSERT(!program_create(&program, dev, &plan, 1, NULL));
	ASSERT(!operands_create(&operands, &program));
	ASSERT(program.chain.n_jobs == 2);
	second = program.chain.jobs[0].tasks;
	EXPECT_EQ(0, program_bind(&program, &operands));
	ASSERT(program.plan.tiles[second].keep_weights);
	load_task(&program, second - 1);
	EXPECT_EQ(1 << 13, value_of(0x1040) & 1 << 13);
	load_task(&program, second);
	EXPECT_EQ(0, value_of(0x1040) & 1 << 13);
	load_task(&program, second + 1);
	EXPECT_EQ(1 << 13, value_of(0x1040) & 1 << 13);
	operands_destroy(&operands);
	program_destroy(&program);
	scoria_device_close(dev);
}

TEST_MAIN()
