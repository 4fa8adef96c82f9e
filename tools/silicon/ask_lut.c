// SPDX-License-Identifier: MIT
/* Questions about the lookup tables (programming-model C9). */
#include <string.h>

#include "experiment.h"

#define ENTRIES		513
#define TABLE_LE	0x20000u	/* LUT_ACCESS_CFG: write from entry 0 */
#define TABLE_LO	0x30000u

/**
 * struct tables - LE over -512 to 0 and LO over 0 to 512, an entry for each number
 * @le: @lo: entries
 */
struct tables {
	int16_t le[ENTRIES];
	int16_t lo[ENTRIES];
};

static void fill(int16_t *table, int16_t value)
{
	for (unsigned int i = 0; i < ENTRIES; i++)
		table[i] = value;
}

static void upload(struct task *task, uint32_t access, const int16_t *table)
{
	task_append(task, DPU_LUT_ACCESS_CFG, access);
	for (unsigned int i = 0; i < ENTRIES; i++)
		task_append(task, DPU_LUT_ACCESS_DATA, (uint16_t)table[i]);
}

/*
 * @x looked up in @tables: BN passes, the table alone acts in EW, what it gives leaves as
 * fp16 (H6, without MINUS_EXP).
 */
static struct task *lut_task(struct trial *t, const uint16_t *x, unsigned int n,
			     const struct tables *tables)
{
	struct task *task = trial_flying(t, x, n);

	task_set(task, DPU_EW_CFG, 0x302);
	task_set(task, DPU_OUT_SHIFT, 0x80000000);
	task_set(task, DPU_LUT_CFG, 0x68);
	task_set(task, DPU_LUT_LE_START, -512);
	task_set(task, DPU_LUT_LO_END, 512);
	upload(task, TABLE_LE, tables->le);
	upload(task, TABLE_LO, tables->lo);
	return task;
}

/* 0.5, 1.5, 2.5, 2.75 in a table of 2 n */
static void lut_index(struct trial *t)
{
	static const uint16_t x[] = { 0x3800, 0x3e00, 0x4100, 0x4180 };
	struct tables tables = { { 0 }, { 0 } };

	for (unsigned int i = 0; i < ENTRIES; i++)
		tables.lo[i] = 2 * i;
	lut_task(t, x, 4, &tables);
	trial_note_lanes(t, 4);
}

/* 16, 24, 72, 80 and 88 where entries 0, 1, 0, -1 are 32 apart */
static void lut_between(struct trial *t)
{
	static const uint16_t x[] = { 0x4c00, 0x4e00, 0x5480, 0x5500, 0x5580 };
	struct tables tables = { { 0 }, { 0, 1, 0, -1 } };
	struct task *task = lut_task(t, x, 5, &tables);

	task_set(task, DPU_LUT_INFO, 5 << 16);
	task_set(task, DPU_LUT_LO_END, 16384);
	trial_note_lanes(t, 5);
}

/* 513, 515, -513, -515: slopes of one half from 0 at 512 and at -512 */
static void lut_slope(struct trial *t)
{
	static const uint16_t x[] = { 0x6002, 0x6006, 0xe002, 0xe006 };
	struct tables tables = { { 0 }, { 0 } };
	struct task *task = lut_task(t, x, 4, &tables);

	task_set(task, DPU_LUT_LO_SLOPE_SCALE, 1 << 16);
	task_set(task, DPU_LUT_LO_SLOPE_SHIFT, 1 << 5);
	task_set(task, DPU_LUT_LE_SLOPE_SCALE, 1);
	task_set(task, DPU_LUT_LE_SLOPE_SHIFT, 1);
	trial_note_lanes(t, 4);
}

/* 513 and 514 with a slope of 0x8000 / 256 */
static void lut_slope_sign(struct trial *t)
{
	static const uint16_t x[] = { 0x6002, 0x6004 };
	struct tables tables = { { 0 }, { 0 } };
	struct task *task = lut_task(t, x, 2, &tables);

	task_set(task, DPU_LUT_LO_SLOPE_SCALE, 0x80000000);
	task_set(task, DPU_LUT_LO_SLOPE_SHIFT, 8 << 5);
	trial_note_lanes(t, 2);
}

/* 100 where both tables span 0 to 512 */
static void lut_priority(struct trial *t)
{
	static const uint16_t x[] = { 0x5640 };
	struct tables tables;
	struct task *task;

	fill(tables.le, 1);
	fill(tables.lo, 2);
	task = lut_task(t, x, 1, &tables);
	task_set(task, DPU_LUT_CFG, 0x28);
	task_set(task, DPU_LUT_LE_START, 0);
	task_set(task, DPU_LUT_LE_END, 512);
	trial_note_lanes(t, 1);
}

/* 100, of which the table makes -5, and a maximum with 0 */
static void lut_order(struct trial *t)
{
	static const uint16_t x[] = { 0x5640 };
	struct tables tables;

	fill(tables.le, 0);
	fill(tables.lo, -5);
	task_set(lut_task(t, x, 1, &tables), DPU_EW_CFG, 0x300);
	trial_note_lanes(t, 1);
}

