// SPDX-License-Identifier: MIT
#include "split.h"

#include <math.h>

#include "fp16.h"

/* Numbers from 1 to below 2 that fp16 has. */
#define MANTISSAS 1024

void split_factor(double factor, double *first, double *second)
{
	double best = INFINITY;
	int i;

	for (i = 0; i < MANTISSAS; i++) {
		const double one = 1 + (double)i / MANTISSAS;
		const double two = (double)fp16_to_fp32(fp32_to_fp16((float)(factor / one)));
		const double error = fabs(one * two - factor);

		if (error >= best)
			continue;
		best = error;
		*first = one;
		*second = two;
	}
}
