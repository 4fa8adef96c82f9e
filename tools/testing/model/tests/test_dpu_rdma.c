// SPDX-License-Identifier: MIT
/*
 * DPU_RDMA (programming-model F2 to F4): the main input over several surfaces,
 * operand vectors by channel, and the residual of a convolution.
 */
#include <math.h>

#include "conv.h"
#include "flying.h"
#include "fp16.h"
#include "tap.h"

/* A flying fp16 cube, channels a multiple of 8, with pitches of its own in memory. */
struct cube {
	unsigned int w, h, c;
	unsigned int notch;	/* units between the surfaces read */
};

static unsigned int plane(const struct cube *c)
{
	return c->w * c->h;
}

/* The number at unit @u, lane @lane of the source. */
static float source(unsigned int u, unsigned int lane)
{
	return (int)(u * 8 + lane) % 2000 / 4.0f;
}

static void cube_task(struct task *t, const struct cube *c)
{
	recipe_flying(t, plane(c));
	task_set(t, DPU_WIDTH, c->w - 1);
	task_set(t, DPU_HEIGHT, c->h - 1);
	task_set(t, DPU_CHANNEL, (c->c - 1) << 16 | (c->c - 1));
	task_set(t, DPU_WDMA_SIZE_0, c->c - 1);
	task_set(t, DPU_WDMA_SIZE_1, (c->h - 1) << 16 | (c->w - 1));
	task_set(t, RDMA_WIDTH, c->w - 1);
	task_set(t, RDMA_HEIGHT, c->h - 1);
	task_set(t, RDMA_CHANNEL, c->c - 1);
	task_set(t, RDMA_SURF_NOTCH, c->notch << 4);
}

/* Map source and output, fill the source; only what is read is mapped. */
static uint8_t *cube_memory(struct rig *rig, const struct cube *c)
{
	for (unsigned int s = 0; s < c->c / 8; s++) {
		unsigned int first = s * (plane(c) + c->notch);
		uint8_t *x = rig_map(rig, AT_X + 16 * first, 16 * plane(c), 0);

		for (unsigned int i = 0; i < 8 * plane(c); i++)
			store16(x, i, fp32_to_fp16(source(first + i / 8, i % 8)));
	}
	return rig_map(rig, AT_Y, 2 * c->c * plane(c), 0xee);
}

/* Run @t and compare with @want(channel, number read). */
static void check_cube(struct rig *rig, const struct task *t, const struct cube *c,
		       const uint8_t *y, float (*want)(unsigned int channel, float x))
{
	EXPECT_EQ(NPU_IDLE, rig_run(rig, t, 1));
	for (unsigned int i = 0; i < c->c * plane(c); i++) {
		unsigned int unit = i / 8, s = unit / plane(c);
		float x = source(s * (plane(c) + c->notch) + unit % plane(c), i % 8);
		uint16_t w = fp32_to_fp16(want(s * 8 + i % 8, x));

		if (w != load16(y, i)) {
			TAP_FAIL("element %u: want %04x, got %04x", i, w, load16(y, i));
			break;
		}
	}
}

static float same(unsigned int channel, float x)
{
	(void)channel;
	return x;
}

TEST(main_input_walks_surfaces)
{
	static const struct cube cubes[] = {
		{ 5, 3, 8, 0 },	 { 5, 3, 24, 0 },   { 1, 7, 40, 0 },
		{ 5, 3, 24, 7 }, { 4, 2, 16, 100 },
	};

	for (unsigned int i = 0; i < 5; i++) {
		struct rig rig;
		struct task t;
		uint8_t *y;

		rig_init(&rig, NULL);
		cube_task(&t, &cubes[i]);
		y = cube_memory(&rig, &cubes[i]);
		check_cube(&rig, &t, &cubes[i], y, same);
		EXPECT_EQ(2 * cubes[i].c * plane(&cubes[i]),
			  npu_core_counters(rig.core)->bytes[NPU_DMA_MRDMA]);
		rig_free(&rig);
	}
}

static float alu_of(unsigned int channel)
{
	return channel * 10 - 100.25f;
}

static float mul_of(unsigned int channel)
{
	return channel % 7 * 0.5f - 1;
}

