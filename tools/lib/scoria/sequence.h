/* SPDX-License-Identifier: MIT */
/* What a sequence is made of. */
#ifndef SCORIA_SEQUENCE_INTERNAL_H
#define SCORIA_SEQUENCE_INTERNAL_H

#include <scoria/sequence.h>

#include "chain.h"
#include "pass.h"
#include "post.h"
#include "program.h"

/**
 * struct sequence_item - something of an operation that the sequence owns
 * @chain:  commands of its own, or no tasks
 * @post:   passes behind them, or none
 * @buffer: what is between the two, or NULL
 */
struct sequence_item {
	struct chain chain;
	struct post post;
	struct scoria_buffer *buffer;
	struct sequence_item *next;
};

/**
 * struct scoria_sequence - see sequence.h
 * @first: @last: items, in order
 */
struct scoria_sequence {
	struct scoria_device *dev;
	struct sequence_item *first;
	struct sequence_item *last;
};

/* An empty item at the end, or NULL without memory, with the message set. */
struct sequence_item *sequence_append(struct scoria_sequence *seq);

/* Take the last item away again, after a failure. */
void sequence_drop_last(struct scoria_sequence *seq);

/**
 * struct sequence_contraction - where the commands of a contraction go
 * @chain:   for @n times the tiles of its plan
 * @results: NPU address of what it writes itself, which lies as the output does
 */
struct sequence_contraction {
	struct chain *chain;
	uint32_t results;
};

/* An item for @n runs of @program, with the passes that @ending leaves behind it. */
int sequence_begin(struct scoria_sequence *seq, const struct program *program, uint64_t n,
		   const struct ending *ending, const struct scoria_tensor *operand,
		   struct scoria_tensor *output, struct sequence_contraction *contraction);

/* One pass over @units units of vectors that are in NPU memory. */
int sequence_add_pass(struct scoria_sequence *seq, const struct pass *pass, uint64_t units,
		      uint32_t main, uint32_t operand, uint32_t to);

#endif
