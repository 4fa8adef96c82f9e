// SPDX-License-Identifier: MIT
/*
 * PPU and PPU_RDMA (programming-model G, H7), fp16 alone and behind the DPU.
 */
#include <math.h>
#include <sys/resource.h>

#include "conv.h"
#include "fp16.h"
#include "recipe.h"
#include "tap.h"

enum { AVERAGE, MAX, MIN };

struct ppu {
	struct pool p;
	struct rig rig;
	struct task t;
	uint8_t *x, *y;
};

static void ppu_begin(struct ppu *ppu)
{
	const struct pool *p = &ppu->p;

	rig_init(&ppu->rig, NULL);
	ppu->x = rig_map(&ppu->rig, AT_X, 2 * p->iw * p->ih * p->c, 0);
	ppu->y = rig_map(&ppu->rig, AT_Y, 2 * p->ow * p->oh * p->c, 0xee);
	for (unsigned int i = 0; i < p->iw * p->ih * p->c; i++)
		store16(ppu->x, i, fp32_to_fp16(type_random(T_FP16)));
	recipe_pool(&ppu->t, p);
}

/* The input at (@y, @x); NAN outside, which is padding. */
static float input(const struct ppu *ppu, unsigned int c, int y, int x)
{
	const struct pool *p = &ppu->p;

	if (y < 0 || x < 0 || y >= (int)p->ih || x >= (int)p->iw)
		return NAN;
	return fp16_to_fp32(load16(ppu->x, ((c / 8 * p->ih + y) * p->iw + x) * 8 + c % 8));
}

static float pooled(const struct ppu *ppu, unsigned int c, unsigned int oy, unsigned int ox)
{
	const struct pool *p = &ppu->p;
	float best = p->method == MAX ? -INFINITY : INFINITY, sum = 0;

	for (unsigned int tap = 0; tap < p->kw * p->kh; tap++) {
		float v = input(ppu, c, (int)(oy * p->sy + tap / p->kw) - (int)p->top,
				(int)(ox * p->sx + tap % p->kw) - (int)p->left);

		if (isnan(v))
			continue;
		sum += v;
		best = p->method == MAX ? fmaxf(best, v) : fminf(best, v);
	}
	return p->method == AVERAGE ? sum : best;
}

/* The value of an fp16 reciprocal, G: sum times both times 2^-32, rounded once. */
static float averaged(const struct pool *p, float sum)
{
	double w = fp16_to_fp32(fp32_to_fp16(65536.0f / p->kw));
	double h = fp16_to_fp32(fp32_to_fp16(65536.0f / p->kh));

	return (float)(sum * w * h * 0x1p-32);
}

/* Within one unit in the last place for averages, else equal. */
static bool close(const struct pool *p, float want, uint16_t got)
{
	int16_t w = (int16_t)fp32_to_fp16(want), g = (int16_t)got;

	if (p->method == AVERAGE)
		return w - g <= 1 && g - w <= 1;
	return w == g;
}

static void check_pool(const struct pool *p)
{
	struct ppu ppu = { .p = *p };

	ppu_begin(&ppu);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	for (unsigned int i = 0; i < p->c * p->oh * p->ow; i++) {
		unsigned int lane = i % 8, u = i / 8, plane = p->oh * p->ow;
		float want = pooled(&ppu, u / plane * 8 + lane, u % plane / p->ow, u % p->ow);
		uint16_t got = load16(ppu.y, i);

		if (p->method == AVERAGE)
			want = averaged(p, want);
		if (!close(p, want, got)) {
			TAP_FAIL("%ux%u kernel %ux%u method %u element %u: want %g, got %g", p->ow,
				 p->oh, p->kw, p->kh, p->method, i, (double)want,
				 (double)fp16_to_fp32(got));
			break;
		}
	}
	EXPECT_EQ(INT_PPU_0, rig_raw_status(&ppu.rig) & INT_PPU);
	rig_free(&ppu.rig);
}

