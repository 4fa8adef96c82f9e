/* SPDX-License-Identifier: MIT */
/*
 * One way of the flying DPU over vectors (programming-model C5, F4): a main
 * operand through BS, BN and EW to a result, unit by unit. An element-wise
 * operation is a list of such passes.
 */
#ifndef SCORIA_PASS_H
#define SCORIA_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "lut.h"
#include "stage.h"
#include "stream.h"

enum pass_type {
	PASS_FP16,		/* fp16 in memory, fp32 inside */
	PASS_FP16_RAW,		/* fp16 throughout, as division wants it (C6) */
	PASS_INT8,		/* int8 in memory, int32 inside */
};

/**
 * struct pass_stage - BS: ALU, multiplier, ReLU, RELUX; BN: multiplier first
 * @alu:   PASS_NONE to bypass it
 * @mul:   use the multiplier; @prelu: for negative values only
 * @relu:  what is negative becomes 0
 * @relux: what is above @limit, NaN included, becomes @limit
 * @addend: operand of the ALU
 * @factor: of the multiplier, an fp16 or int16 number
 */
struct pass_stage {
	enum pass_alu alu;
	bool mul;
	bool prelu;
	bool relu;
	bool relux;
	double addend;
	double factor;
	double limit;
};

/* Vectors of an operation. */
enum slot {
	SLOT_A,
	SLOT_B,
	SLOT_C,
	SLOT_D,
	SLOT_E,
	SLOT_OUT,
	SLOT_T0,
	SLOT_T1,
	SLOT_T2,
	SLOT_T3,
	N_SLOTS,
	SLOT_NONE = N_SLOTS,
};

/**
 * struct pass - see above
 * @bs: @bn:  stages
 * @ew:       what EW does with @operand
 * @ew_relu: @ew_relux: @ew_limit: behind it, as in struct pass_stage
 * @operand_offset: @operand_factor: int8: the operand counts as (e + offset) * factor
 * @lut:      EW looks up a table instead of an operand; NULL for none
 * @out_offset: @out_factor: @out_shift: int8: the output converter (C7)
 * @main: @operand: @to: which vectors
 */
struct pass {
	enum pass_type type;
	struct pass_stage bs;
	struct pass_stage bn;
	enum pass_alu ew;
	bool ew_relu;
	bool ew_relux;
	double ew_limit;
	int32_t operand_offset;
	int16_t operand_factor;
	const struct lut *lut;
	int32_t out_offset;
	uint16_t out_factor;
	uint8_t out_shift;
	enum slot main;
	enum slot operand;
	enum slot to;
};

/**
 * struct pass_task - a task of a pass
 * @pass:  which
 * @units: of every vector, at most NPU_MAX_VECTOR
 * @upload: tables to store first, those of a pass before; NULL for none
 * @main: @operand: @to: NPU addresses
 */
struct pass_task {
	const struct pass *pass;
	uint32_t units;
	const struct lut *upload;
	uint32_t main;
	uint32_t operand;
	uint32_t to;
};

/*
 * The body of a segment, and its length, which is the same for all passes and
 * does not count lut_upload_words().
 */
void emit_pass(struct stream *stream, const struct pass_task *task);
uint32_t pass_words(void);

#endif
