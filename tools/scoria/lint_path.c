// SPDX-License-Identifier: MIT
/*
 * What feeds what: a block or read engine that waits for data which nobody
 * sends, or sends what nobody takes, never completes and can wedge the core
 * until it is reset (programming-model B8; fault H8).
 */
#include "lint.h"

static bool wrote_modes(const struct lint *lint)
{
	return lint_wrote(lint, NPU_DPU_FEATURE_MODE_CFG) &&
	       lint_wrote(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG);
}

static void check_mrdma(struct lint *lint)
{
	if (!lint_starts(lint, NPU_ENABLE_DPU_RDMA) ||
	    !lint_wrote(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG))
		return;
	if (!LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE) &&
	    !LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, FLYING_MODE) &&
	    !LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, COMB_USE))
		lint_say(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG,
			 "MRDMA is on in a convolution without COMB_USE: never completes (MRDMA trap; B8, H8)");
	if (LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE) &&
	    LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, FLYING_MODE))
		lint_say(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG,
			 "FLYING_MODE takes its input from MRDMA, which is disabled (B8, H8)");
}

/* An engine that is on by COMB_USE or by itself must have its partner and its user. */
static void check_comb_use(struct lint *lint)
{
	uint32_t comb = LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, COMB_USE);
	bool flying = LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, FLYING_MODE);
	bool erdma = !LINT_FIELD(lint, DPU_RDMA_ERDMA_CFG, ERDMA_DISABLE);
	bool mrdma = !LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE);

	if (!lint_starts(lint, NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA) || !wrote_modes(lint) ||
	    !lint_wrote(lint, NPU_DPU_RDMA_ERDMA_CFG))
		return;
	if (comb && flying)
		lint_say(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG,
			 "COMB_USE %u in flying mode is undefined (K6)", comb);
	else if (comb && !(erdma && mrdma))
		lint_say(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG,
			 "COMB_USE %u needs MRDMA and ERDMA, %s is disabled: never completes (B8, F3)",
			 comb, mrdma ? "ERDMA" : "MRDMA");
	else if (!comb && !flying && erdma && lint_wrote(lint, NPU_DPU_EW_CFG) &&
		 LINT_FIELD(lint, DPU_EW_CFG, EW_BYPASS))
		lint_say(lint, NPU_DPU_RDMA_ERDMA_CFG,
			 "ERDMA is on in a convolution whose EW stage is bypassed: never completes (B8, H8)");
}

static void check_flying(struct lint *lint)
{
	if (lint_starts(lint, NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA) && wrote_modes(lint) &&
	    LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, FLYING_MODE) !=
	    LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, FLYING_MODE))
		lint_say(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG,
			 "FLYING_MODE differs from DPU's: one of them waits for the other's input (B8)");
}

static void check_ew_operand(struct lint *lint)
{
	bool wanted = lint_wrote(lint, NPU_DPU_EW_CFG) &&
		      !LINT_FIELD(lint, DPU_EW_CFG, EW_BYPASS) &&
		      !LINT_FIELD(lint, DPU_EW_CFG, EW_OP_BYPASS) &&
		      LINT_FIELD(lint, DPU_EW_CFG, EW_OP_SRC);
	bool erdma_off = lint_wrote(lint, NPU_DPU_RDMA_ERDMA_CFG) &&
			 LINT_FIELD(lint, DPU_RDMA_ERDMA_CFG, ERDMA_DISABLE);

	if (lint_starts(lint, NPU_ENABLE_DPU) && wanted &&
	    (erdma_off || !lint_starts(lint, NPU_ENABLE_DPU_RDMA)))
		lint_say(lint, NPU_DPU_EW_CFG,
			 "EW takes an operand from memory, but ERDMA does not read one (B8)");
}

enum operand { OPERAND_ALU = 1, OPERAND_CPEND = 2, OPERAND_MUL = 4 };

/* Operands that stage BS takes from memory, as flags of BRDMA_DATA_USE. */
static uint32_t bs_operands(const struct lint *lint)
{
	uint32_t wanted = 0;

	if (lint_wrote(lint, NPU_DPU_BS_OW_CFG) && LINT_FIELD(lint, DPU_BS_OW_CFG, OW_SRC) &&
	    !LINT_FIELD(lint, DPU_BS_OW_CFG, OD_BYPASS))
		wanted |= OPERAND_CPEND;
	if (!lint_wrote(lint, NPU_DPU_BS_CFG) || LINT_FIELD(lint, DPU_BS_CFG, BS_BYPASS))
		return wanted;
	if (!LINT_FIELD(lint, DPU_BS_CFG, BS_ALU_BYPASS) &&
	    LINT_FIELD(lint, DPU_BS_CFG, BS_ALU_SRC))
		wanted |= OPERAND_ALU;
	if (!LINT_FIELD(lint, DPU_BS_CFG, BS_MUL_BYPASS) &&
	    LINT_FIELD(lint, DPU_BS_MUL_CFG, BS_MUL_SRC))
		wanted |= OPERAND_MUL;
	return wanted;
}