#define CHECK_POOL(...)							\
	do {								\
		static const struct pool pool_ = { __VA_ARGS__ };	\
									\
		check_pool(&pool_);					\
	} while (0)

TEST(max_and_min_are_bit_exact)
{
	CHECK_POOL(.iw = 8, .ih = 6, .ow = 4, .oh = 3, .c = 8, .kw = 2, .kh = 2, .sx = 2, .sy = 2,
		   .method = MAX);
	CHECK_POOL(.iw = 9, .ih = 7, .ow = 4, .oh = 5, .c = 24, .kw = 3, .kh = 3, .sx = 2, .sy = 1,
		   .method = MIN);
	CHECK_POOL(.iw = 20, .ih = 17, .ow = 5, .oh = 2, .c = 16, .kw = 16, .kh = 16, .sx = 1,
		   .sy = 1, .method = MAX);
	CHECK_POOL(.iw = 5, .ih = 4, .ow = 5, .oh = 4, .c = 8, .kw = 1, .kh = 1, .sx = 1, .sy = 1,
		   .method = MAX);
}

/* IEEE maximumNumber and minimumNumber; fmax() leaves the sign to the host. */
TEST(max_and_min_order_signed_zeros)
{
	static const uint16_t want[2] = { 0x0000, 0x8000 };

	for (unsigned int i = 0; i < 4; i++) {
		struct ppu ppu = { .p = {
			.iw = 2, .ih = 1, .ow = 1, .oh = 1, .c = 8,
			.kw = 2, .kh = 1, .sx = 1, .sy = 1,
			.method = i / 2 ? MIN : MAX,
		} };

		ppu_begin(&ppu);
		store16(ppu.x, 0, i % 2 ? 0x8000 : 0);
		store16(ppu.x, 8, i % 2 ? 0 : 0x8000);
		EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
		EXPECT_EQ(want[i / 2], load16(ppu.y, 0));
		rig_free(&ppu.rig);
	}
}

/* The sign of the NaN of inf - inf is another on every host. */
TEST(nan_of_an_average_is_positive)
{
	struct ppu ppu = { .p = {
		.iw = 2, .ih = 1, .ow = 1, .oh = 1, .c = 8, .kw = 2, .kh = 1, .sx = 1, .sy = 1,
		.method = AVERAGE,
	} };

	ppu_begin(&ppu);
	store16(ppu.x, 0, 0x7c00);
	store16(ppu.x, 8, 0xfc00);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	EXPECT_EQ(0x7e00, load16(ppu.y, 0));
	rig_free(&ppu.rig);
}

TEST(strides_reach_16)
{
	CHECK_POOL(.iw = 34, .ih = 33, .ow = 3, .oh = 3, .c = 8, .kw = 2, .kh = 1, .sx = 16,
		   .sy = 16, .method = MAX);
}

TEST(max_and_min_ignore_infinite_padding)
{
	CHECK_POOL(.iw = 5, .ih = 6, .ow = 5, .oh = 6, .c = 16, .kw = 3, .kh = 3, .sx = 1, .sy = 1,
		   .left = 1, .top = 1, .right = 1, .bottom = 1, .method = MAX);
	CHECK_POOL(.iw = 5, .ih = 6, .ow = 4, .oh = 3, .c = 8, .kw = 4, .kh = 5, .sx = 2, .sy = 2,
		   .left = 3, .top = 2, .right = 2, .bottom = 1, .method = MIN);
	CHECK_POOL(.iw = 9, .ih = 9, .ow = 16, .oh = 9, .c = 8, .kw = 8, .kh = 8, .sx = 1, .sy = 1,
		   .left = 7, .top = 4, .right = 7, .bottom = 3, .method = MAX);
}

/*
 * A line stride of 0 lets 128 KiB stand for a cube of 8192 x 8192, of which
 * the model must not hold more than a window's rows.
 */
