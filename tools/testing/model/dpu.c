// SPDX-License-Identifier: MIT
/*
 * DPU: takes accumulators from CORE or a cube from MRDMA through BS, BN, EW
 * and the output converter to memory or to the PPU (programming-model C4 to
 * C8, D5, F1).
 *
 * Not modelled, and reported when set: see unmodelled[]. Regroup, several surfaces in
 * series, min-max and the equality outputs have never been driven by anyone. TP_EN and
 * NONALIGN have, in one recorded program that does not say what it left; see dpu_wdma.c.
 */
#include <stdlib.h>
#include <string.h>

#include "dpu.h"
#include "numeric.h"

static const struct npu_unmodelled unmodelled[] = {
	{ NPU_DPU_FEATURE_MODE_CFG,	NPU_DPU_FEATURE_MODE_CFG_COMB_USE },
	{ NPU_DPU_FEATURE_MODE_CFG,	NPU_DPU_FEATURE_MODE_CFG_TP_EN },
	{ NPU_DPU_FEATURE_MODE_CFG,	NPU_DPU_FEATURE_MODE_CFG_RGP_TYPE },
	{ NPU_DPU_FEATURE_MODE_CFG,	NPU_DPU_FEATURE_MODE_CFG_NONALIGN },
	{ NPU_DPU_FEATURE_MODE_CFG,	NPU_DPU_FEATURE_MODE_CFG_SURF_LEN },
	{ NPU_DPU_DATA_FORMAT,		NPU_DPU_DATA_FORMAT_MC_SURF_OUT },
	{ NPU_DPU_DATA_CUBE_HEIGHT,	NPU_DPU_DATA_CUBE_HEIGHT_MINMAX_CTL },
	{ NPU_DPU_BS_MUL_CFG,		NPU_DPU_BS_MUL_CFG_BS_TRUNCATE_SRC },
	{ NPU_DPU_BS_OW_CFG,		NPU_DPU_BS_OW_CFG_RGP_CNTER },
	{ NPU_DPU_WDMA_SIZE_0,		NPU_DPU_WDMA_SIZE_0_TP_PRECISION },
	{ NPU_DPU_WDMA_SIZE_0,		NPU_DPU_WDMA_SIZE_0_SIZE_C_WDMA },
	{ NPU_DPU_BN_MUL_CFG,		NPU_DPU_BN_MUL_CFG_BN_TRUNCATE_SRC },
	{ NPU_DPU_EW_CFG,		NPU_DPU_EW_CFG_EW_EQUAL_EN },
	{ NPU_DPU_EW_CFG,		NPU_DPU_EW_CFG_EW_BINARY_EN },
	{ NPU_DPU_UNKNOWN_40C4,		NPU_DPU_UNKNOWN_40C4_UNKNOWN },
};

static const struct npu_unmodelled unmodelled_lut[] = {
	{ NPU_DPU_LUT_CFG,	NPU_DPU_LUT_CFG_LUT_CAL_SEL },
	{ NPU_DPU_LUT_CFG,	NPU_DPU_LUT_CFG_LUT_EXPAND_EN },
	{ NPU_DPU_LUT_CFG,	NPU_DPU_LUT_CFG_LUT_ROAD_SEL },
	/* every program writes 2 */
	{ NPU_DPU_LUT_CFG,	NPU_DPU_LUT_CFG_LUT_LO_LE_MUX & ~(2u << 2) },
};

#define N(table) (sizeof(table) / sizeof((table)[0]))

#define OUTPUT_PPU	1
#define OUTPUT_MEMORY	2