/* D4: fp32 for the ALU, fp16 for the multiplier, dense over channels. */
static void map_vectors(struct rig *rig, unsigned int channels)
{
	uint8_t *alu = rig_map(rig, AT_B, 4 * channels, 0);
	uint8_t *mul = rig_map(rig, AT_E, 2 * channels, 0);

	for (unsigned int c = 0; c < channels; c++) {
		store32(alu, c, fp32_bits(alu_of(c)));
		store16(mul, c, fp32_to_fp16(mul_of(c)));
	}
}

static float plus_alu(unsigned int channel, float x)
{
	return x + alu_of(channel);
}

static float times_mul(unsigned int channel, float x)
{
	return x * mul_of(channel);
}

static void check_vector(uint16_t stage_cfg, uint32_t cfg, uint32_t mul_cfg, uint16_t dma_cfg,
			 uint32_t use, uint32_t base, float (*want)(unsigned int channel, float x))
{
	const struct cube cube = { 3, 2, 24, 0 };
	struct rig rig;
	struct task t;
	uint8_t *y;

	rig_init(&rig, NULL);
	cube_task(&t, &cube);
	y = cube_memory(&rig, &cube);
	map_vectors(&rig, cube.c);
	task_set(&t, stage_cfg, cfg);
	task_set(&t, stage_cfg + 8, mul_cfg);
	task_set(&t, dma_cfg, use);
	task_set(&t, dma_cfg + 4, base);
	check_cube(&rig, &t, &cube, y, want);
	rig_free(&rig);
}

TEST(brdma_brings_bs_operands_by_channel)
{
	check_vector(DPU_BS_CFG, STAGE_ALU_ADD | STAGE_ALU_SRC_VECTOR, 0, RDMA_BRDMA_CFG, 1 << 1,
		     AT_B, plus_alu);
	check_vector(DPU_BS_CFG, STAGE_MUL, 1, RDMA_BRDMA_CFG, 4 << 1, AT_E, times_mul);
}

/* Bias of 5 channels is 20 bytes; what lies behind belongs to somebody else. */
TEST(brdma_reads_a_dense_vector_to_its_last_channel)
{
	const struct cube cube = { 3, 2, 8, 0 };
	struct rig rig;
	struct task t;
	uint8_t *y;

	rig_init(&rig, NULL);
	cube_task(&t, &cube);
	y = cube_memory(&rig, &cube);
	map_vectors(&rig, 5);
	task_set(&t, DPU_BS_CFG, STAGE_ALU_ADD | STAGE_ALU_SRC_VECTOR);
	task_set(&t, DPU_CHANNEL, 4 << 16 | 7);
	task_set(&t, RDMA_BRDMA_CFG, 1 << 1);
	task_set(&t, RDMA_BS_BASE, AT_B);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	EXPECT_EQ(fp32_to_fp16(plus_alu(4, source(5, 4))), load16(y, 5 * 8 + 4));
	EXPECT_EQ(0, load16(y, 5 * 8 + 5));
	EXPECT_EQ(20, npu_core_counters(rig.core)->bytes[NPU_DMA_BRDMA]);
	rig_free(&rig);
}

TEST(nrdma_brings_bn_operands_by_channel)
{
	check_vector(DPU_BN_CFG, STAGE_ALU_ADD | STAGE_ALU_SRC_VECTOR, 0, RDMA_NRDMA_CFG, 1 << 1,
		     AT_B, plus_alu);
	check_vector(DPU_BN_CFG, STAGE_MUL, 1, RDMA_NRDMA_CFG, 4 << 1, AT_E, times_mul);
}

/* Per-channel PReLU: negative numbers times the channel's own slope. */
static float prelu(unsigned int channel, float x)
{
	x += alu_of(0);
	return x > 0 ? x : x * mul_of(channel);
}

