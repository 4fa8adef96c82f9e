// SPDX-License-Identifier: MIT
/* The lookup tables of EW (programming-model C9, F1, H6). */
#include "lut.h"
#include "npu_field.h"
#include "rk3588_npu.h"

static void dpu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU, reg, value);
}

/* The port counts its address up with every entry. */
void emit_lut_upload(struct stream *stream, const struct lut *lut)
{
	unsigned int table, i;

	for (table = 0; table < 2; table++) {
		dpu(stream, NPU_DPU_LUT_ACCESS_CFG,
		    NPU_DPU_LUT_ACCESS_CFG_LUT_ACCESS_TYPE |
		    npu_set(NPU_DPU_LUT_ACCESS_CFG_LUT_TABLE_ID, table));
		for (i = 0; i < LUT_ENTRIES; i++)
			dpu(stream, NPU_DPU_LUT_ACCESS_DATA, (uint16_t)lut->entry[table][i]);
	}
}

uint32_t lut_upload_words(void)
{
	return 2 * (1 + LUT_ENTRIES);
}

/* Priorities and mux as in every program that was run: where both tables answer, LO does (C9). */
static uint32_t configuration(void)
{
	return NPU_DPU_LUT_CFG_LUT_HYBRID_PRIORITY | NPU_DPU_LUT_CFG_LUT_OFLOW_PRIORITY |
	       npu_set(NPU_DPU_LUT_CFG_LUT_LO_LE_MUX, 2);
}

void emit_lut(struct stream *stream, const struct lut *lut)
{
	/* the port reads: what is written to it changes no entry */
	dpu(stream, NPU_DPU_LUT_ACCESS_CFG, 0);
	dpu(stream, NPU_DPU_LUT_ACCESS_DATA, 0);
	if (!lut) {
		stream_clear(stream, NPU_TARGET_DPU, NPU_DPU_LUT_CFG, NPU_DPU_LUT_LO_SLOPE_SHIFT);
		return;
	}
	dpu(stream, NPU_DPU_LUT_CFG, configuration());
	dpu(stream, NPU_DPU_LUT_INFO,
	    npu_set(NPU_DPU_LUT_INFO_LUT_LO_INDEX_SELECT, lut->select[1]) |
	    npu_set(NPU_DPU_LUT_INFO_LUT_LE_INDEX_SELECT, lut->select[0]));
	dpu(stream, NPU_DPU_LUT_LE_START, lut->start[0]);
	dpu(stream, NPU_DPU_LUT_LE_END, lut->start[1]);
	dpu(stream, NPU_DPU_LUT_LO_START, lut->start[1]);
	dpu(stream, NPU_DPU_LUT_LO_END, lut->start[2]);
	dpu(stream, NPU_DPU_LUT_LE_SLOPE_SCALE,
	    npu_set(NPU_DPU_LUT_LE_SLOPE_SCALE_LUT_LE_SLOPE_UFLOW_SCALE, lut->slope));
	dpu(stream, NPU_DPU_LUT_LE_SLOPE_SHIFT, 0);
	dpu(stream, NPU_DPU_LUT_LO_SLOPE_SCALE,
	    npu_set(NPU_DPU_LUT_LO_SLOPE_SCALE_LUT_LO_SLOPE_OFLOW_SCALE, lut->slope));
	dpu(stream, NPU_DPU_LUT_LO_SLOPE_SHIFT, 0);
}
