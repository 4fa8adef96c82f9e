/* SPDX-License-Identifier: MIT */
/* Repeatable random data: the same seed gives the same bytes on every machine. */
#ifndef REFERENCE_RANDOM_H
#define REFERENCE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include <scoria/types.h>

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);

/* Uniform in [low, high]. */
int64_t random_range(struct random *random, int64_t low, int64_t high);

/*
 * Fill @n elements: all values of int4 to int16, int32 within +-1000, floats
 * uniform in [-1, 1).
 */
void random_fill(struct random *random, enum scoria_type type, void *data, size_t n);

#endif
