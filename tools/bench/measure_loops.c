// SPDX-License-Identifier: MIT
/* Who the NPU is compared with: three plain loops. */
#include "bench.h"

static void loop_int8(const struct work *work, size_t group)
{
	const int8_t *a = work->a8 + group * work->m * work->k;
	const int8_t *b = work->b8 + group * work->n * work->k;
	int32_t *c = (int32_t *)work->c + group * work->m * work->n;
	size_t i, j, p;

	for (i = 0; i < work->m; i++)
		for (j = 0; j < work->n; j++) {
			int32_t sum = 0;

			for (p = 0; p < work->k; p++)
				sum += a[i * work->k + p] * b[j * work->k + p];
			c[i * work->n + j] = sum;
		}
}

static void loop_float(const struct work *work, size_t group)
{
	const float *a = work->a + group * work->m * work->k;
	const float *b = work->b + group * work->n * work->k;
	float *c = (float *)work->c + group * work->m * work->n;
	size_t i, j, p;

	for (i = 0; i < work->m; i++)
		for (j = 0; j < work->n; j++) {
			float sum = 0;

			for (p = 0; p < work->k; p++)
				sum += a[i * work->k + p] * b[j * work->k + p];
			c[i * work->n + j] = sum;
		}
}

void loop_measure(const struct work *work, unsigned int repeats, struct timing *timing)
{
	size_t group;

	for (; repeats; repeats--) {
		double start = timing_now();

		for (group = 0; group < work->groups; group++) {
			if (work->a8)
				loop_int8(work, group);
			else
				loop_float(work, group);
		}
		timing_add(timing, timing_now() - start);
	}
}
