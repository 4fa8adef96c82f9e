// SPDX-License-Identifier: MIT
#include "units.h"

/* Rows of bytes; of wider elements there are fewer. */
#define MOST 16u

/* The elements of two rows in turn, of the first halves and of the second ones. */
typedef void (*zip_fn)(const unit_t *a, const unit_t *b, unit_t *low, unit_t *high);

static inline void zip8(const unit_t *a, const unit_t *b, unit_t *low, unit_t *high)
{
	*low = __builtin_shufflevector(*a, *b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
				       23);
	*high = __builtin_shufflevector(*a, *b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
					30, 15, 31);
}

static inline void zip16(const unit_t *a, const unit_t *b, unit_t *low, unit_t *high)
{
	*low = __builtin_shufflevector(*a, *b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22,
				       23);
	*high = __builtin_shufflevector(*a, *b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14,
					15, 30, 31);
}

static inline void zip32(const unit_t *a, const unit_t *b, unit_t *low, unit_t *high)
{
	*low = __builtin_shufflevector(*a, *b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22,
				       23);
	*high = __builtin_shufflevector(*a, *b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28,
					29, 30, 31);
}

/*
 * Rows zipped with those half of all rows further on, as often as it takes to halve their
 * number to one, are columns.
 */
static inline __attribute__((always_inline))
void transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, uint8_t flip,
	       unsigned int n, zip_fn zip)
{
	unit_t rows[2][MOST];
	unsigned int i, left, now = 0;

	for (i = 0; i < n; i++)
		memcpy(&rows[0][i], from + i * from_step, sizeof(unit_t));
	for (left = n; left > 1; left /= 2, now ^= 1)
		for (i = 0; i < n / 2; i++)
			zip(&rows[now][i], &rows[now][i + n / 2], &rows[now ^ 1][2 * i],
			    &rows[now ^ 1][2 * i + 1]);
	for (i = 0; i < n; i++) {
		rows[now][i] ^= flip;
		memcpy(to + i * to_step, &rows[now][i], sizeof(unit_t));
	}
}

void units_transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step,
		     uint32_t size, uint8_t flip)
{
	if (size == 1)
		transpose(to, to_step, from, from_step, flip, 16, zip8);
	else if (size == 2)
		transpose(to, to_step, from, from_step, flip, 8, zip16);
	else
		transpose(to, to_step, from, from_step, flip, 4, zip32);
}