/* BS and BN have the same bits at other offsets. */
static void decode_stage(struct npu_core *core, uint32_t cfg_offset, struct dpu_stage *s)
{
	const uint32_t cfg = npu_reg(core, cfg_offset);
	const uint32_t mul = npu_reg(core, cfg_offset + NPU_DPU_BS_MUL_CFG - NPU_DPU_BS_CFG);

	s->active = !npu_get(NPU_DPU_BS_CFG_BS_BYPASS, cfg);
	s->alu = s->active && !npu_get(NPU_DPU_BS_CFG_BS_ALU_BYPASS, cfg);
	s->mul = s->active && !npu_get(NPU_DPU_BS_CFG_BS_MUL_BYPASS, cfg);
	s->relu = s->active && !npu_get(NPU_DPU_BS_CFG_BS_RELU_BYPASS, cfg);
	s->relux = s->active && npu_get(NPU_DPU_BS_CFG_BS_RELUX_EN, cfg);
	s->prelu = npu_get(NPU_DPU_BS_CFG_BS_MUL_PRELU, cfg);
	s->algo = npu_get(NPU_DPU_BS_CFG_BS_ALU_ALGO, cfg);
	s->alu_memory = s->alu && npu_get(NPU_DPU_BS_CFG_BS_ALU_SRC, cfg);
	s->mul_memory = s->mul && npu_get(NPU_DPU_BS_MUL_CFG_BS_MUL_SRC, mul);
	s->alu_value = npu_reg(core, cfg_offset + NPU_DPU_BS_ALU_CFG - NPU_DPU_BS_CFG);
	s->mul_value = (uint16_t)npu_get(NPU_DPU_BS_MUL_CFG_BS_MUL_OPERAND, mul);
	s->shift = npu_get(NPU_DPU_BS_MUL_CFG_BS_MUL_SHIFT_VALUE, mul);
	s->limit = npu_reg(core, cfg_offset + NPU_DPU_BS_RELUX_CMP_VALUE - NPU_DPU_BS_CFG);
}

static void decode_ew(struct npu_core *core, struct dpu_ew *ew)
{
	const uint32_t cfg = npu_reg(core, NPU_DPU_EW_CFG);
	const uint32_t scale = npu_reg(core, NPU_DPU_EW_CVT_SCALE_VALUE);

	ew->active = !npu_get(NPU_DPU_EW_CFG_EW_BYPASS, cfg);
	ew->lut = ew->active && !npu_get(NPU_DPU_EW_CFG_EW_LUT_BYPASS, cfg);
	ew->op = ew->active && !npu_get(NPU_DPU_EW_CFG_EW_OP_BYPASS, cfg);
	ew->relu = ew->active && !npu_get(NPU_DPU_EW_CFG_EW_RELU_BYPASS, cfg);
	ew->relux = ew->active && npu_get(NPU_DPU_EW_CFG_EW_RELUX_EN, cfg);
	ew->prelu = npu_get(NPU_DPU_EW_CFG_EW_MUL_PRELU, cfg);
	ew->memory = ew->op && npu_get(NPU_DPU_EW_CFG_EW_OP_SRC, cfg);
	ew->mul = npu_get(NPU_DPU_EW_CFG_EW_OP_TYPE, cfg);
	ew->convert = !npu_get(NPU_DPU_EW_CFG_EW_OP_CVT_BYPASS, cfg);
	ew->algo = npu_get(NPU_DPU_EW_CFG_EW_ALU_ALGO, cfg);
	ew->size = npu_get(NPU_DPU_EW_CFG_EDATA_SIZE, cfg);
	ew->add_first = npu_get(NPU_DPU_EW_CFG_EW_CVT_TYPE, cfg);
	ew->up = npu_get(NPU_DPU_EW_CFG_EW_CVT_ROUND, cfg);
	ew->offset = (int32_t)npu_reg(core, NPU_DPU_EW_CVT_OFFSET_VALUE);
	ew->scale = (int16_t)npu_get(NPU_DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SCALE, scale);
	ew->shift = npu_get(NPU_DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SHIFT, scale);
	ew->truncate = npu_get(NPU_DPU_EW_CVT_SCALE_VALUE_EW_TRUNCATE, scale);
	ew->truncate_negative = FIELD(core, DPU_DATA_FORMAT, EW_TRUNCATE_NEG);
	ew->limit = npu_reg(core, NPU_DPU_EW_RELUX_CMP_VALUE);
	for (unsigned int i = 0; i < N(ew->value) && ew->op && !ew->memory; i++)
		ew->value[i] = npu_reg(core, NPU_DPU_EW_OP_VALUE_0 + 4 * i);
}

static void decode_cvt(struct npu_core *core, struct dpu_cvt *cvt)
{
	cvt->offset = (int32_t)npu_reg(core, NPU_DPU_OUT_CVT_OFFSET);
	cvt->scale = (int16_t)FIELD(core, DPU_OUT_CVT_SCALE, OUT_CVT_SCALE);
	cvt->to_fp16 = FIELD(core, DPU_OUT_CVT_SCALE, FP32TOFP16_EN);
	cvt->shift = FIELD(core, DPU_OUT_CVT_SHIFT, OUT_CVT_SHIFT);
	cvt->minus_exp = FIELD(core, DPU_OUT_CVT_SHIFT, MINUS_EXP);
	cvt->add_first = FIELD(core, DPU_OUT_CVT_SHIFT, CVT_TYPE);
	cvt->up = FIELD(core, DPU_OUT_CVT_SHIFT, CVT_ROUND);
}