TEST(prelu_takes_a_slope_by_channel)
{
	const struct cube cube = { 3, 2, 24, 0 };
	struct rig rig;
	struct task t;
	uint8_t *y;

	rig_init(&rig, NULL);
	cube_task(&t, &cube);
	y = cube_memory(&rig, &cube);
	map_vectors(&rig, cube.c);
	task_set(&t, DPU_BS_CFG, 0x20060);
	task_set(&t, DPU_BS_ALU, fp32_bits(alu_of(0)));
	task_set(&t, DPU_BS_MUL, 1);
	task_set(&t, RDMA_BRDMA_CFG, 4 << 1);
	task_set(&t, RDMA_BS_BASE, AT_E);
	check_cube(&rig, &t, &cube, y, prelu);
	rig_free(&rig);
}

TEST(erdma_walks_surfaces_beside_the_main_input)
{
	const struct cube cube = { 5, 3, 24, 0 };
	struct rig rig;
	struct task t;
	uint8_t *y, *e;

	rig_init(&rig, NULL);
	cube_task(&t, &cube);
	y = cube_memory(&rig, &cube);
	e = rig_map(&rig, AT_E, 2 * 24 * 15, 0);
	for (unsigned int i = 0; i < 24 * 15; i++)
		store16(e, i, fp32_to_fp16(i % 100));
	task_set(&t, DPU_EW_CFG, 0x108202c0);
	task_set(&t, RDMA_ERDMA_CFG, 0x40000008);
	task_set(&t, RDMA_EW_BASE, AT_E);
	task_set(&t, RDMA_EW_SURF_STRIDE, 15 << 4);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int i = 0; i < 24 * 15; i++)
		EXPECT_EQ(fp32_to_fp16(source(i / 8, i % 8) + i % 100), load16(y, i));
	EXPECT_EQ(2 * 24 * 15, npu_core_counters(rig.core)->bytes[NPU_DMA_ERDMA]);
	rig_free(&rig);
}

/* F2 [?]: mode 0 of ERDMA is one operand a channel, a dense array. */
TEST(erdma_brings_an_operand_by_channel)
{
	const struct cube cube = { 3, 2, 24, 0 };
	struct rig rig;
	struct task t;
	uint8_t *y, *e;

	rig_init(&rig, NULL);
	cube_task(&t, &cube);
	y = cube_memory(&rig, &cube);
	e = rig_map(&rig, AT_E, 2 * 24, 0);
	for (unsigned int c = 0; c < 24; c++)
		store16(e, c, fp32_to_fp16(alu_of(c)));
	task_set(&t, DPU_EW_CFG, 0x008202c0);
	task_set(&t, RDMA_ERDMA_CFG, 0x00000008);
	task_set(&t, RDMA_EW_BASE, AT_E);
	check_cube(&rig, &t, &cube, y, plus_alu);
	rig_free(&rig);
}

/**
 * struct residual - F3: a convolution plus an operand in NC1HWC2
 * @full: units in a surface of the operand
 * @skip: units of it before the first pixel (a row tile)
 */
struct residual {
	struct conv conv;
	unsigned int full, skip;
};

/* The operand's element for (@oc, pixel @p). */
static double operand(const struct residual *r, unsigned int oc, unsigned int p)
{
	unsigned int u = oc / type_info[r->conv.out].c2 * r->full + r->skip + p;

	return (int)((u * 37 + oc * 11) % 200) - 100;
}

static void map_operand(const struct residual *r, struct rig *rig)
{
	unsigned int c2 = type_info[r->conv.out].c2, pixels = r->conv.ow * r->conv.oh;
	uint8_t *e = rig_map(rig, AT_E, r->conv.oc_pad / c2 * r->full * 16, 0x55);

	for (unsigned int oc = 0; oc < r->conv.oc_pad; oc++)
		for (unsigned int p = 0; p < pixels; p++)
			type_store(r->conv.out, e, (oc / c2 * r->full + r->skip + p) * c2 + oc % c2,
				   operand(r, oc, p));
}

static void residual_task(const struct residual *r, struct task *t, uint32_t ew, uint32_t mode)
{
	unsigned int notch = 2 * r->full - r->conv.ow * r->conv.oh;

	conv_task(&r->conv, t);
	task_set(t, DPU_EW_CFG, ew);
	task_set(t, RDMA_SRC_BASE, AT_E + 16 * r->skip);
	task_set(t, RDMA_EW_BASE, AT_E + 16 * (r->skip + r->full));
	task_set(t, RDMA_EW_SURF_STRIDE, r->full << 4);
	task_set(t, RDMA_SURF_NOTCH, notch << 4);
	task_set(t, RDMA_EW_SURF_NOTCH, notch << 4);
	task_set(t, RDMA_FEATURE_MODE_CFG, mode);
}