TEST(largest_cube_takes_little_memory)
{
	struct ppu ppu = { .p = {
		.iw = 8192, .ih = 8192, .ow = 8, .oh = 8, .c = 8,
		.kw = 2, .kh = 2, .sx = 16, .sy = 16,
		.method = MAX,
	} };
	struct rusage before, after;

	rig_init(&ppu.rig, NULL);
	ppu.x = rig_map(&ppu.rig, AT_X, 16 * 8192, 0);
	ppu.y = rig_map(&ppu.rig, AT_Y, 16 * 64, 0xee);
	store16(ppu.x, 8 * 17, 0x3c00);
	recipe_pool(&ppu.t, &ppu.p);
	task_set(&ppu.t, PPU_RDMA_LINE_STRIDE, 0);
	getrusage(RUSAGE_SELF, &before);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	getrusage(RUSAGE_SELF, &after);
	EXPECT(after.ru_maxrss - before.ru_maxrss < 256 << 10);
	for (unsigned int i = 0; i < 64; i++)
		EXPECT_EQ(i % 8 == 1 ? 0x3c00 : 0, load16(ppu.y, 8 * i));
	EXPECT_EQ(UINT64_C(8192) * 8192 * 16,
		  npu_core_counters(ppu.rig.core)->bytes[NPU_DMA_PPU_RDMA]);
	rig_free(&ppu.rig);
}

/* G: always divided by the full window, so padding counts. */
TEST(average_divides_by_the_full_window)
{
	CHECK_POOL(.iw = 8, .ih = 6, .ow = 4, .oh = 3, .c = 8, .kw = 2, .kh = 2, .sx = 2, .sy = 2,
		   .method = AVERAGE);
	CHECK_POOL(.iw = 7, .ih = 7, .ow = 5, .oh = 4, .c = 16, .kw = 3, .kh = 4, .sx = 1, .sy = 1,
		   .method = AVERAGE);
	CHECK_POOL(.iw = 5, .ih = 5, .ow = 5, .oh = 5, .c = 8, .kw = 3, .kh = 3, .sx = 1, .sy = 1,
		   .left = 1, .top = 1, .right = 1, .bottom = 1, .method = AVERAGE);
}

/* G: the reciprocals alone set the divisor; allbilly writes those of 2 for 4x4. */
TEST(reciprocals_alone_set_the_divisor)
{
	struct ppu ppu = { .p = { .iw = 4, .ih = 4, .ow = 1, .oh = 1, .c = 8, .kw = 4, .kh = 4,
				  .sx = 1, .sy = 1, .method = AVERAGE } };

	ppu_begin(&ppu);
	task_set(&ppu.t, PPU_RECIP_W, 0x7800);
	task_set(&ppu.t, PPU_RECIP_H, 0x7800);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	for (unsigned int c = 0; c < 8; c++)
		EXPECT_EQ(fp32_to_fp16(pooled(&ppu, c, 0, 0) / 4), load16(ppu.y, c));
	rig_free(&ppu.rig);
}

/* G: 65536/1 does not fit fp16, its pattern is that of infinity. */
TEST(average_over_one_pixel_overflows)
{
	struct ppu ppu = { .p = { .iw = 4, .ih = 4, .ow = 4, .oh = 4, .c = 8, .kw = 1, .kh = 1,
				  .sx = 1, .sy = 1, .method = AVERAGE } };

	ppu_begin(&ppu);
	store16(ppu.x, 0, 0x3c00);
	store16(ppu.x, 1, 0xbc00);
	EXPECT_EQ(0x7c00, task_get(&ppu.t, PPU_RECIP_W));
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	EXPECT_EQ(0x7c00, load16(ppu.y, 0));
	EXPECT_EQ(0xfc00, load16(ppu.y, 1));
	rig_free(&ppu.rig);
}

