// SPDX-License-Identifier: MIT
/*
 * Sizes and types that several registers repeat, and limits. A size that does
 * not fit its field wraps silently or spills into the next one (fault R1); here
 * it shows as a disagreement.
 */
#include "lint.h"

#define CBUF_BANKS 12
#define CBUF_BANK_BYTES 32768u
#define CBUF_ENTRY_BYTES 64u

/* Bits of an element by precision code, 0 where there is no such code. */
static unsigned int element_bits(uint32_t precision)
{
	static const unsigned char bits[8] = {
		[NPU_PRECISION_INT8] = 8, [NPU_PRECISION_INT16] = 16, [NPU_PRECISION_FP16] = 16,
		[NPU_PRECISION_BF16] = 16, [NPU_PRECISION_INT32] = 32, [NPU_PRECISION_FP32] = 32,
		[NPU_PRECISION_INT4] = 4, [NPU_PRECISION_TF32] = 32,
	};

	return bits[precision & 7];
}

static bool is_float(uint32_t precision)
{
	return precision == NPU_PRECISION_FP16 || precision == NPU_PRECISION_BF16 ||
	       precision == NPU_PRECISION_FP32 || precision == NPU_PRECISION_TF32;
}

static void expect(struct lint *lint, uint32_t offset, const char *what, uint64_t got,
		   const char *other, uint64_t want)
{
	if (got != want)
		lint_say(lint, offset, "%s is %llu but %s gives %llu (R1)", what,
			 (unsigned long long)got, other, (unsigned long long)want);
}

static void check_stride(struct lint *lint)
{
	if (!lint_starts(lint, NPU_ENABLE_CNA) || !lint_wrote(lint, NPU_CNA_CONV_CON3))
		return;
	if (!LINT_FIELD(lint, CNA_CONV_CON3, CONV_X_STRIDE) ||
	    !LINT_FIELD(lint, CNA_CONV_CON3, CONV_Y_STRIDE))
		lint_say(lint, NPU_CNA_CONV_CON3,
			 "a convolution stride of 0: 8 and more do not fit the field (R1)");
}

static void check_weights(struct lint *lint)
{
	uint64_t kernel_bytes = LINT_FIELD(lint, CNA_WEIGHT_SIZE1, WEIGHT_BYTES_PER_KERNEL);
	uint64_t taps = (uint64_t)LINT_FIELD(lint, CNA_WEIGHT_SIZE2, WEIGHT_WIDTH) *
			LINT_FIELD(lint, CNA_WEIGHT_SIZE2, WEIGHT_HEIGHT);
	uint64_t bits = taps * LINT_FIELD(lint, CNA_DATA_SIZE1, DATAIN_CHANNEL) *
			element_bits(LINT_FIELD(lint, CNA_CONV_CON1, PROC_PRECISION));

	if (!lint_starts(lint, NPU_ENABLE_CNA) || !lint_wrote(lint, NPU_CNA_WEIGHT_SIZE0) ||
	    !lint_wrote(lint, NPU_CNA_WEIGHT_SIZE1) || !lint_wrote(lint, NPU_CNA_WEIGHT_SIZE2))
		return;
	expect(lint, NPU_CNA_WEIGHT_SIZE0, "WEIGHT_BYTES",
	       LINT_FIELD(lint, CNA_WEIGHT_SIZE0, WEIGHT_BYTES), "kernels x bytes per kernel",
	       kernel_bytes * LINT_FIELD(lint, CNA_WEIGHT_SIZE2, WEIGHT_KERNELS));
	if (lint_wrote(lint, NPU_CNA_DATA_SIZE1) && lint_wrote(lint, NPU_CNA_CONV_CON1))
		expect(lint, NPU_CNA_WEIGHT_SIZE1, "WEIGHT_BYTES_PER_KERNEL", kernel_bytes,
		       "taps x channels x element", bits / 8);
}