static uint32_t bn_operands(const struct lint *lint)
{
	uint32_t wanted = 0;

	if (!lint_wrote(lint, NPU_DPU_BN_CFG) || LINT_FIELD(lint, DPU_BN_CFG, BN_BYPASS))
		return 0;
	if (!LINT_FIELD(lint, DPU_BN_CFG, BN_ALU_BYPASS) &&
	    LINT_FIELD(lint, DPU_BN_CFG, BN_ALU_SRC))
		wanted |= OPERAND_ALU;
	if (!LINT_FIELD(lint, DPU_BN_CFG, BN_MUL_BYPASS) &&
	    LINT_FIELD(lint, DPU_BN_MUL_CFG, BN_MUL_SRC))
		wanted |= OPERAND_MUL;
	return wanted;
}

static void say_operand(struct lint *lint, uint32_t offset, const char *stage, const char *engine)
{
	lint_say(lint, offset, "%s takes an operand from memory that %s does not read (B8)", stage,
		 engine);
}

static void check_vectors(struct lint *lint)
{
	bool rdma = lint_starts(lint, NPU_ENABLE_DPU_RDMA);
	uint32_t bs = bs_operands(lint);
	uint32_t bn = bn_operands(lint);

	if (!lint_starts(lint, NPU_ENABLE_DPU))
		return;
	if ((bs && !rdma) || (lint_wrote(lint, NPU_DPU_RDMA_BRDMA_CFG) &&
			      bs & ~LINT_FIELD(lint, DPU_RDMA_BRDMA_CFG, BRDMA_DATA_USE)))
		say_operand(lint, NPU_DPU_BS_CFG, "BS", "BRDMA");
	if ((bn && !rdma) || (lint_wrote(lint, NPU_DPU_RDMA_NRDMA_CFG) &&
			      bn & ~LINT_FIELD(lint, DPU_RDMA_NRDMA_CFG, NRDMA_DATA_USE)))
		say_operand(lint, NPU_DPU_BN_CFG, "BN", "NRDMA");
}

/* Say so unless every block of @needed is started. */
static void need(struct lint *lint, uint32_t offset, uint32_t needed, const char *why)
{
	uint32_t missing = needed & ~lint->task->enable;

	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++) {
		const struct npu_block *block = &npu_blocks[i];

		if (block->enable_bit >= 0 && missing & 1u << block->enable_bit)
			lint_say(lint, offset, "the enable mask lacks %s, %s: never completes (B8)",
				 block->name, why);
	}
}

static void check_dpu_mask(struct lint *lint)
{
	uint32_t convolution = NPU_ENABLE_CNA | NPU_ENABLE_CORE;

	if (LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, FLYING_MODE))
		need(lint, NPU_DPU_FEATURE_MODE_CFG, NPU_ENABLE_DPU_RDMA,
		     "which feeds a flying DPU");
	else if (!(lint->task->enable & convolution))
		need(lint, NPU_DPU_FEATURE_MODE_CFG, convolution,
		     "which feeds a DPU that does not fly");
	if (LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, OUTPUT_MODE) & 1)
		need(lint, NPU_DPU_FEATURE_MODE_CFG, NPU_ENABLE_PPU, "to which the DPU sends");
}

static void check_ppu_mask(struct lint *lint)
{
	if (LINT_FIELD(lint, PPU_OPERATION_MODE_CFG, FLYING_MODE))
		need(lint, NPU_PPU_OPERATION_MODE_CFG, NPU_ENABLE_PPU_RDMA,
		     "which feeds a flying PPU");
	else
		need(lint, NPU_PPU_OPERATION_MODE_CFG, NPU_ENABLE_DPU,
		     "which feeds a PPU that does not fly");
}

static void check_mask(struct lint *lint)
{
	uint32_t convolution = NPU_ENABLE_CNA | NPU_ENABLE_CORE;

	if (lint->task->enable & convolution)
		need(lint, 0, convolution | NPU_ENABLE_DPU, "through which a convolution runs");
	else if (lint_starts(lint, NPU_ENABLE_DPU_RDMA))
		need(lint, 0, NPU_ENABLE_DPU, "for which DPU_RDMA reads");
	if (lint_starts(lint, NPU_ENABLE_PPU_RDMA))
		need(lint, 0, NPU_ENABLE_PPU, "for which PPU_RDMA reads");
	if (lint_starts(lint, NPU_ENABLE_DPU) && lint_wrote(lint, NPU_DPU_FEATURE_MODE_CFG))
		check_dpu_mask(lint);
	if (lint_starts(lint, NPU_ENABLE_PPU) && lint_wrote(lint, NPU_PPU_OPERATION_MODE_CFG))
		check_ppu_mask(lint);
}

static void check_output(struct lint *lint)
{
	if (lint_starts(lint, NPU_ENABLE_DPU) && lint_wrote(lint, NPU_DPU_FEATURE_MODE_CFG) &&
	    !LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, OUTPUT_MODE))
		lint_say(lint, NPU_DPU_FEATURE_MODE_CFG,
			 "OUTPUT_MODE 0 sends the result nowhere (F1)");
}

const struct lint_rule lint_path_rules[] = {
	{ "mask", check_mask },
	{ "mrdma", check_mrdma },
	{ "comb-use", check_comb_use },
	{ "flying", check_flying },
	{ "ew-operand", check_ew_operand },
	{ "vector-operand", check_vectors },
	{ "output", check_output },
	{ 0 }
};