TEST(source_and_destination_strides_are_bytes)
{
	struct ppu ppu = { .p = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 16, .kw = 2, .kh = 2,
				  .sx = 2, .sy = 2, .method = MAX } };
	uint8_t *x, *y;

	ppu_begin(&ppu);
	x = rig_map(&ppu.rig, AT_E, 0x1000, 0x7c);	/* NaN between the rows */
	y = rig_map(&ppu.rig, AT_B, 0x1000, 0xee);
	for (unsigned int r = 0; r < 8; r++)
		memcpy(x + r / 4 * 0x800 + r % 4 * 0x90, ppu.x + r * 64, 64);
	task_set(&ppu.t, PPU_RDMA_SRC_BASE, AT_E);
	task_set(&ppu.t, PPU_RDMA_LINE_STRIDE, 0x90);
	task_set(&ppu.t, PPU_RDMA_SURF_STRIDE, 0x800);
	task_set(&ppu.t, PPU_DST_BASE, AT_B);
	task_set(&ppu.t, PPU_DST_SURF_STRIDE, 0x300);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	for (unsigned int i = 0; i < 64; i++)
		EXPECT_EQ(fp32_to_fp16(pooled(&ppu, i / 32 * 8 + i % 8, i % 32 / 16, i % 16 / 8)),
			  load16(y + i / 32 * 0x300, i % 32));
	EXPECT_EQ(0xee, y[64]);
	rig_free(&ppu.rig);
}

/* G [?]: IN_PRECISION 1 and PROC 0, 16 channels a unit. */
TEST(int8_max_compares_signed_bytes)
{
	struct ppu ppu = { .p = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 16, .kw = 2, .kh = 2,
				  .sx = 2, .sy = 2, .method = MAX } };

	rig_init(&ppu.rig, NULL);
	ppu.x = rig_map(&ppu.rig, AT_X, 16 * 16, 0);
	ppu.y = rig_map(&ppu.rig, AT_Y, 4 * 16, 0xee);
	for (unsigned int i = 0; i < 256; i++)
		ppu.x[i] = test_random();
	recipe_pool(&ppu.t, &ppu.p);
	task_set(&ppu.t, PPU_DATA_FORMAT, 4 * 16);
	task_set(&ppu.t, PPU_PAD_VALUE_1, 0x80);
	task_set(&ppu.t, PPU_RDMA_DATA_FORMAT, 1);
	EXPECT_EQ(NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
	for (unsigned int i = 0; i < 64; i++) {
		unsigned int at = i / 32 * 128 + i % 32 / 16 * 32 + i % 16;
		int want = -128;

		for (unsigned int tap = 0; tap < 4; tap++) {
			int v = (int8_t)ppu.x[at + tap / 2 * 64 + tap % 2 * 16];

			want = v > want ? v : want;
		}
		EXPECT_EQ(want, (int8_t)ppu.y[i]);
	}
	rig_free(&ppu.rig);
}

/* A1, path 2 [TRM]: CNA, CORE, DPU, PPU, memory; the DPU writes nothing itself. */
TEST(pool_behind_a_convolution)
{
	struct conv conv = { .in = T_FP16, .out = T_FP16, .w = 6, .h = 4, .c = 16, .oc = 32 };
	const struct pool p = { .iw = 6, .ih = 4, .ow = 3, .oh = 2, .c = 32, .kw = 2, .kh = 2,
				.sx = 2, .sy = 2, .method = MAX };
	struct rig rig;
	struct task t, pool;
	uint8_t *y;

	rig_init(&rig, NULL);
	conv_init(&conv);
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	recipe_pool(&pool, &p);
	for (unsigned int i = 0; i < pool.n; i++)
		if (pool.writes[i].reg < 0x7000)
			task_append(&t, pool.writes[i].reg, pool.writes[i].value);
	t.mask = EN_CONV_RDMA | EN_PPU;
	task_set(&t, DPU_FEATURE_MODE_CFG, 0x1e2);
	task_set(&t, PPU_OPERATION_MODE, MAX);
	task_set(&t, PPU_DST_BASE, AT_B);
	y = rig_map(&rig, AT_B, 2 * 32 * 6, 0xee);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int oc = 0; oc < 32; oc++)
		for (unsigned int i = 0; i < 6; i++) {
			double want = -INFINITY;

			for (unsigned int tap = 0; tap < 4; tap++)
				want = fmax(want, conv_sum(&conv, oc, i / 3 * 2 + tap / 2,
							   i % 3 * 2 + tap % 2));
			EXPECT_EQ(fp32_to_fp16(want), load16(y, (oc / 8 * 6 + i) * 8 + oc % 8));
		}
	EXPECT(rig_raw_status(&rig) & INT_PPU);
	EXPECT_EQ(0xee, conv.y[0]);
	conv_free(&conv);
	rig_free(&rig);
}