/* MRDMA reads the even surfaces of each pair, ERDMA the odd ones. */
TEST(fp16_residual_comes_by_both_engines)
{
	static const struct {
		unsigned int full, skip;
	} places[] = { { 20, 0 }, { 33, 0 }, { 60, 25 } };

	for (unsigned int i = 0; i < 3; i++) {
		struct residual r = {
			.conv = { .in = T_FP16, .out = T_FP16, .w = 5, .h = 4, .c = 32, .oc = 48 },
			.full = places[i].full, .skip = places[i].skip,
		};
		struct rig rig;
		struct task t;

		rig_init(&rig, NULL);
		conv_init(&r.conv);
		conv_place(&r.conv, &rig);
		map_operand(&r, &rig);
		residual_task(&r, &t, 0x108202c0, 0x17d40);
		task_set(&t, RDMA_ERDMA_CFG, 0x40000008);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		for (unsigned int oc = 0; oc < 48; oc++)
			for (unsigned int p = 0; p < 20; p++) {
				float want =
					conv_sum(&r.conv, oc, p / 5, p % 5) + operand(&r, oc, p);

				EXPECT_EQ(fp32_to_fp16(want),
					  fp32_to_fp16(conv_output(&r.conv, oc, p / 5, p % 5)));
			}
		conv_free(&r.conv);
		rig_free(&rig);
	}
}

static long long rne(double x, unsigned int shift)
{
	return (long long)nearbyint(ldexp(x, -(int)shift));
}

/* H3: t += round((e + offset) scale >> shift), EW type 1, then requantised. */
TEST(int8_residual_is_converted_and_added_before_requantisation)
{
	struct residual r = {
		.conv = { .in = T_INT8, .out = T_INT8, .w = 5, .h = 4, .c = 32, .oc = 64 },
		.full = 40, .skip = 10,
	};
	struct rig rig;
	struct task t;

	rig_init(&rig, NULL);
	conv_init(&r.conv);
	conv_place(&r.conv, &rig);
	map_operand(&r, &rig);
	residual_task(&r, &t, 0x904202c0, 0x7d00);
	task_set(&t, RDMA_ERDMA_CFG, 0x40000004);
	task_set(&t, DPU_EW_OFFSET, 28);
	task_set(&t, DPU_EW_SCALE, 6 << 16 | 20001);
	task_set(&t, DPU_OUT_SCALE, 17675);
	task_set(&t, DPU_OUT_SHIFT, 22);
	task_set(&t, DPU_OUT_OFFSET, 0xfffffff0);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int oc = 0; oc < 64; oc++)
		for (unsigned int p = 0; p < 20; p++) {
			double x = conv_sum(&r.conv, oc, p / 5, p % 5) +
				   rne((operand(&r, oc, p) + 28) * 20001, 6);
			long long y = rne(x * 17675, 22) - 16;

			y = y > 127 ? 127 : y < -128 ? -128 : y;
			EXPECT_EQ(y, conv_output(&r.conv, oc, p / 5, p % 5));
		}
	conv_free(&r.conv);
	rig_free(&rig);
}

/* F2 [?]: unpooling of kind 0 spreads every pixel over its stride, two columns by three rows. */
TEST(unpooling_repeats_pixels)
{
	const struct cube small = { .w = 3, .h = 2, .c = 16 }, large = { .w = 6, .h = 6, .c = 16 };
	struct rig rig;
	struct task t;
	uint8_t *y;

	rig_init(&rig, NULL);
	cube_memory(&rig, &small);
	rig_unmap(&rig, AT_Y);
	y = rig_map(&rig, AT_Y, 2 * large.c * plane(&large), 0xee);
	cube_task(&t, &large);
	task_set(&t, RDMA_WIDTH, small.w - 1);
	task_set(&t, RDMA_HEIGHT, small.h - 1);
	task_set(&t, RDMA_SRC_DMA_CFG, 1 << 12 | 2 << 9 | 1 << 6 | 2 << 3 | 1);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int i = 0; i < large.c * plane(&large); i++) {
		unsigned int pixel = i / 8 % plane(&large), surface = i / 8 / plane(&large);
		unsigned int from = pixel / large.w / 3 * small.w + pixel % large.w / 2;

		EXPECT_EQ(fp32_to_fp16(source(surface * plane(&small) + from, i % 8)),
			  load16(y, i));
	}
	EXPECT_EQ(1, rig_count(&rig, NPU_NOTE, "UNPOOLING_EN"));
	EXPECT_EQ(0, rig_count(&rig, NPU_WARNING, ""));
	rig_free(&rig);
}

