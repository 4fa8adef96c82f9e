// SPDX-License-Identifier: MIT
/*
 * Where the DPU writes (programming-model D5, D6, F1): the address of every
 * element by the rule, and nothing else touched.
 */
#include <stdlib.h>

#include "conv.h"
#include "fp16.h"
#include "recipe.h"
#include "tap.h"

/**
 * struct layout - the output strides of a task, in units
 * @surf:  DST_SURF_STRIDE
 * @add:   SURFACE_ADD
 * @notch: both NOTCH fields
 * @units: that the layout spans
 */
struct layout {
	unsigned int surf, add, notch, units;
};

/* The unit of surface @s of kernel group @g at (@y, @x), D5. */
static unsigned int unit_of(const struct conv *conv, const struct layout *l, unsigned int g,
			    unsigned int s, unsigned int y, unsigned int x)
{
	return g * l->add + s * l->surf + y * (conv->ow + l->notch) + x;
}

/* What memory must hold: pixel by pixel, all surfaces of the group at each. */
static uint8_t *expected(const struct conv *conv, const struct layout *l)
{
	unsigned int lanes = 128 / type_info[conv->out].bits, n_s = conv_surfaces(conv);
	unsigned int groups = conv->oc_pad / (n_s * lanes);
	uint8_t *bytes = malloc(16 * l->units);

	if (!bytes)
		return NULL;
	memset(bytes, 0xee, 16 * l->units);
	for (unsigned int i = 0; i < groups * conv->oh * conv->ow * n_s * lanes; i++) {
		unsigned int lane = i % lanes, s = i / lanes % n_s, p = i / lanes / n_s;
		unsigned int x = p % conv->ow, y = p / conv->ow % conv->oh;
		unsigned int g = p / conv->ow / conv->oh, oc = (g * n_s + s) * lanes + lane;
		double v = oc < conv->oc ? conv_sum(conv, oc, y, x) : 0;

		type_store(conv->out, bytes + 16 * unit_of(conv, l, g, s, y, x), lane, v);
	}
	return bytes;
}

static void check_layout(struct conv conv, const struct layout *l)
{
	struct rig rig;
	struct task t;
	uint8_t *want, *got;

	rig_init(&rig, NULL);
	conv_init(&conv);
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	task_set(&t, DPU_DST_BASE, AT_B);
	task_set(&t, DPU_DST_SURF_STRIDE, l->surf << 4);
	task_set(&t, DPU_SURFACE_ADD, l->add << 4);
	task_set(&t, DPU_NOTCH, l->notch << 16 | l->notch);
	got = rig_map(&rig, AT_B, 16 * l->units, 0xee);
	want = expected(&conv, l);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int i = 0; want && i < 16 * l->units; i++) {
		if (want[i] != got[i]) {
			TAP_FAIL("byte %x: want %02x, got %02x", i, want[i], got[i]);
			break;
		}
	}
	free(want);
	conv_free(&conv);
	rig_free(&rig);
}

/* Faults R3: an error of the stride shows only with several surfaces. */
TEST(r3_planes_with_gaps_between_surfaces_groups_and_rows)
{
	const struct conv conv = {
		.in = T_INT8, .out = T_INT32, .w = 5, .h = 3, .c = 16, .oc = 70
	};

	check_layout(conv, &(struct layout){ .surf = 15, .add = 120, .units = 360 });
	check_layout(conv, &(struct layout){ .surf = 40, .add = 333, .units = 3 * 333 });
	/* a column tile, 5 of 9 wide */
	check_layout(conv,
		     &(struct layout){ .surf = 27, .add = 216, .notch = 4, .units = 3 * 216 });
}

TEST(every_type_fills_its_surfaces)
{
	check_layout(
		(struct conv){ .in = T_INT4, .out = T_INT16, .w = 3, .h = 2, .c = 32, .oc = 100 },
		&(struct layout){ .surf = 10, .add = 90, .notch = 1, .units = 180 });
	check_layout((struct conv){ .in = T_FP16, .out = T_FP16, .w = 3, .h = 2, .c = 8, .oc = 40 },
		     &(struct layout){ .surf = 8, .add = 20, .notch = 1, .units = 60 });
	check_layout((struct conv){ .in = T_FP16, .out = T_FP16, .depthwise = true, .w = 3, .h = 2,
				    .c = 40 },
		     &(struct layout){ .surf = 6, .add = 24, .units = 48 });
}

