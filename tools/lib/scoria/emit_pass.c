// SPDX-License-Identifier: MIT
/*
 * The flying DPU and its read engines for vectors (programming-model F4, H5):
 * one row of units, of which the position does not matter, since reads and
 * writes walk alike.
 */
#include "fp16.h"
#include "limits.h"
#include "npu_field.h"
#include "pass.h"
#include "rk3588_npu.h"

#define BURST_16	15
#define TO_MEMORY	2
#define PER_PIXEL	1
#define EQUAL_WEIGHTS	0x01010101u

/* More than any body has, for measuring one. */
#define MAX_WORDS 128

static void dpu(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU, reg, value);
}

static void rdma(struct stream *stream, uint32_t reg, uint32_t value)
{
	stream_write(stream, NPU_TARGET_DPU_RDMA, reg, value);
}

static bool is_int8(const struct pass *pass)
{
	return pass->type == PASS_INT8;
}

static uint32_t precision(const struct pass *pass)
{
	return is_int8(pass) ? NPU_PRECISION_INT8 : NPU_PRECISION_FP16;
}

/* Channels of a pixel: all lanes of a unit are real, or they would leave as 0 (C7). */
static uint32_t lanes(const struct pass *pass)
{
	return is_int8(pass) ? NPU_UNIT : NPU_UNIT / 2;
}

static void emit_format(struct stream *stream, const struct pass *pass)
{
	dpu(stream, NPU_DPU_FEATURE_MODE_CFG,
	    npu_set(NPU_DPU_FEATURE_MODE_CFG_BURST_LEN, BURST_16) |
	    npu_set(NPU_DPU_FEATURE_MODE_CFG_OUTPUT_MODE, TO_MEMORY) |
	    NPU_DPU_FEATURE_MODE_CFG_FLYING_MODE);
	dpu(stream, NPU_DPU_DATA_FORMAT,
	    npu_set(NPU_DPU_DATA_FORMAT_OUT_PRECISION, precision(pass)) |
	    npu_set(NPU_DPU_DATA_FORMAT_IN_PRECISION, precision(pass)) |
	    npu_set(NPU_DPU_DATA_FORMAT_PROC_PRECISION, precision(pass)));
	dpu(stream, NPU_DPU_OFFSET_PEND, 0);
}

static void emit_cube(struct stream *stream, const struct pass_task *task)
{
	const uint32_t last = lanes(task->pass) - 1;

	dpu(stream, NPU_DPU_DST_BASE_ADDR, task->to);
	dpu(stream, NPU_DPU_DST_SURF_STRIDE,
	    npu_set(NPU_DPU_DST_SURF_STRIDE_DST_SURF_STRIDE, task->units));
	dpu(stream, NPU_DPU_DATA_CUBE_WIDTH,
	    npu_set(NPU_DPU_DATA_CUBE_WIDTH_WIDTH, task->units - 1));
	dpu(stream, NPU_DPU_DATA_CUBE_HEIGHT, 0);
	dpu(stream, NPU_DPU_DATA_CUBE_NOTCH_ADDR, 0);
	dpu(stream, NPU_DPU_DATA_CUBE_CHANNEL,
	    npu_set(NPU_DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL, last) |
	    npu_set(NPU_DPU_DATA_CUBE_CHANNEL_CHANNEL, last));
	dpu(stream, NPU_DPU_BS_OW_CFG, NPU_DPU_BS_OW_CFG_OD_BYPASS);
	dpu(stream, NPU_DPU_BS_OW_OP, 0);
	dpu(stream, NPU_DPU_WDMA_SIZE_0, npu_set(NPU_DPU_WDMA_SIZE_0_CHANNEL_WDMA, last));
	dpu(stream, NPU_DPU_WDMA_SIZE_1,
	    npu_set(NPU_DPU_WDMA_SIZE_1_WIDTH_WDMA, task->units - 1));
	dpu(stream, NPU_DPU_SURFACE_ADD, npu_set(NPU_DPU_SURFACE_ADD_SURF_ADD, task->units));
	dpu(stream, NPU_DPU_UNKNOWN_40C4, 0);
}

/* A constant of the pipeline: int32, or fp32. */
static uint32_t constant(const struct pass *pass, double value)
{
	return is_int8(pass) ? (uint32_t)(int32_t)value : fp32_bits((float)value);
}

static uint32_t factor(const struct pass *pass, double value)
{
	return is_int8(pass) ? (uint16_t)(int16_t)value : fp32_to_fp16((float)value);
}

static struct stage stage_of(const struct pass *pass, const struct pass_stage *s)
{
	return (struct stage){
		.alu = s->alu,
		.mul = s->mul,
		.prelu = s->prelu,
		.relu = s->relu,
		.relux = s->relux,
		.addend = s->alu ? constant(pass, s->addend) : 0,
		.factor = s->mul ? factor(pass, s->factor) : 0,
		.limit = s->relux ? constant(pass, s->limit) : 0,
	};
}

/*
 * The adder of fp16 wants its operand converted to fp32, the multiplier and the
 * divider take it as it is (C6). The converter of int8 adds first, as Mesa's does.
 */
static struct ew ew_of(const struct pass *pass)
{
	return (struct ew){
		.op = pass->ew,
		.size = is_int8(pass) ? EW_SIZE_8 : EW_SIZE_16,
		.convert = is_int8(pass) || (pass->ew != PASS_MUL && pass->ew != PASS_DIV),
		.add_first = is_int8(pass),
		.offset = pass->operand_offset,
		.scale = is_int8(pass) ? (uint16_t)pass->operand_factor : 1,
		.relu = pass->ew_relu,
		.relux = pass->ew_relux,
		.limit = pass->ew_relux ? constant(pass, pass->ew_limit) : 0,
		.lut = pass->lut,
	};
}

