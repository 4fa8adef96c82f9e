/* SPDX-License-Identifier: MIT */
/* Times of repeated runs. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#define MAX_REPEATS 32

/* The @seconds of @n runs, the shortest first. */
struct timing {
	unsigned int n;
	double seconds[MAX_REPEATS];
};

double timing_now(void);

/* Up to MAX_REPEATS times. */
void timing_add(struct timing *timing, double seconds);

/* 0 when nothing was added. */
double timing_min(const struct timing *timing);
double timing_median(const struct timing *timing);

#endif
