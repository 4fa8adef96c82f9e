// SPDX-License-Identifier: MIT
#include "row_maxima.h"

#define INFINITY_BITS	0x7c00
#define NAN_BITS	0x7e00

/* Bits that compare as integers the way numbers do, and back. */
static int16_t ordered(uint16_t bits)
{
	return (int16_t)(bits ^ (bits & 0x8000 ? 0x7fff : 0));
}

static uint16_t row_maximum(const uint16_t *x, size_t n)
{
	int16_t most = INT16_MIN;
	uint16_t farthest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const int16_t value = ordered(x[i]);
		const uint16_t distance = x[i] & 0x7fff;

		most = value > most ? value : most;
		farthest = distance > farthest ? distance : farthest;
	}
	return farthest > INFINITY_BITS ? NAN_BITS : (uint16_t)ordered((uint16_t)most);
}

void row_maxima(const uint16_t *x, size_t rows, size_t columns, uint16_t *out)
{
	size_t i;

	for (i = 0; i < rows; i++)
		out[i] = row_maximum(x + i * columns, columns);
}
