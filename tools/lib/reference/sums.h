/* SPDX-License-Identifier: MIT */
/* y += a x, the loop in which the reference spends its time. */
#ifndef REFERENCE_SUMS_H
#define REFERENCE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Products of 255 * 255 that an int32 surely holds. */
#define SUMS_INT32_TERMS 32768

static inline void sums_double(double *restrict y, const double *restrict x, double a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

static inline void sums_int32(int32_t *restrict y, const int32_t *restrict x, int32_t a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

#endif