static void decode_cube(struct npu_core *core, bool depthwise, struct dpu *dpu)
{
	const unsigned int output = FIELD(core, DPU_FEATURE_MODE_CFG, OUTPUT_MODE);

	dpu->flying = FIELD(core, DPU_FEATURE_MODE_CFG, FLYING_MODE);
	dpu->to_memory = output & OUTPUT_MEMORY;
	dpu->to_ppu = output & OUTPUT_PPU;
	dpu->in = FIELD(core, DPU_DATA_FORMAT, IN_PRECISION);
	dpu->out = FIELD(core, DPU_DATA_FORMAT, OUT_PRECISION);
	dpu->is_float = precision_is_float(FIELD(core, DPU_DATA_FORMAT, PROC_PRECISION));
	dpu->width = FIELD(core, DPU_DATA_CUBE_WIDTH, WIDTH) + 1;
	dpu->height = FIELD(core, DPU_DATA_CUBE_HEIGHT, HEIGHT) + 1;
	dpu->pixels = (uint64_t)dpu->width * dpu->height;
	dpu->channels = FIELD(core, DPU_DATA_CUBE_CHANNEL, CHANNEL) + 1;
	dpu->real_channels = FIELD(core, DPU_DATA_CUBE_CHANNEL, ORIG_CHANNEL) + 1;
	dpu->fill = FIELD(core, DPU_OFFSET_PEND, OFFSET_PEND);
	dpu->surfaces = FIELD(core, DPU_BS_OW_CFG, SIZE_E_1) + 1;
	if (depthwise && dpu->out == NPU_PRECISION_FP32 && dpu->surfaces > 4 &&
	    npu_is(core, NPU_DW_FP32_FOUR))
		dpu->surfaces = 4;
}

static void decode(struct npu_core *core, const struct conv *conv, struct dpu *dpu)
{
	memset(dpu, 0, sizeof(*dpu));
	decode_cube(core, conv && conv->depthwise, dpu);
	decode_stage(core, NPU_DPU_BS_CFG, &dpu->bs);
	decode_stage(core, NPU_DPU_BN_CFG, &dpu->bn);
	dpu->bs.shift_negative = FIELD(core, DPU_DATA_FORMAT, BS_MUL_SHIFT_VALUE_NEG);
	dpu->bn.shift_negative = FIELD(core, DPU_DATA_FORMAT, BN_MUL_SHIFT_VALUE_NEG);
	decode_ew(core, &dpu->ew);
	decode_cvt(core, &dpu->cvt);
	dpu->cpend = conv && conv->qd && !dpu->is_float && !npu_is(core, NPU_QD_SUM_NONE) &&
		     !FIELD(core, DPU_BS_OW_CFG, OD_BYPASS);
	dpu->ow_memory = dpu->cpend && FIELD(core, DPU_BS_OW_CFG, OW_SRC) &&
			 npu_is(core, NPU_OW_SRC_MEMORY);
	dpu->ow = (int16_t)FIELD(core, DPU_BS_OW_OP, OW_OP);
	if (conv) {
		dpu->clip = FIELD(core, CORE_CLIP_TRUNCATE, CLIP_TRUNCATE);
		dpu->clip_up = FIELD(core, CORE_CLIP_TRUNCATE, ROUND_TYPE);
	} else {
		dpu->raw_float = precision_bits(dpu->in) == 16 && dpu->is_float &&
				 !FIELD(core, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_FP16TOFP32_EN);
	}
	/*
	 * CORE hands over the kernels of one hardware group together, whether
	 * SIZE_E has surfaces for all of them or not. A flying cube comes in
	 * units, and as many as SIZE_E has surfaces for make a group; for a
	 * planar output any grouping gives the same addresses [FIT].
	 */
	dpu->group = conv ? conv->group : dpu->surfaces * precision_lanes(dpu->out);
}

bool dpu_needs_rdma(struct npu_core *core)
{
	struct dpu dpu;

	decode(core, NULL, &dpu);
	return rdma_needed(&dpu);
}