/* D6: a row of the matrix is contiguous; M = 1 included. */
TEST(row_major_matrix_is_written_without_unpacking)
{
	for (unsigned int m = 1; m <= 5; m++) {
		check_layout((struct conv){ .in = T_INT8, .out = T_INT32, .w = 1, .h = m, .c = 32,
					    .oc = 96 },
			     &(struct layout){ .surf = 1, .add = 8, .notch = 23, .units = 24 * m });
		check_layout((struct conv){ .in = T_FP16, .out = T_FP32, .w = 1, .h = m, .c = 32,
					    .oc = 48 },
			     &(struct layout){ .surf = 1, .add = 4, .notch = 11, .units = 12 * m });
	}
}

/* F1: where surfaces overlap the later pixel stays, not the later surface. */
TEST(overlapping_surfaces_keep_the_later_pixel)
{
	check_layout((struct conv){ .in = T_FP16, .out = T_FP32, .w = 4, .h = 4, .c = 8, .oc = 16 },
		     &(struct layout){ .surf = 8, .add = 32, .units = 40 });
}

/* D5: int4 with size_e 1, 3, 7 wrote 16, 32, 64 columns on boards. */
TEST(too_small_size_e_leaves_the_rest_of_the_group_unwritten)
{
	for (unsigned int size_e = 0; size_e < 8; size_e++) {
		struct conv conv = {
			.in = T_INT4, .out = T_INT16, .w = 3, .h = 4, .c = 32, .oc = 64
		};
		struct rig rig;
		struct task t;

		rig_init(&rig, NULL);
		conv_init(&conv);
		conv_place(&conv, &rig);
		conv_task(&conv, &t);
		task_set(&t, DPU_BS_OW_CFG, size_e << 8 | size_e << 5 | size_e << 2 | 2);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		for (unsigned int oc = 0; oc < 64; oc++)
			EXPECT_EQ(oc / 8 <= size_e ? conv_sum(&conv, oc, 2, 1) : (int16_t)0xeeee,
				  conv_output(&conv, oc, 2, 1));
		conv_free(&conv);
		rig_free(&rig);
	}
}

/* F1: slot = 4m + (n/4)%4 + (n/16) 4M + (n%4) 16M, 16-bit, N up to 32, saturating. */
TEST(tp_org_en_transposes_int16)
{
	struct conv conv = { .in = T_INT16, .out = T_INT16, .w = 1, .h = 4, .c = 32, .oc = 32 };
	const unsigned int rows = 4;
	struct rig rig;
	struct task t;
	uint8_t *y;

	rig_init(&rig, NULL);
	conv_init(&conv);
	for (unsigned int i = 0; i < 32 * 32; i++)
		conv.k[i] = (int)conv.k[i] % 3;
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	task_set(&t, DPU_DST_BASE, AT_B);
	task_set(&t, DPU_BS_OW_CFG, task_get(&t, DPU_BS_OW_CFG) | 1u << 27);
	y = rig_map(&rig, AT_B, 2 * 64 * rows, 0xee);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int n = 0; n < 32; n++)
		for (unsigned int m = 0; m < rows; m++) {
			unsigned int slot =
				4 * m + n / 4 % 4 + n / 16 * 4 * rows + n % 4 * 16 * rows;
			double want = conv_sum(&conv, n, m, 0);

			want = want > 32767 ? 32767 : want < -32768 ? -32768 : want;
			EXPECT_EQ(want, (int16_t)load16(y, slot));
		}
	conv_free(&conv);
	rig_free(&rig);
}

/*
 * TP_EN as the vendor's runtime sets it to put the channels of a pixel one behind the
 * other, here for two planes of 24 pixels: eight columns at a time, planes as rows.
 */