static void lut_nan(struct trial *t)
{
	static const uint16_t x[] = { 0x7e00 };
	struct tables tables;

	fill(tables.le, 4);
	fill(tables.lo, 2);
	tables.le[ENTRIES - 1] = 5;
	tables.lo[ENTRIES - 1] = 3;
	lut_task(t, x, 1, &tables);
	trial_note_lanes(t, 1);
}

static void lut_scale(struct trial *t)
{
	static const uint16_t x[] = { 0x5640 };
	struct tables tables;

	fill(tables.le, 0);
	fill(tables.lo, 4);
	task_set(lut_task(t, x, 1, &tables), DPU_OUT_SHIFT, 0x80000001);
	trial_note_lanes(t, 1);
}

static const struct experiment experiments[] = {
	{
		.asks = NPU_LUT_INDEX, .run = lut_index, .n = 4,
		.program = "0.5, 1.5, 2.5 and 2.75 looked up in a table whose entry n is 2 n",
		.hypotheses = {
			{ NPU_LUT_INDEX_EVEN, GIVES, { 0, 0x4400, 0x4400, 0x4600 } },
			{ NPU_LUT_INDEX_UP, GIVES, { 0x4000, 0x4400, 0x4600, 0x4600 } },
			{ NPU_LUT_INDEX_CUT, GIVES, { 0, 0x4000, 0x4400, 0x4400 } },
		},
	}, {
		.asks = NPU_LUT_BETWEEN, .run = lut_between, .n = 5,
		.program = "a half and three quarters of the way from 0 to 1; a quarter, a half and three "
			   "quarters of the way from 0 to -1",
		.hypotheses = {
			{ NPU_LUT_BETWEEN_FLOOR, GIVES, { 0, 0, 0xbc00, 0xbc00, 0xbc00 } },
			{ NPU_LUT_BETWEEN_NEAREST, GIVES, { 0x3c00, 0x3c00, 0, 0, 0xbc00 } },
			{ NPU_LUT_BETWEEN_ZERO, GIVES, { 0, 0, 0, 0, 0 } },
		},
	}, {
		.asks = NPU_LUT_SLOPE, .run = lut_slope, .n = 4,
		.program = "slopes of one half, 1 and 3 steps above LO and below LE",
		.hypotheses = {
			{ NPU_LUT_SLOPE_FLOOR, GIVES, { 0, 0x3c00, 0xbc00, 0xc000 } },
			{ NPU_LUT_SLOPE_NEAREST, GIVES, { 0x3c00, 0x4000, 0, 0xbc00 } },
			{ NPU_LUT_SLOPE_ZERO, GIVES, { 0, 0x3c00, 0, 0xbc00 } },
		},
	}, {
		.asks = NPU_LUT_SLOPE_SIGN, .run = lut_slope_sign, .n = 2,
		.program = "a slope of 0x8000 >> 8, 1 and 2 steps above LO",
		.hypotheses = {
			{ NPU_LUT_SLOPE_SIGN_SIGNED, GIVES, { 0xd800, 0xdc00 } },
			{ NPU_LUT_SLOPE_SIGN_UNSIGNED, GIVES, { 0x5800, 0x5c00 } },
		},
	}, {
		.asks = NPU_LUT_PRIORITY, .run = lut_priority, .n = 1,
		.program = "100 where LE is all 1, LO all 2, both from 0 to 512, HYBRID_PRIORITY 0",
		.hypotheses = {
			{ NPU_LUT_PRIORITY_LE, GIVES, { 0x3c00 } },
			{ NPU_LUT_PRIORITY_LO, GIVES, { 0x4000 } },
		},
	}, {
		.asks = NPU_LUT_ORDER, .run = lut_order, .n = 1,
		.program = "100 with a table that is all -5 and a maximum with 0",
		.hypotheses = {
			{ NPU_LUT_ORDER_LUT_FIRST, GIVES, { 0 } },
			{ NPU_LUT_ORDER_OP_FIRST, GIVES, { 0xc500 } },
		},
	}, {
		.asks = NPU_LUT_NAN, .run = lut_nan, .n = 1,
		.program = "a NaN where LE starts with 4 and LO with 2 and ends with 3",
		.rests_on = { NPU_LUT_PRIORITY }, .n_rests = 1,
		.hypotheses = {
			{ NPU_LUT_NAN_ZERO, GIVES, { 0x4000 } },
			{ NPU_LUT_NAN_BELOW, GIVES, { 0x4400 } },
			{ NPU_LUT_NAN_ABOVE, GIVES, { 0x4200 } },
		},
	}, {
		.asks = NPU_LUT_SCALE, .run = lut_scale, .n = 1,
		.program = "a table that is all 4, with OUT_CVT_SHIFT 1",
		.hypotheses = {
			{ NPU_LUT_SCALE_IGNORED, GIVES, { 0x4400 } },
			{ NPU_LUT_SCALE_ACTS, GIVES, { 0x4000 } },
		},
	},
};

const struct family ask_lut = FAMILY(experiments);