static void warn(struct npu_core *core, const struct dpu *dpu, const struct conv *conv)
{
	const uint32_t ow = npu_reg(core, NPU_DPU_BS_OW_CFG);
	const unsigned int e = npu_get(NPU_DPU_BS_OW_CFG_SIZE_E_1, ow);

	npu_check_unmodelled(core, unmodelled, N(unmodelled));
	if (dpu->ew.lut)
		npu_check_unmodelled(core, unmodelled_lut, N(unmodelled_lut));
	if (npu_get(NPU_DPU_BS_OW_CFG_SIZE_E_0, ow) != e ||
	    npu_get(NPU_DPU_BS_OW_CFG_SIZE_E_2, ow) != e)
		npu_warn(core, "DPU.BS_OW_CFG: SIZE_E_0, 1 and 2 differ; SIZE_E_1 taken");
	if (FIELD(core, DPU_DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_0) !=
	    FIELD(core, DPU_DATA_CUBE_NOTCH_ADDR, NOTCH_ADDR_1))
		npu_warn(core, "DPU.DATA_CUBE_NOTCH_ADDR: the two values differ; NOTCH_ADDR_0 taken");
	if (conv && precision_is_float(conv->proc) != dpu->is_float)
		npu_warn(core, "DPU.DATA_FORMAT.PROC_PRECISION and CNA's disagree on float");
	if (conv && (FIELD(core, DPU_FEATURE_MODE_CFG, CONV_MODE) == CONV_DEPTHWISE) !=
		    conv->depthwise)
		npu_warn(core, "DPU.FEATURE_MODE_CFG.CONV_MODE=%u, but CNA is set to %s",
			 (unsigned int)FIELD(core, DPU_FEATURE_MODE_CFG, CONV_MODE),
			 conv->depthwise ? "depthwise" : "direct");
	if (!dpu->to_memory && !dpu->to_ppu)
		npu_warn(core, "DPU.FEATURE_MODE_CFG.OUTPUT_MODE=0: the result goes nowhere");
}

/* A board hung at some number of them; which is not recorded [HW, B8]. */
#define FP32_FLYING_MOST	32

static bool check(struct npu_core *core, const struct dpu *dpu, const struct conv *conv)
{
	const uint64_t units = dpu->pixels * div_up(dpu->channels, precision_lanes(dpu->out));

	if (conv && dpu->pixels > (uint64_t)conv->out_width * conv->out_height)
		return npu_stop(core, NPU_HUNG, "DPU waits for %ux%u pixels, CORE makes %ux%u",
				dpu->width, dpu->height, conv->out_width, conv->out_height);
	if (!conv && dpu->out == NPU_PRECISION_FP32 && ++core->fp32_flying > FP32_FLYING_MOST &&
	    npu_is(core, NPU_FP32_FLYING_HANGS))
		return npu_stop(core, NPU_HUNG, "DPU: too many flying tasks with fp32 output");
	if (units > core->options.max_task_cycles)
		return npu_stop(core, NPU_HUNG, "DPU task of %llu units, the limit is %llu cycles",
				(unsigned long long)units,
				(unsigned long long)core->options.max_task_cycles);
	core->counters.cycles[NPU_STAGE_DPU] += units;
	core->cost.cycles[NPU_STAGE_DPU] += units;
	return true;
}

/*
 * What CORE hands over, truncated and saturated (C3): int32, of which int4
 * sums use 16 bits [HW]; or fp32, rounded once.
 */
static int32_t core_value(struct npu_core *core, const struct dpu *dpu, double acc,
			  unsigned int bits)
{
	int64_t x = npu_saturate_double(acc, 62);

	if (dpu->clip)
		x = npu_shift(core, NPU_TIES_CLIP, dpu->clip_up, x, dpu->clip);
	return (int32_t)npu_saturate(x, bits);
}

static void load_core(struct npu_core *core, const struct dpu *dpu, struct conv *conv,
		      unsigned int g, struct dpu_block *b)
{
	const unsigned int bits = conv->proc == NPU_PRECISION_INT4 ? 16 : 32;
	const size_t lanes = (size_t)b->n * b->group;

	core_accumulate(core, conv, g, b->first, b->n, b->acc, b->sum);
	if (g && conv->proc == NPU_PRECISION_INT8 && dpu->out == NPU_PRECISION_FP16 &&
	    npu_is(core, NPU_INT8_FP16_FIRST))
		memset(b->acc, 0, lanes * sizeof(*b->acc));
	for (size_t i = 0; i < lanes; i++) {
		if (dpu->is_float)
			b->lane[i].f = npu_canonical((float)b->acc[i]);
		else
			b->lane[i].i = core_value(core, dpu, b->acc[i], bits);
		if (dpu->cpend) {
			const int64_t s = npu_is(core, NPU_QD_CLIP_CUT) ?
					  core_value(core, dpu, b->sum[i], 32) :
					  npu_saturate_double(b->sum[i], 32);
			const int64_t ow = (int16_t)b->ow[i % b->group];

			b->lane[i].i = (int32_t)npu_saturate(b->lane[i].i + ow * s, 32);
		}
	}
}

