// SPDX-License-Identifier: MIT
#include "timing.h"

#include <time.h>

double timing_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

void timing_add(struct timing *timing, double seconds)
{
	unsigned int i = timing->n++;

	for (; i && timing->seconds[i - 1] > seconds; i--)
		timing->seconds[i] = timing->seconds[i - 1];
	timing->seconds[i] = seconds;
}

double timing_min(const struct timing *timing)
{
	return timing->seconds[0];
}

double timing_median(const struct timing *timing)
{
	return timing->n ? timing->seconds[timing->n / 2] : 0;
}
