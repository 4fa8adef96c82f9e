/* SPDX-License-Identifier: MIT */
/* A recipe over vectors of any length: pieces, tasks, memory. */
#ifndef SCORIA_VECTOR_H
#define SCORIA_VECTOR_H

#include <scoria/eltwise.h>

#include "chain.h"
#include "recipe.h"

/* Inputs of an operation, SLOT_A to SLOT_E. */
#define VECTOR_INPUTS 5u

/**
 * struct vector_input - how an input becomes a vector
 * @values: that it has; 0 for one of each element
 * @inner:  element i takes value i / @inner % @values
 */
struct vector_input {
	uint64_t values;
	uint64_t inner;
};

/**
 * struct vector_shape - how all inputs become vectors
 * @n:      elements
 * @size:   bytes of one, 1 or 2
 * @inputs: see there
 * @flip:   0x80 for uint8, which the NPU sees as int8 minus 128; else 0
 */
struct vector_shape {
	uint64_t n;
	uint32_t size;
	struct vector_input inputs[VECTOR_INPUTS];
	uint8_t flip;
};

/**
 * struct vector - see above
 * @recipe:  what is computed; it belongs to the vector
 * @periods: units after which inputs repeat, 0 for those that do not within a task
 * @tile:    units of a task; a multiple of all @periods
 * @piece:   units that the buffers hold and one run computes
 * @runs:    pieces
 * @slots:   buffers
 * @lent:    those of them that belong to somebody else
 * @chains: @n_chains: a chain for every table, so that it changes between jobs only
 *           and a job finds none that another one left (H6)
 */
struct vector {
	struct scoria_device *dev;
	struct recipe recipe;
	struct vector_shape shape;
	uint32_t periods[VECTOR_INPUTS];
	uint32_t tile;
	uint64_t piece;
	uint64_t runs;
	struct scoria_buffer *slots[N_SLOTS];
	bool lent[N_SLOTS];
	struct chain chains[RECIPE_MAX_LUTS + 1];
	size_t n_chains;
};

/* Take over @recipe, also on failure, and get memory and commands. */
int vector_create(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
		  const struct vector_shape *shape);

/* One that is all zeros, or was not created, may be destroyed. */
void vector_destroy(struct vector *vector);

/*
 * The same over fp16 numbers that are in NPU memory: all of @buffers[SLOT_A], and as much
 * of every other slot that has a buffer. SLOT_B without one holds ones.
 */
int vector_create_on(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
		     struct scoria_buffer *const buffers[N_SLOTS]);

/* Run all passes over what is in NPU memory. */
int vector_compute(struct vector *vector);

/* @inputs that the recipe does not use are not looked at. */
int vector_run(struct vector *vector, const void *const inputs[VECTOR_INPUTS], void *output);

/* Tasks and jobs of a run, and bytes of the buffers that are its own. */
void vector_add_costs(const struct vector *vector, struct scoria_plan_info *info);

int vector_info(const struct vector *vector, struct scoria_plan_info *info);

#endif
