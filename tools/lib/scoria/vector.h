/* SPDX-License-Identifier: MIT */
/* A recipe over vectors of any length: pieces, tasks, memory. */
#ifndef SCORIA_VECTOR_H
#define SCORIA_VECTOR_H

#include <scoria/eltwise.h>

#include "chain.h"
#include "recipe.h"

/* Inputs of an operation, SLOT_A to SLOT_C. */
#define VECTOR_INPUTS 3u

/**
 * struct vector_shape - how inputs become vectors
 * @n:        elements
 * @size:     bytes of one, 1 or 2
 * @channels: @inner: element i of a vector over the channels is used for elements
 *            whose number / @inner % @channels is i
 * @broadcast: of the inputs
 * @flip:      0x80 for uint8, which the NPU sees as int8 minus 128; else 0
 */
struct vector_shape {
	uint64_t n;
	uint32_t size;
	uint64_t channels;
	uint64_t inner;
	enum scoria_broadcast broadcast[VECTOR_INPUTS];
	uint8_t flip;
};

/**
 * struct vector - see above
 * @recipe:  what is computed; it belongs to the vector
 * @period:  units after which broadcast inputs repeat, 0 when that is more than a task
 * @tile:    units of a task; a multiple of @period
 * @piece:   units that the buffers hold and one run computes
 * @runs:    pieces
 * @slots:   buffers
 * @chains: @n_chains: a chain for every table, so that it changes between jobs only
 *           and a job finds none that another one left (H6)
 */
struct vector {
	struct scoria_device *dev;
	struct recipe recipe;
	struct vector_shape shape;
	uint32_t period;
	uint32_t tile;
	uint64_t piece;
	uint64_t runs;
	struct scoria_buffer *slots[N_SLOTS];
	struct chain chains[RECIPE_MAX_LUTS + 1];
	size_t n_chains;
};

/* Take over @recipe, also on failure, and get memory and commands. */
int vector_create(struct vector *vector, struct scoria_device *dev, struct recipe *recipe,
		  const struct vector_shape *shape);
void vector_destroy(struct vector *vector);

/* @inputs that the recipe does not use are not looked at. */
int vector_run(struct vector *vector, const void *const inputs[VECTOR_INPUTS], void *output);

int vector_info(const struct vector *vector, struct scoria_plan_info *info);

#endif
