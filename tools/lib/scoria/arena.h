/* SPDX-License-Identifier: MIT */
/*
 * The memory of the model device: a 4 GiB window of bus addresses over a
 * reservation of the process's address space. Only what was allocated answers,
 * to the byte, so an NPU access that leaves its buffer is an error.
 */
#ifndef SCORIA_ARENA_H
#define SCORIA_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_range {
	uint64_t start;
	uint64_t size;
};

struct arena {
	uint8_t *base;			/* bus address 0; that page is never handed out */
	uint64_t limit;			/* bytes that may be allocated together */
	uint64_t used;
	struct arena_range *ranges;	/* what is allocated, by ascending address */
	size_t n_ranges;
	size_t max_ranges;
};

int arena_init(struct arena *arena, uint64_t limit);
void arena_destroy(struct arena *arena);

/* @size bytes of zeros at *@address. The message is set on failure. */
int arena_alloc(struct arena *arena, uint64_t size, uint32_t *address);
void arena_free(struct arena *arena, uint32_t address);

/*
 * Where the bytes are, NULL when they are not inside one allocation. *@hit is where the
 * last access was found, 0 at first; with one of its own every thread may search.
 */
void *arena_find(const struct arena *arena, uint64_t address, uint64_t size, size_t *hit);

#endif