/* A4: PPU_RDMA may count the channels that exist, where the PPU counts whole units. */
TEST(read_dma_and_ppu_agree_in_units_of_channels)
{
	for (unsigned int c = 0; c < 17; c++) {
		struct ppu ppu = { .p = { .iw = 5, .ih = 4, .ow = 4, .oh = 3, .c = 16, .kw = 2,
					  .kh = 2, .sx = 1, .sy = 1, .method = MAX } };

		ppu_begin(&ppu);
		task_set(&ppu.t, PPU_RDMA_CHANNEL, c);
		EXPECT_EQ(c < 8 ? NPU_HUNG : NPU_IDLE, rig_run(&ppu.rig, &ppu.t, 1));
		for (unsigned int i = 0; c >= 8 && i < 2 * 12 * 8; i++)
			EXPECT_EQ(fp32_to_fp16(pooled(&ppu, i / 96 * 8 + i % 8, i % 96 / 32,
						      i % 32 / 8)), load16(ppu.y, i));
		rig_free(&ppu.rig);
	}
}

TEST(input_not_mapped_stalls_with_a_read_error)
{
	struct ppu ppu = { .p = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 8, .kw = 2, .kh = 2,
				  .sx = 2, .sy = 2, .method = MAX } };

	ppu_begin(&ppu);
	rig_unmap(&ppu.rig, AT_X);
	EXPECT_EQ(NPU_STALLED, rig_run(&ppu.rig, &ppu.t, 1));
	EXPECT_EQ(INT_DMA_READ_ERROR, rig_raw_status(&ppu.rig) & (INT_DMA_READ_ERROR | INT_PPU));
	EXPECT_EQ(0xee, ppu.y[0]);
	rig_free(&ppu.rig);
}

TEST(unmodelled_fields_are_reported_once)
{
	static const struct {
		uint16_t reg;
		uint32_t bits;
		const char *name;
	} fields[] = {
		{ PPU_OPERATION_MODE, 1u << 30, "INDEX_EN" },
		{ PPU_OPERATION_MODE, 1u << 5, "USE_CNT" },
		{ PPU_MISC, 1u << 7, "NONALIGN" },
		{ PPU_MISC, 1u << 8, "MC_SURF_OUT" },
	};

	for (unsigned int i = 0; i < 4; i++) {
		struct ppu ppu = { .p = { .iw = 4,
					  .ih = 4,
					  .ow = 2,
					  .oh = 2,
					  .c = 8,
					  .kw = 2,
					  .kh = 2,
					  .sx = 2,
					  .sy = 2,
					  .method = MAX } };

		ppu_begin(&ppu);
		task_set(&ppu.t, fields[i].reg, task_get(&ppu.t, fields[i].reg) | fields[i].bits);
		for (unsigned int run = 0; run < 3; run++)
			rig_run(&ppu.rig, &ppu.t, 1);
		EXPECT_EQ(1, rig_count(&ppu.rig, NPU_NOTE, fields[i].name));
		rig_free(&ppu.rig);
	}
}

TEST_MAIN()
