// SPDX-License-Identifier: MIT
/*
 * Tasks in a row: the trailer, and what a task that does not write everything
 * takes over from an earlier one.
 */
#include <stdio.h>

#include "lint.h"

#define NAMES_SHOWN 5

static void check_barrier(struct lint *lint)
{
	if (lint->task->enable && !lint->task->barrier)
		lint_say(lint, 0,
			 "no barrier word before the enable word, which the TRM asks for (B1)");
}

static void check_link(struct lint *lint)
{
	const struct scoria_task *task = lint->task;
	uint32_t fetched = 2 * (npu_get(NPU_PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT, task->length) + 1);

	if (!task->linked || !task->next)
		return;
	if (task->next & ~NPU_PC_BASE_ADDRESS_PC_SOURCE_ADDR)
		lint_say(lint, 0, "the link %08x is not 16-byte aligned (B3)", task->next);
	if (!task->sized || !lint->place.next_words)
		return;
	if (fetched < lint->place.next_words)
		lint_say(lint, 0,
			 "the link fetches %u words of a task that has %u: its enable word is never reached (B3)",
			 fetched, lint->place.next_words);
}

/* CNA and CORE are armed by the driver, once per kick (B4). */
static void check_pointers(struct lint *lint)
{
	static const uint16_t pointers[][2] = {
		{ NPU_ENABLE_DPU, NPU_DPU_S_POINTER },
		{ NPU_ENABLE_DPU_RDMA, NPU_DPU_RDMA_S_POINTER },
		{ NPU_ENABLE_PPU, NPU_PPU_S_POINTER },
		{ NPU_ENABLE_PPU_RDMA, NPU_PPU_RDMA_S_POINTER },
	};

	if (lint->place.n_tasks < 2)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(pointers); i++)
		if (lint_starts(lint, pointers[i][0]) && !lint_wrote(lint, pointers[i][1]))
			lint_say(lint, 0,
				 "%s.S_POINTER is not written: tasks of a chain repeat the first one (B4, H12)",
				 npu_blocks[npu_reg_find(pointers[i][1])->block].name);
}

static void check_qd_en(struct lint *lint)
{
	uint32_t precision = LINT_FIELD(lint, CORE_MISC_CFG, PROC_PRECISION);
	bool integer = precision == NPU_PRECISION_INT8 || precision == NPU_PRECISION_INT16 ||
		       precision == NPU_PRECISION_INT4;

	if (lint->place.n_tasks > 1 && lint_starts(lint, NPU_ENABLE_CORE) && integer &&
	    lint_wrote(lint, NPU_CORE_MISC_CFG) && !LINT_FIELD(lint, CORE_MISC_CFG, QD_EN))
		lint_say(lint, NPU_CORE_MISC_CFG,
			 "QD_EN is 0 in a chain of integer tasks: later tasks gave garbage on boards (B4)");
}

static bool bs_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_BS_CFG) && !LINT_FIELD(lint, DPU_BS_CFG, BS_BYPASS);
}

static bool bn_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_BN_CFG) && !LINT_FIELD(lint, DPU_BN_CFG, BN_BYPASS);
}

static bool ew_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_EW_CFG) && !LINT_FIELD(lint, DPU_EW_CFG, EW_BYPASS);
}

static bool ew_register_operand(const struct lint *lint)
{
	return ew_on(lint) && !LINT_FIELD(lint, DPU_EW_CFG, EW_OP_SRC) &&
	       !LINT_FIELD(lint, DPU_EW_CFG, EW_OP_BYPASS);
}

static bool lut_on(const struct lint *lint)
{
	return ew_on(lint) && !LINT_FIELD(lint, DPU_EW_CFG, EW_LUT_BYPASS);
}

static bool erdma_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_RDMA_ERDMA_CFG) &&
	       !LINT_FIELD(lint, DPU_RDMA_ERDMA_CFG, ERDMA_DISABLE);
}

static bool mrdma_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG) &&
	       !LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE);
}

static bool brdma_on(const struct lint *lint)
{
	return LINT_FIELD(lint, DPU_RDMA_BRDMA_CFG, BRDMA_DATA_USE);
}

static bool nrdma_on(const struct lint *lint)
{
	return LINT_FIELD(lint, DPU_RDMA_NRDMA_CFG, NRDMA_DATA_USE);
}

static bool unpooling_on(const struct lint *lint)
{
	return mrdma_on(lint) && LINT_FIELD(lint, DPU_RDMA_SRC_DMA_CFG, UNPOOLING_EN);
}

static bool converter_on(const struct lint *lint)
{
	return lint_wrote(lint, NPU_CNA_CVT_CON0) && !LINT_FIELD(lint, CNA_CVT_CON0, CVT_BYPASS);
}

static bool compressed(const struct lint *lint)
{
	return LINT_FIELD(lint, CNA_DCOMP_REGNUM, DCOMP_REGNUM);
}

