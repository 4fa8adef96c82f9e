/* SPDX-License-Identifier: MIT */
/* The DPU: its registers decoded, and what its parts pass to each other. */
#ifndef DPU_H
#define DPU_H

#include "conv.h"

#define DPU_PIXELS	64	/* pixels that pass the pipeline together */
#define DPU_LANES	256	/* channels, at most, of one output group */
#define DPU_SURFACES	8	/* SIZE_E is three bits */

/* ALU codes of BS, BN and EW */
enum dpu_alu {
	DPU_ALU_MAX,
	DPU_ALU_MIN,
	DPU_ALU_ADD,
	DPU_ALU_DIV,
	DPU_ALU_SUB,
	DPU_ALU_ABS,
	DPU_ALU_NEG,
	DPU_ALU_FLOOR,
	DPU_ALU_CEIL,
};

/**
 * struct dpu_stage - BS or BN
 * @active, alu, mul, relu: what is not bypassed
 * @algo:      enum dpu_alu
 * @prelu:     the multiplier leaves positive values alone
 * @relux:     values above @limit become @limit
 * @alu_memory, mul_memory: operand is a vector over the channels
 * @alu_value, mul_value: operand from the register
 * @shift, shift_negative: integer shift behind the multiplier
 * @limit:     fp32 bits or int32
 */
struct dpu_stage {
	bool active;
	bool alu;
	bool mul;
	bool relu;
	bool prelu;
	bool relux;
	bool alu_memory;
	bool mul_memory;
	unsigned int algo;
	uint32_t alu_value;
	uint16_t mul_value;
	unsigned int shift;
	unsigned int shift_negative;
	uint32_t limit;
};

/**
 * struct dpu_ew - EW
 * @active, lut, op, relu: what is not bypassed
 * @memory:   operand from ERDMA, else from EW_OP_VALUE_0 to 7
 * @mul:      multiplier, else ALU
 * @convert:  the operand passes its converter
 * @size:     operand size code: 0 4, 1 8, 2 16, 3 32 bits
 * @add_first, up, offset, scale, shift: operand converter
 * @truncate, truncate_negative: integer shift behind the multiplier
 */
struct dpu_ew {
	bool active;
	bool lut;
	bool op;
	bool relu;
	bool relux;
	bool prelu;
	bool memory;
	bool mul;
	bool convert;
	unsigned int algo;
	unsigned int size;
	bool add_first;
	bool up;
	int32_t offset;
	int32_t scale;
	unsigned int shift;
	unsigned int truncate;
	unsigned int truncate_negative;
	uint32_t limit;
	uint32_t value[8];
};

/* OUT_CVT */
struct dpu_cvt {
	int32_t offset;
	int32_t scale;
	unsigned int shift;
	unsigned int minus_exp;
	bool add_first;
	bool up;
	bool to_fp16;
};

/**
 * struct dpu - the registers of DPU and DPU_RDMA for one task, decoded
 * @flying:    main input from MRDMA, else from CORE
 * @is_float:  processing in fp32, else in int32
 * @raw_float: MRDMA passes 16-bit floats as bits, unwidened
 * @in, @out:  NPU_PRECISION_* in memory
 * @width, height, pixels: cube
 * @channels:  channels processed, ORIG_CHANNEL + 1 real ones among them
 * @group:     channels that leave as one group of surfaces (D5)
 * @surfaces:  SIZE_E + 1
 * @cpend, ow: C4; the operand is @ow or comes from memory
 * @to_memory, to_ppu: destinations
 */
struct dpu {
	bool flying;
	bool is_float;
	bool raw_float;
	unsigned int in;
	unsigned int out;
	unsigned int width;
	unsigned int height;
	uint64_t pixels;
	unsigned int channels;
	unsigned int real_channels;
	unsigned int group;
	unsigned int surfaces;
	bool cpend;
	bool ow_memory;
	int32_t ow;
	uint32_t fill;
	unsigned int clip;
	bool clip_up;
	bool to_memory;
	bool to_ppu;
	struct dpu_stage bs;
	struct dpu_stage bn;
	struct dpu_ew ew;
	struct dpu_cvt cvt;
};

/* One value of the pipeline: an int32, or an fp32 as float or as bits. */
union dpu_lane {
	int32_t i;
	uint32_t u;
	float f;
};

/**
 * struct dpu_block - some pixels of one channel group on their way through
 * @first, n:   pixels
 * @c0:         first channel
 * @group:      lanes of a pixel
 * @is_float:   lanes are fp32; a LUT turns them into int32
 * @lut_done:   the lanes are LUT results of float processing
 * @lane:       [n][group]
 * @operand:    the EW operand, likewise, as stored
 * @bs_alu ... @bn_mul: operands of the group by channel
 * @acc, sum:   what CORE hands over
 * @units:      output, [surface][n] units
 */
struct dpu_block {
	uint64_t first;
	unsigned int n;
	unsigned int c0;
	unsigned int group;
	bool is_float;
	bool lut_done;
	union dpu_lane lane[DPU_PIXELS * DPU_LANES];
	uint32_t operand[DPU_PIXELS * DPU_LANES];
	uint32_t bs_alu[DPU_LANES];
	uint32_t bs_mul[DPU_LANES];
	uint32_t ow[DPU_LANES];
	uint32_t bn_alu[DPU_LANES];
	uint32_t bn_mul[DPU_LANES];
	double acc[DPU_PIXELS * DPU_LANES];
	double sum[DPU_PIXELS * DPU_LANES];
	uint8_t raw[DPU_PIXELS * NPU_UNIT];
	uint8_t units[DPU_LANES * 4 / NPU_UNIT][DPU_PIXELS * NPU_UNIT];
};

/**
 * struct dpu_cube - what the DPU feeds the PPU: whole, in units
 * @units:    [unit of channels][pixel]
 * @width, height, channels, precision: of the cube
 */
struct dpu_cube {
	uint8_t *units;
	unsigned int width;
	unsigned int height;
	unsigned int channels;
	unsigned int precision;
};

/* dpu.c */
bool dpu_run(struct npu_core *core, struct conv *conv, struct dpu_cube *cube);

/* Whether the task of the DPU has an operand that DPU_RDMA must read. */
bool dpu_needs_rdma(struct npu_core *core);

/* dpu_stages.c */
void dpu_stages(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);

/* dpu_cvt.c: lanes to output units */
void dpu_convert(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);

/* dpu_lut.c */
void dpu_lut(struct npu_core *core, struct dpu_block *b);

/* dpu_rdma.c */
bool rdma_needed(const struct dpu *dpu);
bool rdma_check(struct npu_core *core, const struct dpu *dpu);
bool rdma_load_group(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);
bool rdma_load_main(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);
bool rdma_load_operand(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);

/* dpu_wdma.c */
bool wdma_write(struct npu_core *core, const struct dpu *dpu, struct dpu_block *b);

/* ppu.c */
bool ppu_run(struct npu_core *core, const struct dpu_cube *cube);

#endif
