/* SPDX-License-Identifier: MIT */
/*
 * The DPU's stages as their registers have them (programming-model C5, C6), for
 * convolutions and for passes over vectors.
 */
#ifndef SCORIA_STAGE_H
#define SCORIA_STAGE_H

#include <stdbool.h>
#include <stdint.h>

struct lut;
struct stream;

/* ALU codes of BS, BN and EW (programming-model C5), one more than the register's. */
enum pass_alu {
	PASS_NONE,
	PASS_MAX,
	PASS_MIN,
	PASS_ADD,
	PASS_DIV,
	PASS_SUB,
	PASS_MUL,		/* not an ALU code: EW has a multiplier of its own */
};

/**
 * struct stage - BS: ALU, multiplier, ReLU, RELUX; BN: multiplier first
 * @alu:   PASS_NONE to bypass it
 * @alu_vector: its operand is a vector over the channels, int32 or fp32
 * @mul:   use the multiplier; @prelu: for negative values only
 * @mul_vector: its operand is a vector over the channels, int16 or fp16
 * @relu: @relux: what is negative becomes 0, what is above @limit @limit
 * @addend: @factor: operands that are not vectors
 * @shift: @shift_negative: of integer products
 * @limit: int32 or fp32
 */
struct stage {
	enum pass_alu alu;
	bool alu_vector;
	bool mul;
	bool mul_vector;
	bool prelu;
	bool relu;
	bool relux;
	uint32_t addend;
	uint16_t factor;
	uint8_t shift;
	uint8_t shift_negative;
	uint32_t limit;
};

/* Operand size codes of EW and ERDMA (F1). */
enum ew_size {
	EW_SIZE_8 = 1,
	EW_SIZE_16 = 2,
};

/**
 * struct ew - EW: a table or an operand from memory, ReLU, RELUX
 * @op:    PASS_NONE for no operand
 * @size:  of the operand's elements
 * @convert: the operand passes its converter
 * @add_first: which adds @offset before it multiplies by @scale and 2^-@shift
 * @lut:   NULL for no table
 */
struct ew {
	enum pass_alu op;
	enum ew_size size;
	bool convert;
	bool add_first;
	int32_t offset;
	uint16_t scale;
	uint8_t shift;
	bool relu;
	bool relux;
	uint32_t limit;
	const struct lut *lut;
};

static inline bool stage_is_active(const struct stage *stage)
{
	return stage->alu || stage->mul || stage->relu || stage->relux;
}

/* Registers from @cfg on, BS_CFG or BN_CFG; the negative shift is not among them. */
void emit_stage(struct stream *stream, const struct stage *stage, uint32_t cfg);

/* EW's registers, those of the table excepted. */
void emit_ew(struct stream *stream, const struct ew *ew);

#endif