static bool zero_skip(const struct lint *lint)
{
	return LINT_FIELD(lint, CNA_FC_CON0, FC_SKIP_EN);
}

static bool never(const struct lint *lint)
{
	(void)lint;
	return false;
}

/* Registers @first to @last are read only when @read says so; all others always. */
static const struct conditional {
	uint16_t first;
	uint16_t last;
	bool (*read)(const struct lint *lint);
} conditionals[] = {
	{ NPU_CNA_CVT_CON1, NPU_CNA_CVT_CON4, converter_on },
	{ NPU_CNA_FC_CON1, NPU_CNA_FC_CON1, zero_skip },
	{ NPU_CNA_FC_CON2, NPU_CNA_FC_CON2, zero_skip },
	{ NPU_CNA_CLK_GATE, NPU_CNA_CLK_GATE, never },
	{ NPU_CNA_DCOMP_AMOUNT0, NPU_CNA_DCOMP_AMOUNT15, compressed },
	{ NPU_CNA_CVT_CON5, NPU_CNA_CVT_CON5, converter_on },
	{ NPU_CORE_MAC_GATING, NPU_CORE_MAC_GATING, never },
	{ NPU_CORE_UNKNOWN_3030, NPU_CORE_UNKNOWN_3030, never },
	{ NPU_DPU_BS_ALU_CFG, NPU_DPU_BS_RELUX_CMP_VALUE, bs_on },
	{ NPU_DPU_BN_ALU_CFG, NPU_DPU_BN_RELUX_CMP_VALUE, bn_on },
	{ NPU_DPU_EW_CVT_OFFSET_VALUE, NPU_DPU_EW_RELUX_CMP_VALUE, ew_on },
	{ NPU_DPU_EW_OP_VALUE_0, NPU_DPU_EW_OP_VALUE_7, ew_register_operand },
	{ NPU_DPU_UNKNOWN_40C4, NPU_DPU_UNKNOWN_40C4, never },
	/* the tables themselves stay between tasks, and are uploaded once (C9) */
	{ NPU_DPU_LUT_ACCESS_CFG, NPU_DPU_LUT_ACCESS_DATA, never },
	{ NPU_DPU_LUT_CFG, NPU_DPU_LUT_LO_SLOPE_SHIFT, lut_on },
	{ NPU_DPU_RDMA_SRC_BASE_ADDR, NPU_DPU_RDMA_SRC_BASE_ADDR, mrdma_on },
	{ NPU_DPU_RDMA_BS_BASE_ADDR, NPU_DPU_RDMA_BS_BASE_ADDR, brdma_on },
	{ NPU_DPU_RDMA_BN_BASE_ADDR, NPU_DPU_RDMA_BN_BASE_ADDR, nrdma_on },
	{ NPU_DPU_RDMA_EW_BASE_ADDR, NPU_DPU_RDMA_EW_SURF_STRIDE, erdma_on },
	{ NPU_DPU_RDMA_SRC_DMA_CFG, NPU_DPU_RDMA_SURF_NOTCH, mrdma_on },
	{ NPU_DPU_RDMA_PAD_CFG, NPU_DPU_RDMA_PAD_CFG, unpooling_on },
	{ NPU_DPU_RDMA_EW_SURF_NOTCH, NPU_DPU_RDMA_EW_SURF_NOTCH, erdma_on },
};

static bool is_read(const struct lint *lint, const struct npu_reg *reg)
{
	for (size_t i = 0; i < ARRAY_SIZE(conditionals); i++)
		if (reg->offset >= conditionals[i].first && reg->offset <= conditionals[i].last)
			return conditionals[i].read(lint);
	return true;
}

/* One line per block, with the first few names. */
static void check_block_complete(struct lint *lint, unsigned int block)
{
	char names[160] = "";
	unsigned int n = 0, used = 0;

	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];

		if (reg->block != block || reg->stream != NPU_STREAM_YES ||
		    lint_wrote(lint, reg->offset) || !is_read(lint, reg))
			continue;
		if (n++ < NAMES_SHOWN)
			used += snprintf(names + used, sizeof(names) - used, "%s%s",
					 n > 1 ? ", " : "", reg->name);
	}
	if (n)
		lint_say(lint, 0, "%s: %u registers keep what an earlier task left: %s%s (B6, R9)",
			 npu_blocks[block].name, n, names, n > NAMES_SHOWN ? " ..." : "");
}

static void check_complete(struct lint *lint)
{
	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++)
		if (npu_blocks[i].enable_bit >= 0 &&
		    lint_starts(lint, 1u << npu_blocks[i].enable_bit))
			check_block_complete(lint, i);
}

const struct lint_rule lint_chain_rules[] = {
	{ "barrier", check_barrier },
	{ "link", check_link },
	{ "pointers", check_pointers },
	{ "qd-en", check_qd_en },
	{ "complete", check_complete },
	{ 0 }
};