static void store_cube(const struct dpu *dpu, const struct dpu_block *b, struct dpu_cube *cube)
{
	const unsigned int lanes = precision_lanes(dpu->out);
	const unsigned int units = (unsigned int)div_up(dpu->channels, lanes);

	for (unsigned int u = 0; u < b->group / lanes && b->c0 / lanes + u < units; u++)
		memcpy(cube->units + ((b->c0 / lanes + u) * dpu->pixels + b->first) * NPU_UNIT,
		       b->units[u], b->n * NPU_UNIT);
}

/* One block: from the source through the pipeline to the destinations. */
static bool run_block(struct npu_core *core, const struct dpu *dpu, struct conv *conv,
		      struct dpu_cube *cube, struct dpu_block *b)
{
	b->is_float = dpu->is_float;
	b->lut_done = false;
	if (conv)
		load_core(core, dpu, conv, b->c0 / b->group, b);
	else if (!rdma_load_main(core, dpu, b))
		return false;
	if (dpu->ew.memory && !rdma_load_operand(core, dpu, b))
		return false;
	dpu_stages(core, dpu, b);
	dpu_convert(core, dpu, b);
	if (dpu->to_ppu)
		store_cube(dpu, b, cube);
	return !dpu->to_memory || wdma_write(core, dpu, b);
}

static bool run_group(struct npu_core *core, const struct dpu *dpu, struct conv *conv,
		      struct dpu_cube *cube, struct dpu_block *b)
{
	if (conv && conv_group_kernels(conv, b->c0 / b->group) &&
	    !cna_load_weights(core, conv, b->c0 / b->group))
		return false;
	if (!rdma_load_group(core, dpu, b))
		return false;
	for (b->first = 0; b->first < dpu->pixels; b->first += b->n) {
		const uint64_t left = dpu->pixels - b->first;

		b->n = left < DPU_PIXELS ? (unsigned int)left : DPU_PIXELS;
		if (!run_block(core, dpu, conv, cube, b))
			return false;
	}
	return true;
}

#define MAX_CUBE_BYTES	(256u << 20)	/* DPU to PPU; nobody feeds it more */

static bool cube_alloc(struct npu_core *core, const struct dpu *dpu, struct dpu_cube *cube)
{
	const uint64_t bytes = dpu->pixels * NPU_UNIT *
			       div_up(dpu->channels, precision_lanes(dpu->out));

	if (bytes > MAX_CUBE_BYTES)
		return npu_stop(core, NPU_HUNG, "DPU feeds the PPU a cube of %llu bytes",
				(unsigned long long)bytes);
	cube->units = calloc(1, bytes);
	if (!cube->units)
		return npu_stop(core, NPU_STALLED, "out of memory");
	cube->width = dpu->width;
	cube->height = dpu->height;
	cube->channels = dpu->channels;
	cube->precision = dpu->out;
	return true;
}

/*
 * Run the task of the DPU, on @conv's results or, when NULL, on MRDMA's. What
 * goes to the PPU is left in @cube, whose units the caller frees.
 */
bool dpu_run(struct npu_core *core, struct conv *conv, struct dpu_cube *cube)
{
	struct dpu_block *b;
	struct dpu dpu;
	bool ok = true;

	decode(core, conv, &dpu);
	warn(core, &dpu, conv);
	if (!check(core, &dpu, conv) || !rdma_check(core, &dpu))
		return false;
	if (dpu.to_ppu && !cube_alloc(core, &dpu, cube))
		return false;
	/* kept for the next task: half a megabyte is dear to map for a small one */
	if (!core->block)
		core->block = calloc(1, sizeof(*core->block));
	b = core->block;
	if (!b)
		return npu_stop(core, NPU_STALLED, "out of memory");
	b->group = dpu.group;
	for (b->c0 = 0; ok && b->c0 < dpu.channels; b->c0 += b->group)
		ok = run_group(core, &dpu, conv, cube, b);
	return ok;
}