/* A division leaves fp16 that must not be narrowed again (C6). */
static void emit_out_converter(struct stream *stream, const struct pass *pass)
{
	dpu(stream, NPU_DPU_OUT_CVT_OFFSET, pass->out_offset);
	dpu(stream, NPU_DPU_OUT_CVT_SCALE,
	    npu_set(NPU_DPU_OUT_CVT_SCALE_FP32TOFP16_EN, pass->type == PASS_FP16) |
	    npu_set(NPU_DPU_OUT_CVT_SCALE_OUT_CVT_SCALE, is_int8(pass) ? pass->out_factor : 1));
	dpu(stream, NPU_DPU_OUT_CVT_SHIFT,
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_CVT_TYPE, pass->lut != NULL) |
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_MINUS_EXP, pass->lut ? pass->lut->minus_exp : 0) |
	    npu_set(NPU_DPU_OUT_CVT_SHIFT_OUT_CVT_SHIFT, pass->out_shift));
}

/* ERDMA that nobody waits for stays off (B8, fault H8). */
static void emit_operand(struct stream *stream, const struct pass_task *task)
{
	const uint32_t size = is_int8(task->pass) ? EW_SIZE_8 : EW_SIZE_16;

	rdma(stream, NPU_DPU_RDMA_ERDMA_CFG,
	     task->pass->ew ? npu_set(NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE, PER_PIXEL) |
			      npu_set(NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DATA_SIZE, size) :
			      NPU_DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE);
	rdma(stream, NPU_DPU_RDMA_EW_BASE_ADDR, task->pass->ew ? task->operand : 0);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_STRIDE,
	     npu_set(NPU_DPU_RDMA_EW_SURF_STRIDE_EW_SURF_STRIDE,
		     task->pass->ew ? task->units : 0));
}

static void emit_reads(struct stream *stream, const struct pass_task *task)
{
	const struct pass *pass = task->pass;

	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_WIDTH,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_WIDTH_WIDTH, task->units - 1));
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_HEIGHT, 0);
	rdma(stream, NPU_DPU_RDMA_DATA_CUBE_CHANNEL,
	     npu_set(NPU_DPU_RDMA_DATA_CUBE_CHANNEL_CHANNEL, lanes(pass) - 1));
	rdma(stream, NPU_DPU_RDMA_SRC_BASE_ADDR, task->main);
	rdma(stream, NPU_DPU_RDMA_BRDMA_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_BS_BASE_ADDR, 0);
	rdma(stream, NPU_DPU_RDMA_NRDMA_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_BN_BASE_ADDR, 0);
	emit_operand(stream, task);
	rdma(stream, NPU_DPU_RDMA_SRC_DMA_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_SURF_NOTCH, 0);
	rdma(stream, NPU_DPU_RDMA_PAD_CFG, 0);
	rdma(stream, NPU_DPU_RDMA_WEIGHT, EQUAL_WEIGHTS);
	rdma(stream, NPU_DPU_RDMA_EW_SURF_NOTCH, 0);
	rdma(stream, NPU_DPU_RDMA_FEATURE_MODE_CFG,
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION, precision(pass)) |
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_BURST_LEN, BURST_16) |
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_PROC_PRECISION, precision(pass)) |
	     npu_set(NPU_DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN,
		     pass->type == PASS_FP16) |
	     NPU_DPU_RDMA_FEATURE_MODE_CFG_FLYING_MODE);
}

/*
 * A table is reached through the multipliers: BS takes |x|, which is PRELU with
 * -1 (C5), or scales; BN scales and has the neutral addend of programs that ran.
 */
static struct pass_stage to_index_bs(const struct lut *lut)
{
	return (struct pass_stage){
		.mul = lut->absolute || lut->scale != 1,
		.prelu = lut->absolute,
		.factor = lut->absolute ? -1 : lut->scale,
	};
}

static struct pass_stage to_index_bn(const struct lut *lut)
{
	return (struct pass_stage){ .alu = PASS_ADD, .addend = -0.0, .mul = true,
				    .factor = lut->factor };
}

void emit_pass(struct stream *stream, const struct pass_task *task)
{
	const struct pass *pass = task->pass;
	const struct pass_stage to_bs = pass->lut ? to_index_bs(pass->lut) : pass->bs;
	const struct pass_stage to_bn = pass->lut ? to_index_bn(pass->lut) : pass->bn;
	const struct stage bs = stage_of(pass, &to_bs), bn = stage_of(pass, &to_bn);
	const struct ew ew = ew_of(pass);

	dpu(stream, NPU_DPU_S_POINTER, NPU_S_POINTER_PING_PONG);
	rdma(stream, NPU_DPU_RDMA_S_POINTER, NPU_S_POINTER_PING_PONG);
	if (task->upload)
		emit_lut_upload(stream, task->upload);
	emit_format(stream, pass);
	emit_cube(stream, task);
	emit_stage(stream, &bs, NPU_DPU_BS_CFG);
	emit_stage(stream, &bn, NPU_DPU_BN_CFG);
	emit_ew(stream, &ew);
	emit_out_converter(stream, pass);
	emit_lut(stream, pass->lut);
	emit_reads(stream, task);
}

uint32_t pass_words(void)
{
	static const struct pass pass;
	const struct pass_task task = { .pass = &pass, .units = 1 };
	uint64_t words[MAX_WORDS];
	struct stream stream = { .words = words };

	emit_pass(&stream, &task);
	return stream.n;
}