static void check_convolution_output(struct lint *lint)
{
	uint64_t width = LINT_FIELD(lint, CORE_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
	uint64_t height = LINT_FIELD(lint, CORE_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;

	if (!lint_starts(lint, NPU_ENABLE_CNA | NPU_ENABLE_CORE) ||
	    !lint_wrote(lint, NPU_CORE_DATAOUT_SIZE_0))
		return;
	if (lint_wrote(lint, NPU_CNA_DATA_SIZE2))
		expect(lint, NPU_CNA_DATA_SIZE2, "DATAOUT_WIDTH",
		       LINT_FIELD(lint, CNA_DATA_SIZE2, DATAOUT_WIDTH), "CORE", width);
	if (lint_wrote(lint, NPU_CNA_DATA_SIZE3))
		expect(lint, NPU_CNA_DATA_SIZE3, "DATAOUT_ATOMICS",
		       LINT_FIELD(lint, CNA_DATA_SIZE3, DATAOUT_ATOMICS),
		       "width x height of CORE", width * height);
	if (!lint_is_convolution(lint))
		return;
	if (lint_wrote(lint, NPU_DPU_DATA_CUBE_WIDTH))
		expect(lint, NPU_DPU_DATA_CUBE_WIDTH, "DPU's width",
		       LINT_FIELD(lint, DPU_DATA_CUBE_WIDTH, WIDTH) + 1, "CORE", width);
	if (lint_wrote(lint, NPU_DPU_DATA_CUBE_HEIGHT))
		expect(lint, NPU_DPU_DATA_CUBE_HEIGHT, "DPU's height",
		       LINT_FIELD(lint, DPU_DATA_CUBE_HEIGHT, HEIGHT) + 1, "CORE", height);
}

static void check_write_dma(struct lint *lint)
{
	if (!lint_starts(lint, NPU_ENABLE_DPU) || !lint_wrote(lint, NPU_DPU_WDMA_SIZE_1))
		return;
	if (lint_wrote(lint, NPU_DPU_DATA_CUBE_WIDTH))
		expect(lint, NPU_DPU_WDMA_SIZE_1, "WIDTH_WDMA",
		       LINT_FIELD(lint, DPU_WDMA_SIZE_1, WIDTH_WDMA), "DATA_CUBE_WIDTH",
		       LINT_FIELD(lint, DPU_DATA_CUBE_WIDTH, WIDTH));
	if (lint_wrote(lint, NPU_DPU_DATA_CUBE_HEIGHT))
		expect(lint, NPU_DPU_WDMA_SIZE_1, "HEIGHT_WDMA",
		       LINT_FIELD(lint, DPU_WDMA_SIZE_1, HEIGHT_WDMA), "DATA_CUBE_HEIGHT",
		       LINT_FIELD(lint, DPU_DATA_CUBE_HEIGHT, HEIGHT));
}

/* Features of packed pixels are counted as one row and take less room (D7). */
static void check_banks(struct lint *lint)
{
	uint32_t data = LINT_FIELD(lint, CNA_CBUF_CON0, DATA_BANK);
	uint32_t weights = LINT_FIELD(lint, CNA_CBUF_CON0, WEIGHT_BANK);
	uint64_t bytes = (uint64_t)LINT_FIELD(lint, CNA_DATA_SIZE0, DATAIN_HEIGHT) *
			 LINT_FIELD(lint, CNA_CBUF_CON1, DATA_ENTRIES) * CBUF_ENTRY_BYTES;

	if (!lint_starts(lint, NPU_ENABLE_CNA) || !lint_wrote(lint, NPU_CNA_CBUF_CON0))
		return;
	if (data + weights != CBUF_BANKS || !data || !weights)
		lint_say(lint, NPU_CNA_CBUF_CON0,
			 "%u banks for features and %u for weights, not %u in all (E3)",
			 data, weights, CBUF_BANKS);
	if (LINT_FIELD(lint, CNA_CBUF_CON0, FC_DATA_BANK))
		lint_say(lint, NPU_CNA_CBUF_CON0, "FC_DATA_BANK spoils ordinary convolutions (E1)");
	if (lint_wrote(lint, NPU_CNA_DATA_SIZE0) && lint_wrote(lint, NPU_CNA_CBUF_CON1) &&
	    lint_wrote(lint, NPU_CNA_CONV_CON1) && !LINT_FIELD(lint, CNA_CONV_CON1, ARGB_IN) &&
	    bytes > (uint64_t)data * CBUF_BANK_BYTES)
		lint_say(lint, NPU_CNA_CBUF_CON0,
			 "%llu bytes of features do not fit %u banks: the last rows meet the weights (E3, R5)",
			 (unsigned long long)bytes, data);
}

/* Kernels that leave the DPU together, by type (D5). */
static unsigned int kernel_group(const struct lint *lint)
{
	bool depthwise = LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, CONV_MODE) == 3;

	switch (LINT_FIELD(lint, CORE_MISC_CFG, PROC_PRECISION)) {
	case NPU_PRECISION_INT4:
		return depthwise ? 0 : 64;
	case NPU_PRECISION_INT8:
		return depthwise ? 64 : 32;
	default:
		return depthwise ? 32 : 16;
	}
}

static void check_size_e(struct lint *lint)
{
	uint32_t first = LINT_FIELD(lint, DPU_BS_OW_CFG, SIZE_E_0);
	uint32_t bits = element_bits(LINT_FIELD(lint, DPU_DATA_FORMAT, OUT_PRECISION));

	if (!lint_is_convolution(lint) || !lint_wrote(lint, NPU_DPU_BS_OW_CFG))
		return;
	if (LINT_FIELD(lint, DPU_BS_OW_CFG, SIZE_E_1) != first ||
	    LINT_FIELD(lint, DPU_BS_OW_CFG, SIZE_E_2) != first)
		lint_say(lint, NPU_DPU_BS_OW_CFG, "SIZE_E_0 to _2 are not equal (D5)");
	else if (lint_wrote(lint, NPU_CORE_MISC_CFG) && lint_wrote(lint, NPU_DPU_DATA_FORMAT) &&
		 kernel_group(lint) && (first + 1) * 128 < kernel_group(lint) * bits)
		lint_say(lint, NPU_DPU_BS_OW_CFG,
			 "SIZE_E %u writes %u of the %u channels of a kernel group (D5)", first,
			 (first + 1) * 128 / bits, kernel_group(lint));
}

static void check_modes(struct lint *lint)
{
	bool depthwise = LINT_FIELD(lint, CNA_CONV_CON1, CONV_MODE) == 3;

	if (!lint_starts(lint, NPU_ENABLE_CNA) || !lint_wrote(lint, NPU_CNA_CONV_CON1))
		return;
	if (lint_starts(lint, NPU_ENABLE_CORE) && lint_wrote(lint, NPU_CORE_MISC_CFG)) {
		expect(lint, NPU_CORE_MISC_CFG, "DW_EN", LINT_FIELD(lint, CORE_MISC_CFG, DW_EN),
		       "CONV_MODE of CNA", depthwise);
		expect(lint, NPU_CORE_MISC_CFG, "CORE's PROC_PRECISION",
		       LINT_FIELD(lint, CORE_MISC_CFG, PROC_PRECISION), "CNA",
		       LINT_FIELD(lint, CNA_CONV_CON1, PROC_PRECISION));
	}
	if (lint_is_convolution(lint))
		expect(lint, NPU_DPU_FEATURE_MODE_CFG, "DPU's CONV_MODE",
		       LINT_FIELD(lint, DPU_FEATURE_MODE_CFG, CONV_MODE), "CNA",
		       LINT_FIELD(lint, CNA_CONV_CON1, CONV_MODE));
}

static void check_input_type(struct lint *lint)
{
	if (lint_starts(lint, NPU_ENABLE_DPU | NPU_ENABLE_DPU_RDMA) &&
	    lint_wrote(lint, NPU_DPU_DATA_FORMAT) &&
	    lint_wrote(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG) &&
	    !LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, MRDMA_DISABLE))
		expect(lint, NPU_DPU_RDMA_FEATURE_MODE_CFG, "DPU_RDMA's IN_PRECISION",
		       LINT_FIELD(lint, DPU_RDMA_FEATURE_MODE_CFG, IN_PRECISION), "DPU",
		       LINT_FIELD(lint, DPU_DATA_FORMAT, IN_PRECISION));
}

