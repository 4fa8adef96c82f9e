// SPDX-License-Identifier: MIT
/* BS, BN and EW. */
#include "npu_field.h"
#include "rk3588_npu.h"
#include "stage.h"
#include "stream.h"

#define PER_PIXEL	1

static void dpu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU, reg, value);
}

/* BS and BN have the same bits at other offsets. */
void emit_stage(struct stream *stream, const struct stage *s, uint32_t cfg)
{
	dpu(stream, cfg,
	    npu_set(NPU_DPU_BS_CFG_BS_ALU_ALGO, s->alu ? s->alu - 1 : 0) |
	    npu_set(NPU_DPU_BS_CFG_BS_ALU_SRC, s->alu_vector) |
	    npu_set(NPU_DPU_BS_CFG_BS_RELUX_EN, s->relux) |
	    npu_set(NPU_DPU_BS_CFG_BS_RELU_BYPASS, !s->relu) |
	    npu_set(NPU_DPU_BS_CFG_BS_MUL_PRELU, s->prelu) |
	    npu_set(NPU_DPU_BS_CFG_BS_MUL_BYPASS, !s->mul) |
	    npu_set(NPU_DPU_BS_CFG_BS_ALU_BYPASS, !s->alu) |
	    npu_set(NPU_DPU_BS_CFG_BS_BYPASS, !stage_is_active(s)));
	dpu(stream, cfg + NPU_DPU_BS_ALU_CFG - NPU_DPU_BS_CFG, s->addend);
	dpu(stream, cfg + NPU_DPU_BS_MUL_CFG - NPU_DPU_BS_CFG,
	    npu_set(NPU_DPU_BS_MUL_CFG_BS_MUL_OPERAND, s->factor) |
	    npu_set(NPU_DPU_BS_MUL_CFG_BS_MUL_SHIFT_VALUE, s->shift) |
	    npu_set(NPU_DPU_BS_MUL_CFG_BS_MUL_SRC, s->mul_vector));
	dpu(stream, cfg + NPU_DPU_BS_RELUX_CMP_VALUE - NPU_DPU_BS_CFG, s->limit);
}

static uint32_t operation(const struct ew *ew)
{
	if (!ew->op)
		return NPU_DPU_EW_CFG_EW_OP_BYPASS | NPU_DPU_EW_CFG_EW_OP_CVT_BYPASS;
	return npu_set(NPU_DPU_EW_CFG_EW_CVT_TYPE, ew->add_first) |
	       npu_set(NPU_DPU_EW_CFG_EW_DATA_MODE, PER_PIXEL) |
	       npu_set(NPU_DPU_EW_CFG_EDATA_SIZE, ew->size) |
	       npu_set(NPU_DPU_EW_CFG_EW_ALU_ALGO, ew->op == PASS_MUL ? 0 : ew->op - 1) |
	       npu_set(NPU_DPU_EW_CFG_EW_OP_TYPE, ew->op == PASS_MUL) |
	       npu_set(NPU_DPU_EW_CFG_EW_OP_CVT_BYPASS, !ew->convert) |
	       NPU_DPU_EW_CFG_EW_OP_SRC;
}

void emit_ew(struct stream *stream, const struct ew *ew)
{
	dpu(stream, NPU_DPU_EW_CFG,
	    operation(ew) |
	    npu_set(NPU_DPU_EW_CFG_EW_RELUX_EN, ew->relux) |
	    npu_set(NPU_DPU_EW_CFG_EW_RELU_BYPASS, !ew->relu) |
	    npu_set(NPU_DPU_EW_CFG_EW_LUT_BYPASS, !ew->lut) |
	    npu_set(NPU_DPU_EW_CFG_EW_BYPASS, !ew->op && !ew->lut));
	dpu(stream, NPU_DPU_EW_CVT_OFFSET_VALUE, ew->offset);
	dpu(stream, NPU_DPU_EW_CVT_SCALE_VALUE,
	    npu_set(NPU_DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SHIFT, ew->shift) |
	    npu_set(NPU_DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SCALE, ew->op ? ew->scale : 1));
	dpu(stream, NPU_DPU_EW_RELUX_CMP_VALUE, ew->limit);
	stream_clear(stream, NPU_TARGET_DPU, NPU_DPU_EW_OP_VALUE_0, NPU_DPU_EW_OP_VALUE_7);
}