TEST(main_cube_smaller_than_the_dpus_is_reported)
{
	static const struct {
		uint16_t reg;
		uint32_t value;
		unsigned int reports;
	} sizes[] = {
		{ RDMA_CHANNEL, 15, 0 }, { RDMA_CHANNEL, 8, 0 }, { RDMA_CHANNEL, 7, 1 },
		{ RDMA_WIDTH, 2, 0 }, { RDMA_WIDTH, 1, 1 }, { RDMA_HEIGHT, 0, 1 },
	};

	for (unsigned int i = 0; i < 6; i++) {
		struct cube c = { .w = 3, .h = 2, .c = 16 };
		struct rig rig;
		struct task t;

		rig_init(&rig, NULL);
		cube_memory(&rig, &c);
		cube_task(&t, &c);
		task_set(&t, sizes[i].reg, sizes[i].value);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		EXPECT_EQ(sizes[i].reports, rig_count(&rig, NPU_WARNING, "DPU_RDMA reads a cube"));
		rig_free(&rig);
	}
}

/* C6: 32-bit operands add as fp32 patterns; a NaN is positive, whatever the host makes. */
TEST(integer_operands_of_32_bits_add_as_patterns)
{
	static const uint32_t a[] = { 5, 0x3f800000, 0x7f800000, 0xffc00001 };
	static const uint32_t b[] = { 7, 0x40000000, 0xff800000, 0x3f800000 };
	static const uint32_t want[] = { 12, 0x40400000, 0x7fc00000, 0x7fc00000 };
	static const uint16_t room[8];
	struct flying f;

	flying_begin(&f, room, 8);
	flying_operand(&f, room, 0x10c203c0);
	task_set(&f.t, DPU_DATA_FORMAT, 0x90000004);
	task_set(&f.t, DPU_CHANNEL, 0x30003);
	task_set(&f.t, DPU_WDMA_SIZE_0, 3);
	task_set(&f.t, DPU_OUT_SCALE, 1);
	task_set(&f.t, RDMA_CHANNEL, 3);
	task_set(&f.t, RDMA_ERDMA_CFG, 0x4000000c);
	task_set(&f.t, RDMA_FEATURE_MODE_CFG, 0x27881);
	for (unsigned int i = 0; i < 4; i++) {
		store32(f.x, i, a[i]);
		store32(f.e, i, b[i]);
	}
	EXPECT(flying_run(&f));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(want[i], load32(f.y, i));
	flying_end(&f);
}

TEST(operand_vectors_not_mapped_stall_with_a_read_error)
{
	static const uint16_t cfg[][2] = {
		{ RDMA_BRDMA_CFG, DPU_BS_CFG }, { RDMA_NRDMA_CFG, DPU_BN_CFG },
	};

	for (unsigned int i = 0; i < 2; i++) {
		static const uint16_t x[] = { 0x3c00 };
		struct flying f;

		flying_begin(&f, x, 1);
		task_set(&f.t, cfg[i][0], 1 << 1);
		task_set(&f.t, cfg[i][0] + 4, AT_B);
		task_set(&f.t, cfg[i][1], STAGE_ALU_ADD | STAGE_ALU_SRC_VECTOR);
		EXPECT_EQ(NPU_STALLED, rig_run(&f.rig, &f.t, 1));
		EXPECT(rig_raw_status(&f.rig) & INT_DMA_READ_ERROR);
		EXPECT_EQ(0, rig_raw_status(&f.rig) & INT_DPU);
		flying_end(&f);
	}
}

TEST_MAIN()
