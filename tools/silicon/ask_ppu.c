// SPDX-License-Identifier: MIT
/* Questions about the pooling unit (programming-model G). */
#include "experiment.h"
#include "fp16.h"

enum { AVERAGE, MAX };

/* A pooling of @k x @k windows without overlap, from @n x @n pixels of @c channels. */
static struct task *pool_task(struct trial *t, unsigned int method, unsigned int n,
			      unsigned int k, unsigned int c)
{
	const struct pool pool = { .iw = n, .ih = n, .ow = n / k, .oh = n / k, .c = c, .kw = k,
				   .kh = k, .sx = k, .sy = k, .method = method };
	struct task *task = trial_task(t);

	recipe_pool(task, &pool);
	return task;
}

/* int8 elements instead of fp16. */
static void make_int8(struct task *task)
{
	task_set(task, PPU_DATA_FORMAT, task_get(task, PPU_DATA_FORMAT) & ~7u);
	task_set(task, PPU_RDMA_DATA_FORMAT, 1);
}

/* Lane 0 of four pixels. */
static void four_pixels(struct trial *t, const uint16_t *x)
{
	for (unsigned int p = 0; p < 4; p++)
		store16(trial_at(t, AT_X), 8 * p, x[p]);
}

/* 1024, 1025, 1024, 1026: the rows' halves are 1024.5 and 1025 */
static void ppu_average(struct trial *t)
{
	pool_task(t, AVERAGE, 2, 2, 8);
	four_pixels(t, (uint16_t[]){ 0x6400, 0x6401, 0x6400, 0x6402 });
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

/* 4x4 pixels that add up to 9 in channel 0 and to 23 in channel 1 */
static void ppu_int_average(struct trial *t)
{
	struct task *task = pool_task(t, AVERAGE, 4, 4, 16);

	make_int8(task);
	task_set(task, PPU_RECIP_W, 16384);
	task_set(task, PPU_RECIP_H, 16384);
	for (unsigned int p = 0; p < 16; p++) {
		trial_at(t, AT_X)[16 * p] = p < 9;
		trial_at(t, AT_X)[16 * p + 1] = p < 7 ? 2 : 1;
	}
	trial_run(t);
	trial_note8(t, AT_Y, 0);
	trial_note8(t, AT_Y, 1);
}

static void ppu_nan(struct trial *t)
{
	pool_task(t, MAX, 2, 2, 8);
	four_pixels(t, (uint16_t[]){ 0x7e00, 0x3c00, 0x4000, 0x4200 });
	trial_run(t);
	trial_note16(t, AT_Y, 0);
}

/* Channel c of pixel p is c + 10 p. */
static void ppu_int8(struct trial *t)
{
	static const unsigned int channels[] = { 0, 1, 2, 15 };

	make_int8(pool_task(t, MAX, 2, 2, 16));
	for (unsigned int i = 0; i < 4 * 16; i++)
		trial_at(t, AT_X)[i] = i % 16 + i / 16 * 10;
	trial_run(t);
	for (unsigned int i = 0; i < 4; i++)
		trial_note8(t, AT_Y, channels[i]);
}

/* 4x4 to 2x2 and, in a job of its own, 2x2 to 1x1; channel c is c + 1. */
static void ppu_small(struct trial *t)
{
	struct task *task;

	for (unsigned int i = 0; i < 2 * 16 * 8; i++)
		store16(trial_at(t, AT_X), i, fp32_to_fp16((float)(i / 128 * 8 + i % 8 + 1)));
	pool_task(t, MAX, 4, 2, 16);
	trial_run(t);
	task = pool_task(t, MAX, 2, 2, 16);
	task_set(task, PPU_RDMA_SRC_BASE, AT_Y);
	task_set(task, PPU_DST_BASE, AT_Y + 0x1000);
	trial_run(t);
	trial_note16(t, AT_Y + 0x1000, 0);
	trial_note16(t, AT_Y + 0x1000, 8);
	trial_note16(t, AT_Y + 0x1000, 15);
}

/* The flying DPU sends 4x4 pixels, pixel p is p + 1, to a maximum of 2x2. */
static void ppu_fed(struct trial *t)
{
	static const struct pool pool = { .iw = 4, .ih = 4, .ow = 2, .oh = 2, .c = 8, .kw = 2,
					  .kh = 2, .sx = 2, .sy = 2, .method = MAX };
	struct task *task = trial_flying(t, NULL, 0);
	struct task pooling;

	for (unsigned int i = 0; i < 16 * 8; i++)
		store16(trial_at(t, AT_X), i, fp32_to_fp16((float)(i / 8 + 1)));
	recipe_flying(task, 16);
	recipe_pool(&pooling, &pool);
	for (unsigned int i = 0; i < pooling.n; i++)
		if (pooling.writes[i].reg < PPU_RDMA_S_STATUS)
			task_append(task, pooling.writes[i].reg, pooling.writes[i].value);
	task->mask = EN_DPU | EN_RDMA | EN_PPU;
	task_set(task, DPU_FEATURE_MODE_CFG, 0x1e3);
	task_set(task, DPU_WIDTH, 3);
	task_set(task, DPU_HEIGHT, 3);
	task_set(task, DPU_WDMA_SIZE_1, 3 << 16 | 3);
	task_set(task, RDMA_WIDTH, 3);
	task_set(task, RDMA_HEIGHT, 3);
	task_set(task, PPU_OPERATION_MODE, MAX);
	task_set(task, PPU_DATA_FORMAT, task_get(task, PPU_DATA_FORMAT) | 8);
	trial_run(t);
	for (unsigned int p = 0; p < 4; p++)
		trial_note16(t, AT_Y, 8 * p);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_PPU_AVERAGE, .run = ppu_average, .n = 1,
		.program = "the average of fp16 1024, 1025, 1024, 1026 in a 2x2 window",
		.hypotheses = {
			{ NPU_PPU_AVERAGE_ONCE, GIVES, { 0x6401 } },
			{ NPU_PPU_AVERAGE_ROWS, GIVES, { 0x6400 } },
		},
	}, {
		.asks = NPU_PPU_INT_AVERAGE, .run = ppu_int_average, .n = 2,
		.program = "int8 averages of sums 9 and 23 over 4x4 pixels",
		.rests_on = { NPU_PPU_INT8, NPU_TIES_MUL }, .n_rests = 2,
		.hypotheses = {
			{ NPU_PPU_INT_AVERAGE_TWICE, GIVES, { 0, 2 } },
			{ NPU_PPU_INT_AVERAGE_ONCE, GIVES, { 1, 1 } },
		},
	}, {
		.asks = NPU_PPU_NAN, .run = ppu_nan, .n = 1,
		.program = "the maximum of a NaN, 1, 2 and 3",
		.hypotheses = {
			{ NPU_PPU_NAN_NUMBER, GIVES, { 0x4200 } },
			{ NPU_PPU_NAN_NAN, GIVES, { 0x7e00 } },
		},
	}, {
		.asks = NPU_PPU_INT8, .run = ppu_int8, .n = 4,
		.program = "int8 maxima over 2x2 pixels, channel c of pixel p is c + 10 p; channels 0, 1, "
			   "2 and 15",
		.hypotheses = {
			{ NPU_PPU_INT8_BYTES, GIVES, { 30, 31, 32, 45 } },
			{ NPU_PPU_INT8_SHORTS, OTHERWISE, { 0 } },
		},
	}, {
		.asks = NPU_PPU_SMALL, .run = ppu_small, .n = 3,
		.program = "a maximum from 4x4 to 2x2 and from there to one pixel, 16 channels, channel c "
			   "is c + 1; channels 0, 8 and 15",
		.hypotheses = {
			{ NPU_PPU_SMALL_RIGHT, GIVES, { 0x3c00, 0x4880, 0x4c00 } },
			{ NPU_PPU_SMALL_HALF, GIVES, { 0x3c00, 0, 0 } },
		},
	}, {
		.asks = NPU_PPU_FED, .run = ppu_fed, .n = 4, .risky = true,
		.program = "a maximum over 2x2 of the 4x4 pixels that the flying DPU sends, pixel p is "
			   "p + 1",
		.hypotheses = {
			{ NPU_PPU_FED_WORKS, GIVES, { 0x4600, 0x4800, 0x4b00, 0x4c00 } },
			{ NPU_PPU_FED_HANGS, HANGS, { 0 } },
		},
	},
};

const struct family ask_ppu = FAMILY(experiments);