/* Divisions run wholly in fp16 and need no narrowing (C6). */
static void check_narrowing(struct lint *lint)
{
	bool divides = !LINT_FIELD(lint, DPU_EW_CFG, EW_BYPASS) &&
		       LINT_FIELD(lint, DPU_EW_CFG, EW_ALU_ALGO) == 3;

	if (lint_starts(lint, NPU_ENABLE_DPU) && lint_wrote(lint, NPU_DPU_DATA_FORMAT) &&
	    lint_wrote(lint, NPU_DPU_OUT_CVT_SCALE) &&
	    LINT_FIELD(lint, DPU_DATA_FORMAT, OUT_PRECISION) == NPU_PRECISION_FP16 &&
	    is_float(LINT_FIELD(lint, DPU_DATA_FORMAT, PROC_PRECISION)) && !divides &&
	    !LINT_FIELD(lint, DPU_OUT_CVT_SCALE, FP32TOFP16_EN))
		lint_say(lint, NPU_DPU_OUT_CVT_SCALE,
			 "fp16 output without FP32TOFP16_EN stores the low half of fp32 (C7)");
}

const struct lint_rule lint_size_rules[] = {
	{ "stride", check_stride },
	{ "weights", check_weights },
	{ "conv-output", check_convolution_output },
	{ "write-dma", check_write_dma },
	{ "banks", check_banks },
	{ "size-e", check_size_e },
	{ "modes", check_modes },
	{ "input-type", check_input_type },
	{ "narrowing", check_narrowing },
	{ 0 }
};
