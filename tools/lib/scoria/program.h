/* SPDX-License-Identifier: MIT */
/*
 * A planned layer with its memory and its commands, for one or more groups that
 * differ in nothing but their data.
 */
#ifndef SCORIA_PROGRAM_H
#define SCORIA_PROGRAM_H

#include <scoria/types.h>

#include "chain.h"
#include "plan.h"
#include "post.h"

struct operands;

/**
 * struct program - see above
 * @dev:     where it runs
 * @plan:    of one group
 * @groups:  copies of it, each with areas of its own
 * @in_pitch: @weight_pitch: @bias_pitch: @scales_pitch: @out_pitch: bytes from the
 *           area of a group to that of the next
 * @in: @out: buffers
 * @operand: a buffer as @out for what EW reads, or NULL
 * @chain:   the tasks of all groups, in order
 * @post:    what follows them
 * @bound:   operands whose addresses are in the commands, or NULL
 */
struct program {
	struct scoria_device *dev;
	struct plan plan;
	uint32_t groups;
	uint64_t in_pitch;
	uint64_t weight_pitch;
	uint64_t bias_pitch;
	uint64_t scales_pitch;
	uint64_t out_pitch;
	struct scoria_buffer *in;
	struct scoria_buffer *out;
	struct scoria_buffer *operand;
	struct chain chain;
	struct post post;
	struct operands *bound;
};

/**
 * struct operands - weights and bias of all groups
 * @program: they belong to
 * @buffer:  all weights, then all bias vectors, then all multipliers
 */
struct operands {
	struct program *program;
	struct scoria_buffer *buffer;
};

/* Take over @plan, also on failure, and get memory for it and for what @ending adds. */
int program_create(struct program *program, struct scoria_device *dev, struct plan *plan,
		   uint32_t groups, const struct ending *ending);
void program_destroy(struct program *program);

/*
 * Plan a matrix product of @rows rows, or of as many as keep its buffers modest.
 * @partial is NULL when the CPU cannot add parts.
 */
int plan_rows(struct plan *plan, struct layer *layer, struct layer *partial, uint32_t groups,
	      uint64_t rows);

void *program_input(const struct program *program, uint32_t group);
void *program_operand(const struct program *program, uint32_t group);
const void *program_output(const struct program *program, uint32_t group);

int operands_create(struct operands *operands, struct program *program);
void operands_destroy(struct operands *operands);
void *operands_weights(const struct operands *operands, uint32_t group);
void *operands_bias(const struct operands *operands, uint32_t group);
void *operands_scales(const struct operands *operands, uint32_t group);

/* They are written: let the NPU see them. */
int operands_sync(struct operands *operands);

/* The chain of a run; its number of tasks may be multiplied. */
struct chain_shape program_shape(const struct program *program);

/* The addresses of weights, bias and multipliers; the others are 0. */
struct areas program_operands(const struct program *program, const struct operands *operands,
			      uint32_t group);

/* All tiles of one group at @areas, from *@task on, which moves. */
void program_emit(const struct program *program, const struct chain *chain,
		  const struct areas *areas, uint64_t *task);

/* Write the commands for @operands, unless they are there. */
int program_bind(struct program *program, struct operands *operands);

/* All groups, once, and wait. */
int program_run(struct program *program, struct operands *operands);

/* What program_run() costs, @runs times. */
struct scoria_plan_info program_costs(const struct program *program, uint64_t runs);

#endif
