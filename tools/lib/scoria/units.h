/* SPDX-License-Identifier: MIT */
/*
 * Units of 16 bytes (limits.h), which vector registers hold: NEON on arm64, SSE2 on x86, by
 * the vector extensions of the compiler.
 */
#ifndef SCORIA_UNITS_H
#define SCORIA_UNITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t unit_t __attribute__((vector_size(16)));

/* @flip: as in struct strided. */
static inline void unit_copy(uint8_t *to, const uint8_t *from, uint8_t flip)
{
	unit_t unit;

	memcpy(&unit, from, sizeof(unit));
	unit ^= flip;
	memcpy(to, &unit, sizeof(unit));
}

/*
 * As many rows as a unit has elements of @size bytes, 1, 2 or 4, of a unit each, @from_step
 * bytes apart, transposed to such rows @to_step bytes apart. The two may not overlap.
 */
void units_transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step,
		     uint32_t size, uint8_t flip);

#endif