TEST(tp_en_gathers_the_units_of_a_pixel)
{
	const unsigned int planes = 2, pixels = 24;
	struct rig rig;
	struct task t;
	uint8_t *x, *y;

	rig_init(&rig, NULL);
	x = rig_map(&rig, AT_X, 16 * planes * pixels, 0);
	y = rig_map(&rig, AT_Y, 16 * planes * pixels, 0xee);
	for (unsigned int i = 0; i < 8 * planes * pixels; i++)
		store16(x, i, i);
	recipe_flying(&t, 8);
	task_set(&t, DPU_FEATURE_MODE_CFG, 0x400001e5);
	task_set(&t, DPU_DATA_FORMAT, 0x24000001);
	task_set(&t, DPU_DST_SURF_STRIDE, planes << 4);
	task_set(&t, DPU_HEIGHT, planes - 1);
	task_set(&t, DPU_NOTCH, 7 * planes << 16 | 7 * planes);
	task_set(&t, DPU_CHANNEL, (pixels - 1) << 16 | (pixels - 1));
	task_set(&t, DPU_BS_OW_CFG, 0x7fe);
	task_set(&t, DPU_WDMA_SIZE_0, 0x08000000 | (pixels - 1));
	task_set(&t, DPU_WDMA_SIZE_1, (pixels / 8 - 1) << 16 | (planes - 1));
	task_set(&t, DPU_SURFACE_ADD, 8 * planes << 4);
	task_set(&t, DPU_OUT_SCALE, 1);
	task_set(&t, RDMA_HEIGHT, planes - 1);
	task_set(&t, RDMA_CHANNEL, pixels - 1);
	task_set(&t, RDMA_SRC_DMA_CFG, (pixels - 8) << 19);
	task_set(&t, RDMA_SURF_NOTCH, -pixels << 4);	/* the next eight columns */
	task_set(&t, RDMA_FEATURE_MODE_CFG, 0xf821);
	EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
	for (unsigned int i = 0; i < 8 * planes * pixels; i++) {
		unsigned int plane = i / 8 % planes, pixel = i / 8 / planes;

		EXPECT_EQ((plane * pixels + pixel) * 8 + i % 8, load16(y, i));
	}
	rig_free(&rig);
}

/* NONALIGN: eight fp16 become eight fp32 in a row; a surface ends after SURF_LEN 8-byte units. */
TEST(nonalign_keeps_the_order_of_elements)
{
	for (unsigned int surf_len = 9; surf_len <= 10; surf_len++) {
		struct rig rig;
		struct task t;
		uint8_t *x, *y;

		rig_init(&rig, NULL);
		x = rig_map(&rig, AT_X, 16 * 5, 0);
		y = rig_map(&rig, AT_Y, 32 * 5, 0xee);
		for (unsigned int i = 0; i < 40; i++)
			store16(x, i, fp32_to_fp16(i));
		recipe_flying(&t, 5);
		task_set(&t, DPU_FEATURE_MODE_CFG, 0x020001e5 | surf_len << 9);
		task_set(&t, DPU_DATA_FORMAT, 0xa8000002);
		task_set(&t, DPU_BS_OW_CFG, 0x126);
		task_set(&t, DPU_SURFACE_ADD, 10 << 4);
		EXPECT_EQ(NPU_IDLE, rig_run(&rig, &t, 1));
		for (unsigned int i = 0; i < 40; i++)
			EXPECT_EQ(i < 4 * surf_len ? fp32_bits(i) : 0xeeeeeeee, load32(y, i));
		rig_free(&rig);
	}
}

TEST(output_not_mapped_stalls_with_a_write_error)
{
	struct conv conv = { .in = T_INT8, .out = T_INT32, .w = 3, .h = 4, .c = 16, .oc = 32 };
	struct rig rig;
	struct task t;

	rig_init(&rig, NULL);
	conv_init(&conv);
	conv_place(&conv, &rig);
	conv_task(&conv, &t);
	task_set(&t, DPU_DST_BASE, AT_B);
	EXPECT_EQ(NPU_STALLED, rig_run(&rig, &t, 1));
	EXPECT_EQ(INT_DMA_WRITE_ERROR, rig_raw_status(&rig) &
				       (INT_DMA_WRITE_ERROR | INT_DMA_READ_ERROR | INT_DPU));
	EXPECT(rig.irq);
	conv_free(&conv);
	rig_free(&rig);
}

TEST_MAIN()
